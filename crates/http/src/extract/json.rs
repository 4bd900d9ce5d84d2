//! JSON read field by field, so that all wrong fields are reported together.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::marker::PhantomData;

use finance_domain::transactions::Referring;
use finance_domain::{AccountId, CategoryId, Error, FieldErrors, Money, Month, Percentage, Violation};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use time::Date;

use crate::problem::Problem;

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

/// A type that can be made from any JSON value. Values that it cannot use are read and discarded.
pub(crate) trait FromAny<'de>: Sized {
    /// From a value that it cannot use.
    fn from_other() -> Self;

    /// From null.
    fn from_null() -> Self {
        Self::from_other()
    }

    /// From an object.
    fn from_object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::from_other())
    }

    /// From an array.
    fn from_array<A: SeqAccess<'de>>(mut array: A) -> Result<Self, A::Error> {
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::from_other())
    }
}

/// Reads any JSON value into a [`FromAny`].
pub(crate) struct AnyVisitor<T>(PhantomData<T>);

impl<T> AnyVisitor<T> {
    pub(crate) fn new() -> Self {
        AnyVisitor(PhantomData)
    }
}

impl<'de, T: FromAny<'de>> Visitor<'de> for AnyVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<T, A::Error> {
        T::from_object(object)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, array: A) -> Result<T, A::Error> {
        T::from_array(array)
    }

    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::from_null())
    }

    fn visit_bool<E>(self, _: bool) -> Result<T, E> {
        Ok(T::from_other())
    }

    fn visit_i64<E>(self, _: i64) -> Result<T, E> {
        Ok(T::from_other())
    }

    fn visit_u64<E>(self, _: u64) -> Result<T, E> {
        Ok(T::from_other())
    }

    fn visit_f64<E>(self, _: f64) -> Result<T, E> {
        Ok(T::from_other())
    }

    fn visit_str<E>(self, _: &str) -> Result<T, E> {
        Ok(T::from_other())
    }
}

/// The content of an object; `None` if the JSON is something else.
pub(crate) struct Object<T>(pub(crate) Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor::new())
    }
}

impl<'de, T: Deserialize<'de>> FromAny<'de> for Object<T> {
    fn from_other() -> Self {
        Object(None)
    }

    fn from_object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        // The fields themselves never fail: each stores its own violation.
        T::deserialize(MapAccessDeserializer::new(object)).map(|value| Object(Some(value)))
    }
}

/// A field of a body: absent (or null), readable, or wrong.
#[derive(Debug, Clone)]
pub(crate) enum Field<T> {
    Absent,
    Value(T),
    Wrong(Violation),
}

impl<T> Field<T> {
    /// The value, if there is one; a wrong one is noted under the field's name.
    pub(crate) fn take(self, name: &str, errors: &mut FieldErrors) -> Option<T> {
        match self {
            Field::Absent => None,
            Field::Value(value) => Some(value),
            Field::Wrong(violation) => {
                errors.push(name, violation);
                None
            }
        }
    }
}

impl<'de, T: FromJson> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Read as raw text, so that the digits of a number are kept. Read through an option, so that an absent field is not an
        // error of the whole body.
        let Some(raw) = Option::<Box<RawValue>>::deserialize(deserializer)? else { return Ok(Field::Absent) };
        let value = FieldValue::of(raw.get()).map_err(D::Error::custom)?;
        Ok(T::from_json(value).map_or_else(Field::Wrong, Field::Value))
    }
}

/// A change of a value: if absent, the value stays; if null, it is removed; otherwise it is replaced.
pub(crate) struct Change<T>(Option<Field<T>>);

impl<T> Default for Change<T> {
    fn default() -> Self {
        Change(None)
    }
}

impl<T> Change<T> {
    /// The change, if there is one; a wrong one is noted under the field's name.
    pub(crate) fn take(self, name: &str, errors: &mut FieldErrors) -> Option<Referring<T>> {
        match self.0? {
            Field::Absent => Some(Referring::Nothing),
            given => given.take(name, errors).map(Referring::To),
        }
    }
}

impl<'de, T: FromJson> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Field::deserialize(deserializer).map(|given| Change(Some(given)))
    }
}

/// An array of ids.
#[derive(Default)]
pub(crate) struct Ids(Option<Result<Vec<Field<i64>>, Violation>>);

