//! The arguments of `#[cube(…)]`.
use proc_macro2::TokenStream;
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
    /// Parses the arguments, and returns the error for the first invalid argument.
    pub fn parse(tokens: TokenStream) -> (Self, Option<syn::Error>) {
        let mut args = CubeArgs::default();
        let error = args.read(tokens).err();
        (args, error)
    }

    fn read(&mut self, tokens: TokenStream) -> syn::Result<()> {
        let mut wrong: Option<syn::Error> = None;
        // Arguments after an invalid argument still apply. Otherwise, calls of the launch functions would cause further
        // errors.
        let all = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens)?;
        for meta in &all {
            if let Err(error) = self.word(meta) {
                match &mut wrong {
                    Some(wrong) => wrong.combine(error),
                    None => wrong = Some(error),
                }
            }
        }
        if self.deny_checks && !self.is_kernel() && wrong.is_none() {
            let message = "`deny_checks` applies to kernels; add `launch`, or write `deny_checks` at the kernels that call this function";
            wrong = Some(syn::Error::new_spanned(&all, message));
        }
        wrong.map_or(Ok(()), Err)
    }

    fn word(&mut self, meta: &Meta) -> syn::Result<()> {
        let name = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
        let refuse = |message: &str| Err(syn::Error::new_spanned(meta, message));
        match (name.as_str(), meta) {
            ("launch", Meta::Path(_)) => self.launch = true,
            ("launch_unchecked", Meta::Path(_)) => self.launch_unchecked = true,
            ("debug" | "debug_symbols", Meta::Path(_)) => self.debug = true,
            ("deny_checks", Meta::Path(_)) => self.deny_checks = true,
            (V11, Meta::Path(_)) => self.v11 = true,
            ("address_type", Meta::NameValue(pair)) => match text(&pair.value).as_deref() {
                Some("dynamic") => self.dynamic_sizes = true,
                Some("u32" | "u64") => {}
                _ => return refuse("`address_type` is \"u32\", \"u64\" or \"dynamic\""),
            },
            // CubeCL requires these arguments in some kernels. In Cube, every expansion already has the base traits and
            // the source location.
            ("self_type" | "src_file" | "expand_base_traits", Meta::NameValue(pair)) => {
                let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else {
                    return refuse(&format!("`{name}` takes a text; write `{name} = \"…\"`"));
                };
                if name == "self_type" && !["ref", "value"].contains(&text.value().as_str()) {
                    return refuse("invalid value of `self_type`; use the text \"ref\" or \"value\"");
                }
            }
            ("fast_math", Meta::NameValue(_)) if self.fast_math.is_some() => {
                return refuse("duplicate `fast_math`; combine the flags of both with `|`");
            }
            ("fast_math", Meta::NameValue(pair)) => self.fast_math = Some(pair.value.clone()),
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
            ("launch" | "launch_unchecked" | "debug" | "debug_symbols" | "deny_checks", _) => {
                return refuse(&format!("`{name}` takes no value; remove the value"));
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

/// The value of a string literal.
fn text(e: &Expr) -> Option<String> {
    match e {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}
