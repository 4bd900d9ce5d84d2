//! The program `finance`.

/// What one thread has read another one sends and frees, all the time, which the system's allocator may be slow at.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    finance_cli::run()
}
