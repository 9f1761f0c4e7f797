//! The impls of the staged forms of structs and enums. `#[derive(CubeType)]` declares the types, and calls the macros of this
//! file with their fields.
//!
//! A struct is one form, and an enum has one form per variant. Each field has a kind, which is the name of a module of this
//! file: [`staged`] or [`comptime`].

/// Operations on fields whose values the kernel computes.
pub mod staged {
    use crate::lang::value::{CubeType, Staged, Walk};

    /// The staged form of a host value.
    pub fn into_staged<T: CubeType>(value: T) -> T::ExpandType {
        value.into_staged()
    }
    /// Applies an operation to the field.
    pub fn walk<T: Staged>(value: &T, walk: Walk) -> T {
        walk.part(value)
    }
    /// Assigns to the field.
    pub fn store<T: Staged>(mine: &mut T, theirs: T) {
        mine.store(theirs);
    }
    /// Whether [`dummy`] returns a value.
    pub const fn has_dummy<T: Staged>() -> bool {
        T::HAS_DUMMY
    }
    /// A value for unreachable code.
    pub fn dummy<T: Staged>() -> T {
        T::dummy()
    }
}

/// Operations on fields that are known at compile time.
pub mod comptime {
    use crate::lang::value::Walk;

    /// Returns the value unchanged.
    pub fn into_staged<T>(value: T) -> T {
        value
    }
    /// Clones the value.
    pub fn walk<T: Clone>(value: &T, _: Walk) -> T {
        value.clone()
    }
    /// Replaces the value.
    pub fn store<T>(mine: &mut T, theirs: T) {
        *mine = theirs;
    }
    /// A host value cannot be made for unreachable code.
    pub const fn has_dummy<T>() -> bool {
        false
    }
    /// Panics.
    pub fn dummy<T>() -> T {
        crate::__private::no_dummy()
    }
}

/// Implements the traits of a staged struct or enum, and declares the functions of the type. The types of the fields depend on the
/// constant `$gate`. A struct has the fields whose values can be enums, and an enum has the variant for a value whose variant
/// is known at run time only. A form has its path in the type as written and in the staged type, its index, the function for a
/// host value, the struct with its optional fields, the functions that create this struct and the form, the function that
/// matches a variant, and the fields.
#[doc(hidden)]
#[macro_export]
macro_rules! __staged_type {
    (
        struct $spread:tt $name:ident $staged:ident $gate:tt $impl:tt $used:tt $where:tt
        { $host:tt $path:tt $index:literal $new:ident $parts:ident $begin:ident $tuple:ident $matcher:ident
        $($kind:ident $member:tt $field:ident $theirs:ident $ty:tt $host_ty:tt;)* }
    ) => {
        $crate::__staged_form! {
            $name $staged $gate $impl $used $where struct $spread
            { $host $path $($kind $member $field $theirs $ty;)* }
        }
        $crate::__staged_parts! { $name $staged $parts $begin $tuple $impl $used $where $path { $($member $field $ty;)* } }
        $crate::__staged_struct! { $staged $parts $impl $used $where $path { $($member $field;)* } }
    };
    (
        enum $open:ident $name:ident $staged:ident $gate:tt $impl:tt $used:tt $where:tt
        $({ $host:tt $path:tt $index:literal $new:ident $parts:ident $begin:ident $tuple:ident $matcher:ident
        $($kind:ident $member:tt $field:ident $theirs:ident $ty:tt $host_ty:tt;)* })*
    ) => {
        $crate::__staged_form! {
            $name $staged $gate $impl $used $where enum $open
            $({ $host $path $($kind $member $field $theirs $ty;)* })*
        }
        $crate::__staged_variants! {
            $name $staged $open $impl $used $where
            $({ $index $new $host $path $($kind $member $field $ty $host_ty;)* })*
        }
        $(
            $crate::__staged_parts! {
                $name $staged $parts $begin $tuple $impl $used $where $path { $($member $field $ty;)* }
            }
            $crate::__staged_variant! {
                $name $staged $parts $matcher $impl $used $where $path { $($member $field;)* }
            }
        )*
    };
}

