//! Tables of names that the macros and the kernel language share.
//!
//! The macros cannot use the traits of `frontend/core`, because `frontend/core` depends on the macros. This file
//! declares the names that the macros and `frontend/core` require, and `frontend/core` reads these names through
//! `shared_names!`. Each row generates traits and methods in `frontend/core`, and entries in the macros' lists. The
//! macros also have lists of names outside of this file, which tests compare with the sources of the kernel
//! language.
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::Ident;
use syn::parse::{ParseStream, Parser};

/// A math function of numbers, such as `F::exp(x)` and `x.exp()`.
#[derive(Clone, Copy)]
pub struct Function {
    /// The trait that declares the function.
    pub trait_name: &'static str,
    pub name: &'static str,
    /// Family of operand types: `floats`, `integers`, or `numbers` for both.
    family: &'static str,
    /// Result type of the function; `same` for the operand's type.
    result: &'static str,
}

/// Rows of functions: the family of the operands, the result, and the traits with their functions.
type Functions = [(&'static str, &'static str, &'static str)];

const OF_ONE: &Functions = &[
    (
        "floats",
        "same",
        "Exp exp, Log log, Log1p log1p, Cos cos, Sin sin, Tan tan, Tanh tanh, Sqrt sqrt,
        InverseSqrt inverse_sqrt, Round round, Floor floor, Ceil ceil, Trunc trunc, Erf erf, Recip recip,
        Expm1 exp_m1, Sinh sinh, Cosh cosh, ArcCos acos, ArcSin asin, ArcTan atan, ArcSinh asinh,
        ArcCosh acosh, ArcTanh atanh, Degrees to_degrees, Radians to_radians, Magnitude magnitude,
        Normalize normalize",
    ),
    ("numbers", "same", "Abs abs"),
    ("floats", "bool", "IsNan is_nan, IsInf is_inf"),
    ("integers", "same", "BitwiseNot bitwise_not, ReverseBits reverse_bits"),
    (
        "integers",
        "u32",
        "CountOnes count_ones, LeadingZeros leading_zeros, TrailingZeros trailing_zeros,
        FindFirstSet find_first_set",
    ),
];

const OF_TWO: &Functions = &[
    ("numbers", "same", "Max max, Min min, Remainder rem, Dot dot"),
    ("floats", "same", "Powf powf, ArcTan2 atan2, Hypot hypot, Rhypot rhypot"),
    ("integers", "same", "SaturatingAdd saturating_add, SaturatingSub saturating_sub, MulHi mul_hi"),
];

fn functions(rows: &'static Functions) -> impl Iterator<Item = Function> {
    rows.iter().flat_map(|&(family, result, names)| {
        names.split(',').filter_map(move |pair| {
            let (trait_name, name) = pair.trim().split_once(' ')?;
            Some(Function { trait_name, name, family, result })
        })
    })
}

/// The functions of one operand.
pub fn of_one() -> impl Iterator<Item = Function> {
    functions(OF_ONE)
}

/// The functions of two operands of one type.
pub fn of_two() -> impl Iterator<Item = Function> {
    functions(OF_TWO)
}

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

/// The traits of the library whose functions `Trait::f` have the expansion `__expand_f`. The functions of a trait under
/// `#[cube]` also have an expansion that takes one tuple.
const TRAITS: &str =
    "AsView AsViewMut BoolOps Cast Clamp CubePrimitive CubeType Float Int IntoLayout Lined List ListMut Numeric
    Powi Reinterpret SharedAtomics Size SliceMutOperator SliceOperator";

/// Whether a trait is in the library, and its functions have the expansion `__expand_f` only.
pub fn is_trait_of_library(name: &Ident) -> bool {
    TRAITS.split_whitespace().any(|one| name == one) || of_one().chain(of_two()).any(|f| name == f.trait_name)
}

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

/// Properties of memory that are known at the launch.
pub const OF_MEMORY: [&str; 4] = ["len", "buffer_len", "shape", "stride"];

/// Generates the call of the macro `MACRO!` in `shared_names!(TABLE => MACRO)` with the rows of the table.
pub fn expand_table(input: TokenStream) -> syn::Result<TokenStream> {
    let parts = |input: ParseStream| {
        let table: Ident = input.parse()?;
        input.parse::<syn::Token![=>]>()?;
        Ok((table, input.parse::<Ident>()?))
    };
    let (table, receiver_macro) = parts.parse2(input)?;
    let rows: Vec<TokenStream> = match table.to_string().as_str() {
        "functions_of_one" => of_one().map(row).collect(),
        "functions_of_two" => of_two().map(row).collect(),
        "topology" => TOPOLOGY.iter().map(of_topology).collect(),
        "numbers" => NUMBERS.iter().map(|name| Ident::new(name, Span::call_site()).into_token_stream()).collect(),
        _ => {
            return Err(syn::Error::new(
                table.span(),
                "this table does not exist; name a table of `frontend/macros/src/shared_names.rs`",
            ));
        }
    };
    Ok(quote!(#receiver_macro! { #(#rows)* }))
}

/// `32: PLANE_DIM;`
fn of_topology((on_host, names): &(u32, &[&str])) -> TokenStream {
    let on_host = proc_macro2::Literal::u32_unsuffixed(*on_host);
    let names = names.iter().map(|name| Ident::new(name, Span::call_site()));
    quote!(#on_host: #(#names)*;)
}

/// `Exp exp __expand_exp __expand_exp_method ExpMethods floats same;`
fn row(function: Function) -> TokenStream {
    let Function { trait_name, name, family, result } = function;
    let names = [trait_name, name].map(str::to_string).into_iter().chain([
        format!("__expand_{name}"),
        format!("__expand_{name}_method"),
        format!("{trait_name}Methods"),
        family.to_string(),
        result.to_string(),
    ]);
    let names = names.map(|name| Ident::new(&name, Span::call_site()));
    quote!(#(#names)*;)
}
