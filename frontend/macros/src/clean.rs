//! Prepares the function that rustc checks: removes the attributes of this macro.
use crate::expr::host::{RENAMED, renamed};
use crate::parameters::Parameters;
use crate::pattern::is_constant_name;
use crate::shared_names::of_one;
use crate::syntax::{self, name_of};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Item, parse_quote, parse_quote_spanned};

/// Whether an attribute inside a body or a parameter list belongs to this macro.
pub fn is_helper(attr: &Attribute) -> bool {
    ["comptime", "unroll"].iter().any(|name| attr.path().is_ident(name))
}

/// Whether a parameter or receiver is `#[comptime]`.
pub fn is_comptime(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("comptime"))
}

/// Whether an attribute inside a body remains for rustc. The macro removes its own attributes, and the attributes
/// that neither rustc nor the macro supports.
fn is_kept(attr: &Attribute) -> bool {
    !is_helper(attr) && !crate::refused::is_unknown(attr)
}

/// Removes the macro's helper attributes from an item. The expression in `#[unroll(expr)]` becomes a statement, so
/// that rustc counts the names in the expression as used.
#[derive(Default)]
pub struct Clean(Parameters);

impl VisitMut for Clean {
    fn visit_generics_mut(&mut self, generics: &mut syn::Generics) {
        self.0.add(generics);
    }

    fn visit_fn_arg_mut(&mut self, arg: &mut syn::FnArg) {
        match arg {
            syn::FnArg::Receiver(receiver) => receiver.attrs.retain(|a| !is_helper(a)),
            syn::FnArg::Typed(typed) => typed.attrs.retain(|a| !is_helper(a)),
        }
        visit_mut::visit_fn_arg_mut(self, arg);
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        let comptime = local.attrs.iter().any(is_helper);
        visit_mut::visit_local_mut(self, local);
        if !comptime {
            local_array(local);
        }
    }

    fn visit_item_fn_mut(&mut self, function: &mut syn::ItemFn) {
        visit_mut::visit_item_fn_mut(self, function);
        prepare_for_rustc(&mut function.block);
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut syn::ImplItemFn) {
        visit_mut::visit_impl_item_fn_mut(self, function);
        prepare_for_rustc(&mut function.block);
    }

    fn visit_trait_item_fn_mut(&mut self, function: &mut syn::TraitItemFn) {
        visit_mut::visit_trait_item_fn_mut(self, function);
        function.default.iter_mut().for_each(prepare_for_rustc);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let prints = mac.path.segments.last().is_some_and(|s| s.ident == "debug_print");
        if let Some(tokens) = prints.then(|| crate::prints::cleaned(mac)).flatten() {
            mac.tokens = tokens;
        }
    }

