//! A service in a process of its own, for tests of several nodes on one database.

fn main() {
    finance_tests::run_node();
}
