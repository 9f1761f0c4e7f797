//! Registry of the items that the macros have expanded in a crate. The order of expansion is unspecified.
//!
//! A type, a trait or an enum is registered for the block that declares it: only there does its name certainly refer to
//! it. The registry only affects error messages. The expansion of a function is left out if its trait does not declare
//! the function, because rustc reports the function as written. Types with known parameters depend on the check
//! constant of a body (see [`crate::type_check`]).
mod module_scopes;
pub mod plain_types;
pub mod required_bounds;

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
struct Registry {
    /// Types of the language, each with its number of type parameters; `None` if it has other parameters too.
    types: HashMap<String, HashSet<Option<usize>>>,
    /// Types of the language without parameters, from derives.
    declared: HashSet<String>,
    /// Types of the language, each with the number traits that its type parameters require.
    needs: HashMap<String, BTreeSet<Vec<Vec<String>>>>,
    /// Traits of the language.
    traits: HashMap<String, BTreeSet<Vec<FunctionSignature>>>,
    /// Variants of enums, each with the names of its fields if they have names.
    variants: HashMap<String, BTreeSet<Variants>>,
    /// Free functions.
    functions: HashSet<String>,
    /// Free functions in their blocks, each with a flag per parameter: whether it is `#[comptime]`.
    parameters: HashMap<String, HashSet<Vec<bool>>>,
    /// Free functions in their blocks, each with the types of its parameters and of its result.
    results: HashMap<String, HashSet<plain_types::FunctionTypes>>,
    /// Structs, each with its fields and their types.
    fields: HashMap<String, HashSet<plain_types::Fields>>,
    /// Functions and methods with `#[comptime]` parameters, each with the indices of these, `self` not counted.
    comptime: HashMap<String, BTreeSet<usize>>,
}

/// The variants of an enum, each with the names of its fields.
type Variants = Vec<(String, Vec<String>)>;

/// The signature of a trait's function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FunctionSignature {
    name: String,
    receiver: Option<String>,
    /// The types of its parameters and of its result, as written.
    types: Vec<String>,
    generics: usize,
    /// The bounds of its type parameters.
    bounds: Vec<String>,
}

static REGISTRY: Mutex<Option<HashMap<String, Registry>>> = Mutex::new(None);

/// A language server expands several crates, and files of one crate can use one name for different items.
fn with<T>(work: impl FnOnce(&mut Registry) -> T) -> T {
    with_file(&proc_macro2::Span::call_site().file(), work)
}

/// Runs `work` on the registry of a file, or of the whole crate if the file is unknown.
fn with_file<T>(file: &str, work: impl FnOnce(&mut Registry) -> T) -> T {
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let key = format!("{} {} {file}", of("CARGO_MANIFEST_DIR"), of("CARGO_CRATE_NAME"));
    let mut seen = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    work(seen.get_or_insert_with(HashMap::new).entry(key).or_default())
}

/// The key of a type, a trait or an enum: its name in the block of the current item.
fn here(name: &syn::Ident) -> Option<String> {
    let (block, _) = module_scopes::block(proc_macro2::Span::call_site())?;
    Some(format!("{block} {name}"))
}

/// Whether the current item is inside a function body.
pub fn in_a_body() -> bool {
    module_scopes::block(proc_macro2::Span::call_site()).is_some_and(|(_, module)| !module)
}

/// The key from [`here`], if the current item does not redefine the name.
fn meant(name: &syn::Ident) -> Option<String> {
    let hidden = is_parameter(name) || NAMES_OF_ITS_OWN.with(|known| *known.borrow());
    if hidden { None } else { here(name) }
}

thread_local! {
    /// Whether the bodies of the current item define or import names.
    static NAMES_OF_ITS_OWN: RefCell<bool> = const { RefCell::new(false) };
    /// The type parameters of the current item with their bounds. They hide types of these names.
    static PARAMETERS: RefCell<HashMap<String, Vec<String>>> = RefCell::default();
}

/// Starts the expansion of an item.
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

/// Counts the items that can define a type name, including the item itself.
struct OwnNames(usize);

impl<'a> syn::visit::Visit<'a> for OwnNames {
    fn visit_item(&mut self, item: &'a syn::Item) {
        let named = self.0 == 0 || !matches!(item, syn::Item::Const(_) | syn::Item::Static(_) | syn::Item::Fn(_));
        self.0 += usize::from(named);
        syn::visit::visit_item(self, item);
    }
}

/// Whether a name is a type parameter of the current item.
pub fn is_parameter(name: &syn::Ident) -> bool {
    PARAMETERS.with(|known| known.borrow().contains_key(&name.to_string()))
}

/// Whether a name is a type and not a constant, as far as the file shows.
pub fn is_type(name: &syn::Ident) -> bool {
    is_parameter(name) || module_scopes::is_type(proc_macro2::Span::call_site(), &name.to_string())
}

/// Whether the file can declare or import a module of that name.
pub fn is_module(name: &str) -> bool {
    module_scopes::may_be_module(proc_macro2::Span::call_site(), name)
}

