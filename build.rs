//! Builds the C++ side: runs `mlir-tblgen` on `dialect/` and `passes/`, compiles the C++ sources, and links the shared
//! libraries of LLVM and MLIR.
//!
//! The path of LLVM comes from the environment that `tools/setup.sh` writes to `.cargo/config.toml`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    mlir::build();
}

#[path = "dialect/build/builders.rs"]
mod builders;

#[path = "dialect/build/ops.rs"]
mod ops;

#[path = "dialect/build/options.rs"]
mod options;

#[path = "dialect/build/passes.rs"]
mod passes;

#[path = "dialect/build/rules.rs"]
mod rules;

mod mlir {
    use crate::ops::{self, Own};
    use crate::{builders, passes, rules};
    use std::env;
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::sync::atomic::Ordering::Relaxed;

    const PREFIX_VARIABLE: &str = "MLIR_SYS_220_PREFIX";
    /// Environment variable that holds the name of a sanitizer, such as `address`. The C++ sources are compiled
    /// with this sanitizer. The linker needs the sanitizer too, so `make asan` sets this variable together with
    /// linker flags.
    const SANITIZER_VARIABLE: &str = "LL_SANITIZER";

    /// Environment variable that `make lint` sets to skip the compilation of the C++ sources. Clippy runs the build
    /// script separately, which would compile these sources a second time.
    const CHECK_VARIABLE: &str = "LL_CHECK_ONLY";

    /// The dialects, as pairs (file stem, namespace). The file `dialect/STEM.td` defines the dialect with this
    /// namespace.
    const DIALECTS: [(&str, &str); 7] = [
        ("TritonOps", "tt"),
        ("TritonGPUOps", "ttg"),
        ("TritonNvidiaGPUOps", "ttng"),
        ("TritonAMDGPUOps", "amdg"),
        ("CuteAttrs", "cute"),
        ("TilusAttrs", "tilus"),
        ("GluonOps", "gluon"),
    ];

    pub(crate) fn build() {
        println!("cargo:rerun-if-env-changed={PREFIX_VARIABLE}");
        println!("cargo:rerun-if-env-changed={SANITIZER_VARIABLE}");
        println!("cargo:rerun-if-env-changed={CHECK_VARIABLE}");
        let prefix = PathBuf::from(env::var(PREFIX_VARIABLE).unwrap_or_else(|_| {
            panic!(
                "{PREFIX_VARIABLE} is not set: run tools/setup.sh, which finds LLVM and MLIR 22 \
                 and writes .cargo/config.toml"
            )
        }));
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
        let generated = out.join("generated");
        fs::create_dir_all(&generated).expect("OUT_DIR is writable");
        generate(&prefix, &generated);
        if env::var_os(CHECK_VARIABLE).is_none() {
            compile(&prefix, &generated, &out);
        }
        link(&prefix, &out);
    }

    /// Generates the C++ and Rust sources of all dialects and passes from their TableGen files, and writes them to
    /// the folder `generated`.
    fn generate(prefix: &Path, generated: &Path) {
        let tblgen = prefix.join("bin/mlir-tblgen");
        let run = |td: &str, generator: &str, extra: &[&str], output: &str| {
            // `--write-if-changed` keeps the modification time of unchanged files, and with it the objects built from
            // them.
            let status = Command::new(&tblgen)
                .args(["-I", "dialect", "-I", "passes", "-I"])
                .arg(prefix.join("include"))
                .arg(format!("-gen-{generator}"))
                .args(extra)
                .args([td, "--write-if-changed", "-o"])
                .arg(generated.join(output))
                .status()
                .unwrap_or_else(|e| panic!("cannot run {}: {e}", tblgen.display()));
            assert!(
                status.success(),
                "mlir-tblgen -gen-{generator} failed on {td}"
            );
        };
        println!("cargo:rerun-if-changed=dialect");
        println!("cargo:rerun-if-changed=passes/Passes.td");
        for (stem, name) in DIALECTS {
            let td = format!("dialect/{stem}.td");
            let dialect = [format!("-dialect={name}")];
            let attrs = [format!("-attrdefs-dialect={name}")];
            let types = [format!("-typedefs-dialect={name}")];
            run(
                &td,
                "dialect-decls",
                &[&dialect[0]],
                &format!("{stem}.dialect.h.inc"),
            );
            run(
                &td,
                "dialect-defs",
                &[&dialect[0]],
                &format!("{stem}.dialect.cpp.inc"),
            );
            run(&td, "op-decls", &[], &format!("{stem}.h.inc"));
            run(&td, "op-defs", &[], &format!("{stem}.cpp.inc"));
            run(
                &td,
                "attrdef-decls",
                &[&attrs[0]],
                &format!("{stem}.attrs.h.inc"),
            );
            run(
                &td,
                "attrdef-defs",
                &[&attrs[0]],
                &format!("{stem}.attrs.cpp.inc"),
            );
            run(
                &td,
                "typedef-decls",
                &[&types[0]],
                &format!("{stem}.types.h.inc"),
            );
            run(
                &td,
                "typedef-defs",
                &[&types[0]],
                &format!("{stem}.types.cpp.inc"),
            );
        }
        run(
            "dialect/TritonEnums.td",
            "enum-decls",
            &[],
            "TritonEnums.h.inc",
        );
        run(
            "dialect/TritonEnums.td",
            "enum-defs",
            &[],
            "TritonEnums.cpp.inc",
        );
        run(
            "passes/Passes.td",
            "pass-decls",
            &["-name=LinearLayout"],
            "Passes.h.inc",
        );
        let passes = passes::generate(&records(prefix, "passes/Passes.td"));
        write_if_changed(&generated.join("PassList.inc"), &passes.cpp);
        write_if_changed(&generated.join("passes.rs"), &passes.rust);
        write_if_changed(&generated.join("reference.rs"), &reference(prefix));
        let keepers = DIALECTS.map(|(stem, _)| records(prefix, &format!("dialect/{stem}.td")));
        let own: Vec<Own<'_>> = DIALECTS
            .iter()
            .zip(&keepers)
            .map(|((_, namespace), keeper)| Own { namespace, keeper })
            .collect();
        let upstream = records(prefix, "dialect/Upstream.td");
        let ops = ops::generate(&own, &upstream);
        write_if_changed(&generated.join("OpKinds.inc"), &ops.cpp);
        write_if_changed(&generated.join("ops.rs"), &ops.rust);
        let output = records(prefix, "dialect/Output.td");
        let all = [&upstream, &output].into_iter().chain(&keepers);
        let builders = builders::generate(all);
        write_if_changed(&generated.join("builders.rs"), &builders);
        let dialects: Vec<_> = own.iter().map(|own| (own.namespace, own.keeper)).collect();
        write_if_changed(&generated.join("rules.rs"), &rules::generate(&dialects));
    }

