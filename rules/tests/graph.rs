//! Tests of the e-graph: bounds, determinism, rules that respect fast-math flags, and the value of the
//! selected terms.
use cube_rules::graph::{Chosen, Graph, Limits, NodeKind};
use cube_rules::{Flags, Interval, Op};
use cube_semantics::{FloatOp, IntOp, Number};
use cube_target::Target;
use egg::{Id, Language};

const FAST: Flags = Flags(127);

fn target() -> Target {
    Target::known("nvptx", "sm_90a").expect("a chip of the tables")
}

fn grown(mut graph: Graph, roots: &[Id]) -> (Graph, Option<Chosen>) {
    graph.grow(Limits::of(16));
    let chosen = graph.extract(roots, &target());
    (graph, chosen)
}

fn value(graph: &Graph, chosen: &Chosen, class: Id, leaves: &[u64]) -> u64 {
    let node = &chosen.nodes[&graph.class(class)];
    let args: Vec<u64> = node.children().iter().map(|child| value(graph, chosen, *child, leaves)).collect();
    match node.head.kind {
        NodeKind::Leaf(number) => leaves[number as usize],
        NodeKind::Constant(bits) => bits,
        NodeKind::Apply(op, _) => op.value(node.head.from.number(), node.head.to.number(), &args).expect("defined"),
    }
}

struct Random(u64);

