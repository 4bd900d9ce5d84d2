//! The program `finance`.
fn main() {}
