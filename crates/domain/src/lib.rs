//! The rules of personal finance: money, transactions, imports, bills, yield, and the ports that store them.
