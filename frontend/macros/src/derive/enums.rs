//! Derives for enums. The variant of an enum value is known at compile time. The fields of the variant can
//! have run-time values.
use super::{field_name, staged_field};
use crate::func::quiet;
use crate::names::{expand_name, variant as staged_variant};
use crate::types::{self, Types};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{DataEnum, DeriveInput, Fields, Ident, Variant};

/// Variable names for the fields of a variant, for a pattern or an expression.
fn names(variant: &Variant, prefix: &str) -> Vec<Ident> {
    variant.fields.iter().enumerate().map(|(i, f)| format_ident!("{prefix}{}", field_name(i, f))).collect()
}

/// `path::Variant { … }` with an expression for each field.
fn shape(path: TokenStream, variant: &Variant, values: &[TokenStream]) -> TokenStream {
    shape_by(Some(path), &variant.ident, variant, values)
}

/// `Staged::Variant { … }` with an expression for each field of the staged form.
fn staged_shape(staged: &Ident, variant: &Variant, values: &[TokenStream]) -> TokenStream {
    shape_by(Some(quote!(#staged)), &staged_variant(&variant.ident), variant, values)
}

/// The tokens of a variant with an expression for each field. For a declaration of the variant, `path` is `None`
/// and the values are types.
fn shape_by(path: Option<TokenStream>, name: &Ident, variant: &Variant, values: &[TokenStream]) -> TokenStream {
    let path = path.map(|path| quote!(#path::));
    match &variant.fields {
        Fields::Unit => quote!(#path #name),
        Fields::Unnamed(_) => quote!(#path #name(#(#values),*)),
        Fields::Named(fields) => {
            let members = fields.named.iter().map(|f| &f.ident);
            quote!(#path #name { #(#members: #values),* })
        }
    }
}

fn tokens(names: &[Ident]) -> Vec<TokenStream> {
    names.iter().map(|n| quote!(#n)).collect()
}

pub fn cube_type(input: &DeriveInput, data: &DataEnum) -> TokenStream {
    let (name, vis) = (&input.ident, &input.vis);
    let staged = expand_name(name);
    let (impl_generics, used, where_clause) = input.generics.split_for_impl();
    let generics = &input.generics;
    let quiet = quiet();
    let gate = format_ident!("__TYPES_OF_{}", name, span = name.span());
    let own = data.variants.iter().flat_map(|v| &v.fields).filter(|f| !super::is_comptime(&f.attrs)).map(|f| &f.ty);
    let (plain, gated) = (Types::of(generics), Types::of(generics).gated(&gate, generics));
    let types_constant = plain.types_constant(&gate, generics, own);
    let number = number(input, data);
    let variants = data.variants.iter().map(|v| {
        // The tokens have the location of the field's type, so that rustc merges the messages about both variants.
        let types: Vec<_> = v.fields.iter().map(|f| crate::names::at(staged_field(&gated, f), f.ty.span())).collect();
        shape_by(None, &staged_variant(&v.ident), v, &types)
    });
    let each = |op: &dyn Fn(&Ident) -> TokenStream, open: TokenStream| {
        let arms = data.variants.iter().map(|v| {
            let names = names(v, "");
            let pat = staged_shape(&staged, v, &tokens(&names));
            let values: Vec<_> = names.iter().map(op).collect();
            let value = staged_shape(&staged, v, &values);
            quote!(#pat => #value,)
        });
        quote!(match self { #(#arms)* #staged::__Open(__open) => #open })
    };
    let clone = each(&|n| quote!(#n.clone()), quote!(#staged::__Open(__open.clone())));
    let closed_cells = each(&|n| quote!(__p::Staged::to_cells(#n, __depth)), quote!(#staged::__Open(__open.clone())));
    let read = each(&|n| quote!(__p::Staged::rd(#n)), quote!(__open.rd(#staged::__Open)));
    let dup = each(&|n| quote!(__p::Staged::dup(#n)), quote!(__open.rd(#staged::__Open)));
    let indices = data.variants.iter().enumerate().map(|(i, v)| {
        let i = i as u32;
        let pat = staged_shape(&staged, v, &names(v, "").iter().map(|_| quote!(_)).collect::<Vec<_>>());
        quote!(#pat => ::core::option::Option::Some(#i),)
    });
    let dummies = data.variants.iter().enumerate().map(|(i, v)| {
        let i = i as u32;
        let values: Vec<_> = v
            .fields
            .iter()
            .map(|f| if super::is_comptime(&f.attrs) { quote!(__p::no_dummy()) } else { quote!(__p::Staged::dummy()) })
            .collect();
        let value = staged_shape(&staged, v, &values);
        let has = v.fields.iter().map(|f| match super::is_comptime(&f.attrs) {
            true => quote!(false),
            false => {
                let ty = staged_field(&gated, f);
                quote!(<#ty as __p::Staged>::HAS_DUMMY)
            }
        });
        quote!(#i if true #(&& #has)* => ::core::option::Option::Some(#value),)
    });
    let stores = data.variants.iter().map(|v| {
        let (mine, theirs) = (names(v, "a_"), names(v, "b_"));
        let left = staged_shape(&staged, v, &tokens(&mine));
        let right = staged_shape(&staged, v, &tokens(&theirs));
        quote!((#left, #right) => { #(__p::Staged::store(#mine, #theirs);)* })
    });
    let constructors = data.variants.iter().map(|v| {
        let (plain, expansion) = (format_ident!("new_{}", v.ident), format_ident!("__expand_new_{}", v.ident));
        let names = names(v, "");
        let types: Vec<_> = v.fields.iter().map(|f| &f.ty).collect();
        let staged_types: Vec<_> = v.fields.iter().map(|f| staged_field(&gated, f)).collect();
        let original = shape(quote!(#name), v, &tokens(&names));
        let expanded = staged_shape(&staged, v, &tokens(&names));
        let doc = format!("A `{}` of these values.", v.ident);
        quote! {
            #[doc = #doc]
            pub fn #plain(#(#names: #types),*) -> Self { #original }
            #[doc(hidden)]
            pub fn #expansion(#(#names: #staged_types),*) -> #staged #used { #expanded }
        }
    });
    let (fields, parts): (TokenStream, TokenStream) = data.variants.iter().map(|v| parts(input, v, &gate)).unzip();
    let into_staged = data.variants.iter().map(|v| {
        let names = names(v, "");
        let pat = shape(quote!(#name), v, &tokens(&names));
        let values: Vec<_> = v
            .fields
            .iter()
            .zip(&names)
            .map(|(f, n)| match &types_constant {
                _ if super::is_comptime(&f.attrs) => quote!(#n),
                Some(_) => quote!(__p::CubeType::into_staged(__p::value_if_checked::<{ #gate }, _>(#n))),
                None => quote!(__p::CubeType::into_staged(#n)),
            })
            .collect();
        let value = staged_shape(&staged, v, &values);
        quote!(#pat => #value,)
    });
    let conversions = super::conversions(input, &quote!(match self { #(#into_staged)* }), &clone);
    let impls = super::impls(quote! {
        #conversions
        #[diagnostic::do_not_recommend]
        impl #impl_generics __p::Arg<#staged #used> for #name #used #where_clause {
            fn arg(self) -> #staged #used { __p::CubeType::into_staged(self) }
        }
        impl #impl_generics __p::Staged for #staged #used #where_clause {
            fn to_cells(&self, __depth: usize) -> Self { #staged::__Open(__p::Open::new(self, __depth)) }
            fn store(&mut self, __value: Self) {
                match (&mut *self, __value) {
                    (#staged::__Open(__open), __value) => __open.store(__value),
                    #(#stores)*
                    (_, __other) => *self = __other,
                }
            }
            fn possible_variants(&self) -> ::std::vec::Vec<(::core::option::Option<__p::Val<bool>>, Self)> {
                match self {
                    #staged::__Open(__open) => __open.possible_variants(),
                    _ => ::std::vec![(::core::option::Option::None, self.clone())],
                }
            }
            fn rd(&self) -> Self { #read }
            fn dup(&self) -> Self { #dup }
            fn dummy() -> Self {
                <Self as __p::Variants>::dummy_of(0).unwrap_or_else(|| __p::no_dummy())
            }
        }
        impl #impl_generics __p::Variants for #staged #used #where_clause {
            fn index(&self) -> ::core::option::Option<u32> {
                match self { #(#indices)* #staged::__Open(_) => ::core::option::Option::None }
            }
            fn open(&self) -> ::core::option::Option<&__p::Open<Self>> {
                match self { #staged::__Open(__open) => ::core::option::Option::Some(__open), _ => ::core::option::Option::None }
            }
            fn closed_cells(&self, __depth: usize) -> Self { #closed_cells }
            fn dummy_of(__index: u32) -> ::core::option::Option<Self> {
                match __index { #(#dummies)* _ => ::core::option::Option::None }
            }
        }
        impl #impl_generics #name #used #where_clause { #(#constructors)* }
        #parts
        #number
    });
    quote! {
        #types_constant
        #quiet
        #[doc(hidden)]
        #vis enum #staged #generics #where_clause { #(#variants,)* #[doc(hidden)] __Open(__p::Open<#staged #used>) }
        #fields
        #impls
    }
}

/// Generates a struct of a variant's staged fields, and impls with functions of the enum that match or construct the variant.
/// Expansions need only the enum's name to find these functions.
fn parts(input: &DeriveInput, variant: &Variant, gate: &Ident) -> (TokenStream, TokenStream) {
    let (quiet, name, vis) = (quiet(), &input.ident, &input.vis);
    let (staged, plain) = (expand_name(name), crate::names::unraw(&variant.ident));
    let fields_struct = format_ident!("__{}_{}", name, plain);
    let (matcher, constructor) = (format_ident!("__expand_as_{}", plain), format_ident!("__expand_begin_{}", plain));
    let generics = &input.generics;
    let (impl_generics, used, where_clause) = generics.split_for_impl();
    let fields: Vec<_> = variant.fields.iter().enumerate().map(|(i, f)| field_name(i, f)).collect();
    let gated = Types::of(generics).gated(gate, generics);
    let types: Vec<_> = variant.fields.iter().map(|f| staged_field(&gated, f)).collect();
    let marker = types::phantom(generics);
    let pat = staged_shape(&staged, variant, &tokens(&fields));
    let built: Vec<_> = fields.iter().map(|f| quote!(self.#f.unwrap_or_else(|| __p::missing_field()))).collect();
    let built = staged_shape(&staged, variant, &built);
    let declared = quote! {
        #quiet
        #[doc(hidden)]
        #vis struct #fields_struct #generics #where_clause { #(pub #fields: <#types as __p::OptionalField>::Option,)* __of: #marker }
    };
    let impls = quote! {
        #[doc(hidden)]
        impl #impl_generics #name #used #where_clause {
            pub fn #matcher(__value: #staged #used) -> ::core::option::Option<#fields_struct #used> {
                match __value {
                    #pat => ::core::option::Option::Some(#fields_struct {
                        #(#fields: ::core::option::Option::Some(#fields),)* __of: ::core::marker::PhantomData
                    }),
                    _ => ::core::option::Option::None,
                }
            }
            pub fn #constructor() -> #fields_struct #used {
                #fields_struct { #(#fields: ::core::option::Option::None,)* __of: ::core::marker::PhantomData }
            }
        }
        impl #impl_generics #fields_struct #used #where_clause {
            pub fn build(self) -> #staged #used { #built }
        }
    };
    (declared, impls)
}

/// Generates the conversion by `as` for an enum without fields.
fn number(input: &DeriveInput, data: &DataEnum) -> Option<TokenStream> {
    if data.variants.is_empty() || data.variants.iter().any(|variant| !matches!(variant.fields, Fields::Unit)) {
        return None;
    }
    let (name, staged) = (&input.ident, expand_name(&input.ident));
    let (impl_generics, used, where_clause) = input.generics.split_for_impl();
    let variants = data.variants.iter().map(|variant| &variant.ident);
    Some(quote! {
        impl #impl_generics __p::Castable for #staged #used #where_clause {
            fn number(self) -> __p::Raw { __p::discriminant(&self, &[#(#name::#variants as i64),*]) }
        }
    })
}

pub fn cube_launch(input: &DeriveInput, data: &DataEnum) -> TokenStream {
    let (name, vis) = (&input.ident, &input.vis);
    let args = format_ident!("{}Args", name);
    let staged = expand_name(name);
    let (impl_generics, used, where_clause) = input.generics.split_for_impl();
    let all = types::with_runtime(&input.generics);
    let (_, all_used, all_where) = all.split_for_impl();
    let quiet = quiet();
    let (gate, types_constant) = super::launch_gate(input, data.variants.iter().flat_map(|v| &v.fields));
    let marker = types::phantom(&all);
    let (mut variants, mut registers, mut expands) = (Vec::new(), Vec::new(), Vec::new());
    for (i, v) in data.variants.iter().enumerate() {
        let names = names(v, "");
        let fields = v.fields.iter().zip(&names).enumerate();
        let fields: Vec<_> = fields.map(|(j, (f, n))| super::launch_field(input, &gate, j, f, quote!(#n))).collect();
        let registered = fields.iter().map(|field| &field.registered);
        let of = |part: fn(&super::LaunchField) -> &TokenStream| fields.iter().map(part).cloned().collect::<Vec<_>>();
        let pat = shape(quote!(#args), v, &tokens(&names));
        let value = staged_shape(&staged, v, &of(|field| &field.entered));
        variants.push(shape_by(None, &v.ident, v, &of(|field| &field.ty)));
        registers.push(quote!(#pat => __p::CompileArg::Variant(#i, ::std::vec![#(#registered),*]),));
        expands.push(quote!(#i => #value,));
    }
    let doc = format!("The arguments of a launch for [`{name}`].");
    quote! {
        #types_constant
        #[doc = #doc]
        #quiet
        #vis enum #args #all #all_where { #(#variants,)* #[doc(hidden)] __Of(::core::convert::Infallible, #marker) }
        #quiet
        impl #impl_generics __p::LaunchArg for #name #used #where_clause {
            type RuntimeArg<'a, R: __p::Runtime> = #args #all_used;
            fn register<'a, R: __p::Runtime>(__arg: &Self::RuntimeArg<'a, R>, __launch: &mut __p::Launch) -> __p::CompileArg {
                match __arg { #(#registers)* #args::__Of(__never, _) => match *__never {} }
            }
            fn enter(__arg: &__p::CompileArg, __params: &mut __p::Params) -> <Self as __p::CubeType>::ExpandType {
                match __arg.variant() { #(#expands)* _ => __p::missing_field() }
            }
        }
    }
}
