//! Transactions written as OFX, in any of the styles of banks, are read back equal.

use finance_statements::{Options, Row, read};
use proptest::prelude::*;
use time::Date;
use time::macros::date;

/// The style of a generated file.
#[derive(Debug, Clone)]
struct Style {
    closes: Vec<bool>,
    line_end: &'static str,
    breaks: bool,
    encoding: u8,
    comma: bool,
    lower_case: bool,
    xml_header: bool,
}

fn styles() -> impl Strategy<Value = Style> {
    let line_ends = prop_oneof![Just("\n"), Just("\r"), Just("\r\n"), Just("")];
    (
        proptest::collection::vec(any::<bool>(), 5),
        line_ends,
        any::<bool>(),
        0..5u8,
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(closes, line_end, breaks, encoding, comma, lower_case, xml_header)| Style {
            closes,
            line_end,
            breaks,
            encoding,
            comma,
            lower_case,
            xml_header,
        })
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let days = 0..=109_572i32;
    let texts = "[A-Za-z0-9çãéÀ&<>'\"./*#-]{1,12}( [A-Za-z0-9çãéÀ&<>;]{1,12}){0,4}";
    let row = (
        days,
        texts,
        prop_oneof![1..=999_999_999_999i64, -999_999_999_999i64..=-1],
        proptest::option::of("[A-F1-9][A-Z0-9:/&-]{0,30}"),
    );
    let row = row.prop_map(|(day, description, cents, id)| {
        let date = Date::from_julian_day(date!(1900 - 01 - 01).to_julian_day() + day).unwrap();
        Row { id, ..Row::new(0, date, description, cents) }
    });
    proptest::collection::vec(
        row.prop_filter("no balance", |row| !row.description.to_lowercase().starts_with("sald")),
        0..12,
    )
}

fn write(rows: &[Row], style: &Style) -> Vec<u8> {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let name = |tag: &str| if style.lower_case { tag.to_ascii_lowercase() } else { tag.to_string() };
    let mut text = if style.xml_header {
        "<?xml version=\"1.0\"?><?OFX OFXHEADER=\"200\"?>".to_string()
    } else {
        "OFXHEADER:100\nCHARSET:1252\n\n".replace('\n', style.line_end)
    };
    text.push_str(&format!("<{}>", name("OFX")));
    text.push_str(&format!("<{}>{}", name("BANKTRANLIST"), style.line_end));
    for row in rows {
        let (sign, cents) = (if row.cents < 0 { "-" } else { "" }, row.cents.abs());
        let fields = [
            ("TRNTYPE", "OTHER".to_string()),
            (
                "DTPOSTED",
                format!("{}{:02}{:02}120000[-3:BRT]", row.date.year(), u8::from(row.date.month()), row.date.day()),
            ),
            ("TRNAMT", format!("{sign}{}{}{:02}", cents / 100, if style.comma { ',' } else { '.' }, cents % 100)),
            ("FITID", escape(row.id.as_deref().unwrap_or_default())),
            ("MEMO", escape(&row.description)),
        ];
        text.push_str(&format!("<{}>{}", name("STMTTRN"), style.line_end));
        for ((tag, value), closed) in fields.iter().zip(&style.closes) {
            let break_before = if style.breaks { style.line_end } else { "" };
            let close = if *closed { format!("</{}>", name(tag)) } else { String::new() };
            text.push_str(&format!("<{}>{break_before}{value}{close}{}", name(tag), style.line_end));
        }
        text.push_str(&format!("</{}>{}", name("STMTTRN"), style.line_end));
    }
    text.push_str(&format!("</{}></{}>", name("BANKTRANLIST"), name("OFX")));
    match style.encoding {
        0 => text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect(),
        1 => text.into_bytes(),
        2 => format!("\u{feff}{text}").into_bytes(),
        3 => format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect(),
        _ => format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect(),
    }
}

proptest! {
    #[test]
    fn what_is_written_in_any_style_is_read(rows in rows(), style in styles()) {
        let statement = read(&write(&rows, &style), &Options::default()).unwrap();
        prop_assert!(statement.rejected.is_empty(), "{:?}", statement.rejected);
        let found: Vec<Row> = statement.rows.into_iter().map(|row| Row { line: 0, ..row }).collect();
        prop_assert_eq!(found, rows);
    }

    #[test]
    fn a_file_cut_anywhere_yields_a_prefix_of_its_rows(rows in rows(), style in styles(), part in 0.0..1.0f64) {
        let style = Style { encoding: 1, ..style };
        let bytes = write(&rows, &style);
        let cut = &bytes[..(bytes.len() as f64 * part) as usize];
        if let Ok(statement) = read(cut, &Options::default()) {
            prop_assert!(statement.rows.len() <= rows.len());
            for (found, row) in statement.rows.iter().zip(&rows) {
                prop_assert_eq!((found.date, found.cents), (row.date, row.cents));
            }
        }
    }
}