    fn write_if_changed(path: &Path, text: &str) {
        if fs::read_to_string(path).ok().as_deref() != Some(text) {
            fs::write(path, text).expect("OUT_DIR is writable");
        }
    }

    fn records(prefix: &Path, td: &str) -> tblgen::RecordKeeper<'static> {
        let include = prefix.join("include");
        tblgen::TableGenParser::new()
            .add_include_directory("dialect")
            .add_include_directory(include.to_str().expect("the LLVM prefix is UTF-8"))
            .add_source_file(td)
            .parse()
            .unwrap_or_else(|e| panic!("{td} is not valid TableGen: {e}"))
    }

    /// Returns Rust code that lists the operations, attributes and types of all dialects with their summaries and
    /// examples. `src/ir/reference.rs` includes this code.
    fn reference(prefix: &Path) -> String {
        let mut text = String::from("[\n");
        for (stem, name) in DIALECTS {
            let keeper = records(prefix, &format!("dialect/{stem}.td"));
            let own = |record: &tblgen::Record<'_>, field: &str| {
                record
                    .def_value(field)
                    .and_then(|dialect| dialect.str_value("name"))
                    .is_ok_and(|n| n == name)
            };
            let dialect = keeper
                .all_derived_definitions("Dialect")
                .find(|record| record.str_value("name") == Ok(name))
                .unwrap_or_else(|| panic!("dialect/{stem}.td declares `{name}`"));
            let summary = dialect.str_value("summary").unwrap_or_default();
            text += &format!("Dialect {{ name: {name:?}, summary: {summary:?}, entries: &[\n");
            for (class, dialect_field, name_field, kind, sigil) in [
                ("Op", "opDialect", "opName", "Operation", ""),
                ("AttrDef", "dialect", "mnemonic", "Attribute", "#"),
                ("TypeDef", "dialect", "mnemonic", "Type", "!"),
            ] {
                let mut lines: Vec<String> = keeper
                    .all_derived_definitions(class)
                    .filter(|record| own(record, dialect_field))
                    .map(|record| {
                        let of = record.str_value(name_field).unwrap_or_default();
                        let summary = record.str_value("summary").unwrap_or_default().trim();
                        let description = record.str_value("description").unwrap_or_default();
                        let example = rules::example(description);
                        format!(
                            "Entry {{ kind: EntryKind::{kind}, name: \"{sigil}{name}.{of}\", \
                             summary: {summary:?}, example: {example:?} }},\n"
                        )
                    })
                    .collect();
                lines.sort();
                text += &lines.concat();
            }
            text += "] },\n";
        }
        text + "]\n"
    }

    /// Compiles those C++ sources that have changed since the last build, and collects the objects of all sources
    /// in a static library. `OUT_DIR` keeps each object together with a list of its dependencies.
    fn compile(prefix: &Path, generated: &Path, out: &Path) {
        let sources: Vec<PathBuf> = fs::read_dir("dialect")
            .expect("dialect/ exists")
            .map(|entry| entry.expect("dialect/ is readable").path())
            .filter(|path| path.extension().is_some_and(|e| e == "cpp"))
            .collect();
        println!("cargo:rerun-if-changed=src/sys/bridge.rs");
        let mut build = cxx_build::bridge("src/sys/bridge.rs");
        build
            // MLIR identifies traits by compiler-generated names, and GCC's differ from Clang's, which built the shared
            // libMLIR.
            .compiler(prefix.join("bin/clang++"))
            .include(".")
            .include(generated)
            // Marked as system headers to silence their warnings.
            .flag(format!("-isystem{}", prefix.join("include").display()))
            .std("c++17")
            .flag("-fno-rtti")
            .flag("-fno-exceptions")
            .define("RUST_CXX_NO_EXCEPTIONS", None)
            .warnings_into_errors(true)
            .flag_if_supported("-Wno-unused-parameter")
            .opt_level(u32::from(env::var("PROFILE").as_deref() == Ok("release")))
            .debug(false);
        if let Ok(sanitizer) = env::var(SANITIZER_VARIABLE) {
            build
                .flag(format!("-fsanitize={sanitizer}"))
                .flag("-fno-omit-frame-pointer")
                .flag("-gline-tables-only");
        }
        let compiler = build.get_compiler();
        let objects = out.join("objects");
        fs::create_dir_all(&objects).expect("OUT_DIR is writable");
        // Compiles a file, and records its dependencies beside the object.
        let run = |flags: &[&str], source: &Path, output: &Path| {
            let status = compiler
                .to_command()
                .args(["-MMD", "-MF"])
                .arg(output.with_extension("d"))
                .args(flags)
                .arg(source)
                .arg("-o")
                .arg(output)
                .status()
                .expect("the C++ compiler can be run");
            assert!(status.success(), "cannot compile {}", source.display());
        };
        let headers = objects.join("Dialects.pch");
        if !is_fresh(&headers) {
            // Reading MLIR's headers dominates, so they are precompiled.
            let flags = ["-fpch-instantiate-templates", "-x", "c++-header"];
            run(&flags, Path::new("dialect/Dialects.h"), &headers);
        }
        let with_headers = [
            "-include-pch",
            headers.to_str().expect("OUT_DIR is UTF-8"),
            "-c",
        ];
        let stale: Vec<&PathBuf> = sources
            .iter()
            .filter(|source| {
                let object = object_of(&objects, source);
                !is_fresh(&object) || modified(&object) < modified(&headers)
            })
            .collect();
        let num_jobs: usize = env::var("NUM_JOBS")
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(1);
        let next = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..num_jobs.min(stale.len()) {
                scope.spawn(|| {
                    while let Some(source) = stale.get(next.fetch_add(1, Relaxed)) {
                        run(&with_headers, source, &object_of(&objects, source));
                    }
                });
            }
        });
        for source in &sources {
            build.object(object_of(&objects, source));
        }
        build.compile("linear_layout_dialects");
    }

    fn modified(path: &Path) -> Option<std::time::SystemTime> {
        fs::metadata(path).and_then(|m| m.modified()).ok()
    }

    fn object_of(objects: &Path, source: &Path) -> PathBuf {
        let stem = source.file_stem().expect("a source has a name");
        objects.join(stem).with_extension("o")
    }

    /// Returns true if `object` exists and is at least as new as this script and all dependencies of the object.
    fn is_fresh(object: &Path) -> bool {
        let (Some(built), Ok(rule)) = (
            modified(object),
            fs::read_to_string(object.with_extension("d")),
        ) else {
            return false;
        };
        let Some((_, files)) = rule.split_once(": ") else {
            return false;
        };
        files
            .split_whitespace()
            .filter(|file| *file != "\\")
            .chain(["build.rs"])
            .all(|file| modified(Path::new(file)).is_some_and(|t| t <= built))
    }

    /// Tells cargo to link the shared MLIR and LLVM libraries. They come after the static library of the C++
    /// sources, because this static library depends on them.
    ///
    /// `mlir-sys` links `-lMLIR-C`. Debian ships the MLIR C API only as archives, so if `libMLIR-C.so` is missing,
    /// this function writes a linker script of that name that lists the archives.
    fn link(prefix: &Path, out: &Path) {
        let lib = prefix.join("lib");
        if !lib.join("libMLIR-C.so").exists() {
            let archives: Vec<String> = fs::read_dir(&lib)
                .expect("the LLVM library folder is readable")
                .filter_map(|entry| entry.ok()?.path().to_str().map(str::to_owned))
                .filter(|path| path.contains("/libMLIRCAPI") && path.ends_with(".a"))
                // The execution engine depends on libraries that a compiler does not need.
                .filter(|path| !path.contains("ExecutionEngine"))
                .collect();
            let script = format!("GROUP ( {} )\n", archives.join(" "));
            fs::write(out.join("libMLIR-C.so"), script).expect("OUT_DIR is writable");
            println!("cargo:rustc-link-search=native={}", out.display());
        }
        println!("cargo:rustc-link-search=native={}", lib.display());
        println!("cargo:rustc-link-lib=dylib=MLIR-C");
        println!("cargo:rustc-link-lib=dylib=MLIR");
        println!("cargo:rustc-link-lib=dylib=LLVM");
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", lib.display());
        // For the build scripts of dependent packages, as DEP_LINEAR_LAYOUT_LIB_DIR: cargo passes on the libraries, but
        // not their run-time path.
        println!("cargo:lib_dir={}", lib.display());
    }
}
