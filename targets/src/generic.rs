//! The generic target description. A module without the attribute `cube.target` has this description.
use crate::{AtomicOperation, Element, Limits, MathAccuracy, Planes, Space, SpaceKind, Support, Target};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// The plane widths that a chip can have. [`Target::check`] refuses a description with another width.
pub(crate) const PLANE_WIDTHS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// The widest address arithmetic that a chip can have, in bits.
pub(crate) const INDEX_BITS: u32 = 64;

/// Backend and chip in the name of the generic description.
pub(crate) const NAME: (&str, &str) = ("generic", "any");

impl Target {
    /// The largest number of units of a plane that a chip can have.
    pub const WIDEST_PLANE: u32 = PLANE_WIDTHS[PLANE_WIDTHS.len() - 1];

    /// The generic target description. A module without the attribute `cube.target` has this description. The
    /// description promises a feature only if every chip of the tables has the feature, and allows every plane width
    /// and index width that any chip can have. Code for the generic description is therefore correct on each chip.
    ///
    /// The generic description does not belong to a chip. Its costs are unknown, and no backend generates code for it.
    pub fn generic() -> Arc<Target> {
        static GENERIC: LazyLock<Arc<Target>> = LazyLock::new(|| {
            let backends = Target::backends().into_iter();
            let chips =
                backends.flat_map(|name| Target::chips(name).into_iter().filter_map(|c| Target::known(name, c)));
            let common = chips.reduce(|all, chip| common(&all, &chip)).expect("the tables have a chip");
            let (backend, chip) = (NAME.0.into(), NAME.1.into());
            let costs = BTreeMap::new();
            let (widths, mask_bits) = (PLANE_WIDTHS.to_vec(), Target::WIDEST_PLANE);
            // The default width affects only estimates of costs.
            let planes = Planes { widths, width: 32, mask_bits, ..common.planes };
            Arc::new(Target { backend, chip, planes, costs, ..common })
        });
        GENERIC.clone()
    }

    /// Whether this is [`Target::generic`].
    pub fn is_generic(&self) -> bool {
        (self.backend.as_str(), self.chip.as_str()) == NAME
    }
}

// The features that both chips have.
fn common(a: &Target, b: &Target) -> Target {
    let shared = |e: &Element| (*e, both(a.atomics_in(SpaceKind::Shared, *e), b.atomics_in(SpaceKind::Shared, *e)));
    let shared_atomics: BTreeMap<Element, Vec<AtomicOperation>> = Element::ALL.iter().map(shared).collect();
    // The pattern has no `..`, so a new field of `Target` is a compile-time error here.
    Target {
        version: a.version,
        backend: NAME.0.into(),
        chip: NAME.1.into(),
        planes: Planes {
            widths: a.planes.widths.clone(),
            width: a.planes.width,
            mask_bits: a.planes.mask_bits.max(b.planes.mask_bits),
            operations: both(&a.planes.operations, &b.planes.operations),
            emulated: a.planes.emulated && b.planes.emulated,
        },
        elements: matching(&a.elements, &b.elements, |a, b| weaker(*a, *b)),
        atomics: matching(&a.atomics, &b.atomics, |a, b| both(a, b)),
        spaces: matching(&a.spaces, &b.spaces, smaller),
        access_bits: a.access_bits.min(b.access_bits),
        coarsens: a.coarsens.filter(|own| b.coarsens == Some(*own)),
        launch_guards: a.launch_guards && b.launch_guards,
        index_bits: INDEX_BITS,
        barriers: a.barriers && b.barriers,
        limits: fewer(&a.limits, &b.limits),
        shared_atomics: Some(shared_atomics.into_iter().filter(|(_, operations)| !operations.is_empty()).collect()),
        listed_atomics_only: a.listed_atomics_only || b.listed_atomics_only,
        typed_memory: a.typed_memory || b.typed_memory,
        capabilities: vec![],
        language: None,
        math: matching(&a.math, &b.math, |a, b| matching(a, b, |a, b| less_accurate(*a, *b))),
        integers: matching(&a.integers, &b.integers, |a, b| both(a, b)),
        conversions: matching(&a.conversions, &b.conversions, |a, b| both(a, b)),
        costs: BTreeMap::new(),
        estimated_costs: vec![],
        latencies: BTreeMap::new(),
        estimated_latencies: vec![],
        resident_planes: None,
        registers: None,
        matrices: both(&a.matrices, &b.matrices),
        copies: both(&a.copies, &b.copies),
        machine: None,
    }
}

fn both<T: Copy + PartialEq>(a: &[T], b: &[T]) -> Vec<T> {
    a.iter().copied().filter(|one| b.contains(one)).collect()
}

fn matching<K: Ord + Copy, V>(a: &BTreeMap<K, V>, b: &BTreeMap<K, V>, join: impl Fn(&V, &V) -> V) -> BTreeMap<K, V> {
    a.iter().filter_map(|(key, own)| Some((*key, join(own, b.get(key)?)))).collect()
}

fn weaker(a: Support, b: Support) -> Support {
    match (a, b) {
        (Support::Storage, _) | (_, Support::Storage) => Support::Storage,
        (Support::Emulated, _) | (_, Support::Emulated) => Support::Emulated,
        (Support::Native, Support::Native) => Support::Native,
    }
}

fn less_accurate(a: MathAccuracy, b: MathAccuracy) -> MathAccuracy {
    use MathAccuracy::{Approximate, Exact, Normal, Ulp};
    match (a, b) {
        (Approximate, _) | (_, Approximate) => Approximate,
        (Normal(a), Normal(b) | Ulp(b)) | (Ulp(a), Normal(b)) => Normal(a.max(b)),
        (Normal(a), Exact) | (Exact, Normal(a)) => Normal(a),
        (Ulp(a), Ulp(b)) => Ulp(a.max(b)),
        (Ulp(a), Exact) | (Exact, Ulp(a)) => Ulp(a),
        (Exact, Exact) => Exact,
    }
}

fn smaller(a: &Space, b: &Space) -> Space {
    let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
    Space {
        llvm: 0,
        address_bits: a.address_bits.max(b.address_bits),
        bytes: least(a.bytes, b.bytes),
        static_bytes: least(a.static_bytes, b.static_bytes),
    }
}

fn fewer(a: &Limits, b: &Limits) -> Limits {
    let least = |a: [u32; 3], b: [u32; 3]| [0, 1, 2].map(|axis| a[axis].min(b[axis]));
    Limits {
        cube_dim: least(a.cube_dim, b.cube_dim),
        units_per_cube: a.units_per_cube.min(b.units_per_cube),
        cube_count: least(a.cube_count, b.cube_count),
        guaranteed: a.guaranteed || b.guaranteed,
    }
}
