//! The only table of element types. The tables of the IR, the language, the host, the verifiers, the interpreter and
//! the launch are derived from this table.
//!
//! This file has three lists of types, because the types of the IR, the language and the host do not correspond one to
//! one. [`Element`] is a type of the IR, whose integers have no sign. [`Number`] is a type of the language, whose
//! integers are signed or unsigned. [`HostType`] is a type that a host program owns and an artifact names. A new type
//! is a row in the lists of the IR and the language. The type is also a row in the list of the host if Rust has
//! arithmetic for the type. `docs/why/element-types.md` counts the other files.
use crate::format::{Format, Special::*};
use serde::{Deserialize, Serialize};

/// The class of an element type: bool, integer or float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// True or false.
    Bool,
    /// Signless integers of the IR.
    Int,
    Float,
}

/// The table entry of an integer type: without a float format, and with arithmetic.
const fn integer() -> (Option<Format>, Option<Element>) {
    (None, None)
}

/// The table entry of a float type that supports arithmetic; it contains the numbers of exponent bits and
/// fraction bits.
const fn computed(exponent: u32, fraction: u32) -> (Option<Format>, Option<Element>) {
    (Some(Format { exponent, fraction, unused: 0, special: InfinityAndNan }), None)
}

/// The table entry of a float type for storage and conversion only, with the element type that stores its
/// bits after `expand-conversions`.
const fn stored(format: Format, holder: Element) -> (Option<Format>, Option<Element>) {
    (Some(format), Some(holder))
}

const E4M3: Format = Format { exponent: 4, fraction: 3, unused: 0, special: Nan };
const E2M1: Format = Format { exponent: 2, fraction: 1, unused: 0, special: Finite };
const E2M3: Format = Format { exponent: 2, fraction: 3, unused: 0, special: Finite };
const E3M2: Format = Format { exponent: 3, fraction: 2, unused: 0, special: Finite };
const UE8M0: Format = Format { exponent: 8, fraction: 0, unused: 0, special: Scale };
const E5M2: Format = Format { exponent: 5, fraction: 2, unused: 0, special: InfinityAndNan };
const TF32: Format = Format { exponent: 8, fraction: 10, unused: 13, special: InfinityAndNan };

/// Calls the macro in brackets with the given arguments and one row for each type of the IR:
/// `Name "ir" bits Class how(..);`. `how` defines the fields of a float, and whether kernels compute with it.
#[doc(hidden)]
#[macro_export]
macro_rules! elements {
    ([$($with:tt)+] $($args:tt)*) => {
        $($with)+! { $($args)*
            I1 "i1" 1 Bool integer();
            F4E2M1 "f4E2M1FN" 4 Float stored(E2M1, Element::I8);
            F6E2M3 "f6E2M3FN" 6 Float stored(E2M3, Element::I8);
            F6E3M2 "f6E3M2FN" 6 Float stored(E3M2, Element::I8);
            I8 "i8" 8 Int integer();
            F8E8M0 "f8E8M0FNU" 8 Float stored(UE8M0, Element::I8);
            F8E4M3 "f8E4M3FN" 8 Float stored(E4M3, Element::I8);
            F8E5M2 "f8E5M2" 8 Float stored(E5M2, Element::I8);
            I16 "i16" 16 Int integer();
            F16 "f16" 16 Float computed(5, 10);
            BF16 "bf16" 16 Float computed(8, 7);
            I32 "i32" 32 Int integer();
            TF32 "tf32" 32 Float stored(TF32, Element::F32);
            F32 "f32" 32 Float computed(8, 23);
            I64 "i64" 64 Int integer();
            F64 "f64" 64 Float computed(11, 52);
        }
    };
}