/// Implements the traits that all staged forms have.
#[doc(hidden)]
#[macro_export]
macro_rules! __staged_form {
    (
        $name:ident $staged:ident $gate:tt [$($impl:tt)*] [$($used:tt)*] [$($where:tt)*]
        $(enum $open:ident)? $(struct [$($spread:tt)*])?
        $({ [$($host:tt)*] [$($path:tt)*] $($kind:ident $member:tt $field:ident $theirs:ident [$($ty:tt)*];)* })*
    ) => {
        impl $($impl)* $crate::__private::CubeType for $name $($used)* $($where)* {
            type ExpandType = $staged $($used)*;
            fn into_staged(self) -> Self::ExpandType {
                match self {
                    $($($host)* { $($member: $field,)* } => $($path)* { $($member: $crate::__private::forms::$kind::into_staged(
                        $crate::__private::value_if_checked::<{ $gate }, _>($field)
                    ),)* },)*
                }
            }
        }
        impl $($impl)* ::core::clone::Clone for $staged $($used)* $($where)* {
            fn clone(&self) -> Self {
                $crate::__private::Staged::__walk(self, $crate::__private::Walk::Clone)
            }
        }
        impl $($impl)* $crate::__private::HasHost for $staged $($used)* $($where)* {
            type Host = $name $($used)*;
            fn __staged(self) -> Self {
                self
            }
        }
        impl $($impl)* $crate::__private::Staged for $staged $($used)* $($where)* {
            const HAS_DUMMY: bool = false $(|| true $(&& $crate::__private::forms::$kind::has_dummy::<$($ty)*>())*)*;
            fn __walk(&self, walk: $crate::__private::Walk) -> Self {
                match self {
                    $($($path)* { $($member: $field,)* } =>
                        $($path)* { $($member: $crate::__private::forms::$kind::walk($field, walk),)* },)*
                    $($staged::$open(open) => open.walk(walk, $staged::$open),)?
                }
            }
            fn store(&mut self, value: Self) {
                match (&mut *self, value) {
                    $(($($path)* { $($member: $field,)* }, $($path)* { $($member: $theirs,)* }) => {
                        $($crate::__private::forms::$kind::store($field, $theirs);)*
                    })*
                    (this, other) => $crate::__private::Staged::__replace(this, other),
                }
            }
            fn dummy() -> Self {
                $(if true $(&& $crate::__private::forms::$kind::has_dummy::<$($ty)*>())* {
                    return $($path)* { $($member: $crate::__private::forms::$kind::dummy(),)* };
                })*
                $crate::__private::no_dummy()
            }
            $(fn to_cells(&self, depth: usize) -> Self {
                $staged::$open($crate::__private::Open::new(self, depth))
            }
            fn __replace(&mut self, value: Self) {
                match self {
                    $staged::$open(open) => open.store(value),
                    this => *this = value,
                }
            }
            fn possible_variants(&self) -> ::std::vec::Vec<(::core::option::Option<$crate::__private::Val<bool>>, Self)> {
                $crate::__private::Variants::all(self)
            })?
            $(fn possible_variants(&self) -> ::std::vec::Vec<(::core::option::Option<$crate::__private::Val<bool>>, Self)> {
                let all = $crate::__private::only(self.clone());
                $(let all = $crate::__private::combine_variants(all, &self.$spread, |whole: &mut Self, part| {
                    whole.$spread = part;
                });)*
                all
            })?
        }
    };
}

