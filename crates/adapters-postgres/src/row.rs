//! The rows that statements return.

/// Declares a row that is read by the names of its columns. Each has its type here and, in brackets, its type in SQL.
macro_rules! row {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident {
        $($(#[$of_column:meta])* $shown:vis $column:ident: $type:ty [$($sql:tt)+]),+ $(,)?
    }) => {
        $(#[$attribute])*
        #[derive(QueryableByName)]
        $visibility struct $name {
            $(
                $(#[$of_column])*
                #[diesel(sql_type = $($sql)+)]
                $shown $column: $type,
            )+
        }
    };
}

pub(crate) use row;
