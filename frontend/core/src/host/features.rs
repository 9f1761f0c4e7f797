//! What a device can do, as host programs ask for it.
use crate::ir::{Elem, ElemType, StorageType};
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

/// What a device can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// What planes can do.
    pub plane: Set<Plane>,
    /// Launches of clusters.
    pub cube_cluster: bool,
    /// Line sizes that change inside a kernel.
    pub dynamic_line_size: bool,
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
        }
    }

    /// What a type of elements can be used for.
    pub fn type_usage(&self, ty: StorageType) -> Set<TypeUsage> {
        let elem = Elem::from(ty.elem_type());
        if let StorageType::Atomic(_) = ty {
            return atomic(elem);
        }
        let mut set: Set<TypeUsage> = [TypeUsage::Conversion, TypeUsage::Buffer].into();
        if !matches!(elem, Elem::TF32 | Elem::E4M3 | Elem::E5M2) {
            set.insert(TypeUsage::Arithmetic);
            set.insert(TypeUsage::DotProduct);
        }
        set
    }
}

/// Atomics exist at 32 and 64 bits.
fn atomic(elem: Elem) -> Set<TypeUsage> {
    match elem.bits() {
        32 | 64 if ElemType::from(elem) != ElemType::Bool => {
            [TypeUsage::AtomicLoadStore, TypeUsage::AtomicAdd, TypeUsage::AtomicMinMax].into()
        }
        _ => Set::default(),
    }
}
