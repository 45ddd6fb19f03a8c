//! The command `apollo`: parse, dispatch, exit code. One file a subcommand in `cli/`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
