//! Resolves bounds such as `T: Max`, in which the name is both a trait and a type of the kernel language.
//!
//! In the prelude, `Max`, `Min` and `Clamp` are types with one function each. If the prelude exported traits
//! with the names `Max`, `Min` and `Clamp`, the traits would hide the methods of `Ord` in host code. In the bounds of
//! an item, however, these names refer to traits.
use syn::visit_mut::VisitMut;
use syn::{Item, TraitBound, parse_quote_spanned};

const NAMES: [&str; 3] = ["Max", "Min", "Clamp"];

/// Replaces `Max`, `Min` and `Clamp` in the bounds of an item by paths of the traits.
pub fn resolve(item: &mut Item) {
    Bounds.visit_item_mut(item);
}

struct Bounds;

impl VisitMut for Bounds {
    fn visit_trait_bound_mut(&mut self, bound: &mut TraitBound) {
        let Some(name) = bound.path.get_ident().filter(|name| NAMES.iter().any(|known| name == known)).cloned() else {
            return;
        };
        bound.path = parse_quote_spanned!(name.span()=> __p::bounds::#name);
    }
}
