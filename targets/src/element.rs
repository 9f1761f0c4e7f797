//! Element types of buffers and lines, one row each.
use serde::{Deserialize, Serialize};

/// What kind of number an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// True or false.
    Bool,
    /// Integers; the IR has no sign.
    Int,
    /// Floats.
    Float,
}

macro_rules! elements {
    ($($name:ident $ir:literal $bits:literal $class:ident;)*) => {
        /// An element type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Element {
            $(#[doc = concat!("`", $ir, "` in the IR.")] #[serde(rename = $ir)] $name),*
        }

        impl Element {
            /// All of them, narrow ones first.
            pub const ALL: &[Element] = &[$(Element::$name),*];

            /// The type in the text of the IR.
            pub fn ir(self) -> &'static str {
                match self { $(Element::$name => $ir),* }
            }

            /// Bits of a value.
            pub fn bits(self) -> u32 {
                match self { $(Element::$name => $bits),* }
            }

            /// What kind of number it is.
            pub fn class(self) -> Class {
                match self { $(Element::$name => Class::$class),* }
            }
        }
    };
}

elements! {
    I1 "i1" 1 Bool;
    I8 "i8" 8 Int;
    F8E4M3 "f8E4M3FN" 8 Float;
    F8E5M2 "f8E5M2" 8 Float;
    I16 "i16" 16 Int;
    F16 "f16" 16 Float;
    BF16 "bf16" 16 Float;
    I32 "i32" 32 Int;
    TF32 "tf32" 32 Float;
    F32 "f32" 32 Float;
    I64 "i64" 64 Int;
    F64 "f64" 64 Float;
}

impl Element {
    /// The types of numbers that kernels compute with; bools and storage types are not among them.
    pub const COMPUTED: [Element; 8] = [
        Element::I8,
        Element::I16,
        Element::F16,
        Element::BF16,
        Element::I32,
        Element::F32,
        Element::I64,
        Element::F64,
    ];

    /// The type that the IR writes so; `None` for any other.
    pub fn from_ir(text: &str) -> Option<Element> {
        Element::ALL.iter().copied().find(|element| element.ir() == text)
    }
}