impl Random {
    fn draw(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

const OPS: &[IntOp] = &[
    IntOp::Add,
    IntOp::Sub,
    IntOp::Mul,
    IntOp::And,
    IntOp::Or,
    IntOp::Xor,
    IntOp::TotalDivU,
    IntOp::TotalRemU,
    IntOp::TotalDivS,
    IntOp::TotalRemS,
    IntOp::TotalShl,
    IntOp::TotalShrU,
    IntOp::TotalShrS,
    IntOp::MinU,
    IntOp::MaxU,
    IntOp::MinS,
    IntOp::MaxS,
    IntOp::AddSatU,
    IntOp::SubSatU,
];

// A random expression of 8 bits over two leaves, and its values for values of the leaves. The first leaf is below 16.
fn random_graph(seed: u64) -> (Graph, Id, Vec<[u64; 3]>) {
    let mut random = Random(seed * 77 + 1);
    let ty = Number::Int(8);
    let mut graph = Graph::default();
    let small = Interval { low: 0, high: 15 };
    let mut ids = vec![graph.leaf(ty, 0, small), graph.leaf(ty, 0, Interval::of_type(ty))];
    let inputs: Vec<[u64; 2]> = (0..16).flat_map(|a| (0..256).step_by(7).map(move |b| [a, b])).collect();
    let mut columns: Vec<Vec<u64>> = (0..2).map(|leaf| inputs.iter().map(|row| row[leaf]).collect()).collect();
    for constant in [0, 1, 2, 3, 8, 255, 127] {
        ids.push(graph.constant(constant, ty, 0));
        columns.push(vec![constant; inputs.len()]);
    }
    for _ in 0..16 {
        let op = OPS[random.draw(OPS.len())];
        let pick = |random: &mut Random| {
            let late = random.draw(3) > 0;
            if late { ids.len() - 1 - random.draw(4) } else { random.draw(ids.len()) }
        };
        let (a, b) = (pick(&mut random), pick(&mut random));
        let column = (0..inputs.len())
            .map(|row| Op::Int(op).value(ty, ty, &[columns[a][row], columns[b][row]]).expect("total"))
            .collect();
        ids.push(graph.apply(Op::Int(op), [ty, ty], 0, Flags::NONE, &[ids[a], ids[b]]));
        columns.push(column);
    }
    let last = columns.last().expect("not empty");
    let rows = inputs.iter().zip(last).map(|([a, b], result)| [*a, *b, *result]).collect();
    (graph, *ids.last().expect("not empty"), rows)
}

#[test]
fn random_expressions_keep_their_values_and_cost_less() {
    let mut simplified = 0;
    for seed in 1..=150 {
        let (graph, root, rows) = random_graph(seed);
        let (graph, chosen) = grown(graph, &[root]);
        assert!(!graph.is_contradictory(), "seed {seed}");
        let Some(chosen) = chosen else { continue };
        simplified += 1;
        assert!(chosen.after < chosen.before, "seed {seed}");
        for [a, b, result] in rows {
            assert_eq!(value(&graph, &chosen, root, &[a, b]), result, "seed {seed}, leaves {a} and {b}");
        }
    }
    println!("{simplified} of 150 expressions were simplified");
    assert!(simplified > 75, "only {simplified} expressions were simplified");
}

#[test]
fn the_choice_is_the_same_on_every_thread() {
    let choose = || {
        let all = (1..=20).map(|seed| {
            let (graph, root, _) = random_graph(seed);
            format!("{:?}", grown(graph, &[root]).1)
        });
        all.collect::<Vec<_>>()
    };
    let first = choose();
    let threads: Vec<_> = (0..3).map(|_| std::thread::spawn(choose)).collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no panic"), first);
    }
}

// A sum of products with all flags, whose graph grows exponentially by reassociation.
fn explosive(graph: &mut Graph) -> Id {
    let ty = Number::F32;
    let leaf = |graph: &mut Graph| graph.leaf(ty, 0, Interval::ALL);
    let mut sum = leaf(graph);
    let shared = leaf(graph);
    for n in 0..200 {
        let x = if n % 3 == 0 { shared } else { leaf(graph) };
        let product = graph.apply(Op::Float(FloatOp::Mul), [ty, ty], 0, FAST, &[x, sum]);
        let other = graph.apply(Op::Float(FloatOp::Mul), [ty, ty], 0, FAST, &[shared, product]);
        sum = graph.apply(Op::Float(FloatOp::Add), [ty, ty], 0, FAST, &[product, other]);
    }
    sum
}

// Products, sums and quotients by constants, which fold and factor. Each class can get a constant in addition to its
// terms.
fn explosive_integers(graph: &mut Graph) -> Id {
    let ty = Number::Int(32);
    let mut value = graph.leaf(ty, 0, Interval { low: 0, high: 255 });
    for n in 0..120u64 {
        let constant = graph.constant([3, 8, 12, 7, 255][n as usize % 5], ty, 0);
        let op = [IntOp::Mul, IntOp::Add, IntOp::TotalDivU, IntOp::And, IntOp::Sub][n as usize % 5];
        let other = graph.apply(Op::Int(op), [ty, ty], 0, Flags::NONE, &[value, constant]);
        value = graph.apply(Op::Int(IntOp::Add), [ty, ty], 0, Flags::NONE, &[other, value]);
    }
    value
}

#[test]
fn no_graph_passes_its_limit() {
    let largest = cube_rules::graph::largest_application();
    println!("one application adds at most {largest} nodes");
    let mut full = 0;
    for explosive in [explosive, explosive_integers] {
        let start = {
            let mut graph = Graph::default();
            explosive(&mut graph);
            graph.nodes()
        };
        for nodes in (start..start + 60).step_by(7).chain([3000]) {
            let mut graph = Graph::default();
            let root = explosive(&mut graph);
            let limits = Limits { nodes, ..Limits::of(600) };
            let growth = graph.grow(limits);
            assert!(growth.nodes <= limits.nodes, "{} of {} nodes", growth.nodes, limits.nodes);
            full += usize::from(!growth.saturated && growth.nodes + largest >= limits.nodes);
            if let Some(chosen) = graph.extract(&[root], &target()) {
                assert!(chosen.after < chosen.before);
            }
        }
    }
    // The limit stopped the searches.
    assert!(full > 10, "{full} graphs were full");
}

#[test]
fn known_bits_decide_guards() {
    let ty = Number::Int(32);
    let mut graph = Graph::default();
    let [x, y] = [0, 1].map(|_| graph.leaf(ty, 0, Interval::of_type(ty)));
    let op = |graph: &mut Graph, op, a, b| graph.apply(Op::Int(op), [ty, ty], 0, Flags::NONE, &[a, b]);
    let [upper, lower] = [0xffff_ff00, 0xff].map(|mask| graph.constant(mask, ty, 0));
    let (a, b) = (op(&mut graph, IntOp::And, x, upper), op(&mut graph, IntOp::And, y, lower));
    // The operands have no common bit, so the sum has no carry. The or is a sum, from which b is subtracted.
    let both = op(&mut graph, IntOp::Or, a, b);
    let less = op(&mut graph, IntOp::Sub, both, b);
    // Bit 4 of the first operand is 1.
    let four = graph.constant(16, ty, 0);
    let set = op(&mut graph, IntOp::Or, x, four);
    let seen = op(&mut graph, IntOp::And, set, four);
    let (graph, chosen) = grown(graph, &[less, seen]);
    let chosen = chosen.expect("both are known");
    assert_eq!(graph.class(less), graph.class(a));
    assert_eq!(graph.constant_of(seen), Some(16));
    assert_eq!(value(&graph, &chosen, less, &[0x1234_5678, 0xffff_ffff]), 0x1234_5600);
}

#[test]
fn intervals_of_leaves_decide_guards() {
    let ty = Number::Int(8);
    let mut graph = Graph::default();
    let x = graph.leaf(ty, 0, Interval { low: 1, high: 3 });
    let one = graph.apply(Op::Int(IntOp::TotalDivU), [ty, ty], 0, Flags::NONE, &[x, x]);
    let (graph, chosen) = grown(graph, &[one]);
    assert!(!graph.is_contradictory());
    let chosen = chosen.expect("a constant costs less than a quotient");
    assert_eq!(value(&graph, &chosen, one, &[2]), 1);
    assert_eq!(chosen.after, 0);
}

#[test]
fn fast_math_leads_from_the_flagged_operation_only() {
    let ty = Number::F32;
    let mut graph = Graph::default();
    let (x, y) = (graph.leaf(ty, 0, Interval::ALL), graph.leaf(ty, 0, Interval::ALL));
    let zero = graph.constant(0, ty, 0);
    // An exact sum, and the same sum plus 0.0 with nsz.
    let exact = graph.apply(Op::Float(FloatOp::Add), [ty, ty], 0, Flags::NONE, &[x, y]);
    let loose = graph.apply(Op::Float(FloatOp::Add), [ty, ty], 0, Flags::NSZ, &[exact, zero]);
    let (graph, chosen) = grown(graph, &[exact, loose]);
    let chosen = chosen.expect("the second sum goes");
    assert_ne!(graph.class(exact), graph.class(loose), "the classes must not be joined");
    let node = &chosen.nodes[&graph.class(exact)];
    assert_eq!(node.head.kind, NodeKind::Apply(Op::Float(FloatOp::Add), Flags::NONE));
    let node = &chosen.nodes[&graph.class(loose)];
    assert_eq!(node.head.kind, NodeKind::Apply(Op::View, Flags::NSZ));
}

#[test]
fn operations_with_different_flags_have_the_common_flags() {
    let ty = Number::F32;
    let float = |graph: &mut Graph, op, flags: Flags, args: &[Id]| graph.apply(Op::Float(op), [ty, ty], 0, flags, args);
    for (inner, outer, is_fused) in [
        (Flags::CONTRACT | Flags::NNAN, Flags::CONTRACT | Flags::NSZ, true),
        (Flags::CONTRACT | Flags::NNAN, Flags::CONTRACT, true),
        (FAST, Flags::CONTRACT, true),
        (FAST, Flags::NNAN, false),
        (Flags::NNAN, FAST, false),
    ] {
        let mut graph = Graph::default();
        let [x, y, z] = [0, 1, 2].map(|_| graph.leaf(ty, 0, Interval::ALL));
        let product = float(&mut graph, FloatOp::Mul, inner, &[x, y]);
        let sum = float(&mut graph, FloatOp::Add, outer, &[product, z]);
        let (graph, chosen) = grown(graph, &[sum]);
        assert_eq!(chosen.is_some(), is_fused, "{inner} in {outer}");
        let Some(chosen) = chosen else { continue };
        let fused =
            chosen.nodes.values().find(|node| matches!(node.head.kind, NodeKind::Apply(Op::Float(FloatOp::Fma), _)));
        let flags = Flags(inner.0 & outer.0);
        assert_eq!(fused.expect("a fused operation").head.kind, NodeKind::Apply(Op::Float(FloatOp::Fma), flags));
        // An operation must not be replaced by an operation with other flags.
        let seen = &chosen.nodes[&graph.class(sum)];
        assert_eq!(seen.head.kind == NodeKind::Apply(Op::View, outer), inner != outer, "{inner} in {outer}");
    }
    // Without flags, -(-x) is x. If the inner negation has the flag nsz, -(-x) can be replaced by x, but x cannot be
    // replaced by -(-x).
    let mut graph = Graph::default();
    let x = graph.leaf(ty, 0, Interval::ALL);
    let inner = float(&mut graph, FloatOp::Neg, Flags::NSZ, &[x]);
    let outer = float(&mut graph, FloatOp::Neg, Flags::NONE, &[inner]);
    let (graph, chosen) = grown(graph, &[outer, x]);
    assert_ne!(graph.class(outer), graph.class(x));
    assert_eq!(chosen.expect("x costs nothing").after, 0);
}

// A rule can match through the node that keeps the classes of different flags separate.
#[test]
fn rules_match_through_views() {
    let ty = Number::F32;
    let mut graph = Graph::default();
    let [x, y, z] = [0, 1, 2].map(|_| graph.leaf(ty, 0, Interval::ALL));
    let zero = graph.constant(0, ty, 0);
    let float = |graph: &mut Graph, op, flags: Flags, args: &[Id]| graph.apply(Op::Float(op), [ty, ty], 0, flags, args);
    let product = float(&mut graph, FloatOp::Mul, Flags::CONTRACT, &[x, y]);
    let same = float(&mut graph, FloatOp::Add, Flags::NSZ, &[product, zero]);
    let sum = float(&mut graph, FloatOp::Add, Flags::CONTRACT, &[same, z]);
    let (_, chosen) = grown(graph, &[sum]);
    let chosen = chosen.expect("one operation for three");
    let operations =
        chosen.nodes.values().filter(|node| matches!(node.head.kind, NodeKind::Apply(op, _) if op != Op::View));
    assert_eq!(operations.count(), 1, "{chosen:?}");
}

// Rules whose replacement matches their own pattern again, with a new constant or a larger term each time.
#[test]
fn self_feeding_rules_terminate() {
    use cube_rules::user;
    let own = user::accepted([
        "types int",
        "assume more: (addi x C) => (addi (addi x [addi C 1]) MAX)",
        "assume grow: (muli x y) => (muli (addi x 1) (muli y (addi x y)))",
        "assume swap: (subi x y) => (subi (addi x y) (addi y y))",
        "assume back: (addi x y) => (subi (muli x y) (muli y x))",
    ]);
    let own = cube_rules::graph::OwnRules::new(&own.expect("four rules"));
    let ty = Number::Int(32);
    let mut graph = Graph::default().with_rules(own);
    let mut value = graph.leaf(ty, 0, Interval::of_type(ty));
    let one = graph.leaf(ty, 0, Interval::of_type(ty));
    for n in 0..100 {
        let op = [IntOp::Add, IntOp::Mul, IntOp::Sub][n % 3];
        let constant = graph.constant(n as u64, ty, 0);
        let other = if n % 2 == 0 { constant } else { one };
        value = graph.apply(Op::Int(op), [ty, ty], 0, Flags::NONE, &[value, other]);
    }
    let limits = Limits::of(100);
    let growth = graph.grow(limits);
    assert!(growth.nodes <= limits.nodes && growth.rounds <= limits.rounds, "{growth:?}");
    assert!(growth.applied.keys().filter(|rule| rule.starts_with("user/")).count() > 1, "{growth:?}");
    if let Some(chosen) = graph.extract(&[value], &target()) {
        assert!(chosen.after < chosen.before);
    }
}

// (splat(x) + splat(y)) * 3 on four lanes is splat((x + y) * 3): two operations on scalars instead of on vectors.
#[test]
fn vectors_of_equal_elements_become_scalars() {
    let ty = Number::Int(32);
    let mut graph = Graph::default();
    let [x, y] = [0, 1].map(|_| graph.leaf(ty, 0, Interval::of_type(ty)));
    let [a, b] = [x, y].map(|value| graph.apply(Op::Splat, [ty, ty], 4, Flags::NONE, &[value]));
    let three = graph.constant(3, ty, 4);
    let sum = graph.apply(Op::Int(IntOp::Add), [ty, ty], 4, Flags::NONE, &[a, b]);
    let product = graph.apply(Op::Int(IntOp::Mul), [ty, ty], 4, Flags::NONE, &[sum, three]);
    let (graph, chosen) = grown(graph, &[product]);
    let chosen = chosen.expect("two operations on scalars");
    for node in chosen.nodes.values() {
        let is_splat = matches!(node.head.kind, NodeKind::Apply(Op::Splat, _));
        assert_eq!(node.head.lanes, if is_splat { 4 } else { 0 }, "{chosen:?}");
    }
    assert_eq!(value(&graph, &chosen, product, &[5, 9]), 42);
    // A sum with a vector of different elements stays.
    let mut graph = Graph::default();
    let (x, v) = (graph.leaf(ty, 0, Interval::of_type(ty)), graph.leaf(ty, 4, Interval::of_type(ty)));
    let splat = graph.apply(Op::Splat, [ty, ty], 4, Flags::NONE, &[x]);
    let sum = graph.apply(Op::Int(IntOp::Add), [ty, ty], 4, Flags::NONE, &[splat, v]);
    assert!(grown(graph, &[sum]).1.is_none());
}

#[test]
fn comparisons_match_with_swapped_operands() {
    use cube_semantics::IntPredicate as P;
    let (ty, bit) = (Number::Int(32), Number::Int(1));
    for (predicate, result) in [(P::Ult, P::Ne), (P::Ugt, P::Ne), (P::Uge, P::Eq), (P::Ule, P::Eq)] {
        let mut graph = Graph::default();
        let [x, y] = [0, 1].map(|_| graph.leaf(ty, 0, Interval::of_type(ty)));
        let rest = graph.apply(Op::Int(IntOp::TotalRemU), [ty, ty], 0, Flags::NONE, &[x, y]);
        let operands = if matches!(predicate, P::Ult | P::Uge) { [rest, y] } else { [y, rest] };
        let less = graph.apply(Op::CompareInts(predicate), [ty, bit], 0, Flags::NONE, &operands);
        let (graph, chosen) = grown(graph, &[less]);
        let chosen = chosen.expect("a comparison without a remainder");
        let node = &chosen.nodes[&graph.class(less)];
        assert_eq!(node.head.kind, NodeKind::Apply(Op::CompareInts(result), Flags::NONE), "{predicate:?}");
    }
}

// Constants that are NaN or infinite, divisors of 0, and shifts by more than the width.
#[test]
fn constants_at_the_limits_terminate_and_keep_their_values() {
    let ty = Number::F32;
    let limits = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1e-45, 3e38];
    for (a, b) in limits.iter().flat_map(|a| limits.iter().map(move |b| (*a, *b))) {
        for op in [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div, FloatOp::Maximum] {
            let mut graph = Graph::default();
            let x = graph.leaf(ty, 0, Interval::ALL);
            let [a, b] = [a, b].map(|value| graph.constant(u64::from((value as f32).to_bits()), ty, 0));
            // Without flags, the result for each value of x has the same bits, except for a NaN.
            let one = graph.apply(Op::Float(op), [ty, ty], 0, Flags::NONE, &[x, a]);
            let two = graph.apply(Op::Float(op), [ty, ty], 0, Flags::NONE, &[one, b]);
            let three = graph.apply(Op::Float(FloatOp::Sub), [ty, ty], 0, Flags::NONE, &[two, two]);
            let (graph, chosen) = grown(graph, &[three]);
            assert!(!graph.is_contradictory());
            let Some(chosen) = chosen else { continue };
            for x in [0.5f32, f32::INFINITY, f32::NAN, -0.0, 1e38] {
                let x = u64::from(x.to_bits());
                let [a, b] = [a, b].map(|id| graph.constant_of(id).expect("a constant"));
                let apply = |op: FloatOp, x, y| Op::Float(op).value(ty, ty, &[x, y]).expect("defined");
                let two = apply(op, apply(op, x, a), b);
                let right = apply(FloatOp::Sub, two, two);
                let found = value(&graph, &chosen, three, &[x]);
                assert!(found == right || [found, right].iter().all(|bits| ty.to_double(*bits).is_nan()), "{op:?}");
            }
        }
    }
    let ty = Number::Int(32);
    for op in
        [IntOp::TotalDivU, IntOp::TotalDivS, IntOp::TotalRemU, IntOp::TotalRemS, IntOp::TotalShl, IntOp::TotalShrU]
    {
        for constant in [0, 1, u64::from(u32::MAX), 1 << 31, 32, 33] {
            let mut graph = Graph::default();
            let x = graph.leaf(ty, 0, Interval::of_type(ty));
            let by = graph.constant(constant, ty, 0);
            let one = graph.apply(Op::Int(op), [ty, ty], 0, Flags::NONE, &[x, by]);
            let two = graph.apply(Op::Int(op), [ty, ty], 0, Flags::NONE, &[one, by]);
            let (graph, chosen) = grown(graph, &[two]);
            let Some(chosen) = chosen else { continue };
            for x in [0, 1, 5, 1 << 31, u64::from(u32::MAX)] {
                let apply = |x| Op::Int(op).value(ty, ty, &[x, constant]).expect("total");
                assert_eq!(value(&graph, &chosen, two, &[x]), apply(apply(x)), "{op:?} of {x} by {constant}");
            }
        }
    }
}

