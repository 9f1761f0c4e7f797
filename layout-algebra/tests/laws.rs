//! Tests of algebraic laws, of round trips through text, and of hostile input.

mod support;

use cube_algebra::{
    Coord, Layout, MAX_DEPTH, Nest, Swizzle, Tiler, blocked_product, coalesce, coalesce_by_mode, collision, complement,
    compose, crd2idx, filter, filter_zeros, flat_divide, idx2crd, left_inverse, logical_divide, logical_product,
    raked_product, right_inverse, slice, tiled_divide, zipped_divide,
};
use proptest::prelude::*;
use support::{config, layouts, table};

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn composition_is_associative_where_both_sides_exist(a in layouts(64), b in layouts(32), c in layouts(16)) {
        let left = compose(&a, &b).and_then(|ab| compose(&ab, &c));
        let right = compose(&b, &c).and_then(|bc| compose(&a, &bc));
        if let (Ok(left), Ok(right)) = (left, right) {
            prop_assert_eq!(table(&left), table(&right));
        }
    }

    #[test]
    fn the_identity_is_neutral(a in layouts(64)) {
        let identity = Layout::leaf(a.size(), 1).unwrap();
        prop_assert_eq!(table(&compose(&a, &identity).unwrap()), table(&a));
        let own = Layout::column_major(&a.shape()).unwrap();
        prop_assert_eq!(table(&compose(&a, &own).unwrap()), table(&a));
        let before = Layout::leaf(a.cosize(), 1).unwrap();
        prop_assert_eq!(table(&compose(&before, &a).unwrap()), table(&a));
    }

    #[test]
    fn index_and_coordinate_are_inverse(a in layouts(64), index in 0u64..64) {
        let index = index % a.size();
        let coord = idx2crd(index, &a.shape()).unwrap();
        prop_assert_eq!(crd2idx(&coord, &a).unwrap(), table(&a)[index as usize]);
        let own = Layout::column_major(&a.shape()).unwrap();
        prop_assert_eq!(crd2idx(&coord, &own).unwrap(), index);
        prop_assert!(idx2crd(a.size(), &a.shape()).is_err());
        prop_assert_eq!(coord.to_string().parse::<Coord>().unwrap(), coord);
    }

    #[test]
    fn slices_are_the_layout_with_some_digits_fixed(a in layouts(64), keep in any::<u64>(), index in 0u64..64) {
        let full = idx2crd(index % a.size(), &a.shape()).unwrap();
        let mut bit = 0;
        let coord = Coord(full.0.map(&mut |digit| {
            bit += 1;
            if keep >> bit & 1 == 1 { None } else { *digit }
        }));
        let sliced = slice(&coord, &a).unwrap();
        // The slice contains exactly the indices that agree with the fixed digits, in order.
        let agrees = |i: u64| {
            let digits = idx2crd(i, &a.shape()).unwrap();
            let mut same = true;
            let (mut fixed, mut own) = (Vec::new(), Vec::new());
            coord.0.each_leaf(&mut |d| fixed.push(*d));
            digits.0.each_leaf(&mut |d| own.push(*d));
            for (f, o) in fixed.iter().zip(own) {
                same &= f.is_none() || *f == o;
            }
            same
        };
        let expected: Vec<u64> = (0..a.size()).filter(|&i| agrees(i)).map(|i| table(&a)[i as usize]).collect();
        let got: Vec<u64> = table(&sliced.layout).into_iter().map(|offset| offset + sliced.offset).collect();
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn simplifications_keep_their_invariants(a in layouts(64)) {
        prop_assert_eq!(table(&coalesce_by_mode(&a).unwrap()), table(&a));
        prop_assert_eq!(coalesce(&coalesce(&a)), coalesce(&a));
        prop_assert_eq!(filter(&filter_zeros(&a)), filter(&a));
        let reached = |l: &Layout| table(l).into_iter().collect::<std::collections::BTreeSet<_>>();
        prop_assert_eq!(reached(&filter(&a)), reached(&a));
        prop_assert!(filter(&a).leaves().iter().all(|m| m.stride > 0 || m.extent == 1));
    }

    #[test]
    fn tiled_and_flat_forms_are_the_zipped_function(a in layouts(64), t0 in layouts(8), t1 in layouts(8)) {
        for tiler in [Tiler::Layout(t0.clone()), Tiler::ByMode(vec![t0.clone().into(), t1.clone().into()])] {
            let Ok(zipped) = zipped_divide(&a, &tiler) else { continue };
            for other in [tiled_divide(&a, &tiler), flat_divide(&a, &tiler)] {
                prop_assert_eq!(table(&other.unwrap()), table(&zipped));
            }
            let (mut zipped, mut logical) = (table(&zipped), table(&logical_divide(&a, &tiler).unwrap()));
            zipped.sort();
            logical.sort();
            prop_assert_eq!(zipped, logical);
        }
    }

    #[test]
    fn blocked_and_raked_products_reorder_the_logical_one(a in layouts(16), b in layouts(8)) {
        let Ok(logical) = logical_product(&a, &Tiler::Layout(b.clone())) else { return Ok(()) };
        let sorted = |l: &Layout| { let mut t = table(l); t.sort(); t };
        let (blocked, raked) = (blocked_product(&a, &b).unwrap(), raked_product(&a, &b).unwrap());
        prop_assert_eq!(sorted(&blocked), sorted(&logical));
        prop_assert_eq!(sorted(&raked), sorted(&logical));
        // In the blocked product, the modes of the block are first. In the raked product, the modes of the copies are
        // first.
        if a.depth() == 0 && b.depth() == 0 {
            prop_assert_eq!(&table(&blocked)[..a.size() as usize], &table(&a)[..]);
        }
    }

    #[test]
    fn printing_and_reading_are_inverse(a in layouts(64), bits in 0i64..5, base in 0i64..6, shift in -6i64..7) {
        prop_assert_eq!(&a.to_string().parse::<Layout>().unwrap(), &a);
        let spaced = a.to_string().replace(',', " , ").replace(':', " :\n");
        prop_assert_eq!(&spaced.parse::<Layout>().unwrap(), &a);
        if let Ok(swizzle) = Swizzle::new(bits, base, shift) {
            prop_assert_eq!(swizzle.to_string().parse::<Swizzle>().unwrap(), swizzle);
            prop_assert!((0..swizzle.period().min(4096)).all(|i| swizzle.apply(swizzle.apply(i)) == i));
        }
        let tiler = Tiler::ByMode(vec![Tiler::Layout(a), Tiler::Keep]);
        prop_assert_eq!(tiler.to_string().parse::<Tiler>().unwrap(), tiler);
    }

    #[test]
    fn parse_error_position_is_inside_the_text(text in "[()<>;:,_0-9 a-zS-]{0,24}") {
        if let Err(error) = text.parse::<Layout>() {
            prop_assert!(error.at.is_some_and(|at| at <= text.len()), "{:?}", error);
            prop_assert!(!error.message.ends_with('.') && !error.message.starts_with(char::is_uppercase));
        }
        let _ = (text.parse::<Coord>().is_err(), text.parse::<Tiler>().is_err(), text.parse::<Swizzle>().is_err());
    }

    /// For sizes and strides up to the limits, every operation returns a result or an error, and never
    /// panics.
    #[test]
    fn large_extents_and_strides_do_not_overflow(
        modes in prop::collection::vec((0u32..63, any::<u64>(), 0u32..64), 1..4),
        other in prop::collection::vec((0u32..40, any::<u64>(), 0u32..64), 1..4),
        cotarget in any::<u64>(),
    ) {
        let make = |modes: Vec<(u32, u64, u32)>| {
            let leaf = |(extent, bits, shift): (u32, u64, u32)| {
                Layout::leaf((bits >> (63 - extent)).max(1), bits.rotate_left(7).checked_shr(shift).unwrap_or(0))
            };
            modes.into_iter().map(leaf).collect::<Result<Vec<_>, _>>().and_then(Layout::tuple)
        };
        let (Ok(a), Ok(b)) = (make(modes), make(other)) else { return Ok(()) };
        let tiler = Tiler::Layout(b.clone());
        for layout in [
            compose(&a, &b), complement(&a, cotarget), left_inverse(&a), logical_divide(&a, &tiler),
            logical_product(&a, &tiler), raked_product(&a, &b), Ok(right_inverse(&a)), Ok(coalesce(&a)),
        ].into_iter().flatten() {
            prop_assert!(layout.offset(layout.size() - 1).is_some());
        }
        let _ = collision(&a);
    }
}

