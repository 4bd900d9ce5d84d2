//! The program `finance`.

/// What one thread has read another one sends and frees, all the time, which the system's allocator may be slow at.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Memory that nobody uses goes back to the system after a second, by a thread of the allocator's own: what an import
/// took is not kept until somebody asks for something.
#[allow(unsafe_code, reason = "jemalloc finds its settings by the name of a symbol")]
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static ALLOCATOR_SETTINGS: Option<&'static u8> =
    Some(&b"background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0\0"[0]);

fn main() -> std::process::ExitCode {
    finance_cli::run()
}