#[test]
fn shared_terms_count_once() {
    let ty = Number::F32;
    let mut graph = Graph::default();
    let (x, y) = (graph.leaf(ty, 0, Interval::ALL), graph.leaf(ty, 0, Interval::ALL));
    let mul = |graph: &mut Graph, a, b| graph.apply(Op::Float(FloatOp::Mul), [ty, ty], 0, FAST, &[a, b]);
    let (xx, yy) = (mul(&mut graph, x, x), mul(&mut graph, y, y));
    let difference = graph.apply(Op::Float(FloatOp::Sub), [ty, ty], 0, FAST, &[xx, yy]);
    // The squares are also results of the window. (x + y) * (x - y) would add three operations, and the difference of
    // the squares adds one.
    let (_, chosen) = grown(graph, &[xx, yy, difference]);
    assert!(chosen.is_none(), "{chosen:?}");
}

// Six quotients by one divisor, as roots. Five other quotients, one operand and the divisor are live when the last
// quotient is computed.
#[test]
fn latency_and_registers_of_a_choice_are_counted() {
    let ty = Number::F32;
    let mut graph = Graph::default();
    let x = graph.leaf(ty, 0, Interval::ALL);
    let mut roots = Vec::new();
    for _ in 0..6 {
        let y = graph.leaf(ty, 0, Interval::ALL);
        roots.push(graph.apply(Op::Float(FloatOp::Div), [ty, ty], 0, FAST, &[y, x]));
    }
    graph.grow(Limits::of(16));
    let chosen = graph.extract(&roots, &target()).expect("one reciprocal for six quotients");
    let [before, after] = chosen.costs;
    // A quotient with `afn` is a special function and a product: 18 + 4 cycles. The reciprocal and a product have one
    // more product.
    println!("{:?}", chosen.costs);
    assert_eq!((before.registers, before.latency), (7, 22));
    assert_eq!((after.registers, after.latency), (7, 26));
    assert!(after.time < before.time);
}

#[test]
fn latency_counts_if_few_planes_are_resident() {
    use cube_rules::graph::ChoiceCost;
    let (short, long) =
        (ChoiceCost { time: 1000, latency: 10, registers: 4 }, ChoiceCost { time: 900, latency: 40, registers: 4 });
    let mut chip = target();
    chip.resident_planes = Some(1);
    assert!(!long.is_below(short, &chip));
    chip.resident_planes = Some(64);
    assert!(long.is_below(short, &chip));
    chip.registers = Some(3);
    assert!(!ChoiceCost { registers: 5, ..long }.is_below(short, &chip));
    assert!(long.is_below(short, &chip));
}
