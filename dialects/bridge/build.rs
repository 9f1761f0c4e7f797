//! Generates C++ from the dialects' `.td` files and compiles the bridge. In shared mode the script also writes a
//! linker script `libMLIR-C.so` that lists the static C API libraries. Debian does not ship `libMLIR-C.so`.
use std::{
    env, fs,
    hash::{Hash, Hasher},
    path::{Path, PathBuf},
    process::{Command, exit},
};

/// A dialect: its namespace, the file with the dialect, types and attributes, the file with the operations, and whether
/// it has enums.
struct Dialect {
    name: &'static str,
    class: &'static str,
    folder: &'static str,
    enums: bool,
}

const DIALECTS: &[Dialect] = &[
    Dialect { name: "cube", class: "Cube", folder: "../cube/td", enums: true },
    Dialect { name: "layout", class: "Layout", folder: "../layout/td", enums: false },
];

/// mlir-tblgen generators, their input file, and the suffix of their output.
const GENERATORS: &[(&str, &str, &str)] = &[
    ("-gen-dialect-decls -dialect=NAME", "Dialect", "Dialect.h.inc"),
    ("-gen-dialect-defs -dialect=NAME", "Dialect", "Dialect.cpp.inc"),
    ("-gen-enum-decls", "Dialect", "Enums.h.inc"),
    ("-gen-enum-defs", "Dialect", "Enums.cpp.inc"),
    ("-gen-typedef-decls -typedefs-dialect=NAME", "Dialect", "Types.h.inc"),
    ("-gen-typedef-defs -typedefs-dialect=NAME", "Dialect", "Types.cpp.inc"),
    ("-gen-attrdef-decls -attrdefs-dialect=NAME", "Dialect", "Attrs.h.inc"),
    ("-gen-attrdef-defs -attrdefs-dialect=NAME", "Dialect", "Attrs.cpp.inc"),
    ("-gen-op-decls", "Ops", "Ops.h.inc"),
    ("-gen-op-defs", "Ops", "Ops.cpp.inc"),
];

/// The C++ sources, relative to this folder; the C++ code of a dialect is in the dialect's folder.
const SOURCES: &[&str] =
    &["../cube/cpp/Cube.cpp", "../layout/cpp/Layout.cpp", "cpp/Bridge.cpp", "cpp/Link.cpp", "cpp/Ranges.cpp"];

/// Folders of the headers that the sources include.
const HEADERS: &[&str] = &["cpp", "../cube/cpp"];

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let prefix = PathBuf::from(env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into()));
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    println!("cargo:rerun-if-env-changed=MLIR_SYS_LINK_SHARED");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-changed=../cube/cpp");
    println!("cargo:rerun-if-changed=../layout/cpp");
    if !prefix.join("bin/mlir-tblgen").exists() || !prefix.join("bin/clang++").exists() {
        eprintln!(
            "LLVM/MLIR 22 was not found in {}; run `cargo xtask doctor`, which names the command that installs it",
            prefix.display()
        );
        exit(1);
    }
    let sources: Vec<PathBuf> = SOURCES.iter().map(|source| here.join(source)).collect();
    for dialect in DIALECTS {
        // The path is relative, so cargo watches the files of the tree that is built, also in a copy of the tree.
        println!("cargo:rerun-if-changed={}", dialect.folder);
        generate(dialect, &prefix, &here, &out);
    }
    if let Err(e) = fs::write(out.join("Dialects.h.inc"), headers()) {
        fail(&format!("cannot write the list of dialects: {e}"));
    }
    let folders: Vec<PathBuf> = HEADERS.iter().map(|folder| here.join(folder)).collect();
    compile(&prefix, &here, &folders, &sources, &out);
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static:+whole-archive=cube_bridge_cpp");
    println!("cargo:rustc-link-search=native={}", prefix.join("lib").display());
    // LLVM does not provide lld as a shared library. The static libraries of lld use LLVM's shared library.
    println!("cargo:rustc-link-lib=static=lldELF");
    println!("cargo:rustc-link-lib=static=lldCommon");
    // lld compresses sections with zlib and zstd.
    println!("cargo:rustc-link-lib=z");
    println!("cargo:rustc-link-lib=zstd");
    if env::var("MLIR_SYS_LINK_SHARED").as_deref() == Ok("1") {
        write_capi_script(&prefix, &out);
    }
    println!("cargo:rustc-link-lib=stdc++");
}

/// The declarations of all dialects except their operations, in the order of their dependencies. A dialect's operations
/// are declared in its own source only, so that a new operation recompiles only that source.
fn headers() -> String {
    let parts = [("", "Dialect"), ("", "Enums"), ("TYPEDEF", "Types"), ("ATTRDEF", "Attrs")];
    let mut text = String::new();
    for (class, part) in parts {
        for dialect in DIALECTS.iter().filter(|dialect| part != "Enums" || dialect.enums) {
            if !class.is_empty() {
                text += &format!("#define GET_{class}_CLASSES\n");
            }
            text += &format!("#include \"{}{part}.h.inc\"\n", dialect.class);
        }
    }
    text
}

fn generate(dialect: &Dialect, prefix: &Path, here: &Path, out: &Path) {
    let Dialect { name, class, folder, enums } = dialect;
    for (generator, input, output) in GENERATORS {
        if output.starts_with("Enums") && !enums {
            continue;
        }
        let mut command = Command::new(prefix.join("bin/mlir-tblgen"));
        command.args(generator.replace("NAME", name).split(' ')).arg("-I").arg(prefix.join("include"));
        for other in DIALECTS {
            command.arg("-I").arg(here.join(other.folder));
        }
        let input = here.join(folder).join(format!("{class}{input}.td"));
        run(command.arg(input).arg("-o").arg(out.join(format!("{class}{output}"))));
    }
}