/// Calls the macro in brackets with the given arguments and one row for each float with arithmetic:
/// `Name exponent fraction;`. Narrow types come first.
#[macro_export]
macro_rules! computed_floats {
    ([$($with:tt)+] $($args:tt)*) => {
        $crate::elements! { [$crate::__computed_floats] { [$($with)+] [$($args)*] } [] }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __computed_floats {
    ({ [$($with:tt)+] [$($args:tt)*] } [$($found:tt)*]) => { $($with)+! { $($args)* $($found)* } };
    ($to:tt [$($found:tt)*] $name:ident $ir:literal $bits:literal Float computed($e:tt, $f:tt); $($rest:tt)*) => {
        $crate::__computed_floats! { $to [$($found)* $name $e $f;] $($rest)* }
    };
    ($to:tt $found:tt $name:ident $ir:literal $bits:literal $class:ident $how:ident($($of:tt)*); $($rest:tt)*) => {
        $crate::__computed_floats! { $to $found $($rest)* }
    };
}

macro_rules! declare_elements {
    ($($name:ident $ir:literal $bits:literal $class:ident $how:ident($($of:tt)*);)*) => {
        /// An element type of the IR.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Element {
            $(#[doc = concat!("`", $ir, "` in the IR.")] #[serde(rename = $ir)] $name),*
        }

        impl Element {
            /// All element types, narrow types first.
            pub const ALL: &[Element] = &[$(Element::$name),*];

            /// The spelling of the type in the IR.
            pub const fn ir(self) -> &'static str {
                match self { $(Element::$name => $ir),* }
            }

            /// Width of a value in bits.
            pub const fn bits(self) -> u32 {
                match self { $(Element::$name => $bits),* }
            }

            /// The class of the element type: bool, integer or float.
            pub const fn class(self) -> Class {
                match self { $(Element::$name => Class::$class),* }
            }

            const fn rest(self) -> (Option<Format>, Option<Element>) {
                match self { $(Element::$name => $how($($of)*)),* }
            }
        }
    };
}

elements! { [declare_elements] }

impl Element {
    /// The bit fields of a float type; `None` for other types.
    pub const fn format(self) -> Option<Format> {
        self.rest().0
    }

    /// The element type that stores the bits of a storage type; `None` for types with arithmetic.
    pub const fn holder(self) -> Option<Element> {
        self.rest().1
    }

    /// Whether kernels can compute with the type; other types are only loaded, stored and converted.
    pub const fn is_computed(self) -> bool {
        self.holder().is_none()
    }

    /// The wider type for arithmetic on a float of fewer than 32 bits, if a chip has no instructions for the float. The
    /// wider type represents the operands exactly. An operation in the wider type followed by a second rounding has
    /// the same result as a single rounding. `None` for all other types.
    ///
    /// For `+ - * /` and the square root, the wider type needs twice the significant bits of the narrow type plus two
    /// (Figueroa, "When is double rounding innocuous?", 1995). f32 therefore suffices for types of up to 11 significant
    /// bits, and f64 is the wider type of all other types. For fused multiply-adds and for conversions of integers, the
    /// intermediate result is rounded to odd.
    pub const fn computed_in(self) -> Option<Element> {
        match self.format() {
            Some(format) if self.is_computed() && self.bits() < 32 => {
                Some(if format.fraction < 11 { Element::F32 } else { Element::F64 })
            }
            _ => None,
        }
    }

    /// The element types with arithmetic, without bool.
    pub fn computed() -> impl Iterator<Item = Element> {
        Element::ALL.iter().copied().filter(|element| element.is_same_in_memory())
    }

    /// Whether a value has the same form in memory and in a register: the type has arithmetic and is not bool. A store
    /// of a storage type rounds the value, and a bool is a byte in memory.
    pub const fn is_same_in_memory(self) -> bool {
        self.is_computed() && !matches!(self.class(), Class::Bool)
    }

    /// Size and alignment of a value in memory, in bytes.
    pub const fn size(self) -> u32 {
        bytes_of(self.bits())
    }

    /// The spelling of the type in LLVM's assembly: of the type itself, or of the type that stores its bits.
    pub const fn llvm(self) -> &'static str {
        match (self, self.holder()) {
            (_, Some(holder)) => holder.llvm(),
            (Element::F16, _) => "half",
            (Element::BF16, _) => "bfloat",
            (Element::F32, _) => "float",
            (Element::F64, _) => "double",
            _ => self.ir(),
        }
    }

    /// The type with this spelling in the IR; `None` for any other text.
    pub fn from_ir(text: &str) -> Option<Element> {
        Element::ALL.iter().copied().find(|element| element.ir() == text)
    }
}

/// Size and alignment in memory of a number with this many bits, in bytes: a power of two.
pub const fn bytes_of(bits: u32) -> u32 {
    bits.div_ceil(8).next_power_of_two()
}

