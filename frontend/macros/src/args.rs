//! The words in `#[cube(…)]`.
use proc_macro2::TokenStream;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, Meta, Token};

/// What the attribute asks for.
#[derive(Default)]
pub struct CubeArgs {
    /// A safe launch function with checked accesses.
    pub launch: bool,
    /// An unsafe launch function whose accesses are promised to be in bounds.
    pub launch_unchecked: bool,
    /// What float operations may assume.
    pub fast_math: Option<Expr>,
    /// Code that a debugger can follow.
    pub debug: bool,
}

impl CubeArgs {
    /// The words, and what is wrong with them.
    pub fn parse(tokens: TokenStream) -> (Self, Option<syn::Error>) {
        let mut args = CubeArgs::default();
        let error = args.read(tokens).err();
        (args, error)
    }

    fn read(&mut self, tokens: TokenStream) -> syn::Result<()> {
        let mut wrong: Option<syn::Error> = None;
        // The words behind a wrong one count: calls of the launch functions are right.
        for meta in Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens)? {
            if let Err(error) = self.word(&meta) {
                match &mut wrong {
                    Some(wrong) => wrong.combine(error),
                    None => wrong = Some(error),
                }
            }
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
            // CubeCL's macro has to be given these; here the staged form always has its base traits and its source.
            ("self_type" | "src_file" | "expand_base_traits", Meta::NameValue(_)) => {}
            ("fast_math", Meta::NameValue(pair)) => self.fast_math = Some(pair.value.clone()),
            ("fast_math", _) => return refuse("`fast_math` needs flags: write `fast_math = FastMath::all()`"),
            ("cluster_dim", _) => {
                return refuse(
                    "clusters of cubes are not supported: every cube is a cluster of its own, and `CUBE_CLUSTER_DIM` is 1; remove `cluster_dim`, and share data through global memory",
                );
            }
            ("create_dummy_kernel", _) => {
                return refuse(
                    "`create_dummy_kernel` is not supported, as kernels are compiled by their launches only: remove the word; a launch of 0 cubes compiles the kernel and runs nothing",
                );
            }
            ("launch" | "launch_unchecked" | "debug" | "debug_symbols", _) => {
                return refuse(&format!("`{name}` takes no value: write the word alone"));
            }
            _ => {
                // It may be `launch`, misspelt: then nothing is said of launches that are not there.
                self.launch |= name.starts_with('l');
                self.launch_unchecked |= name.starts_with('l');
                return refuse(&format!(
                    "unknown word `{name}` in `#[cube(…)]`: it takes launch, launch_unchecked, fast_math = …, debug"
                ));
            }
        }
        Ok(())
    }

    /// What of the words has no meaning on a trait or an `impl` block.
    pub fn of_functions(&self, tokens: TokenStream) -> Option<syn::Error> {
        let only = self.is_kernel() || self.fast_math.is_some() || self.debug;
        only.then(|| {
            syn::Error::new_spanned(
                tokens,
                "this goes on a function of its own: here `#[cube]` takes no words, and makes the functions in it part of the language",
            )
        })
    }

    /// Whether the function can be launched.
    pub fn is_kernel(&self) -> bool {
        self.launch || self.launch_unchecked
    }
}
