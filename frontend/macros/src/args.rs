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
    /// Units of a cluster.
    pub cluster_dim: Option<Expr>,
}

impl CubeArgs {
    /// The words, and what is wrong with them.
    pub fn parse(tokens: TokenStream) -> (Self, Option<syn::Error>) {
        let mut args = CubeArgs::default();
        let error = args.read(tokens).err();
        (args, error)
    }

    fn read(&mut self, tokens: TokenStream) -> syn::Result<()> {
        let args = self;
        for meta in Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens)? {
            let name = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
            match (name.as_str(), &meta) {
                ("launch", Meta::Path(_)) => args.launch = true,
                ("launch_unchecked", Meta::Path(_)) => args.launch_unchecked = true,
                // Every kernel carries places; the words are accepted because programs say them.
                ("debug" | "debug_symbols" | "create_dummy_kernel", Meta::Path(_)) => {}
                ("self_type" | "src_file" | "expand_base_traits", Meta::NameValue(_)) => {}
                ("fast_math", Meta::NameValue(pair)) => args.fast_math = Some(pair.value.clone()),
                ("cluster_dim", Meta::NameValue(pair)) => args.cluster_dim = Some(pair.value.clone()),
                ("fast_math", _) => {
                    return Err(syn::Error::new_spanned(
                        meta,
                        "`fast_math` needs flags: write `fast_math = FastMath::all()`",
                    ));
                }
                _ => {
                    // It may be `launch`, misspelt: then nothing is said of launches that are not there.
                    (args.launch, args.launch_unchecked) = (name.starts_with('l'), name.starts_with('l'));
                    return Err(syn::Error::new_spanned(
                        &meta,
                        format!(
                            "unknown word `{name}` in `#[cube(…)]`: it takes launch, launch_unchecked, fast_math = …, cluster_dim = …, debug"
                        ),
                    ));
                }
            }
        }
        Ok(())
    }

    /// What of the words has no meaning on a trait or an `impl` block.
    pub fn of_functions(&self, tokens: TokenStream) -> Option<syn::Error> {
        let only = self.is_kernel() || self.fast_math.is_some() || self.cluster_dim.is_some();
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
