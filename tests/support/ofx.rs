//! OFX files for tests.

/// A row: date as `YYYYMMDD`, amount, FITID, memo.
pub type OfxRow<'a> = (&'a str, &'a str, &'a str, &'a str);

/// A statement with the given rows, with unclosed tags, as Brazilian banks write it.
pub fn ofx(rows: &[OfxRow<'_>]) -> Vec<u8> {
    let mut text = String::from(
        "OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nENCODING:USASCII\r\nCHARSET:1252\r\n\r\n<OFX>\r\n\
         <BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL<BANKTRANLIST>\r\n",
    );
    for (date, amount, id, memo) in rows {
        text.push_str(&format!(
            "<STMTTRN><TRNTYPE>OTHER<DTPOSTED>{date}120000[-3:BRT]<TRNAMT>{amount}<FITID>{id}<MEMO>{memo}</STMTTRN>\r\n"
        ));
    }
    text.push_str("</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\r\n");
    text.into_bytes()
}
