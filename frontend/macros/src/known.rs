//! What the macros have seen of a crate so far. Macros expand one at a time, in an order that rustc does not promise.
//!
//! A type, a trait and an enum are known in the block that they stand in, and nowhere else: there, and only there, their names are
//! sure to mean them. It only decides how a mistake is told. A twin is left out where its trait, as seen, has no place for it, which rustc tells of the
//! function as written; and a type whose parameters are known goes through the constant of a body (see [`crate::probe`]).
pub mod needs;
mod places;
pub mod results;

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
    /// Types of the language that a derive has seen and that have no parameters.
    declared: HashSet<String>,
    /// Types of the language, each with the traits of numbers that its type parameters need.
    needs: HashMap<String, BTreeSet<Vec<Vec<String>>>>,
    /// Traits of the language.
    traits: HashMap<String, BTreeSet<Vec<Shape>>>,
    /// Variants of enums, each with the names of its fields where they have names.
    variants: HashMap<String, BTreeSet<Variants>>,
    /// Free functions.
    functions: HashSet<String>,
    /// Free functions in their blocks, each with which of its parameters are `#[comptime]`.
    parameters: HashMap<String, HashSet<Vec<bool>>>,
    /// Free functions in their blocks, each with the types of its parameters and of its result.
    results: HashMap<String, HashSet<results::Types>>,
    /// Structs, each with its fields and their types.
    fields: HashMap<String, HashSet<results::Fields>>,
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
    with_file(&proc_macro2::Span::call_site().file(), work)
}

/// What has been seen in a file; in the whole crate, by plain names, where it is none.
fn with_file<T>(file: &str, work: impl FnOnce(&mut Seen) -> T) -> T {
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let key = format!("{} {} {file}", of("CARGO_MANIFEST_DIR"), of("CARGO_CRATE_NAME"));
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    work(seen.get_or_insert_with(HashMap::new).entry(key).or_default())
}

/// What stands for a name of a type, a trait or an enum: the name in the block of the item that is expanded.
fn here(name: &syn::Ident) -> Option<String> {
    let (block, _) = places::block(proc_macro2::Span::call_site())?;
    Some(format!("{block} {name}"))
}

/// Whether the item that is expanded stands in the body of a function.
pub fn in_a_body() -> bool {
    places::block(proc_macro2::Span::call_site()).is_some_and(|(_, module)| !module)
}

/// As [`here`], where the item that is expanded means its block's own by that name.
fn meant(name: &syn::Ident) -> Option<String> {
    let hidden = is_parameter(name) || NAMES_OF_ITS_OWN.with(|known| *known.borrow());
    if hidden { None } else { here(name) }
}

thread_local! {
    /// Whether the bodies of the item that is expanded define or import names of their own.
    static NAMES_OF_ITS_OWN: RefCell<bool> = const { RefCell::new(false) };
    /// The type parameters of the item that is expanded, with their bounds: types of these names stand elsewhere.
    static PARAMETERS: RefCell<HashMap<String, Vec<String>>> = RefCell::default();
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
    let bounds = |param: &syn::TypeParam| {
        let traits = param.bounds.iter().filter_map(|bound| match bound {
            syn::TypeParamBound::Trait(one) => one.path.get_ident().map(ToString::to_string),
            _ => None,
        });
        traits.collect::<Vec<_>>()
    };
    let params = all.into_iter().flat_map(Generics::type_params);
    let names = params.map(|param| (param.ident.to_string(), bounds(param))).collect();
    PARAMETERS.with(|known| *known.borrow_mut() = names);
    let mut own = OwnNames(0);
    syn::visit::Visit::visit_item(&mut own, item);
    NAMES_OF_ITS_OWN.with(|known| *known.borrow_mut() = own.0 > 1);
    match item {
        syn::Item::Impl(item) => {
            item.items.iter().for_each(|m| {
                if let syn::ImplItem::Fn(f) = m {
                    note_parameters(&f.sig)
                }
            });
        }
        syn::Item::Trait(item) => {
            item.items.iter().for_each(|m| {
                if let TraitItem::Fn(f) = m {
                    note_parameters(&f.sig)
                }
            });
        }
        _ => {}
    }
}

/// Counts the items that may give a name to a type, with the item itself.
struct OwnNames(usize);

impl<'a> syn::visit::Visit<'a> for OwnNames {
    fn visit_item(&mut self, item: &'a syn::Item) {
        let named = self.0 == 0 || !matches!(item, syn::Item::Const(_) | syn::Item::Static(_) | syn::Item::Fn(_));
        self.0 += usize::from(named);
        syn::visit::visit_item(self, item);
    }
}

