//! `/api/export` exports everything a profile owns. `/api/restore` restores the document into an empty profile.

mod document;
pub(crate) mod field_value;
mod json;
pub(crate) mod restore;
pub(crate) mod tables;
mod values;

use std::str::FromStr;

use actix_web::get;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::{HttpResponse, HttpResponseBuilder};
use finance_domain::error::Chain;
use finance_domain::members::Member;
use finance_domain::text::normalized;
use finance_domain::use_cases::members;
use finance_domain::{FieldErrors, Repo, Result};
use serde::Deserialize;
use time::{Date, OffsetDateTime};
use utoipa::IntoParams;

use crate::extract::authenticated::Authenticated;
use crate::extract::query::{Param, Params};
use crate::problem::Reply;
use crate::routes::auth::AUDIT;
use crate::service::Shared;
use crate::stream::{ChunkWriter, client_gone};
use crate::words::{WordSchema, WordView};

use tables::{Locale, LocaleView};

pub use document::read as read_document;

finance_domain::words! {
    /// Format of an export.
    enum Format {
        /// One document that can be restored.
        Json = "json",
        /// Tables for spreadsheets.
        Csv = "csv",
    }
}

impl WordSchema for Format {
    const NAME: &'static str = "Format";
    const DESCRIPTION: &'static str = "Format of an export.";
}

type FormatView = WordView<Format>;

impl Format {
    /// The media type, and how the file's name ends.
    fn file(self) -> (&'static str, &'static str) {
        match self {
            Format::Json => ("application/json", "json"),
            Format::Csv => ("application/zip", "zip"),
        }
    }
}

/// How to export.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportQuery {
    /// `json`, one document that can be restored, or `csv`, a zip of tables for spreadsheets; `json` if absent.
    #[param(value_type = Option<FormatView>, inline, example = "json")]
    format: Param,
    /// How the tables of `csv` are written: with decimal commas, cells separated by `;`, and names of categories and accounts in place of
    /// their ids. If absent, as the rest of the API writes.
    #[param(value_type = Option<LocaleView>, inline)]
    locale: Param,
}

/// Everything the profile owns, as of one instant, as a file: a JSON document that `POST /api/restore`
/// restores, or a zip of CSV tables in which no cell is run as a formula. If the export fails midway, the
/// connection is closed before the end of the file.
#[utoipa::path(tag = "export", params(ExportQuery), responses((status = 200, content(
    (json::DocumentSchema = "application/json"), (Vec<u8> = "application/zip")))))]
#[get("/api/export")]
pub(crate) async fn read(service: Shared, user: Authenticated, query: Params<ExportQuery>) -> Reply {
    let mut errors = FieldErrors::default();
    let format = query.value.format.read("format", &mut errors, Format::from_str).unwrap_or(Format::Json);
    let locale = query.value.locale.read("locale", &mut errors, Locale::from_str);
    errors.into_result()?;
    let (today, now) = (service.clock.today(), service.clock.now());
    let export = move |repo: &mut dyn Repo, member: Member, out: &mut ChunkWriter| {
        write(repo, &member, (format, locale), now, out)
    };
    let (member, chunks) = service.stream(user.caller, members::me, export).await?;
    let mut response: HttpResponseBuilder = HttpResponse::Ok();
    let (media_type, _) = format.file();
    response.insert_header((CONTENT_DISPOSITION, disposition(&member.name, today, format)));
    Ok(response.content_type(media_type).streaming(chunks))
}

fn write(
    repo: &mut dyn Repo,
    member: &Member,
    (format, locale): (Format, Option<Locale>),
    now: OffsetDateTime,
    out: &mut ChunkWriter,
) -> Result<()> {
    let written = match format {
        Format::Json => {
            let mut sink = json::DocumentWriter::begin(&mut *out, &member.name, now)?;
            finance_export::write(repo, &mut sink).and_then(|count| sink.finish().map(|()| count))
        }
        Format::Csv => {
            let mut sink = tables::TablesWriter::begin(&mut *out, locale);
            finance_export::write(repo, &mut sink).and_then(|count| sink.finish().map(|()| count))
        }
    };
    match written.and_then(|count| out.finish().map(|()| count).map_err(client_gone)) {
        Ok(count) => {
            log::info!(target: AUDIT, "profile {} exported as {}: {count} rows", member.profile_id, format.file().1)
        }
        Err(error) => {
            log::warn!("export of profile {} failed: {}", member.profile_id, Chain(&error));
            return Err(error);
        }
    }
    Ok(())
}

/// `attachment; filename="finance-ana-luisa-2026-03-15.json"`, with letters that every file system accepts.
fn disposition(name: &str, today: Date, format: Format) -> String {
    let words = normalized(name);
    let words: Vec<&str> =
        words.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name = if words.is_empty() { "profile".to_string() } else { words.join("-") };
    format!("attachment; filename=\"finance-{name}-{today}.{}\"", format.file().1)
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn a_file_is_named_with_letters_that_every_system_takes() {
        for (name, expected) in [
            ("ana", "finance-ana-2026-03-15.json"),
            ("Ana Luísa", "finance-ana-luisa-2026-03-15.json"),
            ("../../etc\"; rm\r\n", "finance-etc-rm-2026-03-15.json"),
            ("花子", "finance-profile-2026-03-15.json"),
        ] {
            let header = disposition(name, date!(2026 - 03 - 15), Format::Json);
            assert_eq!(header, format!("attachment; filename=\"{expected}\""));
        }
    }
}
