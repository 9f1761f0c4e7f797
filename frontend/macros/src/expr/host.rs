//! Names that both Rust and the kernel language define.

/// Float functions of Rust that have a different name in the kernel language: the Rust name and the
/// language's name. Kernels can use both the Rust name and the language's name.
pub const RENAMED: [(&str, &str); 3] = [("ln", "log"), ("ln_1p", "log1p"), ("round_ties_even", "round")];

/// The language's name for a float function of Rust.
pub fn renamed(name: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(rust, _)| *rust == name).map(|(_, own)| *own)
}

/// The methods of the library that kernels use frequently. The macro generates no fallback method for calls
/// of the listed methods, which keeps the expansion small.
const OF_THE_LIBRARY: &str = "
    abs buffer_len ceil clamp coordinate cos count_ones dot equal erf exp fill floor get greater_equal greater_than
    index is_inf is_nan len less_equal less_than line_size log magnitude max min not_equal powf powi push rank read
    recip rem rev round set shape sin slice slice_mut sqrt step_by store stride tan tanh to_slice to_slice_mut trunc
    write";

/// The methods of the library that kernels use frequently.
pub fn frequent_methods() -> impl Iterator<Item = &'static str> {
    OF_THE_LIBRARY.split_whitespace()
}