/// Whether a name is that of a type parameter of the item that is expanded.
pub fn is_parameter(name: &syn::Ident) -> bool {
    PARAMETERS.with(|known| known.borrow().contains_key(&name.to_string()))
}

/// Whether a name is that of a type, and of no constant, as far as the file says.
pub fn is_type(name: &syn::Ident) -> bool {
    is_parameter(name) || places::is_type(proc_macro2::Span::call_site(), &name.to_string())
}

/// Whether a module that the file declares or imports may have that name.
pub fn is_module(name: &str) -> bool {
    places::may_be_module(proc_macro2::Span::call_site(), name)
}

/// Whether a name is that of a type parameter whose bounds are the language's for numbers, one of them `wanted` or one that has it.
pub fn is_bounded_by(name: &str, wanted: &[&str]) -> bool {
    PARAMETERS.with(|known| {
        known.borrow().get(name).is_some_and(|bounds| {
            bounds.iter().all(|bound| is_bound(bound)) && bounds.iter().any(|bound| wanted.contains(&bound.as_str()))
        })
    })
}

/// Where `Owner::name` is a function that is for sure none of the language: what to do.
pub fn of_the_host(owner: &syn::Ident, name: &syn::Ident) -> Option<String> {
    let (at, name) = (proc_macro2::Span::call_site(), name.to_string());
    let bounds = PARAMETERS.with(|known| known.borrow().get(&owner.to_string()).cloned());
    if let Some(bounds) = bounds {
        if name == "default" && bounds.iter().any(|bound| bound == "Default") {
            return Some(format!(
                "`Default` is no trait of the kernel language: write `{owner}::from_int(0)`, or let the caller give the value"
            ));
        }
        let of = bounds.into_iter().find(|bound| places::is_of_the_host(at, bound, &name))?;
        return Some(format!(
            "`{of}::{name}` is no function of the kernel language: put `#[cube]` before the trait `{of}` and before its impls"
        ));
    }
    meant(owner)?;
    if places::is_of_the_host(at, &owner.to_string(), &name) {
        return Some(format!(
            "`{owner}::{name}` is no function of the kernel language: put `#[cube]` before the `impl` block that it stands in"
        ));
    }
    places::is_of_std(at, &owner.to_string()).then(|| {
        format!("`{owner}::{name}` is a function of the host: call it inside `comptime!(…)` where its arguments are known when the kernel is compiled, or write it in the kernel language")
    })
}

/// Whether a path is the name of a trait that is for sure none of the language.
pub fn is_plain_trait(path: &syn::Path) -> bool {
    let name = path.get_ident().filter(|name| meant(name).is_some());
    name.is_some_and(|name| places::is_plain_trait(proc_macro2::Span::call_site(), &name.to_string()))
}

/// Notes a type with its parameters.
pub fn note_type(name: &syn::Ident, generics: &Generics) {
    let plain = generics.params.iter().all(|param| matches!(param, GenericParam::Type(_)));
    let count = plain.then(|| generics.params.len());
    if let Some(here) = here(name) {
        with(|seen| {
            seen.types.entry(here.clone()).or_default().insert(count);
            if count == Some(0) {
                seen.declared.insert(here);
            }
        });
    }
    needs::note(name, generics);
}

/// Notes the variants of an enum.
pub fn note_variants(name: &syn::Ident, data: &syn::DataEnum) {
    let fields = |variant: &syn::Variant| {
        variant.fields.iter().filter_map(|f| f.ident.as_ref().map(ToString::to_string)).collect()
    };
    let variants = data.variants.iter().map(|variant| (variant.ident.to_string(), fields(variant))).collect();
    if let Some(here) = here(name) {
        with(|seen| seen.variants.entry(here).or_default().insert(variants));
    }
}

/// Whether an enum, as seen, has no variant of that name with these fields.
pub fn lacks_variant(name: &syn::Ident, variant: &syn::Ident, fields: &[String]) -> bool {
    let Some(here) = meant(name) else { return false };
    with(|seen| {
        let Some(found) = seen.variants.get(&here) else { return false };
        !found.iter().any(|variants| {
            variants.iter().any(|(known, own)| variant == known && fields.iter().all(|field| own.contains(field)))
        })
    })
}

/// Whether a name is for sure that of a struct or an enum that this block declares. An `impl` block says nothing of that: its type
/// may be a number, under whatever name.
pub fn is_own_type(name: &syn::Ident) -> bool {
    let Some(here) = meant(name) else { return false };
    places::has_parameters(proc_macro2::Span::call_site(), &name.to_string()) == Some(false)
        || with(|seen| seen.declared.contains(&here))
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
    if path.path.segments.len() == 1
        && let Some(here) = here(&last.ident)
    {
        with(|seen| seen.types.entry(here).or_default().insert(count));
    }
}