/// Implements the traits that only enums have, and declares the functions of the enum that construct host values.
#[doc(hidden)]
#[macro_export]
macro_rules! __staged_variants {
    (
        $name:ident $staged:ident $open:ident [$($impl:tt)*] [$($used:tt)*] [$($where:tt)*]
        $({
            $index:literal $new:ident [$($host:tt)*] [$($path:tt)*]
            $($kind:ident $member:tt $field:ident [$($ty:tt)*] [$($host_ty:tt)*];)*
        })*
    ) => {
        #[diagnostic::do_not_recommend]
        impl $($impl)* $crate::__private::Arg<$staged $($used)*> for $name $($used)* $($where)* {
            fn arg(self) -> $staged $($used)* {
                $crate::__private::CubeType::into_staged(self)
            }
        }
        impl $($impl)* $crate::__private::Variants for $staged $($used)* $($where)* {
            fn index(&self) -> ::core::option::Option<u32> {
                ::core::option::Option::Some(match self {
                    $($($path)* { .. } => $index,)*
                    $staged::$open(_) => return ::core::option::Option::None,
                })
            }
            fn open(&self) -> ::core::option::Option<&$crate::__private::Open<Self>> {
                match self {
                    $staged::$open(open) => ::core::option::Option::Some(open),
                    _ => ::core::option::Option::None,
                }
            }
            fn dummy_of(index: u32) -> ::core::option::Option<Self> {
                match index {
                    $($index if true $(&& $crate::__private::forms::$kind::has_dummy::<$($ty)*>())* =>
                        ::core::option::Option::Some(
                            $($path)* { $($member: $crate::__private::forms::$kind::dummy(),)* }
                        ),)*
                    _ => ::core::option::Option::None,
                }
            }
        }
        impl $($impl)* $name $($used)* $($where)* {
            $(#[doc = ::core::concat!("The variant `", ::core::stringify!($($host)*), "`.")]
            pub fn $new($($field: $($host_ty)*),*) -> Self {
                $($host)* { $($member: $field,)* }
            })*
        }
    };
}

/// Declares the functions of a type that construct one of its forms. Expansions need only the name of the type to find these
/// functions.
#[doc(hidden)]
#[macro_export]
macro_rules! __staged_parts {
    (
        $name:ident $staged:ident $parts:ident $begin:ident $tuple:ident [$($impl:tt)*] [$($used:tt)*] [$($where:tt)*]
        [$($path:tt)*] { $($member:tt $field:ident [$($ty:tt)*];)* }
    ) => {
        impl $($impl)* $name $($used)* $($where)* {
            #[doc(hidden)]
            pub fn $begin() -> $parts $($used)* {
                $parts { $($field: ::core::option::Option::None,)* __of: ::core::marker::PhantomData }
            }
            #[doc(hidden)]
            pub fn $tuple($($field: $($ty)*),*) -> $staged $($used)* {
                $($path)* { $($member: $field,)* }
            }
        }
        impl $($impl)* $parts $($used)* $($where)* {
            pub fn build(self) -> $staged $($used)* {
                $($path)* { $($member: self.$field.unwrap_or_else(|| $crate::__private::missing_field()),)* }
            }
        }
    };
}

/// Declares the function that builds a struct whose other fields are those of another value.
#[doc(hidden)]
#[macro_export]
macro_rules! __staged_struct {
    (
        $staged:ident $parts:ident [$($impl:tt)*] [$($used:tt)*] [$($where:tt)*] [$($path:tt)*]
        { $($member:tt $field:ident;)* }
    ) => {
        impl $($impl)* $parts $($used)* $($where)* {
            pub fn build_from(self, base: $staged $($used)*) -> $staged $($used)* {
                $($path)* { $($member: self.$field.unwrap_or_else(|| base.$member.clone()),)* }
            }
        }
    };
}

/// Declares the function that matches a variant.
#[doc(hidden)]
#[macro_export]
macro_rules! __staged_variant {
    (
        $name:ident $staged:ident $parts:ident $matcher:ident [$($impl:tt)*] [$($used:tt)*] [$($where:tt)*]
        [$($path:tt)*] { $($member:tt $field:ident;)* }
    ) => {
        impl $($impl)* $name $($used)* $($where)* {
            #[doc(hidden)]
            pub fn $matcher(value: $staged $($used)*) -> ::core::option::Option<$parts $($used)*> {
                match value {
                    $($path)* { $($member: $field,)* } => ::core::option::Option::Some($parts {
                        $($field: ::core::option::Option::Some($field),)* __of: ::core::marker::PhantomData
                    }),
                    _ => ::core::option::Option::None,
                }
            }
        }
    };
}