fn message(text: &str) -> String {
    text.parse::<Layout>().unwrap_err().to_string()
}

#[test]
fn every_layout_syntax_error_has_a_message_and_position() {
    assert_eq!(message(""), "expected a number or `(`, found the end of the text (at byte 0)");
    assert_eq!(message("(4,x):1"), "expected a number or `(`, found `x` (at byte 3)");
    assert_eq!(message("(4,8"), "expected `)` or `,` in a tuple, found the end of the text (at byte 4)");
    assert_eq!(message("(4,8)"), "expected `:` between shape and stride, found the end of the text (at byte 5)");
    assert_eq!(message("4:1 2"), "expected the end of the text, found `2` (at byte 4)");
    assert_eq!(message("4:-1"), "a negative number; extents, strides and coordinates start at 0 (at byte 2)");
    assert_eq!(message("99999999999999999999:1"), "a number that does not fit 64 bits (at byte 0)");
    assert_eq!(message("():()"), "an empty tuple; write at least one value (at byte 1)");
    assert_eq!(message("(4,2):(1,(2,3))"), "shape 2 and stride (2,3) are not nested alike (at byte 0)");
    assert_eq!(message(" 0:1"), "an extent of 0; extents start at 1 (at byte 1)");
    let big = "(4294967296,4294967296):(1,1)";
    assert_eq!(message(big), "the size of the layout exceeds 2^63-1 (at byte 0)");
    assert_eq!(message("3:9223372036854775807"), "an offset of the layout exceeds 2^63-2 (at byte 0)");
    let swizzle = "S<1,2".parse::<Swizzle>().unwrap_err().to_string();
    assert_eq!(swizzle, "expected `,` between the numbers of a swizzle, found the end of the text (at byte 5)");
    let tiler = "<4;".parse::<Tiler>().unwrap_err().to_string();
    assert_eq!(tiler, "expected a number or `(`, found the end of the text (at byte 3)");
}

