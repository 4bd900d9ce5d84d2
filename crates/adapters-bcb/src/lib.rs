//! CDI rates from the central bank: series 12, cached, one request at a time, blocked after a failure.
