//! Reads bank statements, OFX and CSV, as Brazilian banks really write them.
