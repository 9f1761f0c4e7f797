//! The dependencies that the design allows, as data for `layers.rs`.

/// The group to which the crates of a folder belong. `*` matches any one folder name, and the first matching
/// row applies.
pub const CRATE_GROUPS: &[(&str, &str)] = &[
    ("dialects/bridge", "bridge"),
    ("dialects/mlir", "mlir"),
    ("targets", "target description"),
    ("semantics", "semantics"),
    ("rules", "rules"),
    ("rules/*", "proofs"),
    ("layout-algebra", "algebra"),
    ("dialects/layout", "layout dialect"),
    ("dialects/*", "dialects"),
    ("passes", "passes"),
    ("passes/*", "pass libraries"),
    ("backends/api", "backend api"),
    ("backends/to-llvm", "llvm lowering"),
    ("backends/simt", "simt"),
    ("backends/structured", "structured"),
    ("backends/llvm", "llvm"),
    ("backends/cpu", "llvm backends"),
    ("backends/nvptx", "llvm backends"),
    ("backends/amdgpu", "llvm backends"),
    ("backends/*", "plain backends"),
    ("interpreter", "interpreter"),
    ("driver", "driver"),
    ("driver/capi", "c interface"),
    ("tools", "tools"),
    ("tools/plugin", "plugin"),
    ("tools/*", "small tools"),
    ("frontend/names", "frontend names"),
    ("frontend/macros", "frontend macros"),
    ("frontend/core", "frontend core"),
    ("frontend/tests", "embedders"),
    ("frontend/*", "frontend std"),
    ("runtime/artifact", "artifact"),
    ("runtime/core", "runtime core"),
    ("runtime/gpu", "gpu runtime"),
    ("runtime/*", "runtimes"),
    ("cube", "cube"),
    ("benches", "embedders"),
    ("fuzz", "embedders"),
    ("test/vulkan", "embedders"),
    ("test/amdgpu", "embedders"),
    ("test/unit", "embedders"),
    ("examples/*", "embedders"),
    ("test", "tests"),
    ("workspace-hack", SHARED_GROUP),
    ("xtask", "xtask"),
];

/// The group on which every crate can depend. The group `features` contains only the common dependency
/// features and no code.
pub const SHARED_GROUP: &str = "features";

/// `[a, b, c]` means `a <- b <- c`: a group can depend on every group that its arrows reach, directly or indirectly.
/// Two groups that no arrows connect must not depend on each other. Two crates of one group must also not depend on
/// each other.
pub const ARROWS: &[&[&str]] = &[
    &["bridge", "mlir", "dialects", "passes", "backend api"],
    &["algebra", "dialects", "pass libraries", "passes"],
    &["target description", "dialects"],
    // Folders, analyses and the interpreter share the values of operations. The tables also contain the error
    // bounds of the math library.
    &["semantics", "dialects"],
    &["semantics", "pass libraries"],
    // The interpreter defines the meaning of a rule, both for the compiler and for the proof of the rule.
    &["target description", "rules"],
    &["semantics", "rules", "passes"],
    &["rules", "proofs", "tools"],
    // The user's side also requires the element types and the capabilities of devices.
    &["target description", "artifact"],
    &["target description", "semantics"],
    // Views refer to buffers of the cube dialect.
    &["algebra", "layout dialect", "passes"],
    &["dialects", "layout dialect"],
    // Layouts are comptime values of kernels in Rust. The algebra is plain Rust, and has the same meaning in
    // kernels and in the compiler.
    &["algebra", "frontend std"],
    &["backend api", "llvm", "llvm backends", "driver", "tools"],
    &["passes", "llvm lowering", "simt", "llvm backends"],
    &["target description", "simt"],
    &["backend api", "plain backends", "driver"],
    &["mlir", "structured", "plain backends"],
    &["dialects", "structured"],
    &["semantics", "structured"],
    &["backend api", "structured"],
    &["target description", "structured"],
    // The reference for all backends is not itself a backend.
    &["passes", "interpreter", "driver"],
    &["algebra", "small tools", "tools"],
    &["artifact", "runtime core", "gpu runtime", "runtimes", "cube"],
    // Diagnostics suggest the nearest word on both sides of the compiler boundary.
    &["artifact", "mlir"],
    &["artifact", "backend api"],
    // A test puts code of another compiler into an artifact.
    &["artifact", "tests"],
    &["frontend names", "frontend macros"],
    &["runtime core", "frontend macros", "frontend core", "frontend std", "cube"],
    // Libraries that other programs load: passes for mlir-opt, the driver for programs in other languages.
    &["driver", "plugin"],
    &["driver", "c interface"],
    // Crates that depend on both sides of the compiler boundary.
    &["runtimes", "tools", "embedders"],
    // A program in C compiles and launches through one library.
    &["runtimes", "c interface"],
    // A runner of artifacts depends only on the user's side.
    &["runtimes", "small tools"],
    &["cube", "embedders"],
];

/// Dependencies that are allowed only as optional dependencies of a feature: the depending group, the group
/// on which it depends, the feature.
pub const UNDER_A_FEATURE: &[(&str, &str, &str)] = &[("cube", "driver", "embedded-compiler")];

/// Dev-dependencies of tests that are allowed without an arrow: the depending folder, the folder on which it
/// depends, the reason.
pub const TEST_DEPENDENCIES: &[(&str, &str, &str)] = &[
    ("test/vulkan", "fuzz", "the random kernels of all backends have one generator"),
    ("test/vulkan", "test", "RUN-ARGS lines have one reader"),
    ("test/amdgpu", "fuzz", "the random kernels of all backends have one generator"),
    ("test/amdgpu", "test", "RUN-ARGS lines have one reader"),
    ("rules/prove", "runtime/artifact", "the theorems of divisions are about the magic numbers of the runtime"),
];

/// External crates that require LLVM. Groups on the user's side of the compiler boundary must never depend on a
/// crate that requires LLVM. A group that must build before LLVM is installed must not depend on a crate that
/// requires LLVM.
pub const LLVM_CRATES: &[&str] = &["melior", "mlir-sys", "inkwell", "llvm-sys", "tblgen", "melior-macro"];

/// The groups that may depend on LLVM.
pub const LLVM_GROUPS: &[&str] = &[
    "bridge",
    "mlir",
    "dialects",
    "layout dialect",
    "passes",
    "pass libraries",
    "backend api",
    "llvm lowering",
    "simt",
    "structured",
    "llvm",
    "llvm backends",
    "plain backends",
    "interpreter",
    "driver",
    "tools",
    "plugin",
    "embedders",
];