impl Ids {
    /// The ids, if there are any. Each wrong one is noted under its position and becomes `None`.
    pub(crate) fn take<T>(self, name: &str, errors: &mut FieldErrors, id: impl Fn(i64) -> T) -> Option<Vec<Option<T>>> {
        let ids = self.0?.map_err(|violation| errors.push(name, violation)).ok()?;
        let mut read = |(at, given): (usize, Field<i64>)| match given {
            Field::Value(given) => Some(id(given)),
            Field::Absent | Field::Wrong(_) => {
                errors.push(format!("{name}[{at}]"), Violation::NotAWholeNumber);
                None
            }
        };
        Some(ids.into_iter().enumerate().map(&mut read).collect())
    }
}

impl<'de> Deserialize<'de> for Ids {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor::new())
    }
}

impl<'de> FromAny<'de> for Ids {
    fn from_other() -> Self {
        Ids(Some(Err(Violation::NotAnArray)))
    }

    fn from_null() -> Self {
        Ids(None)
    }

    fn from_array<A: SeqAccess<'de>>(mut array: A) -> Result<Self, A::Error> {
        let mut ids = Vec::new();
        while let Some(id) = array.next_element()? {
            ids.push(id);
        }
        Ok(Ids(Some(Ok(ids))))
    }
}

/// An array of objects.
pub(crate) struct Objects<T>(Option<Result<Vec<Object<T>>, Violation>>);

impl<T> Default for Objects<T> {
    fn default() -> Self {
        Objects(None)
    }
}

impl<T> Objects<T> {
    /// What `read` makes of the objects, if there are any. Errors in an object are noted under its position. An item that is
    /// not an object becomes `None`.
    pub(crate) fn take<U>(
        self,
        name: &str,
        errors: &mut FieldErrors,
        read: impl Fn(T, &mut FieldErrors) -> U,
    ) -> Option<Vec<Option<U>>> {
        let objects = self.0?.map_err(|violation| errors.push(name, violation)).ok()?;
        let mut made = Vec::with_capacity(objects.len());
        for (at, Object(object)) in objects.into_iter().enumerate() {
            let mut own = FieldErrors::default();
            if object.is_none() {
                errors.push(format!("{name}[{at}]"), Violation::NotAnObject);
            }
            made.push(object.map(|object| read(object, &mut own)));
            for error in own.iter() {
                errors.push(format!("{name}[{at}].{}", error.field), error.violation.clone());
            }
        }
        Some(made)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Objects<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor::new())
    }
}

impl<'de, T: Deserialize<'de>> FromAny<'de> for Objects<T> {
    fn from_other() -> Self {
        Objects(Some(Err(Violation::NotAnArray)))
    }

    fn from_null() -> Self {
        Objects(None)
    }

    fn from_array<A: SeqAccess<'de>>(mut array: A) -> Result<Self, A::Error> {
        let mut objects = Vec::new();
        while let Some(object) = array.next_element()? {
            objects.push(object);
        }
        Ok(Objects(Some(Ok(objects))))
    }
}

/// An array of at most `MAX` objects. What is beyond is read and not kept.
pub(crate) struct FirstObjects<T, const MAX: usize> {
    objects: Objects<T>,
    has_more: bool,
}

impl<T, const MAX: usize> Default for FirstObjects<T, MAX> {
    fn default() -> Self {
        FirstObjects { objects: Objects::default(), has_more: false }
    }
}

impl<T, const MAX: usize> FirstObjects<T, MAX> {
    /// As [`Objects::take`]. An array with more objects is an error.
    pub(crate) fn take<U>(
        self,
        name: &str,
        errors: &mut FieldErrors,
        read: impl Fn(T, &mut FieldErrors) -> U,
    ) -> Option<Vec<Option<U>>> {
        if self.has_more {
            errors.push(name, Violation::TooManyElements { max: i64::try_from(MAX).unwrap_or(i64::MAX) });
            return None;
        }
        self.objects.take(name, errors, read)
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for FirstObjects<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor::new())
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> FromAny<'de> for FirstObjects<T, MAX> {
    fn from_other() -> Self {
        FirstObjects { objects: Objects::from_other(), has_more: false }
    }

    fn from_null() -> Self {
        FirstObjects::default()
    }

    fn from_array<A: SeqAccess<'de>>(mut array: A) -> Result<Self, A::Error> {
        let mut objects = Vec::new();
        while objects.len() < MAX {
            match array.next_element()? {
                Some(object) => objects.push(object),
                None => return Ok(FirstObjects { objects: Objects(Some(Ok(objects))), has_more: false }),
            }
        }
        let mut has_more = false;
        while array.next_element::<IgnoredAny>()?.is_some() {
            has_more = true;
        }
        Ok(FirstObjects { objects: Objects(Some(Ok(objects))), has_more })
    }
}

