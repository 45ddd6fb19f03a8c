//! All integration tests in one program: it links once, and one line a module says what is tested.

mod support;

mod answers; // the right optimum and status on every instance, and the same run twice
mod hosts; // the built plugin in real hosts: SCIP's shell, PySCIPOpt, C, Rust
mod safety; // whatever goes wrong, the user's solve goes on