    fn visit_expr_index_mut(&mut self, index: &mut syn::ExprIndex) {
        visit_mut::visit_expr_index_mut(self, index);
        // A host constant is a Rust array with indices of type `usize`. Arrays of the kernel language have
        // indices of type `u32`.
        if let syn::Expr::Path(path) = &*index.expr
            && path.path.segments.last().is_some_and(|s| is_constant_name(&s.ident))
            && !matches!(*index.index, syn::Expr::Range(_))
        {
            let at = &index.index;
            *index.index = parse_quote_spanned!(at.span()=> (#at) as usize);
        }
    }

    fn visit_expr_assign_mut(&mut self, assign: &mut syn::ExprAssign) {
        visit_mut::visit_expr_assign_mut(self, assign);
        if let Some(at) = extract_index(&mut assign.left) {
            let (left, right, span) = (&assign.left, &assign.right, at.span());
            *assign.right = parse_quote_spanned!(span=> { let __index = #at; #left = #right; });
            *assign.left = parse_quote_spanned!(span=> _);
        }
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        visit_mut::visit_expr_mut(self, e);
        // `F::ln(x)` becomes `F::log(x)`, because the number traits in the bounds of `F` declare this function with the
        // name `log`.
        if let syn::Expr::Call(call) = e
            && let syn::Expr::Path(path) = &mut *call.func
            && path.path.segments.len() == 2
            && self.0.is_float(&path.path.segments[0].ident.to_string())
            && let Some(own) = renamed(&path.path.segments[1].ident.to_string())
        {
            let function = &mut path.path.segments[1].ident;
            *function = syn::Ident::new(own, function.span());
        }
        if let syn::Expr::Binary(binary) = e
            && crate::expr::is_assigning(&binary.op)
            && let Some(at) = extract_index(&mut binary.left)
        {
            let (left, op, right, span) = (&binary.left, &binary.op, &binary.right, at.span());
            *e = parse_quote_spanned!(span=> { let __index = #at; #left #op #right; });
        }
    }

    fn visit_expr_for_loop_mut(&mut self, loop_expr: &mut syn::ExprForLoop) {
        let condition = loop_expr.attrs.iter().find(|a| a.path().is_ident("unroll")).and_then(unroll_condition);
        visit_mut::visit_expr_for_loop_mut(self, loop_expr);
        if let Some(condition) = condition {
            loop_expr.body.stmts.insert(0, parse_quote!(let _ = #condition;));
        }
    }
}

/// Puts parentheses around trait object types without `dyn`, and around operands that a user's macro passes to the
/// kernel. Invisible token groups enclose the operands that a user's macro passes. rustc ignores invisible groups in
/// the output of a procedural macro, so `x * $sum` would multiply `x` by the first term only.
pub struct Operands;

impl VisitMut for Operands {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        visit_mut::visit_expr_mut(self, e);
        in_parentheses(e);
    }

    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        visit_mut::visit_type_mut(self, ty);
        if let syn::Type::TraitObject(object) = ty
            && object.dyn_token.is_none()
        {
            *ty = parse_quote_spanned!(object.span()=> (#object));
        }
    }
}

fn in_parentheses(e: &mut syn::Expr) {
    use syn::Expr::*;
    let operands: Vec<&mut syn::Expr> = match e {
        Binary(binary) => vec![&mut binary.left, &mut binary.right],
        Unary(unary) => vec![&mut unary.expr],
        Cast(cast) => vec![&mut cast.expr],
        MethodCall(call) => vec![&mut call.receiver],
        Field(field) => vec![&mut field.base],
        Index(index) => vec![&mut index.expr],
        Reference(reference) => vec![&mut reference.expr],
        _ => return,
    };
    for operand in operands {
        if let Group(group) = operand
            && !matches!(
                *group.expr,
                Lit(_) | Path(_) | Paren(_) | Call(_) | MethodCall(_) | Field(_) | Index(_) | Macro(_)
            )
        {
            let (inner, span) = (&group.expr, group.expr.span());
            *operand = parse_quote_spanned!(span=> (#inner));
        }
    }
}

/// Prepares a body for rustc: removes this macro's attributes, and imports the traits of known methods that the body
/// calls.
fn prepare_for_rustc(block: &mut syn::Block) {
    Attributes.visit_block_mut(block);
    import_methods(block);
}

/// Removes the attributes of this macro from a body. Attributes of nested items are not removed.
struct Attributes;

impl VisitMut for Attributes {
    fn visit_item_mut(&mut self, _: &mut Item) {}

    fn visit_attributes_mut(&mut self, attrs: &mut Vec<Attribute>) {
        attrs.retain(is_kept);
    }
}

/// In `out[i * out.stride(0)] = x`, rustc borrows `out` mutably before it evaluates the index, and reports an error.
/// The expansion of the kernel does not borrow `out`. For an index that queries the indexed memory, this function
/// therefore moves the index to a statement before the assignment.
fn extract_index(left: &mut syn::Expr) -> Option<syn::Expr> {
    if let syn::Expr::Index(index) = left
        && let syn::Expr::Path(base) = &*index.expr
        && let Some(name) = base.path.get_ident()
        && queries_memory(name, &index.index)
    {
        let span = index.index.span();
        return Some(std::mem::replace(&mut *index.index, parse_quote_spanned!(span=> __index)));
    }
    None
}

/// Whether an index queries the memory that it indexes.
fn queries_memory(name: &syn::Ident, index: &syn::Expr) -> bool {
    let is_memory = |e: &syn::Expr| (name_of(e) == Some(name)).then_some(true);
    syntax::expr_has(index, &|e| match e {
        syn::Expr::MethodCall(call) => is_memory(&call.receiver),
        syn::Expr::Index(index) => is_memory(&index.expr),
        _ => None,
    })
}

/// Imports the traits of the methods that a body calls.
fn import_methods(block: &mut syn::Block) {
    struct Called(Vec<&'static str>);
    impl<'a> Visit<'a> for Called {
        fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
            visit::visit_expr_method_call(self, call);
            let names = of_one().map(|f| f.name).chain(RENAMED.map(|(rust, _)| rust));
            let known = names.into_iter().find(|name| call.method == name && call.args.is_empty());
            if let Some(name) = known.filter(|name| !self.0.contains(name)) {
                self.0.push(name);
            }
        }
    }
    let mut called = Called(Vec::new());
    called.visit_block(block);
    for name in called.0 {
        let name = quote::format_ident!("{name}");
        block.stmts.insert(0, parse_quote!(#[allow(unused_imports)] use __p::by_name::#name as _;));
    }
}

/// Replaces the array of `let a = [0; n]` by local memory, whose indices have the type `u32`.
fn local_array(local: &mut syn::Local) {
    let Some(init) = &mut local.init else { return };
    let span = init.expr.span();
    let declared = match &local.pat {
        syn::Pat::Type(typed) => match &*typed.ty {
            syn::Type::Array(array) => Some(((*typed.pat).clone(), array.clone())),
            _ => return,
        },
        _ => None,
    };
    let made: syn::Expr = match (&*init.expr, &declared) {
        (syn::Expr::Array(array), _) if !array.elems.iter().all(is_number) || array.elems.is_empty() => return,
        // A declared length must equal the number of elements.
        (syn::Expr::Array(array), Some((_, syn::TypeArray { elem, len: len @ syn::Expr::Lit(_), .. }))) => {
            parse_quote_spanned!(span=> __p::host_array::<#elem, #len>(#array))
        }
        (syn::Expr::Array(array), _) => parse_quote_spanned!(span=> __p::host_array(#array)),
        (syn::Expr::Repeat(repeat), _) if is_number(&repeat.expr) => {
            let (value, length) = (&repeat.expr, &repeat.len);
            parse_quote_spanned!(span=> __p::host_array_of(#value, #length))
        }
        _ => return,
    };
    *init.expr = match &declared {
        Some((_, syn::TypeArray { elem, .. })) => parse_quote!({ let __a: __p::Array<#elem> = #made; __a }),
        None => made,
    };
    if let Some((pat, _)) = declared {
        local.pat = pat;
    }
}

/// Whether the syntax shows that an element of an array literal is a number.
fn is_number(e: &syn::Expr) -> bool {
    use syn::Expr::*;
    match e {
        Lit(lit) => !matches!(lit.lit, syn::Lit::Str(_)),
        Array(_) | Repeat(_) | Tuple(_) | Struct(_) | Closure(_) | Reference(_) => false,
        Path(path) => {
            path.path.segments.len() == 1 || path.path.segments.last().is_some_and(|s| is_constant_name(&s.ident))
        }
        _ => true,
    }
}

/// The expression in `#[unroll(expr)]` or `#[unroll = expr]`.
pub fn unroll_condition(attr: &Attribute) -> Option<syn::Expr> {
    match &attr.meta {
        syn::Meta::Path(_) => None,
        // `#[unroll(n = 4)]` contains no condition.
        syn::Meta::List(list) => {
            syn::parse2(list.tokens.clone()).ok().filter(|condition| !matches!(condition, syn::Expr::Assign(_)))
        }
        syn::Meta::NameValue(pair) => Some(pair.value.clone()),
    }
}

/// The item without the attributes of this macro.
pub fn item_without_helpers(mut item: Item) -> TokenStream {
    // The outer `#[cube]` has already reported invalid arguments. The nested `#[cube]` would report them again.
    NestedCube.visit_item_mut(&mut item);
    Clean::default().visit_item_mut(&mut item);
    item.into_token_stream()
}

struct NestedCube;

impl VisitMut for NestedCube {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<Attribute>) {
        attrs.retain(|attr| !attr.path().is_ident("cube"));
    }
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