/// Compiles with the clang++ of the LLVM that the bridge links, without RTTI and with NDEBUG. With g++, the
/// TypeIDs of traits differ from the TypeIDs in libMLIR. Without NDEBUG, the layout of `Pass::Statistic`
/// differs from the layout in libMLIR.
fn compile(prefix: &Path, here: &Path, headers: &[PathBuf], sources: &[PathBuf], out: &Path) {
    let mut children = Vec::new();
    let mut objects = Vec::new();
    for source in sources {
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let object = out.join(&name).with_extension("o");
        let mut command = Command::new(prefix.join("bin/clang++"));
        command
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
            .args(headers.iter().flat_map(|folder| [Path::new("-I"), folder]))
            .args(["-MMD", "-c"])
            .arg(source)
            .arg("-o")
            .arg(&object);
        let place = Place { here, prefix, out };
        let record = object.with_extension("inputs");
        if fs::read_to_string(&record).is_ok_and(|last| place.is_current(&last, &command)) && object.is_file() {
            objects.push(object);
            continue;
        }
        let _ = fs::remove_file(&record);
        if place.reuse(&command, &object) {
            objects.push(object);
            continue;
        }
        children.push((name, command.spawn(), command, record, object.clone()));
        objects.push(object);
    }
    for (source, child, command, record, object) in children {
        match child.and_then(|mut c| c.wait()) {
            Ok(status) if status.success() => {}
            other => fail(&format!("compiling {source} failed: {other:?}")),
        }
        // If the record is missing, the next build compiles the source again.
        let _ = Place { here, prefix, out }.record(&command, &object).map(|text| fs::write(record, text));
    }
    let archive = out.join("libcube_bridge_cpp.a");
    let _ = fs::remove_file(&archive);
    run(Command::new(prefix.join("bin/llvm-ar")).arg("rcs").arg(&archive).args(&objects));
}

/// The folders of a build. A record of an object file has placeholders for the folders, because a copy of the source tree,
/// and a workspace that contains this package as a dependency, have the same objects in other folders.
struct Place<'a> {
    /// The folder of this package.
    here: &'a Path,
    prefix: &'a Path,
    out: &'a Path,
}

impl Place<'_> {
    fn general(&self, text: &str) -> String {
        text.replace(&*self.out.to_string_lossy(), "OUT").replace(&*self.here.to_string_lossy(), "HERE")
    }

    fn own(&self, name: &str) -> PathBuf {
        match (name.strip_prefix("OUT"), name.strip_prefix("HERE")) {
            (Some(rest), _) => format!("{}{rest}", self.out.display()).into(),
            (_, Some(rest)) => format!("{}{rest}", self.here.display()).into(),
            _ => name.into(),
        }
    }

    // The first lines of a record: the command, and the modification time of the compiler.
    fn head(&self, command: &Command) -> Option<String> {
        let compiler = fs::metadata(self.prefix.join("bin/clang++")).and_then(|data| data.modified()).ok()?;
        Some(self.general(&format!("{command:?}\n{compiler:?}\n")))
    }

    /// A text with the command, the compiler's modification time, and the hash of each file that the source includes
    /// (`-MMD`: without system headers). An object file whose text has not changed is up to date. Modification times are
    /// not sufficient, because mlir-tblgen rewrites all generated files, although most of them do not change.
    fn record(&self, command: &Command, object: &Path) -> Option<String> {
        let mut text = self.head(command)?;
        let rule = fs::read_to_string(object.with_extension("d")).ok()?;
        let (_, files) = rule.split_once(": ")?;
        // The format of make: a space in a name is written as `\ `.
        let files = files.replace("\\\n", " ").replace("\\ ", "\0");
        for file in files.split_whitespace().map(|file| file.replace('\0', " ")) {
            text += &format!("{:016x} {}\n", hash_of(Path::new(&file))?, self.general(&file));
        }
        Some(text)
    }

    /// Whether a record is that of an object file which this build would compile.
    fn is_current(&self, record: &str, command: &Command) -> bool {
        let files = self.head(command).and_then(|head| record.strip_prefix(&head));
        files.is_some_and(|files| {
            files.lines().all(|line| {
                line.split_once(' ').is_some_and(|(hash, file)| {
                    hash_of(&self.own(file)).is_some_and(|now| format!("{now:016x}") == hash)
                })
            })
        })
    }

    /// Copies the object file of another build of this package in the same target folder, if its record is current.
    fn reuse(&self, command: &Command, object: &Path) -> bool {
        let Some(builds) = self.out.ancestors().nth(2).and_then(|folder| fs::read_dir(folder).ok()) else {
            return false;
        };
        let other = builds.filter_map(|entry| Some(entry.ok()?.path().join("out").join(object.file_name()?)));
        let mut other = other.filter(|other| other != object && other.is_file());
        other.any(|other| {
            let record = fs::read_to_string(other.with_extension("inputs"));
            let record = record.ok().filter(|record| self.is_current(record, command));
            record.is_some_and(|record| {
                fs::copy(&other, object).is_ok() && fs::write(object.with_extension("inputs"), record).is_ok()
            })
        })
    }
}

fn hash_of(file: &Path) -> Option<u64> {
    let mut hash = std::hash::DefaultHasher::new();
    fs::read(file).ok()?.hash(&mut hash);
    Some(hash.finish())
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
