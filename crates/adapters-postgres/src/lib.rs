//! The only crate that knows SQL: the store, its repositories, the migrations and the private cluster.
