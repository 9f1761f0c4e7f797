//! Functions, methods and types that exist on the host only, each with its replacement in a kernel.

/// Types of Rust's library that hold host memory. A type of the user can have the same name. The names only select the
/// text of an error that rustc reports in any case.
pub const HOST_TYPES: [&str; 13] = [
    "String", "Vec", "Box", "Rc", "Arc", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "VecDeque", "Mutex", "RwLock",
    "RefCell",
];

/// Float functions of Rust that have another name in the language: both names are accepted.
pub const RENAMED: [(&str, &str); 3] = [("ln", "log"), ("ln_1p", "log1p"), ("round_ties_even", "round")];

/// The language's name for a float function of Rust.
pub fn renamed(name: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(rust, _)| *rust == name).map(|(_, own)| *own)
}

/// Methods of Rust's numbers that the language does not have, with their replacement.
pub const OF_THE_HOST: &[(&str, &str)] = &[
    ("mul_add", "`fma(a, b, c)`"),
    ("pow", "`F::powi` of floats, or a loop of products"),
    ("abs_diff", "`a.max(b) - a.min(b)`"),
    ("signum", "`select(x < 0.0, -1.0, 1.0)`"),
    ("to_bits", "`u32::reinterpret(x)`"),
    ("from_bits", "`f32::reinterpret(x)`"),
    ("log2", "`F::log(x) / F::log(2.0)`"),
    ("log10", "`F::log(x) / F::log(10.0)`"),
    ("exp2", "`F::exp(x * 0.6931472)`"),
    ("is_power_of_two", "`I::count_ones(x) == 1`"),
    ("rotate_left", "`(x << n) | (x >> (32 - n))`"),
    ("rotate_right", "`(x >> n) | (x << (32 - n))`"),
    ("count_zeros", "the width less `I::count_ones(x)`"),
];

/// Name prefixes of methods that exist on the host only: integers wrap in a kernel.
pub const OF_THE_HOST_BEGIN: [&str; 4] = ["checked_", "overflowing_", "wrapping_", "unchecked_"];

/// Methods of Rust's numbers without a single replacement.
pub const OF_THE_HOST_REST: [&str; 17] = [
    "atan2",
    "hypot",
    "fract",
    "copysign",
    "total_cmp",
    "to_degrees",
    "to_radians",
    "sin_cos",
    "cbrt",
    "exp_m1",
    "ilog2",
    "isqrt",
    "rem_euclid",
    "div_euclid",
    "next_power_of_two",
    "swap_bytes",
    "is_finite",
];

/// The common methods of the library. They need no fallback for unresolved calls, which keeps the expansion small.
pub const OF_THE_LIBRARY: [&str; 52] = [
    "abs",
    "buffer_len",
    "ceil",
    "clamp",
    "coordinate",
    "cos",
    "count_ones",
    "dot",
    "equal",
    "erf",
    "exp",
    "fill",
    "floor",
    "get",
    "greater_equal",
    "greater_than",
    "index",
    "is_inf",
    "is_nan",
    "len",
    "less_equal",
    "less_than",
    "line_size",
    "log",
    "magnitude",
    "max",
    "min",
    "not_equal",
    "powf",
    "powi",
    "push",
    "rank",
    "read",
    "recip",
    "rem",
    "rev",
    "round",
    "set",
    "shape",
    "sin",
    "slice",
    "slice_mut",
    "sqrt",
    "step_by",
    "store",
    "stride",
    "tan",
    "tanh",
    "to_slice",
    "to_slice_mut",
    "trunc",
    "write",
];

/// The replacement for a method that exists for host numbers only.
pub fn of_the_host(name: &str) -> Option<String> {
    if let Some((_, way)) = OF_THE_HOST.iter().find(|(host, _)| *host == name) {
        return Some(format!("`{name}` is not a method of the kernel language: write {way}"));
    }
    if OF_THE_HOST_BEGIN.iter().any(|begin| name.starts_with(begin)) {
        return Some(format!(
            "`{name}` is not a method of the kernel language: integers wrap in a kernel, use the operator, or `saturating_add` and `saturating_sub`"
        ));
    }
    OF_THE_HOST_REST.contains(&name).then(|| {
        format!("`{name}` is not a method of the kernel language: write it with the operations that docs/from-cubecl.md names, or inside `comptime!(…)` if the host knows the value")
    })
}

/// The replacement for a function of a number type, such as `f32::mul_add(a, b, c)`.
pub fn of_number(owner: &syn::Ident, name: &syn::Ident) -> Option<String> {
    let number = super::call::is_number_name(&owner.to_string());
    number.then(|| of_the_host(&name.to_string())).flatten().map(|text| text.replace("not a method", "not a function"))
}

/// Whether a path begins at a user module with the name of a Rust crate: an import by that path would be ambiguous.
pub fn is_own_module(path: &syn::Path) -> bool {
    let crates = ["std", "core", "alloc"].into_iter();
    let named = |name: &str| path.segments.first().is_some_and(|first| first.ident == name);
    path.leading_colon.is_none() && crates.filter(|name| named(name)).any(crate::item_registry::is_module)
}

/// Whether a path leads into a module of Rust's library that the language does not have.
pub fn is_of_std(path: &syn::Path) -> bool {
    const MODULES: [&str; 16] = [
        "cmp",
        "mem",
        "thread",
        "time",
        "fs",
        "io",
        "env",
        "process",
        "collections",
        "sync",
        "rc",
        "cell",
        "iter",
        "ptr",
        "hint",
        "convert",
    ];
    let mut segments = path.segments.iter();
    // A user module can be called `core`, `alloc` or `std`. rustc resolves the first two.
    let home = segments.next().is_some_and(|s| s.ident == "std");
    home && !is_own_module(path) && segments.next().is_some_and(|s| MODULES.iter().any(|module| s.ident == module))
}
