//! Compares the generated operations with MLIR.
use super::*;
use crate::{
    Builder, Cx, Session, TypeExt,
    upstream::{FloatCmp, IntCmp},
};

#[test]
fn names_and_kinds_are_each_others_inverse() {
    let all: Vec<OpKind> = OpKind::all().collect();
    assert!(all.len() > 1_000, "only {} operations", all.len());
    assert!(all.is_sorted_by(|a, b| a < b && a.name() < b.name()), "the order of names is the order of kinds");
    for kind in all {
        assert_eq!(OpKind::from_name(kind.name()), kind);
        let dialect = kind.dialect().unwrap();
        assert_eq!(kind.name().split('.').next(), Some(dialect.name()), "{kind}");
    }
    assert_eq!(OpKind::Unknown.dialect(), None);
    assert_eq!(OpKind::from_name("tosa.add"), OpKind::Unknown);
    assert_eq!(OpKind::from_name(""), OpKind::Unknown);
    assert_eq!(arith::ADDI.name(), "arith.addi");
    assert_eq!(vector::YIELD.dialect(), Some(Dialect::Vector), "the last operation of all");
}

#[test]
fn every_operation_is_registered_and_found_by_its_type_id() {
    let session = Session::new();
    session.context().load_all_available_dialects();
    let module = session.parse(b"module { }", "m").unwrap();
    let (op, cx) = (module.op(), module.op().cx());
    let b = Builder::at_end(op.body().unwrap(), cx, op.location());
    // Each kind is looked up twice: first by name, then from the table.
    for kind in OpKind::all().chain(OpKind::all()) {
        assert!(cx.knows_op(kind.name()), "{kind} is not registered");
        assert_eq!(b.op(kind).look(|op| op.kind()), kind);
    }
    let foreign = |name: &str| b.op(name).look(|op| op.kind());
    assert_eq!(foreign("tosa.add"), OpKind::Unknown);
    assert_eq!(foreign("tosa.add"), OpKind::Unknown);
}

fn first_of<'p>(root: Op<'p>, kind: OpKind) -> Op<'p> {
    root.walk().into_iter().find(|op| op.kind() == kind).unwrap_or_else(|| panic!("no {kind}"))
}

#[test]
fn views_find_operand_groups_by_name() {
    let session = Session::new();
    session.context().load_all_available_dialects();
    let text = "func.func @f(%c: i1, %i: index, %x: f32, %m: memref<8xf32>, %v: vector<4xf32>, %k: vector<4xi1>) {
        %a = memref.alloca(%i) {alignment = 16} : memref<?xf32>
        %r:2 = scf.for %j = %i to %i step %i iter_args(%p = %x, %q = %x) -> (f32, f32) { scf.yield %q, %p : f32, f32 }
        %b = arith.cmpi ult, %i, %i : index
        %d = arith.cmpf une, %x, %x : f32
        %e = arith.addf %x, %x fastmath<nnan,contract> : f32
        %l = vector.maskedload %m[%i], %k, %v : memref<8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
        cf.cond_br %c, ^one(%x : f32), ^two(%x, %i : f32, index)
      ^one(%y: f32): return
      ^two(%z: f32, %w: index): return
    }";
    let module = session.parse(text.as_bytes(), "m").unwrap();
    let root = module.op();
    let arg = |at: usize| first_of(root, func::FUNC).body().unwrap().arg(at);

    let alloca = memref::Alloca::of(first_of(root, memref::ALLOCA)).unwrap();
    assert_eq!((alloca.dynamic_sizes(), alloca.symbol_operands()), (vec![arg(1)], vec![]));
    let each = scf::For::of(first_of(root, scf::FOR)).unwrap();
    assert_eq!((each.lower_bound(), each.step()), (arg(1), arg(1)));
    assert_eq!(each.init_args(), [arg(2), arg(2)]);
    assert_eq!(each.results().len(), 2);
    assert_eq!(each.region().unwrap().first_block().unwrap().args().len(), 3);
    assert!(scf::If::of(each.op()).is_none());
    let load = vector::Maskedload::of(first_of(root, vector::MASKEDLOAD)).unwrap();
    assert_eq!((load.base(), load.indices(), load.mask(), load.pass_thru()), (arg(3), vec![arg(1)], arg(5), arg(4)));
    let branch = cf::CondBr::of(first_of(root, cf::COND_BR)).unwrap();
    assert_eq!(branch.condition(), arg(0));
    assert_eq!((branch.true_dest_operands(), branch.false_dest_operands()), (vec![arg(2)], vec![arg(2), arg(1)]));
    assert_eq!(branch.false_dest().unwrap().args().len(), 2);

    assert_eq!(arith::Cmpi::of(first_of(root, arith::CMPI)).unwrap().predicate(), Some(IntCmp::Ult));
    assert_eq!(arith::Cmpf::of(first_of(root, arith::CMPF)).unwrap().predicate(), Some(FloatCmp::Une));
    let flags = arith::Addf::of(first_of(root, arith::ADDF)).unwrap().fastmath().unwrap();
    assert_eq!(flags, arith::FastMathFlags::NNAN.with(arith::FastMathFlags::CONTRACT));
    assert!(!flags.contains(arith::FastMathFlags::FAST) && arith::FastMathFlags::FAST.contains(flags));
}

