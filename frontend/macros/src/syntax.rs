//! Functions that search and change syntax trees.
use cube_target::Number;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Block, Expr, Ident, Pat, Token, Type, UnOp, parse_quote_spanned};

/// The name, if the expression is a name.
pub fn name_of(e: &Expr) -> Option<&Ident> {
    match e {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// The value behind dereferences.
pub fn strip(e: &Expr) -> &Expr {
    match e {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => strip(&unary.expr),
        other => other,
    }
}

/// Traits of the language whose names are also types in the prelude. If the prelude exported traits with these names, they
/// would hide the methods of `Ord` in host code. In the bounds of an item, the names refer to the traits.
const BOUNDS: [&str; 3] = ["Max", "Min", "Clamp"];

/// Visitor that removes invisible groups around expressions, puts parentheses around trait object types without `dyn`, and gives
/// bounds such as `T: Max` the path of the trait.
///
/// rustc ignores invisible groups in the output of a procedural macro, so `x * $sum` would multiply `x` by the first term
/// only. syn adds the necessary parentheses to its output.
pub struct Plain {
    /// Whether parentheses remain. The body as written keeps them, because rustc's lints and locations depend on them. The
    /// translation does not need them.
    pub parens: bool,
}

impl VisitMut for Plain {
    // The translation copies the items of a body.
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        if self.parens {
            visit_mut::visit_item_mut(self, item);
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        loop {
            match e {
                Expr::Group(group) => *e = (*group.expr).clone(),
                Expr::Paren(paren) if !self.parens => *e = (*paren.expr).clone(),
                _ => break,
            }
        }
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        if let Type::TraitObject(object) = ty
            && object.dyn_token.is_none()
        {
            *ty = parse_quote_spanned!(object.span()=> (#object));
        }
    }

    fn visit_trait_bound_mut(&mut self, bound: &mut syn::TraitBound) {
        match bound.path.get_ident() {
            Some(name) if BOUNDS.iter().any(|known| name == known) => {
                bound.path = parse_quote_spanned!(name.span()=> __p::bounds::#name);
            }
            _ => visit_mut::visit_trait_bound_mut(self, bound),
        }
    }
}

/// Visitor that removes the attributes for which the function returns `false`.
pub struct RetainAttributes(pub fn(&syn::Attribute) -> bool);

impl VisitMut for RetainAttributes {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<syn::Attribute>) {
        attrs.retain(self.0);
    }
}

/// The expressions in a macro call, without parentheses and groups; `None` if the tokens are not a list of expressions.
pub fn arguments(mac: &syn::Macro) -> Option<Vec<Expr>> {
    let mut all = mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated).ok()?;
    all.iter_mut().for_each(|e| Plain { parens: false }.visit_expr_mut(e));
    Some(all.into_iter().collect())
}

/// `if cond then else other`.
pub fn if_else(cond: Expr, then: Block, other: Option<Expr>) -> Expr {
    let (attrs, if_token) = (Vec::new(), Default::default());
    let else_branch = other.map(|other| (Default::default(), Box::new(other)));
    Expr::If(syn::ExprIf { attrs, if_token, cond: Box::new(cond), then_branch: then, else_branch })
}

/// The names `(T, f)` of a path that ends in `T::f`.
pub fn owner_and_name(path: &syn::Path) -> Option<(String, String)> {
    let mut segments = path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let name = segments.next()?;
    Some((segments.next()?, name))
}

/// Whether a name begins with a capital letter, like the names of types and variants.
pub fn is_upper(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Whether a name is a number type of the kernel language or of Rust.
pub fn is_number_name(name: &str) -> bool {
    Number::NAMES.contains(&name) || ["usize", "e2m1x2"].contains(&name)
}

/// Whether a name has the form of a type's name.
pub fn is_type_name(name: &str) -> bool {
    is_upper(name) || is_number_name(name)
}

/// The enum `E`, if a path has the form `E::Variant`.
pub fn enum_of(path: &syn::Path) -> Option<String> {
    let (owner, name) = owner_and_name(path)?;
    (is_type_name(&owner) && is_upper(&name) && !is_constant_path(path)).then_some(owner)
}

/// Whether a path is a function of a memory type, such as `SharedMemory::<f32>::new`, with one of these names. Without names,
/// the result is true for all functions.
pub fn is_memory_function(path: &syn::Path, names: &[&str]) -> bool {
    owner_and_name(path).is_some_and(|(owner, name)| {
        ["Array", "SharedMemory"].contains(&owner.as_str()) && (names.is_empty() || names.contains(&name.as_str()))
    })
}

/// Whether the last name of a path is in `names`.
pub fn ends_in(path: &syn::Path, names: &[&str]) -> bool {
    path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name))
}

/// Whether a name consists of capital letters, like the names of constants.
pub fn is_constant_name(name: &Ident) -> bool {
    let text = name.to_string();
    text.len() > 1 && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Whether an expression is the path of a constant.
pub fn is_constant(e: &Expr) -> bool {
    matches!(e, Expr::Path(path) if is_constant_path(&path.path))
}

/// Whether the last name of a path consists of capital letters.
pub fn is_constant_path(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|last| is_constant_name(&last.ident))
}

/// Whether an operator assigns to its left operand.
pub fn is_assigning(op: &BinOp) -> bool {
    use BinOp::*;
    matches!(op, AddAssign(_) | SubAssign(_) | MulAssign(_) | DivAssign(_) | RemAssign(_))
        || matches!(op, BitXorAssign(_) | BitAndAssign(_) | BitOrAssign(_) | ShlAssign(_) | ShrAssign(_))
}

/// The path with another last name.
pub fn with_last(path: &syn::Path, name: Ident) -> syn::Path {
    let mut path = path.clone();
    path.segments.iter_mut().last().into_iter().for_each(|last| last.ident = name.clone());
    path
}

/// Writes the generic path `Foo<F>` of a type or pattern as in an expression: `Foo::<F>`.
pub fn with_turbofish(path: &mut syn::Path) {
    for segment in &mut path.segments {
        if let syn::PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token.get_or_insert_default();
        }
    }
}

/// A test of a syntax node. If the result is `None`, the search continues in the parts of the node.
type Test<'t, T> = &'t dyn Fn(&T) -> Option<bool>;

/// Visitor that tests expressions or patterns, outer nodes first.
struct Search<'t> {
    expr: Test<'t, Expr>,
    pat: Test<'t, Pat>,
    found: bool,
}

