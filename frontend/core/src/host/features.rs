//! Features of a device, for host programs.
use crate::ir::{Elem, StorageType};
use cube_target::{AtomicOperation, PlaneOperation, SpaceKind, Support, Target as Description};
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::sync::Arc;

/// A set of at most 32 flags.
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

/// A flag of a set.
pub trait Flag: Copy {
    /// Index of the flag's bit, 0 to 31.
    fn bit(self) -> u32;
}

impl<T: Flag> Set<T> {
    /// Whether the set has the flag.
    pub fn contains(&self, flag: T) -> bool {
        self.bits >> flag.bit() & 1 == 1
    }
    /// Adds a flag.
    pub fn insert(&mut self, flag: T) {
        self.bits |= 1 << flag.bit();
    }
    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.bits == 0
    }
    /// Whether the set has all flags of `other`.
    pub fn is_superset(&self, other: Self) -> bool {
        other.difference(*self).is_empty()
    }
    /// The flags of this set that are not in `other`.
    pub fn difference(&self, other: Self) -> Self {
        Set { bits: self.bits & !other.bits, of: PhantomData }
    }
}

impl<T: Flag> From<T> for Set<T> {
    fn from(flag: T) -> Self {
        Set::from([flag])
    }
}

impl<T: Flag, const N: usize> From<[T; N]> for Set<T> {
    fn from(flags: [T; N]) -> Self {
        let mut set = Set::default();
        flags.into_iter().for_each(|flag| set.insert(flag));
        set
    }
}

impl<T: Flag, B: Into<Set<T>>> std::ops::BitOr<B> for Set<T> {
    type Output = Set<T>;
    fn bitor(self, other: B) -> Set<T> {
        Set { bits: self.bits | other.into().bits, of: PhantomData }
    }
}

