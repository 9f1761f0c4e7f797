//! Operations with keywords that affect their meaning: plane operations, atomics, reductions, shuffles, votes and
//! scans. Each keyword of the generated enumerations is combined with every element type. Each combination that
//! the verifiers accept becomes a row of the table. [`refused`] contains the keywords that no type accepts.
use crate::table::{Group, Operation};
use crate::values::{FLOATS, bits, edges, is_float, random, value};
use cube_dialect::{Combine, Scan, Shuffle, Vote, ops};
use cube_ir::{Session, ops::vector::CombiningKind};
use std::sync::OnceLock;

/// An operation with its keywords, such as `cube.plane_scan` with `inclusive` and `addi`.
pub type Worded = (&'static str, Vec<&'static str>);

/// All groups of rows, and the operations with keywords that the verifiers refuse.
struct Rows {
    groups: Vec<Group>,
    refused: Vec<Worded>,
}

/// Groups of the rows that the verifiers accept.
pub fn groups() -> Vec<Group> {
    rows().groups.clone()
}

/// Operations with keywords that the verifiers refuse with every element type.
pub fn refused() -> &'static [Worded] {
    &rows().refused
}

fn rows() -> &'static Rows {
    static ROWS: OnceLock<Rows> = OnceLock::new();
    ROWS.get_or_init(|| {
        cube_driver::register();
        let session = Session::new();
        let types = || crate::table::INTS.into_iter().chain(FLOATS);
        let mut groups: Vec<Group> = types().flat_map(|ty| KINDS.map(|(kind, _)| empty(kind, ty))).collect();
        let mut refused = Vec::new();
        for (kind, row) in KINDS.iter().flat_map(|(kind, rows)| rows().into_iter().map(move |row| (*kind, row))) {
            let mut taken = false;
            for group in groups.iter_mut().filter(|group| group.name.starts_with(kind)) {
                for text in &row.texts {
                    let result = row.result.unwrap_or(&group.ty).to_string();
                    let operation = Operation { text: text.clone(), result, ulp: 0 };
                    let single = Group { operations: vec![operation.clone()], ..group.clone() };
                    let (text, ..) = single.kernel(single.lines()[0]);
                    if session.parse(text.as_bytes(), "row.mlir").is_ok() {
                        group.operations.push(operation);
                        taken = true;
                    }
                }
            }
            if !taken {
                refused.push((row.name, row.words));
            }
        }
        groups.retain(|group| !group.operations.is_empty());
        Rows { groups, refused }
    })
}

fn empty(kind: &str, ty: &str) -> Group {
    Group { name: format!("{kind} of {ty}"), ty: ty.into(), operands: operands(ty), operations: vec![] }
}

/// An operation with its keywords, written as one or more texts. If the result type differs from the operand
/// type, the row contains the result type.
struct Row {
    name: &'static str,
    words: Vec<&'static str>,
    texts: Vec<String>,
    result: Option<&'static str>,
}

fn row(name: &'static str, words: &[&'static str], texts: &[String]) -> Row {
    Row { name, words: words.to_vec(), texts: texts.to_vec(), result: None }
}

/// The rows of a group, created on demand.
type MakeRows = fn() -> Vec<Row>;

/// For each class of operations, the first word of the group names, and the function that creates the rows.
const KINDS: [(&str, MakeRows); 4] =
    [("planes", planes), ("votes", votes), ("atomics", atomics), ("reductions", reductions)];

fn planes() -> Vec<Row> {
    let mut rows = Vec::new();
    for kind in Combine::ALL.iter().map(|kind| kind.word()) {
        rows.push(row(ops::PlaneReduce::NAME, &[kind], &[format!("cube.plane_reduce {kind} %a : T")]));
        for scan in Scan::ALL.iter().map(|scan| scan.word()) {
            rows.push(row(ops::PlaneScan::NAME, &[scan, kind], &[format!("cube.plane_scan {scan} {kind} %a : T")]));
        }
    }
    for way in Shuffle::ALL.iter().map(|way| way.word()) {
        rows.push(row(ops::PlaneShuffle::NAME, &[way], &[format!("cube.plane_shuffle {way} %a, %j : T")]));
    }
    // Broadcasts from an existing lane, and from a lane that does not exist.
    let lane = |lane: i32| format!("%s = arith.constant {lane} : i32 ; %r = cube.plane_broadcast %a, %s : T");
    rows.push(row(ops::PlaneBroadcast::NAME, &[], &[lane(5), lane(64)]));
    rows
}

