//! XML, read node by node with bounded memory.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::rc::Rc;

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use crate::Error;
use crate::watch::Watch;

/// The most decompressed bytes of the parts of an archive.
pub(super) const UNPACKED_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The most nodes of the parts of an archive: starts and ends of elements, and texts. A cell has five or more.
const NODES_MAX: usize = 4_000_000;
/// The work of a node, in bytes of text.
const NODE_WORK: usize = 16;
/// The most attributes of an element that are looked at. The elements of spreadsheets have up to about thirty.
const ATTRIBUTES_MAX: usize = 64;
/// The deepest nesting of elements.
const DEPTH_MAX: usize = 256;
/// The most bytes of a tag, or of a text between two tags.
const NODE_BYTES_MAX: usize = 1024 * 1024;

/// Counts the decompressed bytes and the nodes of an archive.
pub(super) struct Meter<'w> {
    watch: &'w Watch<'w>,
    left: Cell<u64>,
    nodes_left: Cell<usize>,
    of_node: Cell<usize>,
    is_over: Cell<bool>,
}

impl<'w> Meter<'w> {
    pub(super) fn new(watch: &'w Watch<'w>) -> Self {
        Meter {
            watch,
            left: Cell::new(UNPACKED_BYTES_MAX),
            nodes_left: Cell::new(NODES_MAX),
            of_node: Cell::new(0),
            is_over: Cell::new(false),
        }
    }

    /// Counts a node.
    fn node(&self) -> Result<(), Error> {
        self.of_node.set(0);
        let left = self.nodes_left.get().checked_sub(1);
        self.nodes_left
            .set(left.ok_or_else(|| Error::TooLarge(format!("A planilha tem mais de {NODES_MAX} elementos")))?);
        self.watch.work(NODE_WORK)
    }
}

/// A reader that fails when the meter is used up.
struct Metered<'w, R> {
    inner: R,
    meter: Rc<Meter<'w>>,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let Meter { watch, left, of_node, is_over, .. } = &*self.meter;
        watch.work(count).map_err(io::Error::other)?;
        of_node.set(of_node.get() + count);
        match left.get().checked_sub(count as u64) {
            Some(rest) if of_node.get() <= NODE_BYTES_MAX => left.set(rest),
            _ => {
                is_over.set(true);
                return Err(io::Error::other("too large"));
            }
        }
        Ok(count)
    }
}

/// A node of a document. Names are local, because the prefixes of namespaces differ between writers.
pub(super) enum Node<'a> {
    /// The start of an element. An element without content has an end too.
    Open(&'a Element<'a>),
    /// The end of an element.
    Close(&'a str),
    /// A piece of text, decoded.
    Text(&'a str),
}

/// The start of an element.
pub(super) struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// The local name.
    pub(super) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// The attribute with this local name.
    pub(super) fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        let mut attributes = self.0.attributes();
        let found = attributes
            .with_checks(false)
            .take(ATTRIBUTES_MAX)
            .flatten()
            .find(|attribute| attribute.key.local_name().as_ref() == name);
        let found = found?;
        let decoded = match unescape(&found.value) {
            Ok(Cow::Owned(decoded)) => Some(decoded),
            _ => None,
        };
        Some(decoded.map_or(found.value, Cow::Owned))
    }

    /// The number in an attribute.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.attribute(name)?.trim().parse().ok()
    }
}

/// Passes every node of a document to a function.
///
/// # Errors
///
/// [`Error::TooLarge`] if the meter is used up, [`Error::Unreadable`] if the document is not well-formed or ends early,
/// [`Error::Stopped`].
pub(super) fn read(
    source: Box<dyn Read + '_>,
    meter: &Rc<Meter<'_>>,
    show: &mut dyn FnMut(Node<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut reader = Reader::from_reader(BufReader::new(Metered { inner: source, meter: Rc::clone(meter) }));
    reader.config_mut().expand_empty_elements = true;
    let (mut buffer, mut depth) = (Vec::new(), 0);
    loop {
        buffer.clear();
        meter.node()?;
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(element)) => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Err(damaged());
                }
                show(Node::Open(&Element(element)))?;
            }
            Ok(Event::End(element)) => {
                depth = depth.saturating_sub(1);
                show(Node::Close(element.local_name().as_ref()))?;
            }
            Ok(Event::Text(text)) => show(Node::Text(&text))?,
            Ok(Event::CData(text)) => show(Node::Text(&text))?,
            Ok(Event::GeneralRef(name)) => {
                let character = match &*name {
                    "amp" => Some('&'),
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "quot" => Some('"'),
                    "apos" => Some('\''),
                    _ => name.resolve_char_ref().ok().flatten(),
                };
                // An unknown entity is left out, because no statement defines its own.
                if let Some(character) = character {
                    show(Node::Text(character.encode_utf8(&mut [0; 4])))?;
                }
            }
            Ok(Event::Eof) if depth == 0 => return Ok(()),
            Ok(Event::Eof) => return Err(damaged()),
            Ok(_) => {}
            Err(_) if meter.is_over.get() => return Err(unpacked_too_large()),
            Err(_) => {
                meter.watch.check()?;
                return Err(damaged());
            }
        }
    }
}

/// The error for a truncated or damaged spreadsheet.
pub(super) fn damaged() -> Error {
    Error::Unreadable(
        "A planilha está incompleta ou danificada; exporte o extrato de novo e envie o arquivo baixado.".into(),
    )
}

/// The error for a spreadsheet with a password.
pub(super) fn encrypted() -> Error {
    Error::Unreadable("A planilha tem senha; abra-a, salve uma cópia sem senha e envie essa cópia.".into())
}

/// The error for a spreadsheet that is too large after decompression.
pub(super) fn unpacked_too_large() -> Error {
    let megabytes = UNPACKED_BYTES_MAX / 1024 / 1024;
    Error::TooLarge(format!("Descompactada, a planilha passa de {megabytes} MB"))
}
