//! What the macros have seen of a crate so far: they run one after the other, in the order of the source.
//!
//! It only decides how a mistake is told. A twin is left out where its trait, as seen, has no place for it, which rustc tells of the
//! function as written; and a type whose parameters are known goes through the constant of a body (see [`crate::probe`]).
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use syn::{
    FnArg, GenericArgument, GenericParam, Generics, ItemImpl, ItemTrait, PathArguments, ReturnType, Signature,
    TraitItem, Type,
};

#[derive(Default)]
struct Seen {
    /// Types of the language, each with how many type parameters it has; `None` where it has others too.
    types: HashMap<String, HashSet<Option<usize>>>,
    /// Traits of the language.
    traits: HashMap<String, BTreeSet<Vec<Shape>>>,
    /// Variants of enums, each with the names of its fields where they have names.
    variants: HashMap<String, BTreeSet<Variants>>,
    /// Free functions.
    functions: HashSet<String>,
    /// Functions and methods with `#[comptime]` parameters, each with the places of these after `self`.
    comptime: HashMap<String, BTreeSet<usize>>,
}

/// The variants of an enum, each with the names of its fields.
type Variants = Vec<(String, Vec<String>)>;

/// What a function of a trait looks like.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    name: String,
    receiver: Option<String>,
    /// The types of its parameters and of its result, as written.
    types: Vec<String>,
    generics: usize,
    /// The bounds of its type parameters.
    bounds: Vec<String>,
}

static SEEN: Mutex<Option<HashMap<String, Seen>>> = Mutex::new(None);

/// A language server expands for many crates, and files of one crate may use one name for different things.
fn with<T>(work: impl FnOnce(&mut Seen) -> T) -> T {
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let file = proc_macro2::Span::call_site().file();
    let key = format!("{} {} {file}", of("CARGO_MANIFEST_DIR"), of("CARGO_CRATE_NAME"));
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    work(seen.get_or_insert_with(HashMap::new).entry(key).or_default())
}

thread_local! {
    /// The type parameters of the item that is expanded: types of these names stand elsewhere.
    static PARAMETERS: RefCell<HashSet<String>> = RefCell::default();
}

/// Begins an item.
pub fn enter(item: &syn::Item) {
    let mut all: Vec<&Generics> = Vec::new();
    match item {
        syn::Item::Fn(f) => all.push(&f.sig.generics),
        syn::Item::Impl(item) => {
            all.push(&item.generics);
            all.extend(item.items.iter().filter_map(|member| match member {
                syn::ImplItem::Fn(f) => Some(&f.sig.generics),
                _ => None,
            }));
        }
        syn::Item::Trait(item) => {
            all.push(&item.generics);
            all.extend(item.items.iter().filter_map(|member| match member {
                TraitItem::Fn(f) => Some(&f.sig.generics),
                _ => None,
            }));
        }
        _ => {}
    }
    let names = all.into_iter().flat_map(Generics::type_params).map(|param| param.ident.to_string()).collect();
    PARAMETERS.with(|known| *known.borrow_mut() = names);
    match item {
        syn::Item::Impl(item) => {
            item.items.iter().for_each(|m| if let syn::ImplItem::Fn(f) = m { note_parameters(&f.sig) });
        }
        syn::Item::Trait(item) => {
            item.items.iter().for_each(|m| if let TraitItem::Fn(f) = m { note_parameters(&f.sig) });
        }
        _ => {}
    }
}

fn is_parameter(name: &syn::Ident) -> bool {
    PARAMETERS.with(|known| known.borrow().contains(&name.to_string()))
}

/// Notes a type with its parameters.
pub fn note_type(name: &syn::Ident, generics: &Generics) {
    let plain = generics.params.iter().all(|param| matches!(param, GenericParam::Type(_)));
    let count = plain.then(|| generics.params.len());
    with(|seen| seen.types.entry(name.to_string()).or_default().insert(count));
}

/// Notes the variants of an enum.
pub fn note_variants(name: &syn::Ident, data: &syn::DataEnum) {
    let fields = |variant: &syn::Variant| {
        variant.fields.iter().filter_map(|f| f.ident.as_ref().map(ToString::to_string)).collect()
    };
    let variants = data.variants.iter().map(|variant| (variant.ident.to_string(), fields(variant))).collect();
    with(|seen| seen.variants.entry(name.to_string()).or_default().insert(variants));
}

/// Whether an enum, as seen, has no variant of that name with these fields.
pub fn lacks_variant(name: &syn::Ident, variant: &syn::Ident, fields: &[String]) -> bool {
    with(|seen| {
        let Some(found) = seen.variants.get(&name.to_string()) else { return false };
        !found.iter().any(|variants| {
            variants.iter().any(|(known, own)| variant == known && fields.iter().all(|field| own.contains(field)))
        })
    })
}

/// Notes the type of an `impl` block.
pub fn note_impl(item: &ItemImpl) {
    let Type::Path(path) = &*item.self_ty else { return };
    let Some(last) = path.path.segments.last().filter(|last| !is_parameter(&last.ident)) else { return };
    let plain = item.generics.params.iter().all(|param| matches!(param, GenericParam::Type(_)));
    let count = match &last.arguments {
        PathArguments::None => Some(0),
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .all(|a| plain && matches!(a, GenericArgument::Type(_)))
            .then_some(arguments.args.len()),
        PathArguments::Parenthesized(_) => None,
    };
    with(|seen| seen.types.entry(last.ident.to_string()).or_default().insert(count));
}

