//! Reports types of parameters that kernels cannot have, and misplaced `#[cube]`.
use crate::clean::is_comptime;
use crate::{tokens, types};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, ReturnType, Signature, Type};

/// Replaces each unsupported type in a signature by an error. A launch also cannot pass functions. rustc reports no further
/// error about a type that depends on a constant without a value.
pub fn types(sig: &mut Signature, v11: bool, is_kernel: bool) {
    let refuse = |ty: &mut Type| {
        let message = match types::owned(ty) {
            _ if tokens::mention(quote!(#ty), &["dyn"]) => {
                "trait objects are not supported in a kernel; use a type parameter with this bound"
            }
            Type::Slice(_) if !v11 => {
                "slices are not supported in a kernel; take memory as `&Array<T>`, `&Tensor<T>` or `&Slice<T>`"
            }
            Type::BareFn(_) | Type::ImplTrait(_) if is_kernel => {
                "a launch cannot pass functions; take a type parameter with a `#[cube]` trait, or call the function by its name"
            }
            _ => return,
        };
        let span = ty.span();
        let reported = quote_spanned!(span=> ::core::compile_error!(#message));
        *ty = Type::Verbatim(quote!(<() as __p::Checked<{ #reported }>>::Out));
    };
    let typed = sig.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(typed) if !is_comptime(&typed.attrs) => Some(&mut *typed.ty),
        _ => None,
    });
    typed.for_each(refuse);
    if let ReturnType::Type(_, ty) = &mut sig.output {
        refuse(ty);
    }
}

/// [`types`] for a function inside a trait or `impl` block. The function cannot have its own attribute `#[cube]`.
pub fn member(attrs: &[Attribute], sig: &mut Signature, v11: bool) -> syn::Result<()> {
    types(sig, v11, false);
    attrs.iter().find(|attr| attr.path().is_ident("cube")).map_or(Ok(()), |attr| {
        Err(syn::Error::new_spanned(
            attr,
            "a kernel must be a free function; write the kernel outside of the block, and call this function from the kernel; `#[cube]` on the block covers its functions",
        ))
    })
}
