//! What a device can do, as host programs ask for it.
use crate::ir::{Elem, StorageType};
use cube_target::{AtomicOperation, PlaneOperation, SpaceKind, Support, Target as Description};
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::sync::Arc;

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
    /// What its chip can do; nothing is promised without it.
    pub chip: Option<Arc<Description>>,
}

impl Features {
    /// Those of a target that kernels are compiled for; of a chip that nobody described, what every chip has.
    pub fn of(target: &cube_artifact::Target) -> Self {
        let chip = Description::promised(&target.backend, target.chip.as_deref());
        let mut plane = Set::default();
        let operations = PlaneOperation::ALL.into_iter().filter(|operation| *operation != PlaneOperation::Barrier);
        if operations.into_iter().all(|operation| chip.has_plane(operation)) {
            plane.insert(Plane::Ops);
        }
        if chip.has_plane(PlaneOperation::Barrier) {
            plane.insert(Plane::Sync);
        }
        Features {
            plane,
            cube_cluster: false,
            dynamic_line_size: true,
            target: Some(target.clone()),
            chip: Some(Arc::new(chip)),
            ..Features::default()
        }
    }

    /// What a type of elements can be used for.
    pub fn type_usage(&self, ty: StorageType) -> Set<TypeUsage> {
        let elem = Elem::from(ty.elem_type());
        let Some(chip) = &self.chip else { return Set::default() };
        if let StorageType::Atomic(_) = ty {
            return atomic(elem, chip);
        }
        match chip.arithmetic(elem.element()) {
            Some(Support::Native | Support::Emulated) => TypeUsage::all_scalar(),
            Some(Support::Storage) => TypeUsage::Conversion | TypeUsage::Buffer,
            None => Set::default(),
        }
    }

    /// Whether kernels can name a type of elements.
    pub fn supports_type(&self, ty: impl Into<StorageType>) -> bool {
        !self.type_usage(ty.into()).is_empty()
    }
}

/// The language has atomics of 32 and 64 bits. What the chip lacks an instruction for is a loop of compare and exchange.
fn atomic(elem: Elem, chip: &Description) -> Set<TypeUsage> {
    let has = |operation| {
        let native = chip.atomics_in(SpaceKind::Global, elem.element());
        native.contains(&operation) || native.contains(&AtomicOperation::CompareExchange)
    };
    let mut usage = Set::default();
    if !matches!(elem.bits(), 32 | 64) || elem == Elem::Bool {
        return usage;
    }
    let words = [
        (AtomicOperation::Exchange, TypeUsage::AtomicLoadStore),
        (AtomicOperation::Add, TypeUsage::AtomicAdd),
        (AtomicOperation::MinMax, TypeUsage::AtomicMinMax),
    ];
    words.into_iter().filter(|(operation, _)| has(*operation)).for_each(|(_, word)| usage.insert(word));
    usage
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::ElemType;

    fn of(target: &str) -> Features {
        Features::of(&target.parse().expect("a target"))
    }

    fn atomic(elem: Elem) -> StorageType {
        StorageType::Atomic(elem.into())
    }

    #[test]
    fn chips_with_all_have_all() {
        for target in ["cpu", "nvptx:sm_90"] {
            let features = of(target);
            assert_eq!(features.plane, Plane::Ops | Plane::Sync);
            assert_eq!(features.type_usage(StorageType::Scalar(Elem::BF16.into())), TypeUsage::all_scalar());
            assert_eq!(features.type_usage(atomic(Elem::F32)), TypeUsage::all_atomic());
            assert!(features.type_usage(atomic(Elem::U8)).is_empty(), "the language has none");
            let stored = features.type_usage(StorageType::Scalar(Elem::E4M3.into()));
            assert_eq!(stored, TypeUsage::Conversion | TypeUsage::Buffer);
        }
    }

    #[test]
    fn chips_that_lack_something_say_so() {
        let core = of("wgsl:core");
        assert!(
            core.plane.is_empty()
                && !core.supports_type(ElemType::from(Elem::F16))
                && !core.supports_type(ElemType::from(Elem::I64))
        );
        assert_eq!(core.type_usage(atomic(Elem::U32)), TypeUsage::all_atomic());
        assert!(core.type_usage(atomic(Elem::F32)).is_empty());
        assert_eq!(of("wgsl:core-subgroups").plane, Set::from([Plane::Ops]));
        assert!(of("amdgpu:gfx942").plane.is_empty(), "its code generation has no plane operation yet");
    }

    #[test]
    fn chips_that_nobody_described_promise_little() {
        for target in ["nvptx:sm_999", "metal"] {
            let features = of(target);
            assert!(features.plane.is_empty() && features.type_usage(atomic(Elem::U32)).is_empty(), "{target}");
            assert!(
                features.supports_type(ElemType::from(Elem::F32)) && !features.supports_type(ElemType::from(Elem::F16))
            );
        }
        assert!(!Features::default().supports_type(ElemType::from(Elem::F32)));
    }
}
