//! A service in a separate process, for tests of several nodes on one database.

fn main() {
    finance_tests::run_node();
}