#[test]
fn operations_are_made_with_the_sizes_of_their_groups() {
    let session = Session::new();
    session.context().load_all_available_dialects();
    let text = "func.func @f(%c: i1, %i: index, %x: f32) { return }";
    let module = session.parse(text.as_bytes(), "m").unwrap();
    let root = module.op();
    let (end, cx) = (first_of(root, func::RETURN), root.cx());
    let arg = |at: usize| end.block().unwrap().arg(at);
    let b = Builder::before(end);
    let flags = arith::IntegerOverflowFlags::NUW.with(arith::IntegerOverflowFlags::NSW).attr(cx);
    let sum = arith::Addi::make(b, arg(1), arg(1)).attr("overflowFlags", flags).result(cx.index()).value();
    let space = memref::Alloca::make(b, &[sum], &[])
        .result(crate::MemRef { length: None, line: cx.f32(), space: crate::MemorySpace::Default }.ty(cx))
        .value();
    let unit = scf::For::make(b, sum, sum, sum, &[arg(2)]).result(cx.f32());
    let each = unit.body(&[cx.index(), cx.f32()], |b, args| _ = scf::Yield::make(b, &args[1..]).build()).build();
    let _ = memref::Store::make(b, each.result(0), space, &[sum]).build();
    // Mandatory enumeration attributes are builder arguments in the order of the declaration.
    let less = arith::Cmpi::make(b, IntCmp::Ult, sum, arg(1)).result(cx.int(1)).build();
    assert_eq!(arith::Cmpi::of(less).unwrap().predicate(), Some(IntCmp::Ult));
    let line = vector::Broadcast::make(b, arg(2)).result(cx.vector(4, cx.f32())).value();
    let sum = vector::Reduction::make(b, vector::CombiningKind::Add, line, None).result(cx.f32()).build();
    assert_eq!(vector::Reduction::of(sum).unwrap().kind(), Some(vector::CombiningKind::Add));
    assert!(module.verify().is_ok(), "{:?}", module.verify());
    let printed = root.to_string();
    for line in ["arith.addi %arg1, %arg1 overflow<nsw, nuw>", "memref.alloca(%0)", "iter_args(%arg4 = %arg2)"] {
        assert!(printed.contains(line), "{line} is missing:\n{printed}");
    }
}

fn round_trips<T: Copy + PartialEq + std::fmt::Debug>(
    all: &[T],
    cx: Cx<'_>,
    to: impl Fn(T, Cx<'_>) -> String,
    of: impl Fn(Option<crate::Attribute<'_>>) -> Option<T>,
) {
    for &case in all {
        let attr = cx.parse_attr(&to(case, cx));
        assert!(attr.is_some(), "{case:?} is not written as MLIR reads it: {}", to(case, cx));
        assert_eq!(of(attr), Some(case));
    }
}

#[test]
fn cases_are_read_back_from_their_attributes() {
    let session = Session::new();
    session.context().load_all_available_dialects();
    let cx = Cx::new(session.context());
    round_trips(IntCmp::ALL, cx, |c, cx| c.attr(cx).to_string(), IntCmp::of);
    round_trips(FloatCmp::ALL, cx, |c, cx| c.attr(cx).to_string(), FloatCmp::of);
    round_trips(vector::CombiningKind::ALL, cx, |c, cx| c.attr(cx).to_string(), vector::CombiningKind::of);
    round_trips(llvm::AtomicOrdering::ALL, cx, |c, cx| c.attr(cx).to_string(), llvm::AtomicOrdering::of);
    round_trips(llvm::ICmpPredicate::ALL, cx, |c, cx| c.attr(cx).to_string(), llvm::ICmpPredicate::of);
    assert_eq!(IntCmp::Slt.attr(cx), cx.int_attr(cx.int(64), 2));
    assert_eq!(vector::CombiningKind::Minui.attr(cx).to_string(), "#vector.kind<minui>");
    assert_eq!(IntCmp::of(None), None);
    assert_eq!(IntCmp::of(cx.parse_attr("99 : i64")), None);
}

#[test]
fn a_vector_of_two_dimensions_is_neither_a_scalar_nor_a_line() {
    let session = Session::new();
    session.context().load_all_available_dialects();
    let cx = Cx::new(session.context());
    let ty = |text: &str| cx.parse_type(text).unwrap();
    let all = ["f32", "vector<4xf32>", "vector<2x4xf32>", "vector<f32>", "vector<[4]xf32>", "memref<8xf32>", "index"];
    let of = |text| {
        let ty = ty(text);
        (ty.is_scalar(), ty.lanes(), ty.line_size(), ty.elements(), ty.element_count())
    };
    assert_eq!(
        all.map(of),
        [
            (true, None, Some(1), None, 1),
            (false, Some(4), Some(4), Some(4), 4),
            (false, None, None, Some(8), 8),
            (false, None, None, Some(1), 1),
            (false, None, None, None, 4),
            (false, None, None, None, 1),
            (true, None, Some(1), None, 1),
        ]
    );
    // The shape does not change.
    for (from, to) in [("vector<2x4xf32>", "vector<2x4xi1>"), ("vector<[4]xf32>", "vector<[4]xi1>"), ("f32", "i1")] {
        assert_eq!(ty(from).with_element(cx.int(1)), ty(to));
    }
    assert_eq!(cx.float_attr(ty("vector<2x4xf32>"), 1.5).to_string(), "dense<1.500000e+00> : vector<2x4xf32>");
}
