//! Sets the run-time path of the shared LLVM and MLIR libraries.

fn main() {
    if let Ok(folder) = std::env::var("DEP_LINEAR_LAYOUT_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