/// How many type parameters a type has, where all types of that name have as many.
pub fn parameters(name: &syn::Ident) -> Option<usize> {
    with(|seen| {
        // A trait may be called like a type of another module.
        if is_parameter(name) || seen.traits.contains_key(&name.to_string()) {
            return None;
        }
        let found = seen.types.get(&name.to_string())?;
        if found.len() == 1 { *found.iter().next()? } else { None }
    })
}

fn shape(sig: &Signature) -> Shape {
    let typed = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed.ty.to_token_stream().to_string()),
        FnArg::Receiver(_) => None,
    });
    let output = match &sig.output {
        ReturnType::Default => "()".to_string(),
        ReturnType::Type(_, ty) => ty.to_token_stream().to_string(),
    };
    let receiver =
        sig.receiver().map(|r| format!("{}{}", r.reference.is_some(), r.reference.is_some() && r.mutability.is_some()));
    Shape {
        name: sig.ident.to_string(),
        receiver,
        types: typed.chain([output]).collect(),
        bounds: sig.generics.type_params().map(|param| param.bounds.to_token_stream().to_string()).collect(),
        generics: sig.generics.params.iter().filter(|p| !matches!(p, GenericParam::Lifetime(_))).count(),
    }
}

/// Notes a trait.
pub fn note_trait(item: &ItemTrait) {
    let shapes = item.items.iter().filter_map(|member| match member {
        TraitItem::Fn(f) => Some(shape(&f.sig)),
        _ => None,
    });
    let shapes = shapes.collect();
    with(|seen| seen.traits.entry(item.ident.to_string()).or_default().insert(shapes));
}

/// The functions of each trait of that name; nothing where none was seen.
pub fn functions_of(path: &syn::Path) -> Option<Vec<Vec<Shape>>> {
    let name = path.segments.last()?.ident.to_string();
    with(|seen| seen.traits.get(&name).map(|found| found.iter().cloned().collect()))
}

/// Whether traits with these functions have one that takes `self`, where they all agree.
pub fn has_methods(traits: &[Vec<Shape>]) -> Option<bool> {
    let mut all = traits.iter().map(|functions| functions.iter().any(|shape| shape.receiver.is_some()));
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// Whether a function of an `impl` block has a place in one of these traits.
pub fn has_place(traits: &[Vec<Shape>], sig: &Signature) -> bool {
    let own = shape(sig);
    traits.iter().flatten().any(|shape| {
        shape.name == own.name
            && shape.receiver == own.receiver
            && shape.generics == own.generics
            && shape.types.len() == own.types.len()
            && shape.types.iter().zip(&own.types).all(|(a, b)| a == b || !is_closed(a) || !is_closed(b))
            && shape.bounds.iter().zip(&own.bounds).all(|(a, b)| a == b || !is_bound(a) || !is_bound(b))
    })
}

/// Whether a bound, as written, is one of the language's for numbers.
fn is_bound(bound: &str) -> bool {
    ["Float", "Int", "Numeric", "CubePrimitive"].contains(&bound)
}

/// Whether a type, as written, can be no other than that: it is made of numbers and memory of the language.
fn is_closed(ty: &str) -> bool {
    let mut words = ty.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.all(|word| word == "mut" || crate::types::is_of_language(word))
}

/// Notes a free function.
pub fn note_function(name: &syn::Ident) {
    with(|seen| seen.functions.insert(name.to_string()));
}

/// Notes which parameters of a function or a method are `#[comptime]`.
pub fn note_parameters(sig: &Signature) {
    let all = crate::func::params(sig).into_iter().enumerate();
    let places: Vec<usize> = all.filter(|(_, param)| param.comptime).map(|(i, _)| i).collect();
    if !places.is_empty() {
        with(|seen| seen.comptime.entry(sig.ident.to_string()).or_default().extend(places));
    }
}

/// Whether a free function of that name has been seen.
pub fn is_function(name: &syn::Ident) -> bool {
    with(|seen| seen.functions.contains(&name.to_string()))
}

/// Whether some function of that name wants a value there that is known when the kernel is compiled.
pub fn may_be_comptime(name: &syn::Ident, argument: usize) -> bool {
    let text = name.to_string();
    let of_library = ["range", "range_stepped", "select", "select_many", "fma", "div_ceil"].contains(&text.as_str());
    if of_library || text.starts_with("plane_") || text.starts_with("sync_") {
        return false;
    }
    with(|seen| seen.comptime.get(&text).is_some_and(|places| places.contains(&argument)))
}

/// The name under which a body finds a type that follows from the body as written, and how that name is made.
pub fn alias(path: &syn::Path, staged: bool, p: &TokenStream) -> Option<(syn::Ident, TokenStream)> {
    if path.segments.iter().any(|segment| !segment.arguments.is_none()) || path.leading_colon.is_some() {
        return None;
    }
    let count = parameters(&path.segments.last()?.ident)?;
    let words: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    let name = quote::format_ident!("__{}_{}", if staged { "Staged" } else { "Known" }, words.join("_"));
    let types: Vec<_> = (0..count).map(|i| quote::format_ident!("A{i}")).collect();
    let known = quote::quote!(<#path<#(#types),*> as #p::Checked<{ __CHECK }>>::Out);
    let known = if staged { quote::quote!(<#known as #p::CubeType>::ExpandType) } else { known };
    let made = quote::quote!(type #name<#(#types),*> = #known;);
    Some((name, made))
}
