//! Prepares the function that rustc checks: removes the attributes of this macro.
use crate::parameters::Parameters;
use crate::syntax::{self, name_of};
use crate::tokens;
use cube_names::{OF_ONE, RENAMED, renamed};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Expr, Item, parse_quote, parse_quote_spanned};

/// Whether a parameter or receiver is `#[comptime]`.
pub fn is_comptime(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("comptime"))
}

/// Whether an attribute is `#[comptime]` without arguments.
fn is_plain_comptime(attr: &Attribute) -> bool {
    matches!(&attr.meta, syn::Meta::Path(path) if path.is_ident("comptime"))
}

/// Removes the macro's helper attributes from an item. rustc reports a helper attribute at another position. The expression
/// in `#[unroll(expr)]` becomes a statement, so that rustc counts the names in the expression as used.
#[derive(Default)]
pub struct Clean {
    parameters: Parameters,
    /// Whether a function body encloses the visited code.
    in_body: bool,
}

impl VisitMut for Clean {
    fn visit_generics_mut(&mut self, generics: &mut syn::Generics) {
        self.parameters.add(generics);
    }

    fn visit_fn_arg_mut(&mut self, arg: &mut syn::FnArg) {
        match arg {
            syn::FnArg::Receiver(receiver) => receiver.attrs.retain(|a| !is_plain_comptime(a)),
            syn::FnArg::Typed(typed) => typed.attrs.retain(|a| !is_plain_comptime(a)),
        }
        visit_mut::visit_fn_arg_mut(self, arg);
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        let is_host = is_comptime(&local.attrs);
        local.attrs.retain(|a| !is_plain_comptime(a));
        visit_mut::visit_local_mut(self, local);
        if !is_host {
            local_array(local);
        }
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let is_inner = std::mem::replace(&mut self.in_body, true);
        visit_mut::visit_block_mut(self, block);
        self.in_body = is_inner;
        if !is_inner {
            import_methods(block);
        }
    }

