//! Tests of the live ranges of the shared allocations `a`, `b` and `c`: the pairs that interfere, or the obstacle.
use super::inspect_in;
use crate::analysis::shared_ranges::{Obstacle, SharedRanges};
use cube_ir::{Session, name_of};
use petgraph::graph::NodeIndex;

const B: &str = "cube.sync cube\n";

fn pairs(body: &str) -> String {
    let allocations: String =
        ["a", "b", "c"].map(|name| format!("%{name} = cube.alloc : !cube.shared<8 x i32>\n")).concat();
    let text = format!(
        "cube.kernel @k(%x: !cube.array<i32>, %n: i32, %p: i1) cube_dim(8) {{\n%i = cube.topology unit_pos\n\
         %zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n%d = arith.cmpi ult, %i, %one : i32\n\
         {allocations}{body}\ncube.return\n}}"
    );
    let mut found = String::new();
    let session = Session::new();
    session.context().set_allow_unregistered_dialects(true);
    inspect_in(&session, &text, |kernel| {
        found = match SharedRanges::of(kernel) {
            Ok(ranges) => {
                let name = |node: NodeIndex| name_of(ranges.graph[node].location()).expect("a name");
                let of = |edge| ranges.graph.edge_endpoints(edge).map(|(x, y)| format!("{}{}", name(x), name(y)));
                let mut all: Vec<String> = ranges.graph.edge_indices().filter_map(of).collect();
                all.sort();
                all.join(" ")
            }
            Err(Obstacle::Divergent(op)) => format!("divergent {}", op.name()),
            Err(Obstacle::Opaque(op)) => format!("opaque {}", op.name()),
            Err(Obstacle::Large) => "large".into(),
        };
    });
    found
}

fn load(buffer: &str) -> String {
    format!("cube.load %{buffer}[%i] inbounds : !cube.shared<8 x i32> -> i32\n")
}

fn store(buffer: &str) -> String {
    format!("cube.store %n, %{buffer}[%i] inbounds : i32, !cube.shared<8 x i32>\n")
}

fn if_op(condition: &str, yes: &str, no: &str) -> String {
    format!("scf.if %{condition} {{\n{yes}}} else {{\n{no}}}\n")
}

fn for_op(body: &str) -> String {
    format!("scf.for %k = %zero to %n step %one : i32 {{\n{body}}}\n")
}

#[test]
fn allocations_with_accesses_in_one_phase_interfere() {
    let [a, b, c] = ["a", "b", "c"].map(|name| (store(name), load(name)));
    assert_eq!(pairs(&format!("{}{}{B}{}", a.0, b.0, c.0)), "ab");
    assert_eq!(pairs(&format!("{}{B}{}{}{B}{}", a.0, a.1, b.0, b.1)), "ab");
    assert_eq!(pairs(&format!("{}{B}{}{B}{}{B}{}{B}{}{B}{}", a.0, a.1, b.0, b.1, c.0, c.1)), "");
}

#[test]
fn an_allocation_is_live_between_its_accesses() {
    let [a, b, c] = ["a", "b", "c"].map(|name| (store(name), load(name)));
    assert_eq!(pairs(&format!("{}{B}{}{B}{}{B}{}", a.0, b.0, a.1, c.0)), "ab");
    // The live range of an allocation begins at its first access, also if this access is a load.
    assert_eq!(pairs(&format!("{}{B}{}{B}{}", a.1, b.0, a.0)), "ab");
}

#[test]
fn only_a_barrier_of_scope_cube_ends_a_phase() {
    let (a, b) = (store("a"), store("b"));
    assert_eq!(pairs(&format!("{a}cube.sync storage\n{b}")), "ab");
    assert_eq!(pairs(&format!("{a}cube.sync plane\n{b}")), "ab");
    assert_eq!(pairs(&format!("{a}cube.sync cube\n{b}")), "");
}

#[test]
fn a_path_without_a_barrier_makes_allocations_interfere() {
    let (a, b) = (store("a"), store("b"));
    assert_eq!(pairs(&format!("{a}{}{b}", if_op("p", B, ""))), "ab");
    assert_eq!(pairs(&format!("{a}{}{b}", if_op("p", B, B))), "");
    // If the loop has no iterations, the path has no barrier.
    assert_eq!(pairs(&format!("{a}{}{b}", for_op(B))), "ab");
    // Units of one phase can be in different arms.
    assert_eq!(pairs(&if_op("d", &a, &b)), "ab");
}

#[test]
fn allocations_of_one_loop_with_barriers_interfere() {
    let (a, b, c) = (store("a"), store("b"), store("c"));
    assert_eq!(pairs(&for_op(&format!("{B}{a}{B}{b}"))), "ab");
    // The loop ends before `c` is accessed.
    assert_eq!(pairs(&format!("{}{B}{c}", for_op(&format!("{B}{a}{B}")))), "");
    assert_eq!(pairs(&format!("{c}{}", for_op(&format!("{B}{a}{B}{b}")))), "ab");
    // A path leads from the end of the loop body to its start. If an allocation is accessed before and in the loop, it
    // is live in all phases of the loop.
    assert_eq!(pairs(&format!("{a}{}", for_op(&format!("{B}{b}{B}{}{B}", load("a"))))), "ab");
}

#[test]
fn an_allocation_with_another_use_interferes_with_all() {
    let (b, c) = (store("b"), store("c"));
    let call = "\"test.use\"(%a) : (!cube.shared<8 x i32>) -> ()\n";
    assert_eq!(pairs(&format!("{b}{B}{c}{B}{call}")), "opaque test.use");
    let select = "%s = arith.select %p, %a, %a : !cube.shared<8 x i32>\n";
    assert_eq!(pairs(&format!("{b}{B}{c}{B}{select}")), "ab ac");
}

#[test]
fn unknown_code_and_divergent_barriers_are_obstacles() {
    let (a, b) = (store("a"), store("b"));
    assert_eq!(pairs(&format!("{a}{B}\"test.any\"() : () -> ()\n{b}")), "opaque test.any");
    assert_eq!(pairs(&format!("{a}{B}\"test.loop\"() ({{\n{b}}}) : () -> ()\n")), "opaque test.loop");
    assert_eq!(pairs(&format!("{a}{}{b}", if_op("d", B, ""))), "divergent cube.sync");
}