/// Calls the macro `$with`, or the macro in brackets with the given arguments, with one row for each type of the
/// language, in four groups: `Name spelling Element HostType how;`. `how` is the representation of a value in Rust.
/// `native` is a type of Rust, and `half` is a type of the crate `half`. `own8` and `own16` are types of `cube_runtime`
/// with arithmetic, stored in a `u8` or `u16`. `byte` is a type of `cube_runtime` without arithmetic, stored in a `u8`.
/// `wide` is a type of the kernel language, stored in an `f32`. `cut` is a type without arithmetic, stored in an `f32`
/// whose low bits are zero.
#[macro_export]
macro_rules! numbers {
    ($with:ident) => { $crate::numbers! { [$with] } };
    ([$($with:tt)+] $($args:tt)*) => {
        $($with)+! { $($args)*
            bool { Bool bool I1 Bool native; }
            int {
                I8 i8 I8 I8 native;
                I16 i16 I16 I16 native;
                I32 i32 I32 I32 native;
                I64 i64 I64 I64 native;
            }
            uint {
                U8 u8 I8 U8 native;
                U16 u16 I16 U16 native;
                U32 u32 I32 U32 native;
                U64 u64 I64 U64 native;
            }
            float {
                E2M1 e2m1 F4E2M1 U8 byte;
                E2M3 e2m3 F6E2M3 U8 byte;
                E3M2 e3m2 F6E3M2 U8 byte;
                UE8M0 ue8m0 F8E8M0 U8 byte;
                E4M3 e4m3 F8E4M3 U8 byte;
                E5M2 e5m2 F8E5M2 U8 byte;
                F16 f16 F16 F16 half;
                BF16 bf16 BF16 BF16 half;
                Flex32 flex32 F32 F32 wide;
                F32 f32 F32 F32 native;
                TF32 tf32 TF32 F32 cut;
                F64 f64 F64 F64 native;
            }
        }
    };
}

/// Calls the macro in brackets with the given arguments and one row `Name spelling;` for each float type with
/// arithmetic that Rust does not have.
#[macro_export]
macro_rules! narrow_floats {
    ([$($with:tt)+] $($args:tt)*) => { $crate::numbers! { [$crate::__narrow_floats] { [$($with)+] [$($args)*] } [] } };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __narrow_floats {
    ($to:tt [] bool $bool:tt int $int:tt uint $uint:tt float { $($rest:tt)* }) => { $crate::__narrow_floats! { $to [] $($rest)* } };
    ({ [$($with:tt)+] [$($args:tt)*] } [$($found:tt)*]) => { $($with)+! { $($args)* $($found)* } };
    ($to:tt [$($found:tt)*] $name:ident $rust:ident $element:ident $host:ident half; $($rest:tt)*) => {
        $crate::__narrow_floats! { $to [$($found)* $name $rust;] $($rest)* }
    };
    ($to:tt [$($found:tt)*] $name:ident $rust:ident $element:ident $host:ident own8; $($rest:tt)*) => {
        $crate::__narrow_floats! { $to [$($found)* $name $rust;] $($rest)* }
    };
    ($to:tt [$($found:tt)*] $name:ident $rust:ident $element:ident $host:ident own16; $($rest:tt)*) => {
        $crate::__narrow_floats! { $to [$($found)* $name $rust;] $($rest)* }
    };
    ($to:tt $found:tt $name:ident $rust:ident $element:ident $host:ident $how:ident; $($rest:tt)*) => {
        $crate::__narrow_floats! { $to $found $($rest)* }
    };
}

macro_rules! declare_numbers {
    ($($group:ident { $($name:ident $rust:ident $element:ident $host:ident $how:ident;)* })*) => {
        /// A number type of the kernel language: an element type of the IR, where integers are also signed or
        /// unsigned.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Number {
            $($(#[doc = concat!("`", stringify!($rust), "` of the language.")] $name),*),*
        }

        impl Number {
            /// All types: bool, signed integers, unsigned integers, floats.
            pub const ALL: &[Number] = &[$($(Number::$name),*),*];

            /// The spellings of the types, in the order of `ALL`.
            pub const NAMES: &[&str] = &[$($(stringify!($rust)),*),*];

            /// The spelling that users write.
            pub const fn name(self) -> &'static str {
                match self { $($(Number::$name => stringify!($rust)),*),* }
            }

            /// The element type of the IR.
            pub const fn element(self) -> Element {
                match self { $($(Number::$name => Element::$element),*),* }
            }

            /// The host's storage type.
            pub const fn host(self) -> HostType {
                match self { $($(Number::$name => HostType::$host),*),* }
            }
        }
    };
}

numbers!(declare_numbers);

impl Number {
    /// The spelling of the type in the IR.
    pub const fn mlir(self) -> &'static str {
        self.element().ir()
    }

    /// Number of bits of a value.
    pub const fn bits(self) -> u32 {
        self.element().bits()
    }

    /// Whether the type is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self.element().class(), Class::Float)
    }

    /// Whether the type is an integer with a sign.
    pub const fn is_signed(self) -> bool {
        matches!(self.host().sign(), Sign::Signed)
    }

    /// Whether the type is an integer.
    pub const fn is_int(self) -> bool {
        matches!(self.element().class(), Class::Int)
    }

    /// The type with the spelling `name`; `None` for any other text.
    pub fn from_name(name: &str) -> Option<Number> {
        Number::ALL.iter().copied().find(|number| number.name() == name)
    }
}

