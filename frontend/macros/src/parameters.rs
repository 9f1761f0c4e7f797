//! The generic parameters of items, with their bounds.
use crate::syntax::ends_in;
use std::collections::HashMap;
use syn::punctuated::Punctuated;
use syn::{GenericParam, Generics, Ident, Path, Token, Type, TypeParamBound, WherePredicate};

/// The bounds of a type parameter.
pub type Bounds = Punctuated<TypeParamBound, Token![+]>;

/// The type parameters with their bounds, from their declarations and from where-clauses.
pub fn bounds(generics: &Generics) -> impl Iterator<Item = (&Ident, &Bounds)> {
    let declared = generics.type_params().map(|param| (&param.ident, &param.bounds));
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    declared.chain(clauses.filter_map(|predicate| match predicate {
        WherePredicate::Type(one) => match &one.bounded_ty {
            Type::Path(path) => Some((path.path.get_ident()?, &one.bounds)),
            _ => None,
        },
        _ => None,
    }))
}

/// Whether a type parameter has a bound.
pub fn is_bounded(generics: &Generics, name: &Ident) -> bool {
    bounds(generics).any(|(param, bounds)| param == name && !bounds.is_empty())
}

/// The traits whose types are numbers.
const NUMBERS: [&str; 5] = ["Float", "Int", "Numeric", "CubePrimitive", "Scalar"];

/// Maps generic parameters to the traits in their bounds.
#[derive(Clone, Default)]
pub struct Parameters(HashMap<String, Vec<Path>>);

impl Parameters {
    /// Adds the generic parameters of an item, or of a function in the item.
    pub fn add(&mut self, generics: &Generics) {
        for param in &generics.params {
            match param {
                GenericParam::Type(param) => drop(self.0.insert(param.ident.to_string(), Vec::new())),
                GenericParam::Const(param) => drop(self.0.insert(param.ident.to_string(), Vec::new())),
                GenericParam::Lifetime(_) => {}
            }
        }
        for (name, bounds) in bounds(generics) {
            self.0.entry(name.to_string()).or_default().extend(bounds.iter().filter_map(|bound| match bound {
                TypeParamBound::Trait(one) => Some(one.path.clone()),
                _ => None,
            }));
        }
    }

    /// Whether `name` is one of the parameters.
    pub fn contains(&self, name: &Ident) -> bool {
        self.0.contains_key(&name.to_string())
    }

    /// Whether a path is a type parameter that has one of these traits as a bound.
    pub fn has(&self, path: &Path, traits: &[&str]) -> bool {
        let bounds = path.get_ident().and_then(|name| self.0.get(&name.to_string()));
        bounds.is_some_and(|bounds| bounds.iter().any(|bound| ends_in(bound, traits)))
    }

    /// Whether a path is a type parameter whose types are numbers.
    pub fn is_number(&self, path: &Path) -> bool {
        self.has(path, &NUMBERS)
    }

    /// Whether `name` is a type parameter whose bounds are number traits only.
    pub fn is_only_number(&self, name: &Ident) -> bool {
        let bounds = self.0.get(&name.to_string());
        bounds.is_some_and(|bounds| !bounds.is_empty() && bounds.iter().all(|bound| ends_in(bound, &NUMBERS)))
    }

    /// [`Parameters::is_only_number`] with a float bound.
    pub fn is_float(&self, name: &Ident) -> bool {
        self.is_only_number(name) && self.has(&name.clone().into(), &["Float"])
    }

    /// Whether a type is a type parameter with a `Fn` bound.
    pub fn is_function(&self, ty: &Type) -> bool {
        matches!(ty, Type::Path(path) if self.has(&path.path, &["Fn", "FnMut", "FnOnce"]))
    }
}
