//! A build of the whole workspace gives the library its feature `mlir`, and this program then links
//! the shared LLVM and MLIR: says where they are. Built for itself, it needs neither.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(folder) = std::env::var("DEP_LINEAR_LAYOUT_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
