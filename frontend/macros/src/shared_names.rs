//! Tables of names that the macros and the kernel language share.
//!
//! The macros cannot use the traits of `frontend/core`, because `frontend/core` depends on the macros. This file
//! declares the names that the macros and `frontend/core` require, and `frontend/core` reads these names through
//! `shared_names!`. Each row generates traits and methods in `frontend/core`, and entries in the macros' lists. The
//! macros also have lists of names outside of this file, which tests compare with the sources of the kernel
//! language.
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Ident;
use syn::parse::{Parse, ParseStream};

/// A math function of numbers, such as `F::exp(x)` and `x.exp()`.
pub struct Function {
    /// The trait that declares the function.
    pub of: &'static str,
    pub name: &'static str,
    /// Family of operand types: `floats`, `integers`, or `numbers` for both.
    pub family: &'static str,
    /// Result type of the function; `same` for the operand's type.
    pub gives: &'static str,
}

const fn function(of: &'static str, name: &'static str, family: &'static str, gives: &'static str) -> Function {
    Function { of, name, family, gives }
}

/// The functions of one operand.
pub const OF_ONE: &[Function] = &[
    function("Exp", "exp", "floats", "same"),
    function("Log", "log", "floats", "same"),
    function("Log1p", "log1p", "floats", "same"),
    function("Cos", "cos", "floats", "same"),
    function("Sin", "sin", "floats", "same"),
    function("Tan", "tan", "floats", "same"),
    function("Tanh", "tanh", "floats", "same"),
    function("Sqrt", "sqrt", "floats", "same"),
    function("InverseSqrt", "inverse_sqrt", "floats", "same"),
    function("Round", "round", "floats", "same"),
    function("Floor", "floor", "floats", "same"),
    function("Ceil", "ceil", "floats", "same"),
    function("Trunc", "trunc", "floats", "same"),
    function("Erf", "erf", "floats", "same"),
    function("Recip", "recip", "floats", "same"),
    function("Expm1", "exp_m1", "floats", "same"),
    function("Sinh", "sinh", "floats", "same"),
    function("Cosh", "cosh", "floats", "same"),
    function("ArcCos", "acos", "floats", "same"),
    function("ArcSin", "asin", "floats", "same"),
    function("ArcTan", "atan", "floats", "same"),
    function("ArcSinh", "asinh", "floats", "same"),
    function("ArcCosh", "acosh", "floats", "same"),
    function("ArcTanh", "atanh", "floats", "same"),
    function("Degrees", "to_degrees", "floats", "same"),
    function("Radians", "to_radians", "floats", "same"),
    function("Abs", "abs", "numbers", "same"),
    function("Magnitude", "magnitude", "floats", "same"),
    function("Normalize", "normalize", "floats", "same"),
    function("IsNan", "is_nan", "floats", "bool"),
    function("IsInf", "is_inf", "floats", "bool"),
    function("BitwiseNot", "bitwise_not", "integers", "same"),
    function("ReverseBits", "reverse_bits", "integers", "same"),
    function("CountOnes", "count_ones", "integers", "u32"),
    function("LeadingZeros", "leading_zeros", "integers", "u32"),
    function("TrailingZeros", "trailing_zeros", "integers", "u32"),
    function("FindFirstSet", "find_first_set", "integers", "u32"),
];

/// The functions of two operands of one type.
pub const OF_TWO: &[Function] = &[
    function("Max", "max", "numbers", "same"),
    function("Min", "min", "numbers", "same"),
    function("Remainder", "rem", "numbers", "same"),
    function("Powf", "powf", "floats", "same"),
    function("ArcTan2", "atan2", "floats", "same"),
    function("Hypot", "hypot", "floats", "same"),
    function("Rhypot", "rhypot", "floats", "same"),
    function("Dot", "dot", "numbers", "same"),
    function("SaturatingAdd", "saturating_add", "integers", "same"),
    function("SaturatingSub", "saturating_sub", "integers", "same"),
    function("MulHi", "mul_hi", "integers", "same"),
];

/// The number types of the language.
pub const NUMBERS: &[&str] = cube_target::Number::NAMES;

