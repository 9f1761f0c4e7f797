//! Tests of affine forms: each operation, and sums that exceed 32 bits.
use super::{inspect, value};
use crate::analysis::affine::Affine;

/// Returns the factor of `%p` and the constant in the form of `%r`. The third result is whether the form is exactly
/// `%p`, and the fourth is the number of divisors that must not be 0.
fn of(ops: &str) -> Option<(u64, u64, bool, usize)> {
    let mut found = None;
    let text = format!("cube.kernel @k(%n: i32, %w: i32) {{\n%p = cube.topology absolute_pos\n{ops}\ncube.return\n}}");
    inspect(&text, |k| {
        let p = value(k, "p");
        found = Affine::of(value(k, "r")).map(|f| (f.factor(p), f.constant(), f.is_value(p), f.nonzero().len()));
    });
    found
}

#[test]
fn sums_products_and_shifts_are_added_up() {
    let ops = "%two = arith.constant 2 : i32\n%three = arith.constant 3 : i32\n";
    let form = of(&format!(
        "{ops}%s = cube.shl %p, %two : i32\n%a = arith.addi %s, %three : i32\n%r = arith.subi %a, %p : i32"
    ));
    assert_eq!(form, Some((3, 3, false, 0)));
    let form = of(&format!("{ops}%a = arith.addi %p, %three : i32\n%r = arith.muli %a, %a : i32"));
    assert_eq!(form, Some((6, 9, false, 0)));
    let form = of("%a = arith.addi %n, %p : i32\n%r = arith.subi %a, %n : i32");
    assert_eq!(form, Some((1, 0, true, 0)));
    let form = of("%r = arith.addi %n, %p : i32");
    assert_eq!(form, Some((1, 0, false, 0)));
}

#[test]
fn forms_wrap_at_the_ends_of_32_bits() {
    let half = "%h = arith.constant -2147483648 : i32\n%m = arith.constant -1 : i32\n";
    // Modulo 2^32, the sums 2^31 + 2^31 and (2^32 - 1) + 1 are 0.
    assert_eq!(of(&format!("{half}%a = arith.addi %p, %h : i32\n%r = arith.addi %a, %h : i32")), Some((1, 0, true, 0)));
    let one = "%one = arith.constant 1 : i32\n";
    let ops = format!("{half}{one}%a = arith.addi %p, %m : i32\n%r = arith.addi %a, %one : i32");
    assert_eq!(of(&ops), Some((1, 0, true, 0)));
    assert_eq!(of(&format!("{half}%r = arith.muli %p, %m : i32")), Some((u32::MAX.into(), 0, false, 0)));
    // A shift by 33 equals a shift by 1.
    assert_eq!(of("%c = arith.constant 33 : i32\n%r = cube.shl %p, %c : i32"), Some((2, 0, false, 0)));
    // The sum of 2^31 p and 2^31 p does not contain p.
    assert_eq!(
        of(&format!("{half}%a = arith.muli %p, %h : i32\n%r = arith.addi %a, %a : i32")),
        Some((0, 0, false, 0))
    );
}

#[test]
fn row_and_column_recombine_to_the_position_for_nonzero_width() {
    let ops = "%q = cube.divui %p, %w : i32\n%c = cube.remui %p, %w : i32\n%m = arith.muli %q, %w : i32\n";
    assert_eq!(of(&format!("{ops}%r = arith.addi %m, %c : i32")), Some((1, 0, true, 1)));
    // If the two divisors differ, the form is not `%p`.
    let ops = "%q = cube.divui %p, %n : i32\n%c = cube.remui %p, %w : i32\n%m = arith.muli %q, %w : i32\n";
    assert_eq!(of(&format!("{ops}%r = arith.addi %m, %c : i32")).map(|form| form.2), Some(false));
}

#[test]
fn other_operations_and_types_are_not_looked_into() {
    assert_eq!(of("%r = arith.xori %p, %p : i32").map(|form| form.2), Some(false));
    assert_eq!(of("%r = arith.divui %p, %n : i32").map(|form| form.2), Some(false));
    assert_eq!(of("%r = arith.divsi %p, %n : i32").map(|form| form.2), Some(false));
    assert_eq!(of("%r = arith.extui %p : i32 to i64"), Some((0, 0, false, 0)));
    assert_eq!(of("%r = arith.uitofp %p : i32 to f32"), None);
}

#[test]
fn exponentially_large_affine_form_is_abandoned() {
    let mut ops = String::from("%a0 = arith.addi %p, %n : i32\n");
    for step in 0..20 {
        ops += &format!("%a{} = arith.muli %a{step}, %a{step} : i32\n", step + 1);
    }
    assert_eq!(of(&format!("{ops}%r = arith.addi %a20, %p : i32")), None);
}