#[test]
fn nesting_is_limited_and_never_overflows_the_stack() {
    let nested = |depth: usize| format!("{0}4{1}:{0}1{1}", "(".repeat(depth), ")".repeat(depth));
    let deepest: Layout = nested(MAX_DEPTH).parse().unwrap();
    assert_eq!(deepest.depth(), MAX_DEPTH);
    assert_eq!(compose(&deepest, &deepest).unwrap(), deepest);
    for depth in [MAX_DEPTH + 1, 100_000] {
        let error = nested(depth).parse::<Layout>().unwrap_err();
        assert_eq!(error.to_string(), "nesting deeper than 256 levels (at byte 256)");
    }
    // Operations whose result would be nested too deeply return an error.
    let error = logical_divide(&deepest, &Tiler::Layout(deepest.clone())).unwrap_err();
    assert_eq!(error.to_string(), "nesting is deeper than 256 levels; flatten the layout");
    let split = compose(&"(2,2):(2,1)".parse().unwrap(), &deepest).unwrap_err();
    assert_eq!(split.to_string(), "nesting is deeper than 256 levels; flatten the layout");
    let mut nest = Nest::Leaf(4u64);
    for _ in 0..MAX_DEPTH + 1 {
        nest = Nest::Tuple(vec![nest]);
    }
    assert!(Layout::column_major(&nest).unwrap_err().message.contains("deeper than 256"));
    let tiler = format!("{}4{}", "<".repeat(300), ">".repeat(300)).parse::<Tiler>().unwrap_err();
    assert_eq!(tiler.to_string(), "a tiler nested deeper than 256 levels (at byte 256)");
}

#[test]
fn coordinates_are_checked_against_the_shape() {
    let layout: Layout = "(4,(2,8)):(1,(4,32))".parse().unwrap();
    let at = |text: &str| crd2idx(&text.parse().unwrap(), &layout);
    assert_eq!(at("(1,(1,2))").unwrap(), 69);
    assert_eq!(at("(1,5)").unwrap(), 69);
    assert_eq!(at("21").unwrap(), 69);
    assert_eq!(at("(4,0)").unwrap_err().message, "coordinate 4 at 0 is outside the extent 4; coordinates start at 0");
    assert_eq!(at("(1,2,3)").unwrap_err().message, "a coordinate of rank 3 for a mode of rank 2");
    assert_eq!(at("((1,2),3)").unwrap_err().message, "a coordinate of rank 2 at 0 for a mode of rank 1");
    assert!(at("(_,3)").unwrap_err().message.contains("slice the layout instead"));
    assert!(layout.mode(2).unwrap_err().message.contains("which has rank 2"));
    assert!(layout.table(63).unwrap_err().message.contains("more than the 63 allowed"));
    assert_eq!(idx2crd(64, &layout.shape()).unwrap_err().message, "index 64 is outside the shape (4,(2,8))");
}