/// Predefined names for positions and sizes of units, planes and cubes, with the values that host code sees. On
/// the host, the plane size is the plane size of most devices, and each other size is one. No size is zero,
/// because host programs divide by sizes.
#[rustfmt::skip]
pub const TOPOLOGY: &[(u32, &[&str])] = &[
    (0, &[
        "ABSOLUTE_POS", "ABSOLUTE_POS_X", "ABSOLUTE_POS_Y", "ABSOLUTE_POS_Z",
        "UNIT_POS", "UNIT_POS_X", "UNIT_POS_Y", "UNIT_POS_Z", "UNIT_POS_PLANE", "PLANE_POS",
        "CUBE_POS", "CUBE_POS_X", "CUBE_POS_Y", "CUBE_POS_Z",
        "CUBE_POS_CLUSTER", "CUBE_POS_CLUSTER_X", "CUBE_POS_CLUSTER_Y", "CUBE_POS_CLUSTER_Z",
    ]),
    (1, &[
        "CUBE_DIM", "CUBE_DIM_X", "CUBE_DIM_Y", "CUBE_DIM_Z",
        "CUBE_COUNT", "CUBE_COUNT_X", "CUBE_COUNT_Y", "CUBE_COUNT_Z",
        "CUBE_CLUSTER_DIM", "CUBE_CLUSTER_DIM_X", "CUBE_CLUSTER_DIM_Y", "CUBE_CLUSTER_DIM_Z",
    ]),
    (32, &["PLANE_DIM"]),
];

/// The topology keyword of the IR for a predefined name, such as `ABSOLUTE_POS`.
pub fn keyword(name: &str) -> Option<String> {
    TOPOLOGY.iter().any(|(_, names)| names.contains(&name)).then(|| name.to_lowercase())
}

/// Properties of memory that are known at the launch.
pub const OF_MEMORY: [&str; 4] = ["len", "buffer_len", "shape", "stride"];

/// `shared_names!(TABLE => MACRO)`: calls `MACRO!` with the rows of a table.
pub struct TableRequest {
    table: Ident,
    receiver_macro: Ident,
}

impl Parse for TableRequest {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let table = input.parse()?;
        input.parse::<syn::Token![=>]>()?;
        Ok(TableRequest { table, receiver_macro: input.parse()? })
    }
}

/// Generates the call of the macro that receives the table's rows.
pub fn expand_table(request: &TableRequest) -> syn::Result<TokenStream> {
    let rows: Vec<TokenStream> = match request.table.to_string().as_str() {
        "functions_of_one" => OF_ONE.iter().map(row).collect(),
        "functions_of_two" => OF_TWO.iter().map(row).collect(),
        "topology" => TOPOLOGY.iter().map(of_topology).collect(),
        "numbers" => NUMBERS.iter().map(|name| Ident::new(name, Span::call_site()).into_token_stream()).collect(),
        _ => {
            return Err(syn::Error::new(
                request.table.span(),
                "this table does not exist: name a table of `frontend/macros/src/shared_names.rs`",
            ));
        }
    };
    let receiver_macro = &request.receiver_macro;
    Ok(quote!(#receiver_macro! { #(#rows)* }))
}

/// `32: PLANE_DIM;`
fn of_topology((on_host, names): &(u32, &[&str])) -> TokenStream {
    let on_host = proc_macro2::Literal::u32_unsuffixed(*on_host);
    let names = names.iter().map(|name| Ident::new(name, Span::call_site()));
    quote!(#on_host: #(#names)*;)
}

/// `Exp exp __expand_exp __expand_exp_method ExpMethods floats same;`
fn row(function: &Function) -> TokenStream {
    let word = |word: &str| Ident::new(word, Span::call_site());
    let (of, name, family, gives) =
        (word(function.of), word(function.name), word(function.family), word(function.gives));
    let (expansion, method) = (format_ident!("__expand_{name}"), format_ident!("__expand_{name}_method"));
    let methods = format_ident!("{of}Methods");
    quote!(#of #name #expansion #method #methods #family #gives;)
}

#[cfg(test)]
mod tests;
