//! What a device can do, as host programs ask for it.
use crate::ir::{Elem, ElemType, StorageType};
use std::collections::BTreeSet;
use std::marker::PhantomData;

/// A set of words.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Set<T> {
    bits: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Set<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Set<T> {}

impl<T> Default for Set<T> {
    fn default() -> Self {
        Set { bits: 0, of: PhantomData }
    }
}

/// A word of a set.
pub trait Word: Copy {
    /// Its place.
    fn place(self) -> u32;
}

impl<T: Word> Set<T> {
    /// Whether the word is in it.
    pub fn contains(&self, word: T) -> bool {
        self.bits >> word.place() & 1 == 1
    }
    /// Adds a word.
    pub fn insert(&mut self, word: T) {
        self.bits |= 1 << word.place();
    }
    /// Whether no word is in it.
    pub fn is_empty(&self) -> bool {
        self.bits == 0
    }
}

impl<T: Word, const N: usize> From<[T; N]> for Set<T> {
    fn from(words: [T; N]) -> Self {
        let mut set = Set::default();
        words.into_iter().for_each(|word| set.insert(word));
        set
    }
}

impl<T: Word> std::ops::BitOr<T> for Set<T> {
    type Output = Set<T>;
    fn bitor(mut self, word: T) -> Set<T> {
        self.insert(word);
        self
    }
}

/// The name that 0.8.1 uses.
pub type EnumSet<T> = Set<T>;

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $word:ident),* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$word_doc])* $word),* }
        impl Word for $name {
            fn place(self) -> u32 {
                self as u32
            }
        }
        impl std::ops::BitOr for $name {
            type Output = Set<$name>;
            fn bitor(self, other: $name) -> Set<$name> {
                Set::from([self, other])
            }
        }
    )*};
}

words! {
    /// What planes can do.
    Plane {
        /// Reductions, scans, shuffles, votes.
        Ops,
        /// Waiting for each other.
        Sync
    }
    /// How tensors move without the units.
    Tma {
        /// Tiles.
        Base,
        /// Wide tiles of images.
        Im2colWide
    }
    /// What a type of elements can be used for.
    TypeUsage {
        /// Casts from it and to it.
        Conversion,
        /// Operators and functions.
        Arithmetic,
        /// Dot products of lines.
        DotProduct,
        /// Elements of buffers.
        Buffer,
        /// Atomic loads and stores.
        AtomicLoadStore,
        /// Atomic sums.
        AtomicAdd,
        /// Atomic minima and maxima.
        AtomicMinMax
    }
}

impl TypeUsage {
    /// What numbers can be used for.
    pub fn all_scalar() -> Set<TypeUsage> {
        [TypeUsage::Conversion, TypeUsage::Arithmetic, TypeUsage::DotProduct, TypeUsage::Buffer].into()
    }
    /// What atomics can be used for.
    pub fn all_atomic() -> Set<TypeUsage> {
        [TypeUsage::AtomicLoadStore, TypeUsage::AtomicAdd, TypeUsage::AtomicMinMax].into()
    }
}

/// A product of small matrices that hardware computes in one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub struct MmaConfig {
    pub a_type: StorageType,
    pub b_type: StorageType,
    pub cd_type: StorageType,
    pub m: u32,
    pub n: u32,
    pub k: u32,
}

/// What a device can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// What planes can do.
    pub plane: Set<Plane>,
    /// Launches of clusters.
    pub cube_cluster: bool,
    /// Line sizes that change inside a kernel.
    pub dynamic_line_size: bool,
    /// Tensors that move without the units; kernels have no words for it yet.
    pub tma: Set<Tma>,
    /// Products of small matrices that kernels can ask for; they have no words for it yet.
    pub cmma: BTreeSet<MmaConfig>,
    /// The same for matrices whose elements the units hold.
    pub mma: BTreeSet<MmaConfig>,
    /// The target, as its capabilities are asked for by name.
    pub target: Option<cube_artifact::Target>,
}

impl Features {
    /// Those of a target that kernels are compiled for.
    pub fn of(target: &cube_artifact::Target) -> Self {
        Features {
            plane: [Plane::Ops, Plane::Sync].into(),
            cube_cluster: false,
            dynamic_line_size: true,
            target: Some(target.clone()),
            ..Features::default()
        }
    }

    /// What a type of elements can be used for.
    pub fn type_usage(&self, ty: StorageType) -> Set<TypeUsage> {
        let elem = Elem::from(ty.elem_type());
        if let StorageType::Atomic(_) = ty {
            return atomic(elem);
        }
        if matches!(elem, Elem::TF32 | Elem::E4M3 | Elem::E5M2) {
            return TypeUsage::Conversion | TypeUsage::Buffer;
        }
        TypeUsage::all_scalar()
    }

    /// Whether kernels can name a type of elements.
    pub fn supports_type(&self, ty: impl Into<StorageType>) -> bool {
        !self.type_usage(ty.into()).is_empty()
    }
}

/// Atomics exist at 32 and 64 bits.
fn atomic(elem: Elem) -> Set<TypeUsage> {
    match elem.bits() {
        32 | 64 if ElemType::from(elem) != ElemType::Bool => TypeUsage::all_atomic(),
        _ => Set::default(),
    }
}
