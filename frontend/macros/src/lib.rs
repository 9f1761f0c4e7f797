//! `#[cube]`, the derives of kernel types, and the small macros of kernel bodies.
//!
//! `#[cube]` leaves a function unchanged, so that rustc checks the user's code. The macro adds an expansion: a
//! function that runs on the host at the launch and builds the IR of the body. `docs/why/frontend.md` explains the
//! design.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod args;
mod assignments;
mod clean;
mod conditional_compilation;
mod constants;
mod derive;
mod expr;
mod flow;
mod func;
mod impls;
mod launch;
mod names;
mod parameters;
mod pattern;
mod prints;
mod refused;
mod scope;
mod sizes;
mod stmt;
mod syntax;
mod tokens;
mod traits;
mod type_check;
mod types;
mod v11;

// The tests of the macro are beside the other tests of the front end.
#[cfg(test)]
#[path = "../../tests/macros/tests.rs"]
mod tests;

use proc_macro::TokenStream;
use quote::quote;
use syn::Item;
use syn::visit_mut::VisitMut;

/// Makes a function, a trait or an `impl` block part of the kernel language.
///
/// The arguments `launch` and `launch_unchecked` make a function a kernel. `fast_math = FastMath::…` sets the
/// allowed transformations of the kernel's float operations. `debug` (or `debug_symbols`) compiles the kernel for a
/// debugger, as `CUBE_DEBUG=1` does for all kernels. With `deny_checks`, each bounds check that the compiler cannot
/// remove from a checked kernel is an error.
#[proc_macro_attribute]
pub fn cube(args: TokenStream, input: TokenStream) -> TokenStream {
    let (args, input): (proc_macro2::TokenStream, proc_macro2::TokenStream) = (args.into(), input.into());
    // rustc has reported syntax errors before it called this macro.
    let has_conditions = tokens::mention(input.clone(), &conditional_compilation::CONDITIONS);
    if has_conditions && syn::parse2::<Item>(input.clone()).is_ok() {
        return names::resolved(conditional_compilation::defer_expansion(&args, &input)).into();
    }
    names::resolved(expanded(args, input)).into()
}

/// `#[cube]` for kernels with the names of CubeCL 0.11. A kernel with `address_type = "dynamic"` takes the width of
/// `usize` at the launch.
#[proc_macro_attribute]
pub fn cube_v11(args: TokenStream, input: TokenStream) -> TokenStream {
    let (args, word) = (proc_macro2::TokenStream::from(args), quote::format_ident!("{}", args::V11));
    cube(quote!(#word, #args).into(), input)
}

/// Internal: expands an item under `#[cube]` after rustc has evaluated the item's `#[cfg]` conditions.
#[doc(hidden)]
#[proc_macro_derive(Configured)]
pub fn configured(input: TokenStream) -> TokenStream {
    let Some((args, item)) = conditional_compilation::deferred_parts(input.into()) else { return TokenStream::new() };
    let Ok(mut item) = syn::parse2::<Item>(item.clone()) else { return item.into() };
    conditional_compilation::without_conditions(&mut item);
    names::resolved(expanded(args, quote!(#item))).into()
}

/// Internal: removes the struct that stored an item for [`macro@Configured`].
#[doc(hidden)]
#[proc_macro_attribute]
pub fn configured_away(_args: TokenStream, _input: TokenStream) -> TokenStream {
    TokenStream::new()
}

fn expanded(args: proc_macro2::TokenStream, input: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let kept = input.clone();
    expand(args, input).unwrap_or_else(|error| {
        // The item remains in the output, without the attributes of this macro. rustc then reports the item's other
        // errors, and code that uses the item's name causes no error.
        let item = syn::parse2::<Item>(kept).map(clean::item_without_helpers).unwrap_or_default();
        let error = error.into_compile_error();
        quote! { #error #item }
    })
}

fn expand(args: proc_macro2::TokenStream, input: proc_macro2::TokenStream) -> syn::Result<proc_macro2::TokenStream> {
    let words = args.clone();
    let (args, wrong) = args::CubeArgs::parse(args);
    // rustc has reported syntax errors before it called this macro.
    let Ok(mut item) = syn::parse2::<Item>(input.clone()) else {
        return Ok(input);
    };
    syntax::Plain { parens: true }.visit_item_mut(&mut item);
    if args.v11 {
        v11::prepare(&mut item);
    } else {
        sizes::convert(&mut item);
    }
    if let Item::Fn(function) = item {
        return func::expand(function, &args, wrong);
    }
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    let tokens = match item {
        Item::Trait(item) => traits::expand(item, args.v11)?,
        Item::Impl(item) => impls::expand(item, args.v11)?,
        other => {
            return Err(syn::Error::new_spanned(
                &other,
                "`#[cube]` applies to functions, traits and `impl` blocks; write `#[derive(CubeType)]` for a struct or an enum",
            ));
        }
    };
    let misplaced = args.of_functions(words).map(syn::Error::into_compile_error);
    Ok(quote!(#misplaced #tokens))
}

fn derived(tokens: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    names::resolved(tokens.unwrap_or_else(syn::Error::into_compile_error)).into()
}

/// Makes a struct or an enum a type of the kernel language.
#[proc_macro_derive(CubeType, attributes(cube, expand))]
pub fn cube_type(input: TokenStream) -> TokenStream {
    derived(derive::cube_type(input.into()))
}

/// Makes a struct or an enum an argument of launches.
#[proc_macro_derive(CubeLaunch, attributes(cube, expand))]
pub fn cube_launch(input: TokenStream) -> TokenStream {
    derived(derive::cube_launch(input.into()))
}

/// Makes a struct the key of an autotune choice. `#[autotune(anchor)]` on a field rounds its number up to a power of
/// two, at the default autotune level. `#[autotune(anchor(exp(min = 16, max = 4096, base = 4)))]` rounds to other
/// powers within bounds. `#[autotune(name = "…")]` sets the key's name.
#[proc_macro_derive(AutotuneKey, attributes(autotune))]
pub fn autotune_key(input: TokenStream) -> TokenStream {
    derived(derive::autotune_key(input.into()))
}

/// Derives the traits that a compile-time value needs.
#[proc_macro_attribute]
pub fn derive_cube_comptime(args: TokenStream, input: TokenStream) -> TokenStream {
    let (args, input): (proc_macro2::TokenStream, proc_macro2::TokenStream) = (args.into(), input.into());
    let refused = (!args.is_empty()).then(|| {
        syn::Error::new_spanned(args, "`#[derive_cube_comptime]` takes no arguments; remove them").into_compile_error()
    });
    quote! { #refused #[derive(Debug, Hash, PartialEq, Eq, Clone, Copy)] #input }.into()
}
