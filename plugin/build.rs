//! Lets the plugin be loaded where SCIP's symbols come from the host: they stay undefined when it
//! is linked, and bind on first use, after the plugin has found the host's SCIP.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => {
            println!("cargo:rustc-link-arg-cdylib=-Wl,-z,lazy");
            // On x86-64 the code must have been generated for it too: see .cargo/config.toml.
            let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
            let lazy = ["relro-level=partial", "relro-level=off"].iter().any(|f| flags.contains(f));
            if !lazy && env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64") {
                println!(
                    "cargo:warning=RUSTFLAGS hides this project's .cargo/config.toml: add \
                     `-C relro-level=partial`, or Python cannot load this plugin"
                );
            }
        }
        Ok("macos") => println!("cargo:rustc-link-arg-cdylib=-Wl,-undefined,dynamic_lookup"),
        _ => {}
    }
}
