//! Tells the program where the shared LLVM and MLIR are that it was linked with.

fn main() {
    if let Ok(folder) = std::env::var("DEP_LINEAR_LAYOUT_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
