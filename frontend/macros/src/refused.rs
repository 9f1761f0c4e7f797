//! Reports unsupported syntax outside of expressions: types that kernels cannot use, and misplaced
//! attributes.
use crate::clean::{is_comptime, is_helper};
use crate::scope::Context;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, FnArg, Signature, Type};

/// Replaces each unsupported type in a signature, and each type that a launch cannot pass to a kernel, by an error. rustc reports no further errors that follow from the
/// replaced type.
pub fn types(sig: &mut Signature, v11: bool, is_kernel: bool) {
    for input in &mut sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        let misplaced = typed.attrs.iter().filter(|attr| is_helper(attr)).find_map(|attr| misplaced(attr, "comptime"));
        if let Some((attr, message)) = misplaced {
            *typed.ty = reported(attr, &message);
        } else if !is_comptime(&typed.attrs) {
            UnsupportedTypes { v11 }.visit_type_mut(&mut typed.ty);
            let message = match &*typed.ty {
                _ if !is_kernel => continue,
                Type::BareFn(_) | Type::ImplTrait(_) => {
                    "a launch cannot pass functions; take a type parameter with a `#[cube]` trait, or call the function by its name"
                }
                Type::Path(path) if path.path.is_ident("usize") && !v11 || path.path.is_ident("isize") => {
                    "numbers of the host's width are not supported in a kernel; use `u32`, the type of indices and lengths, or `u64`"
                }
                _ => continue,
            };
            *typed.ty = reported(&typed.ty, message);
        }
    }
    UnsupportedTypes { v11 }.visit_return_type_mut(&mut sig.output);
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

/// Returns an error that replaces a type. rustc reports no further error about a type that depends on a constant
/// without a value.
fn reported(at: &impl Spanned, message: &str) -> Type {
    let span = at.span();
    let reported = quote_spanned!(span=> ::core::compile_error!(#message));
    Type::Verbatim(quote!(<() as __p::Checked<{ #reported }>>::Out))
}

/// Replaces each unsupported type by an error.
struct UnsupportedTypes {
    v11: bool,
}

impl VisitMut for UnsupportedTypes {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        let message = match ty {
            Type::TraitObject(_) => "trait objects are not supported in a kernel; use a type parameter with this bound",
            Type::Ptr(_) => "pointers are not supported in a kernel; take memory as `&Array<T>` or `&mut Array<T>`",
            Type::Slice(_) if !self.v11 => {
                "slices are not supported in a kernel; take memory as `&Array<T>`, `&Tensor<T>` or `&Slice<T>`"
            }
            _ => return visit_mut::visit_type_mut(self, ty),
        };
        *ty = reported(ty, message);
    }
}

/// Rust's attributes for statements and expressions.
const OF_RUST: &str = "allow warn deny forbid expect cfg cfg_attr doc inline cold must_use deprecated rustfmt";

/// Whether neither rustc nor this macro supports an attribute inside a body.
pub fn is_unknown(attr: &Attribute) -> bool {
    !is_helper(attr) && attr.path().get_ident().is_some_and(|name| !OF_RUST.split(' ').any(|known| name == known))
}

/// Reports the misplaced attributes in a body. The function does not check nested items, which rustc checks.
pub fn attributes(cx: &mut Context, block: &Block) {
    Attributes { cx }.visit_block(block);
}

struct Attributes<'c> {
    cx: &'c mut Context,
}

impl<'a> Visit<'a> for Attributes<'_> {
    fn visit_item(&mut self, _: &'a syn::Item) {}

    fn visit_expr_for_loop(&mut self, loop_expr: &'a syn::ExprForLoop) {
        self.of(&loop_expr.attrs, "unroll");
        self.visit_pat(&loop_expr.pat);
        self.visit_expr(&loop_expr.expr);
        self.visit_block(&loop_expr.body);
    }

    fn visit_local(&mut self, local: &'a syn::Local) {
        self.of(&local.attrs, "comptime");
        self.visit_pat(&local.pat);
        local.init.iter().for_each(|init| self.visit_local_init(init));
    }

    fn visit_attribute(&mut self, attr: &'a Attribute) {
        self.of(std::slice::from_ref(attr), "");
    }
}

impl Attributes<'_> {
    /// Reports the attributes other than `takes`, the only attribute of this macro that is allowed here.
    fn of(&mut self, attrs: &[Attribute], takes: &str) {
        for attr in attrs {
            if let Some((attr, message)) = misplaced(attr, takes) {
                let _: TokenStream = self.cx.refuse(attr, message);
            }
        }
    }
}

/// An attribute with its message, if only the attribute `takes` of this macro is allowed at its position.
fn misplaced<'a>(attr: &'a Attribute, takes: &str) -> Option<(&'a Attribute, String)> {
    let name = attr.path().get_ident()?.to_string();
    let message = match name.as_str() {
        "comptime" if takes == "comptime" => match attr.meta {
            syn::Meta::Path(_) => return None,
            _ => "`#[comptime]` takes no arguments; remove them".into(),
        },
        "unroll" if takes == "unroll" => return None,
        "unroll" => "`#[unroll]` applies to `for` loops; move it to a loop, or remove it".into(),
        "comptime" => "`#[comptime]` applies to parameters and `let`; move it to one of them, or remove it".into(),
        _ if is_unknown(attr) => {
            format!(
                "unknown attribute `{name}`; remove it, or use `#[unroll]` on `for` loops and `#[comptime]` on parameters"
            )
        }
        _ => return None,
    };
    Some((attr, message))
}
