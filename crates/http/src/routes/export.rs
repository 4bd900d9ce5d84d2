//! `/api/export`: everything a profile owns, and the document it leaves as read again.

mod document;
mod json;
mod tables;

use actix_web::get;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::web::Data;
use actix_web::{HttpResponse, HttpResponseBuilder};
use finance_domain::error::Chain;
use finance_domain::export::{Column, Table};
use finance_domain::text::normalized;
use finance_domain::use_cases::profiles;
use finance_domain::{Error, FieldErrors, ProfileId, Repo, Result};
use serde::Deserialize;
use time::{Date, OffsetDateTime};
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::query::{Param, Params};
use crate::problem::Problem;
use crate::routes::auth::AUDIT;
use crate::service::Service;
use crate::stream::ChunkWriter;

pub use document::read as read_document;

/// Format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToSchema)]
#[schema(rename_all = "snake_case")]
enum Format {
    Json,
    Csv,
}

impl Format {
    fn of_word(word: &str) -> Result<Self, &'static str> {
        match word {
            "json" => Ok(Format::Json),
            "csv" => Ok(Format::Csv),
            _ => Err("must be json or csv"),
        }
    }

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
    /// `json`, one document that can be restored, or `csv`, a zip of tables for spreadsheets; `json` where absent.
    #[param(value_type = Option<Format>, inline, example = "json")]
    format: Param,
}

/// Everything the profile owns, as of one instant, as a file: a JSON document that `finance import-profile`
/// restores, or a zip of CSV tables in which no cell is run as a formula. A file that was cut short does not
/// end as one: the connection breaks.
#[utoipa::path(tag = "export", params(ExportQuery), responses((status = 200, content(
    (json::DocumentSchema = "application/json"), (Vec<u8> = "application/zip")))))]
#[get("/api/export")]
pub(crate) async fn read(
    service: Data<Service>,
    user: Authenticated,
    query: Params<ExportQuery>,
) -> Result<HttpResponse, Problem> {
    let mut errors = FieldErrors::default();
    let format = query.value.format.read("format", &mut errors, Format::of_word).unwrap_or(Format::Json);
    errors.into_result()?;
    let name = service.read(user.caller, profiles::get).await?.name;
    let (today, now) = (service.clock.today(), service.clock.now());
    let profile_id = user.caller.profile_id;
    let chunks = service.stream(user.caller, move |repo, out| write(repo, out, profile_id, format, now)).await?;
    let mut response: HttpResponseBuilder = HttpResponse::Ok();
    let (media_type, _) = format.file();
    response.insert_header((CONTENT_DISPOSITION, disposition(&name, today, format)));
    Ok(response.content_type(media_type).streaming(chunks))
}

fn write(
    repo: &mut dyn Repo,
    out: &mut ChunkWriter,
    profile_id: ProfileId,
    format: Format,
    now: OffsetDateTime,
) -> Result<()> {
    let name = profiles::get(repo)?.name;
    let written = match format {
        Format::Json => {
            let mut sink = json::DocumentWriter::begin(&mut *out, &name, now)?;
            finance_export::write(repo, &mut sink).and_then(|count| sink.finish().map(|()| count))
        }
        Format::Csv => {
            let mut sink = tables::TablesWriter::begin(&mut *out);
            finance_export::write(repo, &mut sink).and_then(|count| sink.finish().map(|()| count))
        }
    };
    match written.and_then(|count| out.finish().map(|()| count).map_err(taker_gone)) {
        Ok(count) => log::info!(target: AUDIT, "profile {profile_id} exported as {}: {count} rows", format.file().1),
        Err(error) => {
            log::warn!("export of profile {profile_id} failed: {}", Chain(&error));
            return Err(error);
        }
    }
    Ok(())
}

/// Whoever takes the export has hung up, or takes it too slowly.
fn taker_gone(error: std::io::Error) -> Error {
    Error::Unavailable(Box::new(error))
}

/// `attachment; filename="finance-ana-luisa-2026-03-15.json"`, with letters that every file system takes.
fn disposition(name: &str, today: Date, format: Format) -> String {
    let words = normalized(name);
    let words: Vec<&str> =
        words.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name = if words.is_empty() { "profile".to_string() } else { words.join("-") };
    format!("attachment; filename=\"finance-{name}-{today}.{}\"", format.file().1)
}

/// What a column is called where it leaves: a `type` in the API is a `kind` everywhere else, but for accounts,
/// whose kind it is.
fn field(table: &Table, column: &Column) -> &'static str {
    if column.name == "kind" && table.name != "accounts" { "type" } else { column.name }
}

/// The text of an instant as everything else of the API writes it, without zeros at its end.
fn instant(text: &str) -> String {
    let digits = text.trim_end_matches('Z').trim_end_matches('0').trim_end_matches('.');
    // Without a fraction, the zeros were those of the seconds.
    if text.contains('.') { format!("{digits}Z") } else { text.to_string() }
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

    #[test]
    fn instants_lose_the_zeros_of_their_fraction_only() {
        assert_eq!(instant("2026-01-31T12:00:00.120000Z"), "2026-01-31T12:00:00.12Z");
        assert_eq!(instant("2026-01-31T12:00:10.000000Z"), "2026-01-31T12:00:10Z");
        assert_eq!(instant("2026-01-31T12:00:00Z"), "2026-01-31T12:00:00Z");
    }
}