/// How many type parameters a type has, where all types of that name have as many.
pub fn parameters(name: &syn::Ident) -> Option<usize> {
    let here = meant(name)?;
    // One without parameters need not have been seen.
    if places::has_parameters(proc_macro2::Span::call_site(), &name.to_string()) == Some(false) {
        return Some(0);
    }
    with(|seen| {
        let found = seen.types.get(&here)?;
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
    let shapes: Vec<Shape> = shapes.collect();
    with_file("", |seen| seen.traits.entry(item.ident.to_string()).or_default().insert(shapes.clone()));
    with(|seen| {
        seen.traits.entry(item.ident.to_string()).or_default().insert(shapes.clone());
        if let Some(here) = here(&item.ident) {
            seen.traits.entry(here).or_default().insert(shapes);
        }
    });
}

/// Whether the trait of a block has for sure no place for a function: the one of that name in this block, or the only one of its crate.
pub fn has_no_place(path: &syn::Path, sig: &Signature) -> bool {
    let all = |found: &BTreeSet<Vec<Shape>>| found.iter().cloned().collect::<Vec<_>>();
    let own = path.get_ident().and_then(meant).and_then(|here| with(|seen| seen.traits.get(&here).map(all)));
    if let Some(own) = own {
        return !has_place(&own, sig);
    }
    let Some(name) = of_crate(path) else { return false };
    let seen = with_file("", |seen| seen.traits.get(&name).map(all));
    seen.is_some_and(|seen| !has_place(&seen, sig)) && places::is_only_trait(&name)
}

/// The name of a trait that is for sure none of another crate.
fn of_crate(path: &syn::Path) -> Option<String> {
    let (first, last) = (&path.segments.first()?.ident, path.segments.last()?.ident.to_string());
    let at = proc_macro2::Span::call_site();
    let within = ["crate", "self", "super"].iter().any(|word| first == word);
    let near = match path.segments.len() {
        1 => !places::is_of_another_crate(at, &last),
        _ => places::declares(at, &first.to_string()),
    };
    (within || near).then_some(last)
}

/// Whether a trait is likely none of the language: one of that name in the file is not, and none of the crate is.
pub fn seems_plain(path: &syn::Path) -> bool {
    let Some(name) = path.segments.last().map(|last| last.ident.to_string()) else { return false };
    let plain = places::has_plain_trait(proc_macro2::Span::call_site(), &name);
    plain && with_file("", |seen| !seen.traits.contains_key(&name))
}

/// Whether a function of an `impl` block has a place in one of these traits.
fn has_place(traits: &[Vec<Shape>], sig: &Signature) -> bool {
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
pub fn note_function(sig: &Signature) {
    let comptime = crate::func::params(sig).iter().map(|param| param.comptime).collect();
    with(|seen| seen.functions.insert(sig.ident.to_string()));
    if let Some(here) = here(&sig.ident) {
        with(|seen| seen.parameters.entry(here).or_default().insert(comptime));
    }
    results::note(sig);
}

/// Whether a function in this block wants a value there for sure that is known when the kernel is compiled.
pub fn is_comptime(name: &syn::Ident, argument: usize) -> bool {
    let Some(here) = meant(name) else { return false };
    with(|seen| {
        let found = seen.parameters.get(&here);
        found.is_some_and(|all| all.iter().all(|comptime| comptime.get(argument).copied().unwrap_or_default()))
    })
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
    if path.segments.len() != 1 || path.segments.iter().any(|segment| !segment.arguments.is_none()) {
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

/// What is told of a struct or enum that derives `CubeLaunch` alone.
pub fn without_type(input: &proc_macro2::TokenStream) -> Option<syn::Error> {
    let item: syn::DeriveInput = syn::parse2(input.clone()).ok()?;
    let at = proc_macro2::Span::call_site();
    places::launches_without_type(at, &item.ident.to_string()).then(|| {
        let name = &item.ident;
        syn::Error::new(
            at,
            format!("`{name}` is no type of the kernel language: write `#[derive(CubeType, CubeLaunch)]`"),
        )
    })
}

/// Where the type of a block with methods is for sure none of the language: what to do.
pub fn methods_without_type(item: &ItemImpl) -> Option<syn::Error> {
    let Type::Path(path) = &*item.self_ty else { return None };
    let name = path.path.segments.first().filter(|_| path.path.segments.len() == 1).map(|segment| &segment.ident)?;
    meant(name)?;
    places::without_type(proc_macro2::Span::call_site(), &name.to_string())?;
    Some(syn::Error::new_spanned(
        &item.self_ty,
        format!(
            "`{name}` is no type of the kernel language, and its methods need one: derive `CubeType` for it, or mark their `self` as `#[comptime]`"
        ),
    ))
}