// Votes have only rows of bools: each unit votes with one bool.
fn votes() -> Vec<Row> {
    let vote =
        |vote: &Vote| row(ops::PlaneVote::NAME, &[vote.word()], &[format!("cube.plane_vote {} %a", vote.word())]);
    let mut rows: Vec<Row> = Vote::ALL.iter().map(vote).collect();
    let ballot = |word: u32| {
        format!(
            "%s = cube.plane_ballot %a : vector<4xi32> ; %r = vector.extract %s [ {word} ] : i32 from vector<4xi32>"
        )
    };
    rows.push(Row { result: Some("i32"), ..row(ops::PlaneBallot::NAME, &[], &[ballot(0), ballot(3)]) });
    // The operation has no operand, so any type is suitable.
    let elect = "%s = cube.plane_elect ; %r = arith.andi %s, %a : T".to_string();
    rows.push(row(ops::PlaneElect::NAME, &[], &[elect]));
    rows
}

// Each unit has a separate element, which is first set to a number: %r is the value before or after the atomic.
fn atomics() -> Vec<Row> {
    let fresh = "%s = cube.atomic_rmw exchange %b, %in_c [ %i ] : T, A";
    let before = |op: &str| format!("{fresh} ; %r = {op}, %in_c [ %i ] : T, A");
    let after =
        |op: &str| format!("{fresh} ; %o = {op}, %in_c [ %i ] : T, A ; %r = cube.atomic_load %in_c [ %i ] : A -> T");
    let mut rows = Vec::new();
    for kind in Combine::ALL.iter().map(|kind| kind.word()) {
        let op = format!("cube.atomic_rmw {kind} %a");
        rows.push(row(ops::AtomicRmw::NAME, &[kind], &[before(&op), after(&op)]));
    }
    for expected in ["%a", "%b"] {
        let op = format!("cube.atomic_cas {expected}, %a");
        rows.push(row(ops::AtomicCas::NAME, &[], &[before(&op), after(&op)]));
    }
    let store = "cube.atomic_store %a, %in_c [ %i ] : T, A ; %r = cube.atomic_load %in_c [ %i ] : A -> T";
    rows.push(row(ops::AtomicStore::NAME, &[], &[store.to_string()]));
    rows.push(row(ops::AtomicLoad::NAME, &[], &["%r = cube.atomic_load %in_c [ %i ] : A -> T".to_string()]));
    rows
}

// Reductions of lines: all lanes, and all lanes with a start value.
fn reductions() -> Vec<Row> {
    let reduction = |kind: &CombiningKind| {
        let op = format!("vector.reduction <{}>, %a", kind.word());
        let single = format!("%e = {op} : T into E ; %r = vector.broadcast %e : E to T");
        let start = format!(
            "%s = cube.extract %b [ %j ] : T -> E ; %e = {op}, %s : T into E ; %r = vector.broadcast %e : E to T"
        );
        row("vector.reduction", &[kind.word()], &[single, start])
    };
    let mut rows: Vec<Row> = CombiningKind::ALL.iter().map(reduction).collect();
    rows.push(row("vector.fma", &[], &["vector.fma %a, %b, %c : T".to_string()]));
    rows
}

/// Three operands for each unit. The first operands of each 64 successive units (two planes) are from one
/// list: all edge values, or numbers of one class, for example zeros, numbers near 1, or odd numbers.
fn operands(ty: &str) -> Vec<Vec<u64>> {
    let all = edges(ty);
    let mut parts = vec![all.clone()];
    if is_float(ty) {
        let between = |low: f64, high: f64| -> Vec<u64> {
            all.iter().copied().filter(|v| (low..=high).contains(&value(ty, *v).abs())).collect()
        };
        let zeros: Vec<u64> = all.iter().copied().filter(|v| value(ty, *v) == 0.0).collect();
        let nan = all.iter().copied().find(|v| value(ty, *v).is_nan());
        let near = between(0.5, 2.0);
        parts.extend([near.clone(), between(0.015625, 64.0), zeros, near.into_iter().chain(nan).collect()]);
    } else {
        let mask = u64::MAX >> (64 - bits(ty));
        let mut state = 0x0b17_0b17;
        let mut sparse = |rest: u64| -> Vec<u64> {
            (0..64).map(|i| if i % 29 == 3 { random(&mut state) & mask } else { rest }).collect()
        };
        parts.extend([all.iter().map(|v| v | 1).collect(), sparse(mask), sparse(0)]);
    }
    let column: Vec<u64> = parts.iter().flat_map(|part| part.iter().cycle().take(64).copied()).collect();
    let count = column.len();
    (0..count).map(|i| vec![column[i], column[(i * 7 + 3) % count], column[(i * 5 + 1) % count]]).collect()
}
