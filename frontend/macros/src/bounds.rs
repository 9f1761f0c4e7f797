//! `T: Max`: bounds by language traits whose imported names are types.
//!
//! The prelude's `Max`, `Min` and `Clamp` are types with one function each. Traits of these names would hide `Ord`'s
//! methods on the host. As bounds, the names mean the traits.
use crate::names::{at, private};
use quote::quote;
use syn::visit_mut::VisitMut;
use syn::{Item, TraitBound, parse_quote};

const NAMES: [&str; 3] = ["Max", "Min", "Clamp"];

/// Replaces these names by their traits in the bounds of an item.
pub fn resolve(item: &mut Item) {
    Bounds.visit_item_mut(item);
}

struct Bounds;

impl VisitMut for Bounds {
    fn visit_trait_bound_mut(&mut self, bound: &mut TraitBound) {
        let Some(name) = bound.path.get_ident().filter(|name| NAMES.iter().any(|known| name == known)).cloned() else {
            return;
        };
        let (p, name) = (at(private(), name.span()), quote!(#name));
        bound.path = parse_quote!(#p::bounds::#name);
    }
}