/// Whether a name is a type parameter with number bounds only, one of which is or implies one of the required bounds.
pub fn is_bounded_by(name: &str, wanted: &[&str]) -> bool {
    PARAMETERS.with(|known| {
        known.borrow().get(name).is_some_and(|bounds| {
            bounds.iter().all(|bound| is_bound(bound)) && bounds.iter().any(|bound| wanted.contains(&bound.as_str()))
        })
    })
}

/// Help for `Owner::name`, if that function is certainly not in the language.
pub fn of_the_host(owner: &syn::Ident, name: &syn::Ident) -> Option<String> {
    let (at, name) = (proc_macro2::Span::call_site(), name.to_string());
    let bounds = PARAMETERS.with(|known| known.borrow().get(&owner.to_string()).cloned());
    if let Some(bounds) = bounds {
        if name == "default" && bounds.iter().any(|bound| bound == "Default") {
            return Some(format!(
                "`Default` is not a trait of the kernel language: write `{owner}::from_int(0)`, or let the caller pass the value"
            ));
        }
        let of = bounds.into_iter().find(|bound| module_scopes::is_of_the_host(at, bound, &name))?;
        return Some(format!(
            "`{of}::{name}` is not a function of the kernel language: put `#[cube]` before the trait `{of}` and before its impls"
        ));
    }
    meant(owner)?;
    if module_scopes::is_of_the_host(at, &owner.to_string(), &name) {
        return Some(format!(
            "`{owner}::{name}` is not a function of the kernel language: put `#[cube]` before its `impl` block"
        ));
    }
    module_scopes::is_of_std(at, &owner.to_string()).then(|| {
        format!("`{owner}::{name}` is a host function: call it inside `comptime!(…)` if its arguments are known at compile time, or write it in the kernel language")
    })
}

/// Whether a path is certain to name a trait without `#[cube]`.
pub fn is_plain_trait(path: &syn::Path) -> bool {
    let name = path.get_ident().filter(|name| meant(name).is_some());
    name.is_some_and(|name| module_scopes::is_plain_trait(proc_macro2::Span::call_site(), &name.to_string()))
}

/// Records a type with its parameters.
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
    required_bounds::note(name, generics);
}

/// Records the variants of an enum.
pub fn note_variants(name: &syn::Ident, data: &syn::DataEnum) {
    let fields = |variant: &syn::Variant| {
        variant.fields.iter().filter_map(|f| f.ident.as_ref().map(ToString::to_string)).collect()
    };
    let variants = data.variants.iter().map(|variant| (variant.ident.to_string(), fields(variant))).collect();
    if let Some(here) = here(name) {
        with(|seen| seen.variants.entry(here).or_default().insert(variants));
    }
}

/// Whether a registered enum has no variant of that name with these fields.
pub fn lacks_variant(name: &syn::Ident, variant: &syn::Ident, fields: &[String]) -> bool {
    let Some(here) = meant(name) else { return false };
    with(|seen| {
        let Some(found) = seen.variants.get(&here) else { return false };
        !found.iter().any(|variants| {
            variants.iter().any(|(known, own)| variant == known && fields.iter().all(|field| own.contains(field)))
        })
    })
}

/// Whether a name is certain to be a struct or an enum declared in this block. An `impl` block does not count: its type
/// can be an alias of a number.
pub fn is_own_type(name: &syn::Ident) -> bool {
    let Some(here) = meant(name) else { return false };
    module_scopes::has_parameters(proc_macro2::Span::call_site(), &name.to_string()) == Some(false)
        || with(|seen| seen.declared.contains(&here))
}

/// Records the type of an `impl` block.
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

/// The number of type parameters of a type, if all types of that name agree.
pub fn parameters(name: &syn::Ident) -> Option<usize> {
    let here = meant(name)?;
    // A type without parameters need not be registered.
    if module_scopes::has_parameters(proc_macro2::Span::call_site(), &name.to_string()) == Some(false) {
        return Some(0);
    }
    with(|seen| {
        let found = seen.types.get(&here)?;
        if found.len() == 1 { *found.iter().next()? } else { None }
    })
}

