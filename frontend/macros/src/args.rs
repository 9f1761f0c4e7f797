//! The arguments of `#[cube(…)]`.
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, Meta, Token};

/// The arguments of the attribute `#[cube]`.
#[derive(Default)]
pub struct CubeArgs {
    /// Whether the macro generates a safe launch function with checked accesses.
    pub launch: bool,
    /// Whether the macro generates an unsafe launch function, whose caller promises that accesses are in
    /// bounds.
    pub launch_unchecked: bool,
    /// The transformations that the compiler can apply to float operations.
    pub fast_math: Option<Expr>,
    /// Whether the kernel is compiled for a debugger.
    pub debug: bool,
    /// Whether a bounds check that remains in the kernel is a compilation error.
    pub deny_checks: bool,
    /// Whether the function uses the names and signatures of CubeCL 0.11.
    pub v11: bool,
    /// Whether a launch chooses the width of `usize`.
    pub dynamic_sizes: bool,
}

/// The argument that [`macro@crate::cube_v11`] adds.
pub const V11: &str = "__v11";

impl CubeArgs {
    /// Parses the arguments, and returns the errors of invalid arguments. Arguments after an invalid argument still apply.
    /// Otherwise, calls of the launch functions would cause further errors.
    pub fn parse(tokens: TokenStream) -> (Self, Option<syn::Error>) {
        let mut args = CubeArgs::default();
        let all = match Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens) {
            Ok(all) => all,
            Err(error) => return (args, Some(error)),
        };
        let mut wrong = None;
        for meta in &all {
            combine(&mut wrong, args.word(meta).err());
        }
        if args.deny_checks && !args.is_kernel() && wrong.is_none() {
            let message = "`deny_checks` applies to kernels; add `launch`, or write `deny_checks` at the kernels that call this function";
            wrong = Some(syn::Error::new_spanned(&all, message));
        }
        (args, wrong)
    }

    fn word(&mut self, meta: &Meta) -> syn::Result<()> {
        let name = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
        let refuse = |message: &str| Err(syn::Error::new_spanned(meta, message));
        let flag = match name.as_str() {
            "launch" => Some(&mut self.launch),
            "launch_unchecked" => Some(&mut self.launch_unchecked),
            "debug" | "debug_symbols" => Some(&mut self.debug),
            "deny_checks" => Some(&mut self.deny_checks),
            V11 => Some(&mut self.v11),
            _ => None,
        };
        if let Some(flag) = flag {
            *flag = true;
            return match meta {
                Meta::Path(_) => Ok(()),
                _ => refuse(&format!("`{name}` takes no value; remove the value")),
            };
        }
        let value = meta.require_name_value().ok().map(|pair| &pair.value);
        let text = value.and_then(|value| syn::parse2::<syn::LitStr>(quote!(#value)).ok()).map(|text| text.value());
        match (name.as_str(), text.as_deref()) {
            ("address_type", Some("dynamic")) => self.dynamic_sizes = true,
            ("address_type", Some("u32" | "u64")) => {}
            ("address_type", _) => return refuse("`address_type` is \"u32\", \"u64\" or \"dynamic\""),
            // CubeCL requires these arguments in some kernels. In Cube, every expansion already has the base traits and
            // the source location.
            ("self_type" | "src_file" | "expand_base_traits", None) => {
                return refuse(&format!("`{name}` takes a text; write `{name} = \"…\"`"));
            }
            ("self_type", Some("ref" | "value")) | ("src_file" | "expand_base_traits", _) => {}
            ("self_type", _) => return refuse("invalid value of `self_type`; use the text \"ref\" or \"value\""),
            ("fast_math", _) if self.fast_math.is_some() => {
                return refuse("duplicate `fast_math`; combine the flags of both with `|`");
            }
            ("fast_math", _) if value.is_some() => self.fast_math = value.cloned(),
            ("fast_math", _) => return refuse("`fast_math` needs flags; write `fast_math = FastMath::all()`"),
            ("cluster_dim", _) => {
                return refuse(
                    "clusters of cubes are not supported: every cube is its own cluster, and `CUBE_CLUSTER_DIM` is 1; remove `cluster_dim`, and share data through global memory",
                );
            }
            ("create_dummy_kernel", _) => {
                return refuse(
                    "`create_dummy_kernel` is not supported, because only a launch compiles a kernel; remove the argument, and launch 0 cubes to compile without a run",
                );
            }
            _ => {
                // A misspelt `launch` counts as `launch`. Otherwise, calls of the launch functions would cause further
                // errors.
                self.launch |= name.starts_with('l');
                self.launch_unchecked |= name.starts_with('l');
                return refuse(&format!(
                    "unknown argument `{name}` of `#[cube(…)]`; use launch, launch_unchecked, deny_checks, fast_math = … or debug"
                ));
            }
        }
        Ok(())
    }

    /// The error for a trait or an `impl` block with arguments that apply to functions only.
    pub fn of_functions(&self, tokens: TokenStream) -> Option<syn::Error> {
        let only = self.is_kernel() || self.fast_math.is_some() || self.debug || self.deny_checks;
        only.then(|| {
            syn::Error::new_spanned(
                tokens,
                "this argument applies to functions only; remove the argument, as `#[cube]` of this block already makes its functions part of the language",
            )
        })
    }

    /// Whether the host can launch the function.
    pub fn is_kernel(&self) -> bool {
        self.launch || self.launch_unchecked
    }
}

/// Adds an error to the errors before it.
pub fn combine(all: &mut Option<syn::Error>, error: Option<syn::Error>) {
    match (all, error) {
        (Some(all), Some(error)) => all.combine(error),
        (all, Some(error)) => *all = Some(error),
        _ => {}
    }
}
