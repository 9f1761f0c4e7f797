//! Generates C++ from the dialects' `.td`, compiles the bridge, and, in shared mode, makes up for the
//! `libMLIR-C.so` that Debian does not ship: a linker script of that name that names the static C API libraries.
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, exit},
};

/// mlir-tblgen generator, its argument, input file, output file; one row a generated file.
const GENERATED: &[(&[&str], &str, &str)] = &[
    (&["-gen-dialect-decls", "-dialect=cube"], "CubeDialect.td", "CubeDialect.h.inc"),
    (&["-gen-dialect-defs", "-dialect=cube"], "CubeDialect.td", "CubeDialect.cpp.inc"),
    (&["-gen-enum-decls"], "CubeDialect.td", "CubeEnums.h.inc"),
    (&["-gen-enum-defs"], "CubeDialect.td", "CubeEnums.cpp.inc"),
    (&["-gen-typedef-decls", "-typedefs-dialect=cube"], "CubeDialect.td", "CubeTypes.h.inc"),
    (&["-gen-typedef-defs", "-typedefs-dialect=cube"], "CubeDialect.td", "CubeTypes.cpp.inc"),
    (&["-gen-attrdef-decls", "-attrdefs-dialect=cube"], "CubeDialect.td", "CubeAttrs.h.inc"),
    (&["-gen-attrdef-defs", "-attrdefs-dialect=cube"], "CubeDialect.td", "CubeAttrs.cpp.inc"),
    (&["-gen-op-decls"], "CubeOps.td", "CubeOps.h.inc"),
    (&["-gen-op-defs"], "CubeOps.td", "CubeOps.cpp.inc"),
];

const SOURCES: &[&str] = &["Cube.cpp", "Bridge.cpp"];

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let prefix = PathBuf::from(env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into()));
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    println!("cargo:rerun-if-env-changed=MLIR_SYS_LINK_SHARED");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=cpp");
    let td = here.join("../cube/td");
    // Relative, as cargo reads it: a copy of the tree looks at its own files.
    println!("cargo:rerun-if-changed=../cube/td");
    if !prefix.join("bin/mlir-tblgen").exists() || !prefix.join("bin/clang++").exists() {
        eprintln!(
            "LLVM/MLIR 22 was not found in {}: run `cargo xtask doctor`, which names the command that installs it",
            prefix.display()
        );
        exit(1);
    }

    for (generator, input, output) in GENERATED {
        run(Command::new(prefix.join("bin/mlir-tblgen"))
            .args(*generator)
            .arg("-I")
            .arg(prefix.join("include"))
            .arg("-I")
            .arg(&td)
            .arg(td.join(input))
            .arg("-o")
            .arg(out.join(output)));
    }
    compile(&prefix, &here.join("cpp"), &out);
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static:+whole-archive=cube_bridge_cpp");
    if env::var("MLIR_SYS_LINK_SHARED").as_deref() == Ok("1") {
        write_capi_script(&prefix, &out);
    }
    println!("cargo:rustc-link-lib=stdc++");
}

/// clang++ of the same LLVM, without RTTI and with NDEBUG: with g++ trait TypeIDs differ from libMLIR's, and
/// without NDEBUG `Pass::Statistic` has another layout than the library's.
fn compile(prefix: &Path, sources: &Path, out: &Path) {
    let mut children = Vec::new();
    let mut objects = Vec::new();
    for source in SOURCES {
        let object = out.join(source).with_extension("o");
        let child = Command::new(prefix.join("bin/clang++"))
            .args([
                "-std=c++17",
                "-O1",
                "-fPIC",
                "-DNDEBUG",
                "-fno-rtti",
                "-fno-exceptions",
                "-Wall",
                "-Wno-unused-parameter",
            ])
            .args(["-D_GNU_SOURCE", "-D__STDC_CONSTANT_MACROS", "-D__STDC_FORMAT_MACROS", "-D__STDC_LIMIT_MACROS"])
            .arg("-isystem")
            .arg(prefix.join("include"))
            .arg("-I")
            .arg(out)
            .arg("-I")
            .arg(sources)
            .arg("-c")
            .arg(sources.join(source))
            .arg("-o")
            .arg(&object)
            .spawn();
        children.push((source, child));
        objects.push(object);
    }
    for (source, child) in children {
        match child.and_then(|mut c| c.wait()) {
            Ok(status) if status.success() => {}
            other => fail(&format!("compiling {source} failed: {other:?}")),
        }
    }
    let archive = out.join("libcube_bridge_cpp.a");
    let _ = fs::remove_file(&archive);
    run(Command::new(prefix.join("bin/llvm-ar")).arg("rcs").arg(&archive).args(&objects));
}

fn write_capi_script(prefix: &Path, out: &Path) {
    let mut libraries: Vec<String> = fs::read_dir(prefix.join("lib"))
        .unwrap_or_else(|e| fail(&format!("cannot list {}/lib: {e}", prefix.display())))
        .filter_map(|entry| Some(entry.ok()?.path().display().to_string()))
        .filter(|path| path.contains("libMLIRCAPI") && path.ends_with(".a") && !path.contains("ExecutionEngine"))
        .collect();
    libraries.sort();
    let script = format!("INPUT( {} )\n", libraries.join(" "));
    if let Err(e) = fs::write(out.join("libMLIR-C.so"), script) {
        fail(&format!("cannot write the linker script: {e}"));
    }
}

fn run(command: &mut Command) {
    match command.status() {
        Ok(status) if status.success() => {}
        other => fail(&format!("{command:?} failed: {other:?}")),
    }
}

fn fail(message: &str) -> ! {
    eprintln!("cube-bridge: {message}");
    exit(1)
}
