//! How fast statements are read.

fn main() {
    divan::main();
}
