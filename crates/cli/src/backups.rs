//! The backups that the service itself makes, in a folder: one a day, each proved by restoring it.

mod age;
mod folder;
mod keeper;
mod making;
mod retention;
mod schedule;

pub(crate) use self::age::age;
pub(crate) use self::folder::Folder;
pub(crate) use self::keeper::Keeper;
pub(crate) use self::making::make;