impl Visit<'_> for Search<'_> {
    fn visit_expr(&mut self, e: &Expr) {
        match (self.expr)(e) {
            Some(found) => self.found |= found,
            None => visit::visit_expr(self, e),
        }
    }

    fn visit_pat(&mut self, pat: &Pat) {
        match (self.pat)(pat) {
            Some(found) => self.found |= found,
            None => visit::visit_pat(self, pat),
        }
    }

    fn visit_item(&mut self, _: &syn::Item) {}
}

/// The expressions of which an expression directly consists, such as the operands of an operator.
pub fn parts(e: &Expr) -> Vec<&Expr> {
    struct Parts<'a>(Vec<&'a Expr>);
    impl<'a> Visit<'a> for Parts<'a> {
        fn visit_expr(&mut self, e: &'a Expr) {
            self.0.push(e);
        }
        fn visit_type(&mut self, _: &'a Type) {}
        fn visit_generic_argument(&mut self, _: &'a syn::GenericArgument) {}
    }
    let mut parts = Parts(Vec::new());
    visit::visit_expr(&mut parts, e);
    parts.0
}

/// Whether a test is true for an expression of a block. Nested items are not searched.
pub fn block_has(block: &Block, test: Test<'_, Expr>) -> bool {
    let mut search = Search { expr: test, pat: &|_| None, found: false };
    search.visit_block(block);
    search.found
}

/// Whether a test is true for an expression of a block outside of closures.
pub fn body_has(block: &Block, test: &dyn Fn(&Expr) -> bool) -> bool {
    block_has(block, &|e| match e {
        Expr::Closure(_) => Some(false),
        e => test(e).then_some(true),
    })
}

/// Whether a test is true for an expression or one of its parts. Nested items are not searched.
pub fn expr_has(e: &Expr, test: Test<'_, Expr>) -> bool {
    let mut search = Search { expr: test, pat: &|_| None, found: false };
    search.visit_expr(e);
    search.found
}

/// Whether a test is true for a pattern or one of its parts.
pub fn pat_has(pat: &Pat, test: Test<'_, Pat>) -> bool {
    let mut search = Search { expr: &|_| Some(false), pat: test, found: false };
    search.visit_pat(pat);
    search.found
}