/// Name of [`Set`] in CubeCL 0.8.1.
pub type EnumSet<T> = Set<T>;

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident { $($(#[$flag_doc:meta])* $flag:ident),* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$flag_doc])* $flag),* }
        impl Flag for $name {
            fn bit(self) -> u32 {
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

flags! {
    /// Features of planes.
    Plane {
        /// Reductions, scans, shuffles and votes over a plane.
        Ops,
        /// Barriers of a plane.
        Sync,
        /// Operations of a plane under divergent control flow, a name of CubeCL 0.11. The target descriptions do not state
        /// this feature yet, so no device reports it. The CPU, CUDA and HIP support such operations.
        NonUniformControlFlow
    }
    /// Features of the tensor memory accelerator (TMA), which copies tensors while the units execute other
    /// code.
    Tma {
        /// Copies of rectangular tiles.
        Base,
        /// Copies of wide image tiles.
        Im2colWide
    }
    /// Uses of an atomic type, by the names of CubeCL 0.11.
    AtomicUsage {
        /// Loads and stores.
        LoadStore,
        /// Exchanges.
        Exchange,
        /// Additions and subtractions.
        Add,
        /// Minima and maxima.
        MinMax,
        /// Operations on bits.
        Bitwise,
        /// Comparisons with an exchange.
        CompareExchange
    }
    /// Uses of an element type.
    TypeUsage {
        /// Casts from the type and to the type.
        Conversion,
        /// Operators and math functions.
        Arithmetic,
        /// Dot products of lines.
        DotProduct,
        /// Use as the element type of buffers.
        Buffer,
        /// Atomic loads and stores.
        AtomicLoadStore,
        /// Atomic additions.
        AtomicAdd,
        /// Atomic minima and maxima.
        AtomicMinMax
    }
}

impl TypeUsage {
    /// All uses of a number type that a device can support.
    pub fn all_scalar() -> Set<TypeUsage> {
        [TypeUsage::Conversion, TypeUsage::Arithmetic, TypeUsage::DotProduct, TypeUsage::Buffer].into()
    }
    /// All uses of an atomic type that a device can support.
    pub fn all_atomic() -> Set<TypeUsage> {
        [TypeUsage::AtomicLoadStore, TypeUsage::AtomicAdd, TypeUsage::AtomicMinMax].into()
    }
}

/// The shape `m` x `n` x `k` of a matrix multiply-accumulate that the hardware computes in one instruction.
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

/// Features of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Features of planes.
    pub plane: Set<Plane>,
    /// Whether launches can group cubes into clusters.
    pub cube_cluster: bool,
    /// Whether `sync_storage` makes the writes of a cube visible to the cubes that call it afterwards, a name of
    /// CubeCL 0.11. No device reports this feature, because the barrier orders only the accesses of one cube.
    pub device_memory_scope: bool,
    /// Whether one kernel can use several line sizes.
    pub dynamic_line_size: bool,
    /// Features of the tensor memory accelerator. The kernel language does not have operations for the tensor memory
    /// accelerator yet.
    pub tma: Set<Tma>,
    /// Cooperative matrix shapes. The kernel language does not have matrix operations yet.
    pub cmma: BTreeSet<MmaConfig>,
    /// Shapes of matrix instructions whose operands are in registers. The kernel language does not have matrix
    /// operations yet.
    pub mma: BTreeSet<MmaConfig>,
    /// The target, whose capabilities programs query by name.
    pub target: Option<cube_artifact::Target>,
    /// Description of the chip. If the field is `None`, the device supports no element type.
    pub chip: Option<Arc<Description>>,
}

impl Features {
    /// Features of a target. An unknown chip has only the features that every chip has.
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

    /// Uses of an element type on this device.
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

    /// Uses of an atomic type on this device. Vectors and types that are not atomic have no use.
    pub fn atomic_type_usage(&self, ty: crate::ir::Type) -> Set<AtomicUsage> {
        let mut uses = Set::default();
        let Some(elem) = ty.atomic_scalar() else { return uses };
        let scalar = self.type_usage(StorageType::Atomic(elem));
        let flags = [
            (TypeUsage::AtomicLoadStore, AtomicUsage::LoadStore),
            (TypeUsage::AtomicLoadStore, AtomicUsage::Exchange),
            (TypeUsage::AtomicAdd, AtomicUsage::Add),
            (TypeUsage::AtomicMinMax, AtomicUsage::MinMax),
        ];
        flags.into_iter().filter(|(has, _)| scalar.contains(*has)).for_each(|(_, flag)| uses.insert(flag));
        if elem.is_int() && uses.contains(AtomicUsage::Exchange) {
            uses.insert(AtomicUsage::Bitwise);
            uses.insert(AtomicUsage::CompareExchange);
        }
        uses
    }

    /// Whether kernels can use an element type.
    pub fn supports_type(&self, ty: impl Into<StorageType>) -> bool {
        !self.type_usage(ty.into()).is_empty()
    }
}

/// The atomic uses of an element type. The kernel language has atomics of 32 and 64 bits. A compare-exchange
/// loop replaces missing atomic instructions.
fn atomic(elem: Elem, chip: &Description) -> Set<TypeUsage> {
    let has = |operation| {
        let native = chip.atomics_in(SpaceKind::Global, elem.element());
        native.contains(&operation) || native.contains(&AtomicOperation::CompareExchange)
    };
    let mut usage = Set::default();
    if !matches!(elem.bits(), 32 | 64) || elem == Elem::Bool {
        return usage;
    }
    let flags = [
        (AtomicOperation::Exchange, TypeUsage::AtomicLoadStore),
        (AtomicOperation::Add, TypeUsage::AtomicAdd),
        (AtomicOperation::MinMax, TypeUsage::AtomicMinMax),
    ];
    flags.into_iter().filter(|(operation, _)| has(*operation)).for_each(|(_, flag)| usage.insert(flag));
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
    fn fully_featured_chips_have_every_use() {
        for target in ["cpu", "nvptx:sm_90"] {
            let features = of(target);
            assert_eq!(features.plane, Plane::Ops | Plane::Sync);
            assert!(!features.device_memory_scope, "no backend writes a fence of the device for `sync_storage`");
            assert_eq!(features.type_usage(StorageType::Scalar(Elem::BF16.into())), TypeUsage::all_scalar());
            assert_eq!(features.type_usage(atomic(Elem::F32)), TypeUsage::all_atomic());
            assert!(features.type_usage(atomic(Elem::U8)).is_empty(), "the language does not have 8-bit atomics");
            let stored = features.type_usage(StorageType::Scalar(Elem::E4M3.into()));
            assert_eq!(stored, TypeUsage::Conversion | TypeUsage::Buffer);
        }
    }

    #[test]
    fn missing_features_are_absent() {
        let core = of("wgsl:core");
        assert!(
            core.plane.is_empty()
                && !core.supports_type(ElemType::from(Elem::F16))
                && !core.supports_type(ElemType::from(Elem::I64))
        );
        assert_eq!(core.type_usage(atomic(Elem::U32)), TypeUsage::all_atomic());
        assert_eq!(core.type_usage(atomic(Elem::F32)), TypeUsage::all_atomic());
        assert_eq!(of("wgsl:core-subgroups").plane, Set::from([Plane::Ops]));
        assert_eq!(of("amdgpu:gfx942").plane, Plane::Ops | Plane::Sync);
    }

    #[test]
    fn unknown_chips_have_the_common_features() {
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
