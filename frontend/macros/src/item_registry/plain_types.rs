//! Types as written, without their paths: of the parameters and results of free functions, and of fields.
use super::{here, meant, with};
use quote::ToTokens;
use std::collections::HashMap;
use syn::{GenericParam, Ident, ReturnType, Signature, Type};

/// The types of a function.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct FunctionTypes {
    /// The names of its type parameters, in order; `None` for other parameters.
    parameters: Vec<Option<String>>,
    /// The plain names of its parameter types.
    takes: Vec<Option<String>>,
    /// The plain name of its result type.
    gives: Option<String>,
}

/// Records a free function.
pub fn note(sig: &Signature) {
    let parameters = sig.generics.params.iter().filter(|param| !matches!(param, GenericParam::Lifetime(_)));
    let types = FunctionTypes {
        parameters: parameters
            .map(|param| match param {
                GenericParam::Type(t) => Some(t.ident.to_string()),
                _ => None,
            })
            .collect(),
        takes: crate::func::params(sig).iter().map(|param| plain(&param.ty)).collect(),
        gives: match &sig.output {
            ReturnType::Type(_, ty) => plain(ty),
            ReturnType::Default => None,
        },
    };
    if let Some(here) = here(&sig.ident) {
        with(|seen| seen.results.entry(here).or_default().insert(types));
    }
}

fn plain(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

/// The fields of a struct, each with the plain name of its type.
pub type Fields = Vec<(String, String)>;

/// Records the fields of a struct.
pub fn note_fields(name: &Ident, data: &syn::Data) {
    let syn::Data::Struct(data) = data else { return };
    let field = |(i, field): (usize, &syn::Field)| {
        let name = field.ident.as_ref().map_or_else(|| i.to_string(), ToString::to_string);
        Some((name, plain(&field.ty)?))
    };
    let fields: Fields = data.fields.iter().enumerate().filter_map(field).collect();
    if let Some(here) = here(name) {
        with(|seen| seen.fields.entry(here).or_default().insert(fields));
    }
}

/// The number type of a struct's field, if this block declares one struct of that name.
pub fn field(owner: &Ident, name: &str) -> Option<String> {
    let here = meant(owner)?;
    let ty = with(|seen| {
        let fields = seen.fields.get(&here).filter(|found| found.len() == 1)?.iter().next()?;
        fields.iter().find(|(field, _)| field == name).map(|(_, ty)| ty.clone())
    });
    ty.filter(|ty| is_number(ty))
}

fn is_number(ty: &str) -> bool {
    crate::words::NUMBERS.contains(&ty) || ty == "usize"
}

/// The types of the function of that name in this block, if there is one.
pub fn of(name: &Ident) -> Option<FunctionTypes> {
    let here = meant(name)?;
    with(|seen| {
        let found = seen.results.get(&here).filter(|found| found.len() == 1)?;
        found.iter().next().cloned()
    })
}

impl FunctionTypes {
    /// The parameter types and the result type of one call. `given` are its generic arguments, `arguments` the known
    /// types of its arguments. A type that is neither a number nor known from the call is `None`.
    pub fn of_call<'a>(
        &self,
        given: impl Iterator<Item = &'a syn::GenericArgument>,
        arguments: impl Iterator<Item = Option<String>>,
    ) -> (Vec<Option<String>>, Option<String>) {
        let mut bound: HashMap<&str, String> = HashMap::new();
        for (name, given) in self.parameters.iter().zip(given) {
            let text = given.to_token_stream().to_string();
            if let Some(name) = name.as_deref().filter(|_| text != "_") {
                bound.insert(name, text);
            }
        }
        for (ty, argument) in self.takes.iter().zip(arguments) {
            if let (Some(ty), Some(argument)) = (ty, argument)
                && self.parameters.contains(&Some(ty.clone()))
            {
                bound.entry(ty).or_insert(argument);
            }
        }
        let resolved = |ty: &Option<String>| {
            let ty = ty.as_ref()?;
            bound.get(ty.as_str()).cloned().or(is_number(ty).then(|| ty.clone()))
        };
        (self.takes.iter().map(resolved).collect(), resolved(&self.gives))
    }
}
