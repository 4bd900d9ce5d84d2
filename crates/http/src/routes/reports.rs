//! `/api/reports`.

pub(crate) mod flow;
pub(crate) mod irpf;
pub(crate) mod year;

use actix_web::HttpResponse;
use finance_domain::FieldErrors;
use finance_domain::Violation;

use crate::extract::query::Param;

/// The formats of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Json,
    Csv,
}

impl Format {
    fn read(param: Param, errors: &mut FieldErrors) -> Self {
        let format = param.read("format", errors, |text| match text {
            "json" => Ok(Format::Json),
            "csv" => Ok(Format::Csv),
            _ => Err(Violation::not_one_of(&["json", "csv"])),
        });
        format.unwrap_or(Format::Json)
    }
}

/// A table to save under that name.
fn csv_file(name: &str, body: Vec<u8>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header(("Content-Disposition", format!("attachment; filename=\"{name}.csv\"")))
        .body(body)
}
