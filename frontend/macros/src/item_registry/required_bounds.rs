//! Bounds that a type requires of its parameters, and uses that do not have them.
//!
//! rustc reports a missing bound at each use of the type as written. The uses of the expansion would repeat the error,
//! so the bound is added there.
use super::{meant, with};
use std::collections::HashMap;
use syn::visit::{self, Visit};
use syn::{GenericArgument, Generics, Ident, Path, PathArguments, Type, TypeParamBound, WherePredicate, parse_quote};

/// Number traits, each with the traits that it implies.
const OF_NUMBERS: [(&str, &[&str]); 4] = [
    ("Float", &["Float", "Numeric", "CubePrimitive"]),
    ("Int", &["Int", "Numeric", "CubePrimitive"]),
    ("Numeric", &["Numeric", "CubePrimitive"]),
    ("CubePrimitive", &["CubePrimitive"]),
];

/// Traits that imply no number trait.
const OTHERS: [&str; 16] = [
    "Clone",
    "Copy",
    "Send",
    "Sync",
    "Debug",
    "Default",
    "PartialEq",
    "Eq",
    "Hash",
    "PartialOrd",
    "Ord",
    "Sized",
    "CubeType",
    "CubeLaunch",
    "LaunchArg",
    "Display",
];

/// The bounds of each type parameter; `None` if they are not certain.
fn said(generics: &Generics) -> HashMap<String, Option<Vec<String>>> {
    let names = |bounds: &syn::punctuated::Punctuated<TypeParamBound, syn::Token![+]>| {
        let name = |bound: &TypeParamBound| match bound {
            TypeParamBound::Trait(one) => one.path.get_ident().map(|name| vec![name.to_string()]),
            TypeParamBound::Lifetime(_) => Some(Vec::new()),
            _ => None,
        };
        bounds.iter().map(name).collect::<Option<Vec<_>>>().map(|names| names.concat())
    };
    let mut found: HashMap<_, _> =
        generics.type_params().map(|param| (param.ident.to_string(), names(&param.bounds))).collect();
    for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        if let WherePredicate::Type(one) = predicate
            && let Type::Path(path) = &one.bounded_ty
            && let Some(known) = path.path.get_ident().and_then(|name| found.get_mut(&name.to_string()))
        {
            *known = known.take().zip(names(&one.bounds)).map(|(a, b)| [a, b].concat());
        }
    }
    found
}

/// Whether these traits certainly imply no other trait.
fn lack(said: &[String], need: &str) -> bool {
    said.iter().all(|name| match OF_NUMBERS.iter().find(|(known, _)| known == name) {
        Some((_, follow)) => !follow.contains(&need),
        None => OTHERS.contains(&name.as_str()),
    })
}

/// Whether a name is a number type that certainly does not implement a trait.
fn certainly_lacks(number: &str, need: &str) -> bool {
    let float = number.starts_with(['f', 'b', 't', 'e']) && number != "bool";
    crate::words::NUMBERS.contains(&number)
        && match need {
            "Float" => !float,
            "Int" => float || number == "bool",
            "Numeric" => number == "bool",
            _ => false,
        }
}

/// Registers the bounds that a type requires of its parameters.
pub fn note(name: &Ident, generics: &Generics) {
    let said = said(generics);
    let of_numbers = |names: &Option<Vec<String>>| {
        let numbers = names.iter().flatten().filter(|name| OF_NUMBERS.iter().any(|(known, _)| known == name));
        numbers.cloned().collect::<Vec<_>>()
    };
    let needs: Vec<_> = generics.type_params().map(|param| of_numbers(&said[&param.ident.to_string()])).collect();
    if let Some(here) = super::here(name) {
        with(|seen| seen.needs.entry(here).or_default().insert(needs));
    }
}

/// The generic arguments of the types in some tokens, each with a trait that it must implement.
#[derive(Default)]
struct GenericUses(Vec<(Ident, String)>);

impl<'a> Visit<'a> for GenericUses {
    fn visit_path(&mut self, path: &'a Path) {
        visit::visit_path(self, path);
        // In the path of an associated function, the type is the segment before the last.
        for segment in &path.segments {
            let PathArguments::AngleBracketed(arguments) = &segment.arguments else { continue };
            let Some(here) = meant(&segment.ident).filter(|_| path.segments.first() == Some(segment)) else { continue };
            let needs = with(|seen| {
                let found = seen.needs.get(&here).filter(|found| found.len() == 1);
                found.and_then(|found| found.iter().next().cloned())
            });
            let types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            for (ty, needs) in types.zip(needs.unwrap_or_default()) {
                if let Type::Path(path) = ty
                    && let Some(name) = path.path.get_ident()
                {
                    self.0.extend(needs.into_iter().map(|need| (name.clone(), need)));
                }
            }
        }
    }
}

/// Generic arguments of the types that an item names.
pub struct TypeUses(GenericUses);

impl TypeUses {
    /// Collects the arguments from all types that the visitor reaches.
    pub fn of(visit: impl FnOnce(&mut dyn for<'a> FnMut(ItemPart<'a>))) -> TypeUses {
        let mut given = GenericUses::default();
        visit(&mut |part| match part {
            ItemPart::Type(ty) => given.visit_type(ty),
            ItemPart::Signature(sig) => given.visit_signature(sig),
            ItemPart::Block(block) => given.visit_block(block),
        });
        TypeUses(given)
    }

    /// Adds the missing bounds to these parameters; returns whether any were missing.
    pub fn complete(&self, generics: &mut Generics) -> bool {
        let (said, mut added) = (said(generics), false);
        for (name, need) in &self.0.0 {
            let lacking =
                said.get(&name.to_string()).is_some_and(|said| said.as_ref().is_some_and(|said| lack(said, need)));
            if lacking {
                let need = Ident::new(need, proc_macro2::Span::call_site());
                let p = crate::names::private();
                let predicate: WherePredicate = parse_quote!(#name: #p::numbers::#need);
                generics.make_where_clause().predicates.push(predicate);
                added = true;
            }
        }
        added
    }

    /// Whether a number is an argument that does not satisfy the bound.
    pub fn are_wrong(&self) -> bool {
        self.0.0.iter().any(|(name, need)| certainly_lacks(&name.to_string(), need))
    }
}

/// A part of an item.
pub enum ItemPart<'a> {
    Type(&'a Type),
    Signature(&'a syn::Signature),
    Block(&'a syn::Block),
}
