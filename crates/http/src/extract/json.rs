//! JSON read field by field, so that all wrong fields are reported together.

mod any;
mod arrays;
mod fields;

use std::fmt;
use std::io::{self, Read};

use finance_domain::{Error, Violation};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

pub(crate) use any::{AnyVisitor, FromAny, Object};
pub(crate) use arrays::{Ids, Items, Objects};
pub(crate) use fields::{Change, Field, FieldValue, FromJson, take_fields};

/// The maximum nesting of arrays and objects.
const DEPTH_MAX: usize = 127;

/// Parses a body, which must be one JSON object.
pub(super) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    // Only JSON that is nested too deeply can fail here.
    io::copy(&mut DepthLimited::new(body), &mut io::sink()).map_err(not_parsed)?;
    parse_object(serde_json::Deserializer::from_slice(body))
}

/// Parses a body while it arrives.
pub(super) fn parse_arriving<T: DeserializeOwned>(body: impl Read) -> Result<T, Problem> {
    parse_object(serde_json::Deserializer::from_reader(io::BufReader::new(DepthLimited::new(body))))
}

fn parse_object<'de, T, R>(mut json: serde_json::Deserializer<R>) -> Result<T, Problem>
where
    T: Deserialize<'de>,
    R: serde_json::de::Read<'de>,
{
    let parsed = Object::<T>::deserialize(&mut json).and_then(|object| json.end().map(|()| object.0));
    parsed.map_err(not_parsed)?.ok_or_else(|| Error::invalid("body", Violation::NotAnObject).into())
}

fn not_parsed(error: impl fmt::Display) -> Problem {
    Problem::malformed(format!("The body is not JSON: {error}."))
}

/// Refuses JSON that is nested too deeply, even in parts that are not used.
struct DepthLimited<R> {
    json: R,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

impl<R> DepthLimited<R> {
    fn new(json: R) -> Self {
        DepthLimited { json, depth: 0, in_string: false, is_escaped: false }
    }

    fn pass(&mut self, byte: u8) {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = self.in_string,
            b'"' => self.in_string = !self.in_string,
            _ if self.in_string => {}
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

impl<R: Read> Read for DepthLimited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.json.read(buffer)?;
        for byte in &buffer[..count] {
            self.pass(*byte);
            if self.depth > DEPTH_MAX {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "it is nested too deeply"));
            }
        }
        Ok(count)
    }
}
