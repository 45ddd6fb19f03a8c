//! All integration tests in one program: it links once, and one line a module says what is tested.

mod onnx_file;
mod support;

mod answers; // the right optimum and status on every instance, and the same run twice
mod bench; // `apollo bench`: right numbers, a run that may be stopped anywhere, crashes as results
mod cli; // the command line: what programs read, what people read, what errors say
mod collect; // `apollo collect`: right labels, a run that may be stopped anywhere, every refusal
mod data_format; // training data on disk: what numpy reads, what `apollo data` makes of it
mod eval; // `apollo eval`: right numbers, every reference, every refusal
mod hosts; // the built plugin in real hosts: SCIP's shell, PySCIPOpt, C, Rust
mod integers; // general integers by bits: predicted, searched around, settled, trained
mod models; // models by name: which is chosen, and the schedule it recommends
mod network; // our own network: its model file gives its numbers, in our runtime and in anybody's
mod onnx; // the ONNX predictor: right numbers, the contract, every refusal
mod opening; // local search before presolve and before the root LP
mod safety; // whatever goes wrong, the user's solve goes on
mod strategies; // what each strategy and each fixing rule does with a prediction
mod train; // `apollo train`: it learns, goes on where it was stopped, and refuses what it cannot use
