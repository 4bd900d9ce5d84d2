//! Tests of the program itself.