    fn visit_item_mut(&mut self, item: &mut Item) {
        match self.in_body {
            true => crate::constants::WithoutFailure.visit_item_mut(item),
            false => visit_mut::visit_item_mut(self, item),
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let prints = syntax::ends_in(&mac.path, &["debug_print"]);
        if let Some(tokens) = prints.then(|| crate::prints::cleaned(mac)).flatten() {
            mac.tokens = tokens;
        }
    }

    fn visit_expr_index_mut(&mut self, index: &mut syn::ExprIndex) {
        visit_mut::visit_expr_index_mut(self, index);
        // A host constant is a Rust array with indices of type `usize`. Arrays of the kernel language have
        // indices of type `u32`.
        if syntax::is_constant(&index.expr) && !matches!(*index.index, Expr::Range(_)) {
            let at = &index.index;
            *index.index = parse_quote_spanned!(at.span()=> (#at) as usize);
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        // `F::ln(x)` becomes `F::log(x)`, because the number traits in the bounds of `F` declare this function with the
        // name `log`.
        if let Expr::Call(call) = e
            && let Expr::Path(path) = &mut *call.func
            && path.path.segments.len() == 2
            && self.parameters.is_float(&path.path.segments[0].ident)
            && let Some(own) = renamed(&path.path.segments[1].ident.to_string())
        {
            let function = &mut path.path.segments[1].ident;
            *function = syn::Ident::new(own, function.span());
        }
        let target = match e {
            Expr::Assign(assign) => Some(&mut *assign.left),
            Expr::Binary(binary) if syntax::is_assigning(&binary.op) => Some(&mut *binary.left),
            _ => None,
        };
        if let Some(at) = target.and_then(extract_index) {
            *e = parse_quote_spanned!(at.span()=> { let __index = #at; #e; });
        }
    }

    fn visit_expr_for_loop_mut(&mut self, loop_expr: &mut syn::ExprForLoop) {
        let condition = loop_expr.attrs.iter().find(|a| a.path().is_ident("unroll")).and_then(unroll_condition);
        loop_expr.attrs.retain(|a| !a.path().is_ident("unroll"));
        visit_mut::visit_expr_for_loop_mut(self, loop_expr);
        if let Some(condition) = condition {
            loop_expr.body.stmts.insert(0, parse_quote!(let _ = #condition;));
        }
    }
}

/// In `out[i * out.stride(0)] = x`, rustc borrows `out` mutably before it evaluates the index, and reports an error.
/// The expansion of the kernel does not borrow `out`. For an index that queries the indexed memory, this function
/// therefore moves the index to a statement before the assignment.
fn extract_index(left: &mut Expr) -> Option<Expr> {
    if let Expr::Index(index) = left
        && let Expr::Path(base) = &*index.expr
        && let Some(name) = base.path.get_ident()
        && queries_memory(name, &index.index)
    {
        let span = index.index.span();
        return Some(std::mem::replace(&mut *index.index, parse_quote_spanned!(span=> __index)));
    }
    None
}

/// Whether an index queries the memory that it indexes.
fn queries_memory(name: &syn::Ident, index: &Expr) -> bool {
    let is_memory = |e: &syn::Expr| (name_of(e) == Some(name)).then_some(true);
    syntax::expr_has(index, &|e| match e {
        Expr::MethodCall(call) => is_memory(&call.receiver),
        Expr::Index(index) => is_memory(&index.expr),
        _ => None,
    })
}

/// Imports the traits of the methods that a body calls.
fn import_methods(block: &mut syn::Block) {
    let mut called: Vec<&str> = Vec::new();
    tokens::any(block.to_token_stream(), &mut |rest| {
        if let [TokenTree::Punct(dot), TokenTree::Ident(name), TokenTree::Group(arguments), ..] = rest
            && dot.as_char() == '.'
            && arguments.stream().is_empty()
        {
            let mut names = OF_ONE.iter().map(|(_, name)| *name).chain(RENAMED.map(|(rust, _)| rust));
            called.extend(names.find(|known| name == known && !called.contains(known)));
        }
        false
    });
    for name in called {
        let name = quote::format_ident!("{name}");
        block.stmts.insert(0, parse_quote!(#[allow(unused_imports)] use __p::by_name::#name as _;));
    }
}

/// Replaces the array of `let a = [0; n]` by local memory, whose indices have the type `u32`.
fn local_array(local: &mut syn::Local) {
    let Some(init) = &mut local.init else { return };
    let span = init.expr.span();
    let declared = match &mut local.pat {
        syn::Pat::Type(typed) if !matches!(*typed.ty, syn::Type::Array(_)) => return,
        syn::Pat::Type(typed) => Some(&mut *typed.ty),
        _ => None,
    };
    *init.expr = match (&*init.expr, &declared) {
        (Expr::Array(array), _) if !array.elems.iter().all(is_number) || array.elems.is_empty() => return,
        // A declared length must equal the number of elements.
        (Expr::Array(array), Some(syn::Type::Array(syn::TypeArray { elem, len: len @ Expr::Lit(_), .. }))) => {
            parse_quote_spanned!(span=> __p::host_array::<#elem, #len>(#array))
        }
        (Expr::Array(array), _) => parse_quote_spanned!(span=> __p::host_array(#array)),
        (Expr::Repeat(repeat), _) if is_number(&repeat.expr) => {
            let (value, length) = (&repeat.expr, &repeat.len);
            parse_quote_spanned!(span=> __p::host_array_of(#value, #length))
        }
        _ => return,
    };
    if let Some(ty) = declared
        && let syn::Type::Array(syn::TypeArray { elem, .. }) = &*ty
    {
        *ty = parse_quote!(__p::Array<#elem>);
    }
}

/// Whether the syntax shows that an element of an array literal is a number.
fn is_number(e: &Expr) -> bool {
    use Expr::*;
    match e {
        Lit(lit) => !matches!(lit.lit, syn::Lit::Str(_)),
        Array(_) | Repeat(_) | Tuple(_) | Struct(_) | Closure(_) | Reference(_) => false,
        Path(path) => path.path.segments.len() == 1 || syntax::is_constant(e),
        _ => true,
    }
}

/// The expression in `#[unroll(expr)]` or `#[unroll = expr]`.
pub fn unroll_condition(attr: &Attribute) -> Option<Expr> {
    let mut condition = match &attr.meta {
        syn::Meta::Path(_) => return None,
        syn::Meta::List(list) => syn::parse2(list.tokens.clone()).ok()?,
        syn::Meta::NameValue(pair) => pair.value.clone(),
    };
    syntax::Plain { parens: false }.visit_expr_mut(&mut condition);
    // `#[unroll(n = 4)]` contains no condition.
    (!matches!(condition, Expr::Assign(_))).then_some(condition)
}

/// The item without the attributes of this macro.
pub fn item_without_helpers(mut item: Item) -> TokenStream {
    // The outer `#[cube]` has already reported invalid arguments. The nested `#[cube]` would report them again.
    syntax::RetainAttributes(|attr| !attr.path().is_ident("cube")).visit_item_mut(&mut item);
    Clean::default().visit_item_mut(&mut item);
    item.into_token_stream()
}

/// Adds one `super` to each path that begins with `super` or `self`, for code that moves into a nested
/// module.
pub struct Deeper;

impl VisitMut for Deeper {
    fn visit_item_use_mut(&mut self, item: &mut syn::ItemUse) {
        let whole = Box::new(item.tree.clone());
        let syn::UseTree::Path(path) = &mut item.tree else { return };
        if item.leading_colon.is_some() {
            return;
        }
        if path.ident == "super" {
            path.tree = whole;
        } else if path.ident == "self" {
            path.ident = syn::Ident::new("super", path.ident.span());
        }
    }

    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        visit_mut::visit_path_mut(self, path);
        if path.segments.len() < 2 || path.leading_colon.is_some() {
            return;
        }
        let first = &path.segments[0].ident;
        if first == "super" {
            path.segments.insert(0, parse_quote!(super));
        } else if first == "self" {
            path.segments[0] = parse_quote!(super);
        }
    }
}