#[test]
fn affine_form_survives_truncation_and_not_extension() {
    let ops = "%p64 = arith.extui %p : i32 to i64\n%w64 = arith.extui %w : i32 to i64\n";
    let ops = format!("{ops}%q = cube.divui %p64, %w64 : i64\n%c = cube.remui %p64, %w64 : i64\n");
    let ops = format!("{ops}%m = arith.muli %q, %w64 : i64\n%s = arith.addi %m, %c : i64\n");
    assert_eq!(of(&format!("{ops}%r = arith.trunci %s : i64 to i32")), Some((1, 0, true, 1)));
    // The extended 32-bit sum of %p and %n is not the 64-bit sum of the extended values.
    let ops = "%a = arith.addi %p, %n : i32\n%a64 = arith.extui %a : i32 to i64\n%n64 = arith.extui %n : i32 to i64\n";
    let ops = format!("{ops}%r = arith.subi %a64, %n64 : i64");
    assert_eq!(of(&ops), Some((0, 0, false, 0)));
    // Modulo 2^32 both sums are equal.
    let ops = ops.replace("%r =", "%d =") + "\n%r = arith.trunci %d : i64 to i32";
    assert_eq!(of(&ops), Some((1, 0, true, 0)));
}

#[test]
fn shifts_and_masks_are_quotients_and_remainders() {
    let ops = "%five = arith.constant 5 : i32\n%mask = arith.constant 31 : i32\n%few = arith.constant 15 : i32\n";
    let ops = format!("{ops}%q = cube.shrui %p, %five : i32\n%m = cube.shl %q, %five : i32\n");
    assert_eq!(
        of(&format!("{ops}%c = arith.andi %p, %mask : i32\n%r = arith.ori %m, %c : i32")),
        Some((1, 0, true, 0))
    );
    assert_eq!(
        of(&format!("{ops}%c = arith.andi %p, %few : i32\n%r = arith.ori %m, %c : i32")).map(|f| f.2),
        Some(false)
    );
    // If a bit can be set in both operands, `or` differs from the sum.
    assert_eq!(of(&format!("{ops}%r = arith.ori %m, %p : i32")), Some((0, 0, false, 0)));
}

#[test]
fn zero_divisor_has_a_separate_affine_form() {
    let ops = "%q = cube.divui %p, %w : i32\n%c = cube.remui %p, %w : i32\n%m = arith.muli %q, %w : i32\n";
    let text = format!(
        "cube.kernel @k(%n: i32, %v: i32) {{\n%p = cube.topology absolute_pos\n%w = arith.addi %n, %v : i32\n{ops}\
         %r = arith.addi %m, %c : i32\n%s = arith.addi %q, %c : i32\ncube.return\n}}"
    );
    inspect(&text, |k| {
        let form = |name: &str| Affine::where_zero(value(k, name), value(k, "w")).expect("a form");
        assert_eq!((form("r").number(), form("r").nonzero().len()), (Some(0), 0));
        // x / 0 is x, and x % 0 is 0.
        assert_eq!(form("s").single(), Some(value(k, "p")));
    });
}

#[test]
fn quotient_by_a_constant_is_not_read_as_its_dividend() {
    let ops = "%two = arith.constant 2 : i32\n%three = arith.constant 3 : i32\n%h = cube.divui %p, %two : i32\n\
               %t = cube.divui %p, %three : i32\n%s = cube.shrui %p, %two : i32\n%a = arith.muli %h, %n : i32\n\
               %d = cube.divui %n, %w : i32\n%m = arith.muli %p, %n : i32";
    let topology = "%p = cube.topology absolute_pos\n%n = cube.topology cube_pos_x\n%w = cube.topology cube_count_x\n";
    inspect(&format!("cube.kernel @k() {{\n{topology}{ops}\ncube.return\n}}"), |k| {
        let (p, n, w) = (value(k, "p"), value(k, "n"), value(k, "w"));
        let product = |name: &str| match &Affine::of(value(k, name)).expect("a form").products()[..] {
            [one] => one.clone(),
            other => panic!("%{name} has the products {other:?}"),
        };
        assert_eq!(product("p").values(), Some(vec![p]));
        assert_eq!(product("m").values().map(|values| (values.len(), values.contains(&p))), Some((2, true)));
        for name in ["h", "t", "s", "a", "d"] {
            assert_eq!(product(name).values(), None, "%{name}");
        }
        // Quotients by different constants are different products.
        for (name, other) in [("h", "p"), ("h", "t"), ("h", "s"), ("h", "a")] {
            assert_ne!(product(name), product(other), "%{name} and %{other}");
        }
        let inputs = |name: &str| [p, n, w].map(|input| product(name).depends_on(|v| v == input));
        assert_eq!(inputs("h"), [true, false, false]);
        assert_eq!(inputs("a"), [true, true, false]);
        assert_eq!(inputs("d"), [false, true, true]);
        assert_eq!(inputs("m"), [true, true, false]);
    });
}
