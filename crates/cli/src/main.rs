//! The program `finance`.

/// Memory is often allocated on one thread and freed on another, which is slow with the allocators of some systems.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// A background thread of the allocator returns unused memory to the system after a second. Without it, the memory of a large
/// import would be kept until the next allocation.
#[allow(unsafe_code, reason = "jemalloc finds its settings by the name of a symbol")]
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static ALLOCATOR_SETTINGS: Option<&'static u8> =
    Some(&b"background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0\0"[0]);

fn main() -> std::process::ExitCode {
    finance_cli::run()
}
