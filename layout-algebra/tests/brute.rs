//! Compares the algebra with brute force over random nested layouts. Each returned layout must be correct, and for
//! each refusal no correct layout may exist.

mod support;

use cube_algebra::access::{Axis, Bound, bounds, global_access, tile_coordinates, vector_width};
use cube_algebra::{
    Composed, ErrorKind, Layout, Point, Swizzle, Tiler, coalesce, collision, complement, compose, injective,
    layout_of_table, left_inverse, logical_divide, logical_product, right_inverse, tiling_complement, zipped_divide,
};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;
use support::{compatible, config, layouts, representable, table};

/// Checks a property and counts the cases of each kind, so that a test without cases cannot pass.
fn forall<S: Strategy>(cases: u32, strategy: S, mut property: impl FnMut(S::Value) -> Result<(), TestCaseError>)
where
    S::Value: std::fmt::Debug,
{
    let mut runner = proptest::test_runner::TestRunner::new(config(cases));
    let property = std::cell::RefCell::new(&mut property);
    if let Err(error) = runner.run(&strategy, |value| (property.borrow_mut())(value)) {
        panic!("{error}");
    }
}

#[test]
fn compose_succeeds_if_and_only_if_a_layout_exists() {
    let (accepted, refused) = (Cell::new(0), Cell::new(0));
    forall(6000, (layouts(64), layouts(48)), |(outer, inner)| {
        let (a, b) = (table(&outer), table(&inner));
        let inside = b.iter().all(|&index| index < outer.size());
        let offsets: Vec<u64> = b.iter().filter_map(|&index| a.get(index as usize).copied()).collect();
        match compose(&outer, &inner) {
            Ok(result) => {
                accepted.set(accepted.get() + 1);
                prop_assert!(inside);
                prop_assert_eq!(table(&result), offsets);
                prop_assert!(compatible(&inner.shape(), &result.shape()));
            }
            Err(error) => {
                refused.set(refused.get() + 1);
                prop_assert_eq!(error.kind, ErrorKind::Refused);
                prop_assert!(!inside || !representable(&inner, &offsets), "{} o {} has a layout", outer, inner);
                let witness = error.witness.unwrap();
                let Some(Point::Value { index, expected, candidate }) = witness.point else {
                    return Err(TestCaseError::fail("no point"));
                };
                let truth = b.get(index as usize).map(|&i| a.get(i as usize).copied());
                prop_assert_eq!(Some(expected), truth);
                prop_assert!(expected.is_none() || candidate != expected);
                if let Some(nearest) = witness.candidate {
                    prop_assert_eq!(nearest.offset(index), candidate);
                    prop_assert!(compatible(&inner.shape(), &nearest.shape()));
                }
                if let Some(tile) = witness.tile {
                    prop_assert!(compose(&outer, &tile).is_ok());
                    prop_assert!(tile.size() < inner.size());
                }
            }
        }
        Ok(())
    });
    assert!(accepted.get() > 500 && refused.get() > 500, "{accepted:?} accepted, {refused:?} refused");
}

#[test]
fn injectivity_matches_the_table() {
    forall(3000, layouts(400), |layout| {
        let table = table(&layout);
        let distinct = table.iter().collect::<BTreeSet<_>>().len() == table.len();
        prop_assert_eq!(injective(&layout).unwrap(), distinct);
        if let Some(Point::Collision { index, other, offset }) = collision(&layout).unwrap() {
            prop_assert_ne!(index, other);
            prop_assert_eq!((table[index as usize], table[other as usize]), (offset, offset));
        }
        Ok(())
    });
}

#[test]
fn complements_are_ordered_and_disjoint_and_tilings_are_complete() {
    let tilings = Cell::new(0);
    forall(3000, (layouts(64), 1u64..200), |(layout, cotarget)| {
        let once: BTreeSet<u64> = table(&layout).into_iter().collect();
        let Ok(found) = complement(&layout, cotarget) else {
            prop_assert!(tiling_complement(&layout, cotarget).is_err());
            return Ok(());
        };
        let places = table(&found);
        prop_assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "not ascending: {}", found);
        let mut reached = BTreeSet::new();
        for offset in &once {
            for place in &places {
                prop_assert!(reached.insert(offset + place), "{} and {} meet", layout, found);
            }
        }
        let full = (0..cotarget).all(|offset| reached.contains(&offset));
        match tiling_complement(&layout, cotarget) {
            Ok(tiling) => {
                tilings.set(tilings.get() + 1);
                prop_assert!(full);
                prop_assert_eq!(tiling, found);
            }
            Err(error) => {
                let Some(Point::Unreached { offset }) = error.witness.unwrap().point else {
                    return Err(TestCaseError::fail("no offset"));
                };
                prop_assert!(offset < cotarget && !reached.contains(&offset));
            }
        }
        Ok(())
    });
    assert!(tilings.get() > 300, "{tilings:?} tilings");
}

