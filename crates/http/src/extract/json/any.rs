//! Values of any kind: a body may have another than its type says.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

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
