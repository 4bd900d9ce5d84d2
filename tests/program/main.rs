//! Tests of the program itself.

mod yield_provider;
