//! The `morpion` command.

fn main() -> std::process::ExitCode {
    morpion::cli::main()
}
