//! Tests expressions whose cheapest form is known (`expressions.txt`). For nine of ten expressions, the e-graph must
//! reach the cost of the cheapest form. If a search finds the optimum of a graph, the cost of the extracted choice
//! must be at most 2 % above the optimum.
mod answers;

use answers::Answers;
use cube_rules::cost::cost;
use cube_rules::graph::{Graph, Head, Limits};
use cube_rules::{Flags, Interval, Op};
use cube_semantics::{Number, convert::of_double};
use cube_target::Target;
use egg::Id;
use std::collections::BTreeMap;

const TYPE: Number = Number::F32;

struct Reader<'g> {
    graph: &'g mut Graph,
    leaves: BTreeMap<String, Id>,
    flags: Flags,
    operations: usize,
}

impl Reader<'_> {
    fn term(&mut self, words: &mut std::slice::Iter<'_, String>) -> Id {
        let word = words.next().expect("a term");
        if word != "(" {
            if let Ok(number) = word.parse::<f64>() {
                return self.graph.constant(of_double(number, TYPE), TYPE, 0);
            }
            if let Some(known) = self.leaves.get(word) {
                return *known;
            }
            let leaf = self.graph.leaf(TYPE, 0, Interval::ALL);
            self.leaves.insert(word.clone(), leaf);
            return leaf;
        }
        let name = words.next().expect("an operation");
        let op = Op::named(name).unwrap_or_else(|| panic!("no operation {name}"));
        let args: Vec<Id> = (0..op.operands()).map(|_| self.term(words)).collect();
        assert_eq!(words.next().map(String::as_str), Some(")"), "{name}");
        self.operations += 1;
        self.graph.apply(op, [TYPE, TYPE], 0, self.flags, &args)
    }
}

fn words(text: &str) -> Vec<String> {
    text.replace('(', " ( ").replace(')', " ) ").split_whitespace().map(str::to_owned).collect()
}

fn price(head: Head, constants: [bool; 3]) -> u64 {
    let target = TARGET.with(|target| target.clone());
    cost(&target, head, constants)
}

thread_local!(static TARGET: Target = Target::known("nvptx", "sm_90a").expect("a chip of the tables"));

/// Builds the graph of an expression, and returns its roots and the number of operations.
fn graph_of(text: &str, flags: Flags) -> (Graph, Vec<Id>, usize) {
    let mut graph = Graph::default();
    let mut reader = Reader { graph: &mut graph, leaves: BTreeMap::new(), flags, operations: 0 };
    let roots = text.split(';').map(|one| reader.term(&mut words(one).iter())).collect();
    let operations = reader.operations;
    (graph, roots, operations)
}

// The expressions of the file: name, input, known form, and flags.
fn expressions() -> impl Iterator<Item = (&'static str, &'static str, &'static str, Flags)> {
    let text = include_str!("expressions.txt");
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [name, input, form] = parts[..] else { panic!("{line}") };
        let (name, flags) = name.split_once(' ').expect("flags");
        (name, input, form, Flags::parse(flags).expect("flags"))
    })
}

/// An integer linear program in SMT-LIB that is satisfiable if a choice for the roots costs less than `limit`. The
/// program has a variable for each class and node. Each class also has a level above the levels of its operands, which
/// excludes cycles.
fn cheaper(graph: &Graph, roots: &[Id], limit: u64) -> Option<String> {
    let choices = graph.choices(roots, &price)?;
    let mut text = String::new();
    let mut sum = vec!["0".to_owned()];
    for (id, nodes) in &choices {
        text += &format!("(declare-const c{id} Bool)(declare-const l{id} Int)\n");
        for (place, node) in nodes.iter().enumerate() {
            text += &format!("(declare-const n{id}_{place} Bool)\n");
            sum.push(format!("(ite n{id}_{place} {} 0)", node.cost));
        }
    }
    for (id, nodes) in &choices {
        let names: Vec<String> = (0..nodes.len()).map(|place| format!("n{id}_{place}")).collect();
        text += &format!("(assert (=> c{id} (or {} false)))\n", names.join(" "));
        for (place, node) in nodes.iter().enumerate() {
            for operand in &node.operands {
                text += &format!("(assert (=> n{id}_{place} (and c{operand} (> l{id} l{operand}))))\n");
            }
        }
    }
    for root in roots {
        text += &format!("(assert c{})\n", graph.class(*root));
    }
    Some(text + &format!("(assert (< (+ {}) {limit}))\n(check-sat)\n", sum.join(" ")))
}