#[test]
fn inverses_undo_the_layout() {
    let inverted = Cell::new(0);
    forall(3000, layouts(200), |layout| {
        let right = right_inverse(&layout);
        for (index, at) in table(&right).into_iter().enumerate() {
            prop_assert_eq!(layout.offset(at), Some(index as u64));
        }
        match left_inverse(&layout) {
            Ok(left) => {
                inverted.set(inverted.get() + 1);
                for (index, offset) in table(&layout).into_iter().enumerate() {
                    prop_assert_eq!(left.offset(offset), Some(index as u64));
                }
            }
            Err(error) => match error.witness.unwrap().point {
                Some(Point::Collision { index, other, .. }) => {
                    prop_assert!(index != other && layout.offset(index) == layout.offset(other));
                }
                Some(Point::Value { index, expected: Some(expected), .. }) => {
                    prop_assert!(injective(&layout).unwrap());
                    prop_assert_eq!(layout.offset(expected), Some(index));
                }
                other => return Err(TestCaseError::fail(format!("{other:?}"))),
            },
        }
        Ok(())
    });
    assert!(inverted.get() > 300, "{inverted:?} inverted");
}

#[test]
fn divisions_visit_each_element_of_a_compact_layout_once() {
    let divided = Cell::new(0);
    forall(3000, (layouts(64), layouts(16)), |(layout, tile)| {
        let tiler = Tiler::Layout(tile.clone());
        let Ok(logical) = logical_divide(&layout, &tiler) else { return Ok(()) };
        divided.set(divided.get() + 1);
        prop_assert_eq!(&zipped_divide(&layout, &tiler).unwrap(), &logical);
        prop_assert_eq!(table(&logical.mode(0).unwrap()), table(&compose(&layout, &tile).unwrap()));
        // If the tiler is injective, every element occurs once. A repetition in the tiler repeats offsets.
        if injective(&tile).unwrap() {
            let (mut before, mut after) = (table(&layout), table(&logical));
            before.sort();
            after.sort();
            prop_assert_eq!(before, after);
        }
        Ok(())
    });
    assert!(divided.get() > 100, "{divided:?} divided");
}

#[test]
fn products_repeat_the_block_at_disjoint_offsets() {
    let made = Cell::new(0);
    forall(3000, (layouts(24), layouts(12)), |(block, copies)| {
        let Ok(product) = logical_product(&block, &Tiler::Layout(copies.clone())) else { return Ok(()) };
        made.set(made.get() + 1);
        let (block, places) = (table(&product.mode(0).unwrap()), table(&product.mode(1).unwrap()));
        let once: BTreeSet<u64> = block.into_iter().collect();
        let spots: BTreeSet<u64> = places.into_iter().collect();
        let sums: BTreeSet<u64> = once.iter().flat_map(|a| spots.iter().map(move |b| a + b)).collect();
        prop_assert_eq!(sums.len(), once.len() * spots.len());
        prop_assert_eq!(spots.len(), table(&copies).into_iter().collect::<BTreeSet<_>>().len());
        Ok(())
    });
    assert!(made.get() > 100, "{made:?} products");
}

#[test]
fn coalescing_keeps_the_function_and_no_shorter_layout_has_it() {
    forall(2000, layouts(64), |layout| {
        let short = coalesce(&layout);
        let table = table(&layout);
        prop_assert_eq!(&support::table(&short), &table);
        let all = support::factorisations(layout.size());
        let fewest = all.into_iter().filter(|extents| is_layout_of(extents, &table)).map(|extents| extents.len()).min();
        prop_assert_eq!(Some(if short.size() == 1 { 0 } else { short.leaves().len() }), fewest);
        Ok(())
    });
}

/// Whether a layout with exactly the given extents has the offsets of `table`. The table determines the
/// strides.
fn is_layout_of(extents: &[u64], table: &[u64]) -> bool {
    let mut weight = 1usize;
    let modes = extents.iter().map(|&extent| {
        let stride = table[weight];
        weight *= extent as usize;
        Layout::leaf(extent, stride).unwrap()
    });
    let layout = Layout::tuple(modes.chain([Layout::unit()]).collect()).unwrap();
    support::table(&layout) == table
}

