//! Tests of segments: the accesses on both sides of the barrier `loc("B")`, by the names of the accesses.
use super::{inspect_in, operation};
use crate::analysis::segments::{Segments, Side};
use cube_ir::{Session, name_of};

/// The names of the accesses before and after `B`, with `!` for an opaque operation, `@` for an atomic access and
/// `|` for the start or end of the kernel.
fn around(body: &str, without: &[&str]) -> [String; 2] {
    let text = format!(
        "cube.kernel @k(%x: !cube.array<i32>, %n: i32, %p: i1) cube_dim(8) {{\n%s = cube.alloc : !cube.shared<8 x i32>\n\
         %l = cube.alloc : !cube.local<8 x i32>\n{body}\ncube.return\n}}"
    );
    let mut found = [String::new(), String::new()];
    let session = Session::new();
    session.context().set_allow_unregistered_dialects(true);
    inspect_in(&session, &text, |kernel| {
        let mut segments = Segments::of(kernel);
        without.iter().for_each(|name| segments.remove(operation(kernel, name)));
        for (side, found) in [Side::Before, Side::After].into_iter().zip(&mut found) {
            let segment = segments.around(operation(kernel, "B"), side).expect("a small segment");
            let names = segment.accesses.iter().map(|access| name_of(access.op.location()).expect("a name"));
            let mut names: Vec<String> = names.collect();
            names.sort();
            let marks = [(segment.opaque.is_some(), "!"), (segment.atomic.is_some(), "@"), (segment.at_edge, "|")];
            *found = names.concat() + &marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect::<String>();
        }
    });
    found
}

fn load(name: &str, buffer: &str) -> String {
    let ty = match buffer {
        "x" => "!cube.array<i32>",
        "s" => "!cube.shared<8 x i32>",
        _ => "!cube.local<8 x i32>",
    };
    format!("%{name} = cube.load %{buffer}[%n] checked : {ty} -> i32 loc(\"{name}\")\n")
}

const B: &str = "cube.sync cube loc(\"B\")\n";

#[test]
fn a_segment_ends_at_the_next_barrier() {
    let (a, b, c, d) = (load("a", "x"), load("b", "s"), load("c", "s"), load("d", "x"));
    let body = format!("{a}cube.sync cube loc(\"A\")\n{b}{B}{c}cube.sync cube loc(\"C\")\n{d}");
    assert_eq!(around(&body, &[]), ["b", "c"]);
    assert_eq!(around(&body, &["A"]), ["ab|", "c"]);
    assert_eq!(around(&body, &["A", "C"]), ["ab|", "cd|"]);
}

#[test]
fn a_barrier_of_a_smaller_scope_does_not_end_the_segment_of_shared_memory() {
    let (a, b, c) = (load("a", "x"), load("b", "s"), load("c", "l"));
    assert_eq!(around(&format!("{a}{b}{c}cube.sync storage\n{B}"), &[]), ["b|", "|"]);
    assert_eq!(around(&format!("{a}{b}{c}cube.sync plane\n{B}"), &[]), ["ab|", "|"]);
}

#[test]
fn a_branch_ends_a_segment_if_all_arms_have_a_barrier() {
    let (a, b, c) = (load("a", "x"), load("b", "s"), load("c", "s"));
    let one = format!("{B}scf.if %p {{\n{a}cube.sync cube\n}}\n{b}");
    assert_eq!(around(&one, &[]), ["|", "ab|"]);
    let both = format!("{B}scf.if %p {{\n{a}cube.sync cube\n}} else {{\n{c}cube.sync cube\n}}\n{b}");
    assert_eq!(around(&both, &[]), ["|", "ac"]);
    let before = format!("{b}scf.if %p {{\ncube.sync cube\n{a}}}\n{B}");
    assert_eq!(around(&before, &[]), ["ab|", "|"]);
}

#[test]
fn loop_segments_allow_zero_and_more_iterations() {
    let loop_op = |body: &str| format!("scf.for unsigned %i = %n to %n step %n : i32 {{\n{body}}}\n");
    let (a, b, c, d) = (load("a", "x"), load("b", "s"), load("c", "s"), load("d", "x"));
    assert_eq!(around(&format!("{a}{}{d}", loop_op(&format!("{b}{B}{c}"))), &[]), ["abc|", "bcd|"]);
    let two = loop_op(&format!("{b}cube.sync cube\n{a}{B}{c}"));
    assert_eq!(around(&format!("{two}{d}"), &[]), ["a", "bcd|"]);
    assert_eq!(around(&format!("{B}{}{d}", loop_op(&format!("{a}cube.sync cube\n"))), &[]), ["|", "ad|"]);
}

#[test]
fn a_while_loop_tests_its_condition_first_and_last() {
    let (a, b, c) = (load("a", "x"), load("b", "s"), load("c", "s"));
    let loop_op = |before: &str, after: &str| {
        format!("scf.while : () -> () {{\n{before}scf.condition(%p)\n}} do {{\n{after}scf.yield\n}}\n")
    };
    let body = format!("{B}{}{c}", loop_op(&format!("{a}cube.sync cube\n"), &b));
    assert_eq!(around(&body, &[]), ["|", "ab"]);
    let body = format!("{B}{}{c}", loop_op(&a, &format!("{b}cube.sync cube\n")));
    assert_eq!(around(&body, &[]), ["|", "abc|"]);
    let body = format!("{}{c}", loop_op(&a, &format!("{b}{B}")));
    assert_eq!(around(&body, &[]), ["ab|", "abc|"]);
}

#[test]
fn unknown_effects_and_atomics_are_marked() {
    let one = "%old = cube.atomic_rmw addi %n, %x[%n] checked : i32, !cube.array<i32>\n";
    assert_eq!(around(&format!("{one}{B}cube.print \"here\"\n"), &[]), ["@|", "!|"]);
    assert_eq!(
        around(&format!("{B}%m = cube.plane_ballot %p : vector<4xi32>\n%r = math.absi %n : i32\n"), &[]),
        ["|", "|"]
    );
    let unknown = "\"elsewhere.call\"(%n) : (i32) -> ()\n";
    assert_eq!(around(&format!("{unknown}{B}"), &[]), ["!|", "|"]);
    let inside = format!("\"elsewhere.loop\"() ({{\n{B}\"elsewhere.end\"() : () -> ()\n}}) : () -> ()\n");
    assert_eq!(around(&inside, &[]), ["!", "!"]);
}
