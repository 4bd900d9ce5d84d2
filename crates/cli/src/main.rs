//! The program `finance`.

fn main() -> std::process::ExitCode {
    finance_cli::run()
}
