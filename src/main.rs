//! stub
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args[0] == "scip" { if let Err(e) = apollo_scip::scip::run_shell(&args[1..]) { eprintln!("{e}"); std::process::exit(1) } }
}
