//! Arrays of a body, whose wrong items are told by their positions.

use finance_domain::{FieldErrors, Violation};
use serde::de::{IgnoredAny, SeqAccess};
use serde::{Deserialize, Deserializer};

use super::any::{AnyVisitor, FromAny, Object};
use super::fields::Field;

/// An array of which one item more than `MAX` is kept: enough to refuse it. What is beyond is read and not kept.
pub(crate) struct Items<T, const MAX: usize = { usize::MAX }>(Option<Result<Vec<T>, Violation>>);

/// An array of objects.
pub(crate) type Objects<T, const MAX: usize = { usize::MAX }> = Items<Object<T>, MAX>;

/// An array of ids.
pub(crate) type Ids = Items<Field<i64>>;

impl<T, const MAX: usize> Default for Items<T, MAX> {
    fn default() -> Self {
        Items(None)
    }
}

impl<T, const MAX: usize> Items<T, MAX> {
    /// The items, if there are any; a value that is no array is noted under the name.
    pub(crate) fn take(self, name: &str, errors: &mut FieldErrors) -> Option<Vec<T>> {
        self.0?.map_err(|violation| errors.push(name, violation)).ok()
    }

    /// The same array; one with more items than `MAX` is an error.
    pub(crate) fn at_most_max(self) -> Self {
        let too_many = || Violation::TooManyElements { max: i64::try_from(MAX).unwrap_or(i64::MAX) };
        Items(self.0.map(|items| items.and_then(|items| if items.len() > MAX { Err(too_many()) } else { Ok(items) })))
    }
}

impl<T, const MAX: usize> Objects<T, MAX> {
    /// What `read` makes of the objects, if there are any. Errors in an object are noted under its position. An item that is
    /// not an object becomes `None`.
    pub(crate) fn take_objects<U>(
        self,
        name: &str,
        errors: &mut FieldErrors,
        read: impl Fn(T, &mut FieldErrors) -> U,
    ) -> Option<Vec<Option<U>>> {
        let objects = self.take(name, errors)?;
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

impl Ids {
    /// The ids, if there are any. Each wrong one is noted under its position and becomes `None`.
    pub(crate) fn take_ids<T>(
        self,
        name: &str,
        errors: &mut FieldErrors,
        id: impl Fn(i64) -> T,
    ) -> Option<Vec<Option<T>>> {
        let ids = self.take(name, errors)?;
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

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for Items<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor::new())
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> FromAny<'de> for Items<T, MAX> {
    fn from_other() -> Self {
        Items(Some(Err(Violation::NotAnArray)))
    }

    fn from_null() -> Self {
        Items(None)
    }

    fn from_array<A: SeqAccess<'de>>(mut array: A) -> Result<Self, A::Error> {
        let mut items = Vec::new();
        while items.len() <= MAX {
            match array.next_element()? {
                Some(item) => items.push(item),
                None => return Ok(Items(Some(Ok(items)))),
            }
        }
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Items(Some(Ok(items))))
    }
}