fn shape(sig: &Signature) -> FunctionSignature {
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
    FunctionSignature {
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
    let shapes: Vec<FunctionSignature> = shapes.collect();
    with_file("", |seen| seen.traits.entry(item.ident.to_string()).or_default().insert(shapes.clone()));
    with(|seen| {
        seen.traits.entry(item.ident.to_string()).or_default().insert(shapes.clone());
        if let Some(here) = here(&item.ident) {
            seen.traits.entry(here).or_default().insert(shapes);
        }
    });
}

/// Whether the trait of a block is certain not to declare a function. The trait is the one of that name in this block,
/// or the only one in its crate.
pub fn is_undeclared(path: &syn::Path, sig: &Signature) -> bool {
    let all = |found: &BTreeSet<Vec<FunctionSignature>>| found.iter().cloned().collect::<Vec<_>>();
    let own = path.get_ident().and_then(meant).and_then(|here| with(|seen| seen.traits.get(&here).map(all)));
    if let Some(own) = own {
        return !is_declared(&own, sig);
    }
    let Some(name) = of_crate(path) else { return false };
    let seen = with_file("", |seen| seen.traits.get(&name).map(all));
    seen.is_some_and(|seen| !is_declared(&seen, sig)) && module_scopes::is_only_trait(&name)
}

/// The name of a trait that is certain to belong to this crate.
fn of_crate(path: &syn::Path) -> Option<String> {
    let (first, last) = (&path.segments.first()?.ident, path.segments.last()?.ident.to_string());
    let at = proc_macro2::Span::call_site();
    let within = ["crate", "self", "super"].iter().any(|word| first == word);
    let near = match path.segments.len() {
        1 => !module_scopes::is_of_another_crate(at, &last),
        _ => module_scopes::declares(at, &first.to_string()),
    };
    (within || near).then_some(last)
}

/// Whether a trait is likely to lack `#[cube]`: one of that name in the file lacks it, and no trait of the crate has
/// it.
pub fn seems_plain(path: &syn::Path) -> bool {
    let Some(name) = path.segments.last().map(|last| last.ident.to_string()) else { return false };
    let plain = module_scopes::has_plain_trait(proc_macro2::Span::call_site(), &name);
    plain && with_file("", |seen| !seen.traits.contains_key(&name))
}

/// Whether one of these traits declares a function of an `impl` block.
fn is_declared(traits: &[Vec<FunctionSignature>], sig: &Signature) -> bool {
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

/// Whether a bound, as written, is a number trait of the language.
fn is_bound(bound: &str) -> bool {
    ["Float", "Int", "Numeric", "CubePrimitive"].contains(&bound)
}

/// Whether a type, as written, consists of numbers and memory of the language only.
fn is_closed(ty: &str) -> bool {
    let mut words = ty.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.all(|word| word == "mut" || crate::types::is_of_language(word))
}

/// Records a free function.
pub fn note_function(sig: &Signature) {
    let comptime = crate::func::params(sig).iter().map(|param| param.comptime).collect();
    with(|seen| seen.functions.insert(sig.ident.to_string()));
    if let Some(here) = here(&sig.ident) {
        with(|seen| seen.parameters.entry(here).or_default().insert(comptime));
    }
    plain_types::note(sig);
}

/// Whether a parameter of a function of this block is certain to be `#[comptime]`.
pub fn is_comptime(name: &syn::Ident, argument: usize) -> bool {
    let Some(here) = meant(name) else { return false };
    with(|seen| {
        let found = seen.parameters.get(&here);
        found.is_some_and(|all| all.iter().all(|comptime| comptime.get(argument).copied().unwrap_or_default()))
    })
}

/// Records which parameters of a function or a method are `#[comptime]`.
pub fn note_parameters(sig: &Signature) {
    let all = crate::func::params(sig).into_iter().enumerate();
    let places: Vec<usize> = all.filter(|(_, param)| param.comptime).map(|(i, _)| i).collect();
    if !places.is_empty() {
        with(|seen| seen.comptime.entry(sig.ident.to_string()).or_default().extend(places));
    }
}

/// Whether a free function of that name is registered.
pub fn is_function(name: &syn::Ident) -> bool {
    with(|seen| seen.functions.contains(&name.to_string()))
}

/// Whether any function of that name has a `#[comptime]` parameter at this index.
pub fn may_be_comptime(name: &syn::Ident, argument: usize) -> bool {
    let text = name.to_string();
    let of_library = ["range", "range_stepped", "select", "select_many", "fma", "div_ceil"].contains(&text.as_str());
    if of_library || text.starts_with("plane_") || text.starts_with("sync_") {
        return false;
    }
    with(|seen| seen.comptime.get(&text).is_some_and(|places| places.contains(&argument)))
}

/// The alias of a type that depends on the body as written, and its definition.
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

/// The error for a struct or enum that derives `CubeLaunch` alone.
pub fn without_type(input: &proc_macro2::TokenStream) -> Option<syn::Error> {
    let item: syn::DeriveInput = syn::parse2(input.clone()).ok()?;
    let at = proc_macro2::Span::call_site();
    module_scopes::launches_without_type(at, &item.ident.to_string()).then(|| {
        let name = &item.ident;
        syn::Error::new(
            at,
            format!("`{name}` is not a type of the kernel language: write `#[derive(CubeType, CubeLaunch)]`"),
        )
    })
}

/// The error for a block with methods whose type is certain not to be in the language.
pub fn methods_without_type(item: &ItemImpl) -> Option<syn::Error> {
    let Type::Path(path) = &*item.self_ty else { return None };
    let name = path.path.segments.first().filter(|_| path.path.segments.len() == 1).map(|segment| &segment.ident)?;
    meant(name)?;
    module_scopes::without_type(proc_macro2::Span::call_site(), &name.to_string())?;
    Some(syn::Error::new_spanned(
        &item.self_ty,
        format!(
            "`{name}` is not a type of the kernel language, and its methods require one: derive `CubeType` for it, or mark their `self` as `#[comptime]`"
        ),
    ))
}