fn z3(text: &str) -> Option<String> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut command = Command::new("z3");
    command.args(["-smt2", "-in", "rlimit=20000000", "-T:60"]);
    let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    program.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = program.wait_with_output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// An integer linear program, which z3 solves, has the same optimum as the search of this crate: no choice costs less
/// than the optimum, and a choice costs at most the optimum.
#[test]
fn optimum_is_that_of_an_integer_linear_program() {
    let (mut proven, mut unknown) = (0, 0);
    let answers = Answers::load("tests/expressions.z3.txt");
    for (name, input, _, flags) in expressions() {
        let (mut graph, roots, operations) = graph_of(input, flags);
        graph.grow(Limits::of(operations));
        let Some(optimum) = graph.optimum(&roots, &price, 200_000) else { continue };
        let ask = |limit: u64| cheaper(&graph, &roots, limit).and_then(|text| answers.of(&text, z3));
        match (ask(optimum), ask(optimum + 1)) {
            (None, _) | (_, None) => return println!("z3 is not installed: no optimum is compared"),
            (Some(less), Some(equal)) => {
                assert_ne!(less, "sat", "{name}: a choice costs less than {optimum}");
                assert_ne!(equal, "unsat", "{name}: no choice costs {optimum}");
                let is_proven = less == "unsat" && equal == "sat";
                proven += usize::from(is_proven);
                unknown += usize::from(!is_proven);
            }
        }
    }
    println!("{proven} optima are those of the integer linear program, z3 did not answer for {unknown}");
    assert!(proven >= 60, "{proven} of {}", proven + unknown);
}

#[test]
fn known_forms_are_found_and_extraction_is_close_to_the_optimum() {
    let (mut found, mut all, mut searched) = (0, 0, 0);
    let (mut chosen_sum, mut optimum_sum) = (0, 0);
    for (name, input, form, flags) in expressions() {
        // A graph that did not grow contains only the known form, so its optimum is the cost of this form.
        let (known, roots, _) = graph_of(form, flags);
        let known = known.optimum(&roots, &price, usize::MAX).expect("one choice");
        let (mut graph, roots, operations) = graph_of(input, flags);
        let before = graph.optimum(&roots, &price, usize::MAX).expect("one choice");
        let growth = graph.grow(Limits::of(operations));
        let chosen = TARGET.with(|target| graph.extract(&roots, target)).map_or(before, |chosen| chosen.after);
        let optimum = graph.optimum(&roots, &price, 200_000);
        assert!(chosen <= before, "{name}");
        all += 1;
        found += usize::from(chosen <= known);
        if let Some(optimum) = optimum {
            searched += 1;
            chosen_sum += chosen;
            optimum_sum += optimum.min(before);
            assert!(chosen * 100 <= optimum.min(before) * 102, "{name}: {chosen} instead of {optimum}");
        }
        let verdict = if chosen <= known { "reached" } else { "MISSED" };
        println!(
            "{name:20} {before:5} -> {chosen:5}, known {known:5}, optimum {optimum:?}, {} nodes: {verdict}",
            growth.nodes
        );
    }
    println!("{found} of {all} at the known cost; optimum known for {searched}, {chosen_sum} instead of {optimum_sum}");
    assert!(all >= 60 && found * 10 >= all * 9, "{found} of {all}");
    assert!(searched * 2 > all, "{searched} of {all}");
}
