//! The type parameters of items, with their bounds.
use std::collections::HashMap;
use syn::punctuated::Punctuated;
use syn::{Generics, Ident, Token, Type, TypeParam, TypeParamBound, WherePredicate};

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
const NUMBERS: [&str; 4] = ["Float", "Int", "Numeric", "CubePrimitive"];

/// Maps type parameters to the trait names in their bounds.
#[derive(Clone, Default)]
pub struct Parameters(HashMap<String, Vec<String>>);

impl Parameters {
    /// Adds the type parameters of an item, or of a function in the item.
    pub fn add(&mut self, generics: &Generics) {
        let bounds = |param: &TypeParam| {
            let traits = param.bounds.iter().filter_map(|bound| match bound {
                TypeParamBound::Trait(one) => one.path.get_ident().map(ToString::to_string),
                _ => None,
            });
            traits.collect::<Vec<_>>()
        };
        self.0.extend(generics.type_params().map(|param| (param.ident.to_string(), bounds(param))));
    }

    /// Whether `name` is one of the type parameters.
    pub fn contains(&self, name: &Ident) -> bool {
        self.0.contains_key(&name.to_string())
    }

    /// The bounds of a type parameter whose bounds are number traits only.
    fn number(&self, name: &str) -> Option<&Vec<String>> {
        self.0
            .get(name)
            .filter(|bounds| !bounds.is_empty() && bounds.iter().all(|bound| NUMBERS.contains(&bound.as_str())))
    }

    /// Whether `name` is a type parameter whose bounds are number traits only.
    pub fn is_number(&self, name: &Ident) -> bool {
        self.number(&name.to_string()).is_some()
    }

    /// Whether `name` is a type parameter with a float bound.
    pub fn is_float(&self, name: &str) -> bool {
        self.number(name).is_some_and(|bounds| bounds.iter().any(|bound| bound == "Float"))
    }
}