/// An array of which one item more than `MAX` is kept: enough to refuse it. What is beyond is read and not kept.
pub(crate) struct Few<T, const MAX: usize>(Option<Result<Vec<T>, Violation>>);

impl<T, const MAX: usize> Default for Few<T, MAX> {
    fn default() -> Self {
        Few(None)
    }
}

impl<T, const MAX: usize> Few<T, MAX> {
    /// The items, if there are any; a value that is no array is noted under the name.
    pub(crate) fn take(self, name: &str, errors: &mut FieldErrors) -> Option<Vec<T>> {
        self.0?.map_err(|violation| errors.push(name, violation)).ok()
    }
}

impl<T, const MAX: usize> Few<Object<T>, MAX> {
    /// As [`Objects::take`].
    pub(crate) fn take_objects<U>(
        self,
        name: &str,
        errors: &mut FieldErrors,
        read: impl Fn(T, &mut FieldErrors) -> U,
    ) -> Option<Vec<Option<U>>> {
        Objects(self.0).take(name, errors, read)
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for Few<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor::new())
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> FromAny<'de> for Few<T, MAX> {
    fn from_other() -> Self {
        Few(Some(Err(Violation::NotAnArray)))
    }

    fn from_null() -> Self {
        Few(None)
    }

    fn from_array<A: SeqAccess<'de>>(mut array: A) -> Result<Self, A::Error> {
        let mut items = Vec::new();
        while items.len() <= MAX {
            match array.next_element()? {
                Some(item) => items.push(item),
                None => return Ok(Few(Some(Ok(items)))),
            }
        }
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Few(Some(Ok(items))))
    }
}

/// The value of a field.
pub(crate) enum FieldValue<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// A number, as it was written.
    Number(&'a str),
    /// True or false.
    Bool(bool),
    /// An array or an object, as it was written.
    Nested(&'a str),
}

impl<'a> FieldValue<'a> {
    fn of(raw: &'a str) -> serde_json::Result<Self> {
        Ok(match raw.as_bytes().first() {
            Some(b'"') => match serde_json::from_str(raw) {
                Ok(text) => FieldValue::Text(Cow::Borrowed(text)),
                // The string has escapes.
                Err(_) => FieldValue::Text(Cow::Owned(serde_json::from_str(raw)?)),
            },
            Some(b'[' | b'{') => FieldValue::Nested(raw),
            Some(b't' | b'f') => FieldValue::Bool(raw == "true"),
            _ => FieldValue::Number(raw),
        })
    }
}

/// A type that a field may have.
pub(crate) trait FromJson: Sized {
    /// The value, or the violation that says what it should have been.
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation>;
}

impl FromJson for String {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Text(text) => Ok(text.into_owned()),
            _ => Err(Violation::NotAString),
        }
    }
}

/// An array. Each of its items is read, or wrong, by itself.
impl<T: FromJson> FromJson for Vec<Field<T>> {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Nested(raw) if raw.starts_with('[') => {
                serde_json::from_str(raw).map_err(|_| Violation::NotAnArray)
            }
            _ => Err(Violation::NotAnArray),
        }
    }
}

impl FromJson for bool {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Bool(value) => Ok(value),
            _ => Err(Violation::NotABoolean),
        }
    }
}

impl FromJson for i64 {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Number(digits) => digits.parse().map_err(|_| Violation::NotAWholeNumber),
            _ => Err(Violation::NotAWholeNumber),
        }
    }
}

impl FromJson for Money {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match &value {
            FieldValue::Text(text) => text.trim().parse(),
            FieldValue::Number(digits) => digits.parse(),
            _ => Err(Violation::NotANumber),
        }
    }
}

impl FromJson for Percentage {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Number(digits) => digits.parse(),
            _ => Err(Violation::NotANumber),
        }
    }
}

impl FromJson for Date {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Text(text) => finance_domain::month::parse_date(&text),
            _ => Err(Violation::InvalidDate),
        }
    }
}

impl FromJson for Month {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Text(text) => text.parse(),
            _ => Err(Violation::InvalidMonth),
        }
    }
}

impl FromJson for CategoryId {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        i64::from_json(value).map(CategoryId)
    }
}

impl FromJson for AccountId {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        i64::from_json(value).map(AccountId)
    }
}
