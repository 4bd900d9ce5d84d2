//! The parts of a ZIP archive, read with a limit on the decompressed bytes.

use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::rc::Rc;

use memchr::memmem;
use zip::ZipArchive;

use super::xml::{self, Meter, Node, UNPACKED_BYTES_MAX};
use crate::Error;
use crate::watch::Watch;

/// The most parts of an archive. A workbook of 100 sheets has a few hundred.
const PARTS_MAX: usize = 4_000;
/// The signature of an entry in an archive's directory.
const ENTRY_MARK: &[u8] = b"PK\x01\x02";
/// The signatures of the records at the end of an archive. For each that may be the last one, the directory is searched anew.
const END_MARKS: [&[u8]; 3] = [b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"];
/// The most end records. An archive has one of each, and compressed data hardly ever looks like one.
const ENDS_MAX: usize = 16;

/// An archive whose parts are XML.
pub(super) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// Its parts by their paths, in lower case and with `/`, because writers differ in both.
    parts: HashMap<String, usize>,
    meter: Rc<Meter<'a>>,
}

impl<'a> Archive<'a> {
    /// Opens an archive. No size that it declares may exceed the limit.
    pub(super) fn open(bytes: &'a [u8], watch: &'a Watch<'a>) -> Result<Self, Error> {
        if memmem::find_iter(bytes, ENTRY_MARK).take(PARTS_MAX + 1).count() > PARTS_MAX {
            return Err(Error::TooLarge(format!("A planilha tem mais de {PARTS_MAX} partes")));
        }
        if END_MARKS.iter().flat_map(|mark| memmem::find_iter(bytes, mark)).take(ENDS_MAX + 1).count() > ENDS_MAX {
            return Err(xml::damaged());
        }
        let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(|_| xml::damaged())?;
        let mut parts = HashMap::new();
        let mut declared: u64 = 0;
        for at in 0..zip.len() {
            let part = zip.by_index_raw(at).map_err(|_| xml::damaged())?;
            if part.encrypted() {
                return Err(xml::encrypted());
            }
            declared = declared.saturating_add(part.size());
            let name = String::from_utf8_lossy(part.name_raw());
            parts.insert(key(&name), at);
        }
        if declared > UNPACKED_BYTES_MAX {
            return Err(xml::unpacked_too_large());
        }
        Ok(Archive { zip, parts, meter: Rc::new(Meter::new(watch)) })
    }

    /// Whether there is a part with this path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.parts.contains_key(&key(path))
    }

    /// Whether there is a part whose path starts with this text.
    pub(super) fn has_below(&self, start: &str) -> bool {
        let start = key(start);
        self.parts.keys().any(|path| path.starts_with(&start))
    }

    /// Passes every node of a part to a function. False if there is no such part.
    pub(super) fn read(
        &mut self,
        path: &str,
        show: &mut dyn FnMut(Node<'_>) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let Some(at) = self.parts.get(&key(path)) else { return Ok(false) };
        let part = self.zip.by_index(*at).map_err(|_| xml::damaged())?;
        xml::read(Box::new(part) as Box<dyn Read + '_>, &self.meter, show)?;
        Ok(true)
    }
}

fn key(path: &str) -> String {
    path.trim_start_matches(['/', '\\']).replace('\\', "/").to_lowercase()
}