#[test]
fn swizzled_layouts_are_plain_exactly_when_some_layout_is_one() {
    let plain = Cell::new(0);
    let swizzles = (0i64..4, 0i64..4, -4i64..5);
    forall(3000, (layouts(32), swizzles), |(layout, (bits, base, shift))| {
        let Ok(swizzle) = Swizzle::new(bits, base, shift) else { return Ok(()) };
        let composed = Composed::new(swizzle, 0, layout.clone()).unwrap();
        let values: Vec<u64> = table(&layout).into_iter().map(|offset| swizzle.apply(offset)).collect();
        prop_assert_eq!(&composed.table(64).unwrap(), &values);
        let any = Layout::leaf(layout.size(), 1).unwrap();
        let found = composed.plain(64).unwrap();
        plain.set(plain.get() + usize::from(found.is_some()));
        prop_assert_eq!(found.is_some(), representable(&any, &values));
        prop_assert!(found.is_none_or(|found| table(&found) == values));
        prop_assert_eq!(layout_of_table(&table(&layout)), Some(coalesce(&layout)));
        Ok(())
    });
    assert!(plain.get() > 300 && plain.get() < 2900, "{plain:?} plain");
}

#[test]
fn proved_widths_are_the_widths_that_counting_finds() {
    let wide = Cell::new(0);
    // Strides that are multiples of 8 and runs of stride 1 in front, so that wide accesses are common.
    let values = (1u64..=12, layouts(4)).prop_map(|(run, rest)| {
        let stretched = rest.stride().map(&mut |stride| stride * 8);
        let rest = Layout::new(&rest.shape(), &stretched).unwrap();
        Layout::tuple(vec![Layout::leaf(run, 1).unwrap(), rest]).unwrap()
    });
    let threads = (layouts(16), prop::sample::select(vec![1u64, 2, 4, 8, 16]));
    forall(3000, (threads, values), |((threads, scale), values)| {
        let strides = threads.stride().map(&mut |stride| stride * scale);
        let threads = Layout::new(&threads.shape(), &strides).unwrap();
        let tv = Layout::tuple(vec![threads, values]).unwrap();
        let memory = Composed::new(Swizzle::identity(), 0, tv.clone()).unwrap();
        let proved = vector_width(&memory, 2, 16).unwrap();
        let flat = Layout::leaf(tv.cosize(), 1).unwrap();
        prop_assert_eq!(proved.elements, global_access(&flat, &tv, 2).unwrap().vector, "{}", tv);
        wide.set(wide.get() + usize::from(proved.elements > 1));
        // Every access of the proven width has the proven alignment.
        let table = table(&tv);
        let threads = tv.mode(0).unwrap().size() as usize;
        for (pair, offset) in table.iter().enumerate() {
            let first = ((pair / threads) as u64).is_multiple_of(proved.elements);
            prop_assert!(!first || (offset * 2) % proved.alignment == 0, "{} {:?}", tv, proved);
        }
        Ok(())
    });
    assert!(wide.get() > 300, "{wide:?} wide");
}

#[test]
fn bounds_match_enumeration_of_every_access() {
    let partial = Cell::new(0);
    let ranges = (0u64..8, 1u64..9, 0u64..4, 1u64..5);
    forall(
        2000,
        (any::<bool>(), ranges, (0u64..20, 1u64..40), (0u64..20, 1u64..40)),
        |(swap, (t, nt, v, nv), m, n)| {
            let (threads, values) = if swap { ("(2,4):(4,1)", "(2,2):(2,1)") } else { ("(4,2):(1,4)", "(1,4):(4,1)") };
            let made = cube_algebra::make_layout_tv(&threads.parse().unwrap(), &values.parse().unwrap()).unwrap();
            let (t, v) = (t..(t + nt).min(8), v..(v + nv).min(4));
            let axes: Vec<Axis> = tile_coordinates(&made.tile, &made.layout)
                .unwrap()
                .into_iter()
                .zip([m, n])
                .map(|(coordinate, (origin, extent))| Axis { coordinate, origin, extent })
                .collect();
            let found = bounds(&axes, t.clone(), v.clone()).unwrap();
            let table = table(&made.layout);
            for (k, bound) in found.into_iter().enumerate() {
                let weight: u64 = made.tile[..k].iter().product();
                let pairs = v.clone().flat_map(|v| t.clone().map(move |t| (t + 8 * v) as usize));
                let coordinates = pairs.map(|pair| table[pair] / weight % made.tile[k]);
                let largest = coordinates.max().unwrap() + axes[k].origin;
                match bound {
                    Bound::Inside => prop_assert!(largest < axes[k].extent),
                    Bound::Partial { largest: reached, whole_below } => {
                        partial.set(partial.get() + 1);
                        prop_assert!(largest >= axes[k].extent && reached == largest);
                        let reach = largest - axes[k].origin;
                        prop_assert_eq!(whole_below, axes[k].extent.saturating_sub(reach));
                    }
                }
            }
            Ok(())
        },
    );
    assert!(partial.get() > 300, "{partial:?} partial");
}