/// The interpretation of the bits of a host type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// An unsigned number or a bool.
    Unsigned,
    /// An integer in two's complement.
    Signed,
    Float,
}

/// Calls `$with!` with one row for each type of the host: `Name spelling Element sign "numpy";`. The position of
/// a row is the code of its type in artifacts.
#[macro_export]
macro_rules! host_types {
    ($with:ident) => {
        $with! {
            Bool bool I1 Unsigned "|b1";
            I8 i8 I8 Signed "|i1";
            I16 i16 I16 Signed "<i2";
            I32 i32 I32 Signed "<i4";
            I64 i64 I64 Signed "<i8";
            U8 u8 I8 Unsigned "|u1";
            U16 u16 I16 Unsigned "<u2";
            U32 u32 I32 Unsigned "<u4";
            U64 u64 I64 Unsigned "<u8";
            F16 f16 F16 Float "<f2";
            BF16 bf16 BF16 Float "<V2";
            F32 f32 F32 Float "<f4";
            F64 f64 F64 Float "<f8";
        }
    };
}

macro_rules! declare_host_types {
    ($($name:ident $rust:ident $element:ident $sign:ident $numpy:literal;)*) => {
        /// Type of an element on the host. Integer types of the host are signed or unsigned, but integer
        /// types of the IR are signless.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum HostType {
            $(#[doc = concat!("`", stringify!($rust), "` of the host.")] $name),*
        }

        impl HostType {
            /// All host types, in the order of their codes.
            pub const ALL: [HostType; [$(HostType::$name),*].len()] = [$(HostType::$name),*];

            /// The name that users write, for example `f32`, `u8` or `bool`.
            pub const fn name(self) -> &'static str {
                match self { $(HostType::$name => stringify!($rust)),* }
            }

            /// [`HostType::name`] followed by a zero byte, for C.
            pub const fn c_name(self) -> &'static str {
                match self { $(HostType::$name => concat!(stringify!($rust), "\0")),* }
            }

            /// The element type of the IR.
            pub const fn element(self) -> Element {
                match self { $(HostType::$name => Element::$element),* }
            }

            /// The interpretation of the type's bits.
            pub const fn sign(self) -> Sign {
                match self { $(HostType::$name => Sign::$sign),* }
            }

            /// numpy's name of the type in little endian, or numpy's raw type if numpy lacks the type.
            pub const fn numpy(self) -> &'static str {
                match self { $(HostType::$name => $numpy),* }
            }
        }
    };
}

host_types!(declare_host_types);

impl HostType {
    /// Size of one element in a buffer, in bytes; a `Bool` has one byte.
    #[inline]
    pub const fn size(self) -> usize {
        self.element().size() as usize
    }

    /// Whether the type is a float.
    pub const fn is_float(self) -> bool {
        matches!(self.sign(), Sign::Float)
    }

    pub fn from_name(name: &str) -> Option<HostType> {
        HostType::ALL.into_iter().find(|host| host.name() == name)
    }

    /// The host's storage type of the type `name`: `u8` for `e4m3`, `f32` for `tf32`. The name is the spelling of the
    /// language or of the IR.
    pub fn storing(name: &str) -> Option<HostType> {
        let of_ir =
            || Element::from_ir(name).and_then(|e| Number::ALL.iter().find(|number| number.element() == e).copied());
        Number::from_name(name).or_else(of_ir).map(Number::host)
    }
}

impl std::fmt::Display for HostType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
