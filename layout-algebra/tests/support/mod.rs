//! Random layouts, and brute-force results that the tests compare with results of the algebra.
#![allow(dead_code)]

use cube_algebra::{Layout, Mode, Nest};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A random generator with the same seed on every run, unless `CUBE_SEED` contains another seed. A failing
/// test prints the seed.
pub fn config(cases: u32) -> ProptestConfig {
    let seed = std::env::var("CUBE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x00c0_ffee);
    println!("seed: CUBE_SEED={seed}");
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(seed), failure_persistence: None, ..ProptestConfig::default() }
}

/// Random nested layouts of up to `most` indices. Some of the layouts are compact; other layouts have gaps,
/// repetitions or overlaps.
pub fn layouts(most: u64) -> impl Strategy<Value = Layout> {
    let leaf = (1u64..=6, 0usize..14).prop_map(|(extent, stride)| {
        let strides = [0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 12, 24, 59];
        Nest::Leaf(Mode { extent, stride: strides[stride] })
    });
    let nest = leaf.prop_recursive(3, 8, 4, |inner| prop::collection::vec(inner, 1..4).prop_map(Nest::Tuple));
    let free = nest.prop_map(|nest| build(&nest));
    prop_oneof![free.clone(), (free, any::<u64>()).prop_map(|(layout, seed)| compacted(&layout, seed))]
        .prop_filter("small enough to list", move |layout| layout.size() <= most)
}

fn build(nest: &Nest<Mode>) -> Layout {
    match nest {
        Nest::Leaf(mode) => Layout::leaf(mode.extent, mode.stride).unwrap(),
        Nest::Tuple(items) => Layout::tuple(items.iter().map(build).collect()).unwrap(),
    }
}

/// A compact layout with the shape of `layout`. `seed` selects the order of the leaves.
fn compacted(layout: &Layout, seed: u64) -> Layout {
    let leaves = layout.leaves();
    let mut order: Vec<usize> = (0..leaves.len()).collect();
    let mut state = seed;
    for k in (1..order.len()).rev() {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        order.swap(k, (state >> 33) as usize % (k + 1));
    }
    let (mut strides, mut filled) = (vec![0; leaves.len()], 1);
    for k in order {
        strides[k] = filled;
        filled *= leaves[k].extent;
    }
    let mut next = strides.into_iter();
    Layout::new(&layout.shape(), &layout.shape().map(&mut |_| next.next().unwrap())).unwrap()
}

/// The offsets of all indices, computed by the definition of a layout. As the index increases, the coordinate
/// of the leftmost leaf changes fastest.
pub fn table(layout: &Layout) -> Vec<u64> {
    (0..layout.size())
        .map(|index| {
            let mut rest = index;
            let digits = layout.leaves().into_iter().map(|mode| {
                let digit = rest % mode.extent;
                rest /= mode.extent;
                digit * mode.stride
            });
            digits.sum()
        })
        .collect()
}

/// All ordered factorisations of `n` into factors of at least 2; one empty list for 1.
pub fn factorisations(n: u64) -> Vec<Vec<u64>> {
    if n == 1 {
        return vec![Vec::new()];
    }
    let divisors = (2..=n).filter(|d| n.is_multiple_of(*d));
    divisors
        .flat_map(|d| {
            factorisations(n / d).into_iter().map(move |mut rest| {
                rest.insert(0, d);
                rest
            })
        })
        .collect()
}

/// Whether some layout compatible with the shape of `inner` has these `offsets`. The function tries every
/// split of every leaf.
pub fn representable(inner: &Layout, offsets: &[u64]) -> bool {
    let choices: Vec<Vec<Vec<u64>>> = inner.leaves().iter().map(|leaf| factorisations(leaf.extent)).collect();
    let mut pick = vec![0; choices.len()];
    loop {
        let extents: Vec<u64> = pick.iter().zip(&choices).flat_map(|(&p, c)| c[p].iter().copied()).collect();
        if has_strides(&extents, offsets) {
            return true;
        }
        let Some(k) = (0..pick.len()).find(|&k| pick[k] + 1 < choices[k].len()) else { return false };
        pick[k] += 1;
        pick[..k].fill(0);
    }
}

fn has_strides(extents: &[u64], offsets: &[u64]) -> bool {
    let mut weight = 1;
    let modes: Vec<(u64, u64)> = extents
        .iter()
        .map(|&extent| {
            // A mode's stride can only be the value at its first step.
            let stride = offsets[weight as usize];
            weight *= extent;
            (extent, stride)
        })
        .collect();
    offsets[0] == 0
        && offsets.iter().enumerate().all(|(index, &value)| {
            let mut rest = index as u64;
            let digits = modes.iter().map(|(extent, stride)| {
                let digit = rest % extent;
                rest /= extent;
                digit * stride
            });
            digits.sum::<u64>() == value
        })
}

/// Whether each leaf of `coarse` corresponds to a mode of `fine` with the same size.
pub fn compatible(coarse: &Nest<u64>, fine: &Nest<u64>) -> bool {
    fn product(nest: &Nest<u64>) -> u64 {
        let mut product = 1;
        nest.each_leaf(&mut |n| product *= n);
        product
    }
    match (coarse, fine) {
        (Nest::Leaf(n), fine) => *n == product(fine),
        (Nest::Tuple(a), Nest::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| compatible(a, b)),
        (Nest::Tuple(_), Nest::Leaf(_)) => false,
    }
}
