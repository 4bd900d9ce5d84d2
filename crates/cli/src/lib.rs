//! The program finance: arguments, configuration and wiring.
