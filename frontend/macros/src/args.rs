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
            return meta.require_path_only().map(drop);
        }
        let value = meta.require_name_value().ok().map(|pair| &pair.value);
        let text = value.and_then(|value| syn::parse2::<syn::LitStr>(quote!(#value)).ok()).map(|text| text.value());
        let is_valid = match (name.as_str(), text.as_deref()) {
            ("fast_math", _) => self.fast_math.is_none() && value.is_some(),
            ("address_type", text) => matches!(text, Some("u32" | "u64" | "dynamic")),
            // CubeCL requires these arguments in some kernels. In Cube, every expansion already has the base traits and
            // the source location.
            ("self_type", text) => matches!(text, Some("ref" | "value")),
            ("src_file" | "expand_base_traits", text) => text.is_some(),
            _ => false,
        };
        if !is_valid {
            // A misspelt `launch` counts as `launch`. Otherwise, calls of the launch functions would cause further errors.
            self.launch |= name.starts_with('l');
            self.launch_unchecked |= name.starts_with('l');
            let message = "unknown argument of `#[cube(…)]`, or its value is invalid; use launch, launch_unchecked, deny_checks, debug or fast_math = FastMath::…, each once";
            return Err(syn::Error::new_spanned(meta, message));
        }
        self.dynamic_sizes |= text.as_deref() == Some("dynamic");
        self.fast_math = self.fast_math.take().or(value.cloned().filter(|_| name == "fast_math"));
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
