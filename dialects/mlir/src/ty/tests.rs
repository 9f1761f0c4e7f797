use super::*;
use crate::Session;

// The parser is the reference for attributes that functions build from values.
#[test]
fn built_attributes_equal_their_parsed_text() {
    let session = Session::new();
    session.context().load_all_available_dialects();
    let cx = Cx::new(session.context());
    let parsed = |text: &str| cx.parse_attr(text);
    let ints = |bits: u32, numbers: &[i64]| {
        let all: Vec<Attribute<'_>> = numbers.iter().map(|n| cx.int_attr(cx.int(bits), *n)).collect();
        cx.elements_attr(cx.vector(3, cx.int(bits)), &all)
    };
    assert_eq!(ints(8, &[-1, 200, 7]), parsed("dense<[-1, -56, 7]> : vector<3xi8>"));
    assert_eq!(ints(1, &[1, 0, 1]), parsed("dense<[true, false, true]> : vector<3xi1>"));
    assert_eq!(ints(64, &[5]), parsed("dense<5> : vector<3xi64>"));
    assert_eq!(ints(32, &[4, 4, 4]), parsed("dense<4> : vector<3xi32>"));
    let half = cx.parse_type("f16").unwrap();
    let halves = [0.1, -0.0, 70000.0].map(|n| cx.float_attr(half, n));
    assert_eq!(cx.elements_attr(cx.vector(3, half), &halves), parsed("dense<[0.1, -0.0, 0x7C00]> : vector<3xf16>"));
    // Counts and types that do not agree, and a type without elements.
    assert_eq!(ints(32, &[1, 2]), None);
    assert_eq!(cx.elements_attr(cx.vector(3, cx.int(32)), &halves), None);
    assert_eq!(cx.elements_attr(half, &halves[..1]), None);
    assert_eq!(Some(cx.linkage_attr(Linkage::External)), parsed("#llvm.linkage<external>"));
    assert_eq!(Some(cx.linkage_attr(Linkage::Internal)), parsed("#llvm.linkage<internal>"));
    assert_eq!(Some(cx.deref_expression_attr()), parsed("#llvm.di_expression<[DW_OP_deref]>"));
}
