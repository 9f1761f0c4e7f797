//! Tests vectors of narrow elements. The tests run each operation with every element type, with every number of lanes,
//! and with every use of the result. The tests also run random chains of operations.
//!
//! The code of a vector depends on the used lanes, because a target packs lanes in registers and omits unused lanes.
//! Kernels therefore use all lanes of a result, a constant lane, a lane selected at run time, all lanes except one,
//! or a reduction. Operands come from memory and from constants.
use crate::judge::Data;
use crate::table::{Group, groups};
use crate::values::{STORED, bits, edges, elem, is_float, random};
use std::fmt::Write;

/// A kernel `@k` with its launch.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name of the kernel in messages.
    pub name: String,
    /// The module.
    pub text: String,
    pub buffers: Vec<Data>,
    /// Cubes along x.
    pub cubes: u32,
}

/// Element types of fewer than 32 bits.
pub const NARROW: [&str; 4] = ["i8", "i16", "f16", "bf16"];
/// Lanes of a vector. Lines cannot have 3 lanes, so a vector of 3 lanes is extracted from a line of 4.
pub const LANES: [usize; 5] = [2, 3, 4, 8, 16];
/// Units of a cube.
const UNITS: usize = 64;

/// How a generated kernel uses the vector that the tested operation returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// All lanes are stored.
    Whole,
    /// One lane is stored.
    Lane,
    /// Each unit stores the lane that has the unit's number.
    Dynamic,
    /// The last lane is replaced before the vector is stored.
    AllButOne,
    /// The lanes are reduced to one value.
    Reduced,
}

pub const USES: [Use; 5] = [Use::Whole, Use::Lane, Use::Dynamic, Use::AllButOne, Use::Reduced];

/// Test cases for every operation of the table except math functions, on vectors of `lanes` narrow elements. If
/// `constant` is true, the second operand is a constant.
#[must_use]
pub fn cases(lanes: usize, constant: bool, how: Use) -> Vec<Case> {
    let narrow = groups().into_iter().filter(|group| NARROW.contains(&group.ty.as_str()) && !group.operands.is_empty());
    let cheap = narrow.filter(|group| !["pow", "math"].iter().any(|word| group.name.starts_with(word)));
    let elsewhere = ["lanes of", "planes of", "votes of", "atomics of"];
    let taken = cheap.filter(|group| !elsewhere.iter().any(|name| group.name.starts_with(name)));
    taken.map(|group| case(&group, lanes, constant, how)).collect()
}

fn whole(lanes: usize, ty: &str) -> String {
    format!("vector<{lanes}x{ty}>")
}

/// Number of lanes of the line that contains a vector of `lanes` lanes.
fn line(lanes: usize) -> usize {
    if lanes == 3 { 4 } else { lanes }
}

fn array(lanes: usize, ty: &str) -> String {
    format!("!cube.array<{ty}, {}>", line(lanes))
}

/// Text and buffers of a kernel under construction.
struct Writer {
    lanes: usize,
    elements: usize,
    arguments: Vec<String>,
    body: String,
    buffers: Vec<Data>,
    names: usize,
}

impl Writer {
    fn new(lanes: usize, elements: usize) -> Writer {
        let body = "  %i = cube.topology absolute_pos\n".to_string();
        Writer { lanes, elements, arguments: vec![], body, buffers: vec![], names: 0 }
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    /// Appends `%new = text` and returns its name.
    fn op(&mut self, text: &str) -> String {
        let name = self.fresh();
        let _ = writeln!(self.body, "  {name} = {text}");
        name
    }

    /// Adds a buffer with the given elements and loads a vector from it.
    fn load(&mut self, what: &str, ty: &str, elements: impl Iterator<Item = u64>) -> String {
        let (lanes, number, size) = (self.lanes, self.buffers.len(), elem(ty).size());
        self.arguments.push(format!("%b{number}: {}", array(lanes, ty)));
        let bytes = elements.take(self.elements).flat_map(|v| v.to_le_bytes()[..size].to_vec()).collect();
        self.buffers.push(Data { name: what.into(), elem: elem(ty), ty: ty.into(), bytes, ulp: 0 });
        let loaded = format!("cube.load %b{number}[%i] : {} -> {}", array(lanes, ty), whole(line(lanes), ty));
        let name = self.op(&loaded);
        if lanes != 3 {
            return name;
        }
        self.op(&format!("vector.shuffle {name}, {name} [0, 2, 1] : {0}, {0}", whole(4, ty)))
    }

    fn constant(&mut self, ty: &str, values: &[u64]) -> String {
        let signed = |v: u64| ((v << (64 - bits(ty))) as i64) >> (64 - bits(ty));
        let word = |v: &u64| match ty {
            "i1" => format!("{}", v & 1 == 1),
            _ if is_float(ty) => format!("{v:#x}"),
            _ => signed(*v).to_string(),
        };
        let words: Vec<String> = values.iter().map(word).collect();
        self.op(&format!("arith.constant dense<[{}]> : {}", words.join(", "), whole(self.lanes, ty)))
    }

    /// Adds a buffer for results, and returns the buffer's name.
    fn result(&mut self, what: String, ty: &str, shape: &str, ulp: u64) -> String {
        let number = self.buffers.len();
        self.arguments.push(format!("%b{number}: {shape}"));
        let lanes = if shape.contains(", ") { line(self.lanes) } else { 1 };
        let bytes = vec![0; self.elements / line(self.lanes) * lanes * elem(ty).size()];
        self.buffers.push(Data { name: what, elem: elem(ty), ty: ty.into(), bytes, ulp });
        format!("%b{number}")
    }

    /// Stores a vector according to `how`.
    fn store(&mut self, what: String, value: &str, ty: &str, how: Use, ulp: u64) {
        let (lanes, vector) = (self.lanes, whole(self.lanes, ty));
        let scalar = format!("!cube.array<{ty}>");
        let one = match how {
            Use::Lane => Some(self.op(&format!("vector.extract {value}[{}] : {ty} from {vector}", lanes / 2))),
            Use::Dynamic => {
                let many = self.op(&format!("arith.constant {lanes} : i32"));
                let lane = self.op(&format!("cube.remui %i, {many} : i32"));
                Some(self.op(&format!("cube.extract {value}[{lane}] : {vector} -> {ty}")))
            }
            Use::Reduced => {
                let word = if is_float(ty) { "maximumf" } else { "add" };
                Some(self.op(&format!("vector.reduction <{word}>, {value} : {vector} into {ty}")))
            }
            Use::Whole | Use::AllButOne => None,
        };
        if let Some(one) = one {
            let buffer = self.result(what, ty, &scalar, ulp);
            let _ = writeln!(self.body, "  cube.store {one}, {buffer}[%i] : {ty}, {scalar}");
            return;
        }
        let mut stored = value.to_string();
        if how == Use::AllButOne {
            let first = self.op(&format!("vector.extract {value}[0] : {ty} from {vector}"));
            stored = self.op(&format!("vector.insert {first}, {value}[{}] : {ty} into {vector}", lanes - 1));
        }
        if lanes == 3 {
            stored = self.op(&format!("vector.shuffle {stored}, {stored} [0, 1, 2, 0] : {vector}, {vector}"));
        }
        let shape = array(lanes, ty);
        let buffer = self.result(what, ty, &shape, ulp);
        let _ = writeln!(self.body, "  cube.store {stored}, {buffer}[%i] : {}, {shape}", whole(line(lanes), ty));
    }

    fn finish(self, name: String) -> Case {
        let (arguments, body) = (self.arguments.join(", "), self.body);
        let text = format!("cube.kernel @k({arguments}) cube_dim({UNITS}) {{\n{body}  cube.return\n}}\n");
        Case { name, text, buffers: self.buffers, cubes: (self.elements / line(self.lanes) / UNITS) as u32 }
    }
}

/// Constants that are valid second operands of every operation of a group.
fn constants(group: &Group, lanes: usize) -> Vec<u64> {
    let some = match group.name.split(' ').next() {
        Some("division" | "shifts") => vec![3, 2, 5, 7],
        _ => edges(&group.ty),
    };
    (0..lanes).map(|lane| some[(lane * 7 + lanes) % some.len()]).collect()
}

fn case(group: &Group, lanes: usize, constant: bool, how: Use) -> Case {
    let ty = group.ty.as_str();
    let elements = group.operands.len().div_ceil(line(lanes) * UNITS) * line(lanes) * UNITS;
    let mut writer = Writer::new(lanes, elements);
    let column = |number: usize| (0..elements).map(move |i| group.operands[i.min(group.operands.len() - 1)][number]);
    let a = writer.load("a", ty, column(0));
    let b = if constant { writer.constant(ty, &constants(group, lanes)) } else { writer.load("b", ty, column(1)) };
    let c = writer.load("c", ty, column(2));
    // Rows of several statements, and of indices, bools or single lanes, run with the other rows of the table, in lines
    // of 4.
    let plain = |text: &str| !text.split(' ').any(|word| ["=", "X", "B", "S", "E", "%j", "%k"].contains(&word));
    // Kernels do not compute with storage types, so these are not reduced.
    let computes = |ty: &str| how != Use::Reduced || !STORED.contains(&ty);
    for operation in group.operations.iter().filter(|o| plain(&o.text) && computes(&o.result)) {
        let words = operation.text.split(' ').map(|word| match word.trim_end_matches(',') {
            "T" => whole(lanes, ty),
            "R" => whole(lanes, &operation.result),
            "%a" => word.replace("%a", &a),
            "%b" => word.replace("%b", &b),
            "%c" => word.replace("%c", &c),
            _ => word.to_string(),
        });
        let text = words.collect::<Vec<_>>().join(" ");
        let value = writer.op(&text);
        writer.store(text, &value, &operation.result, how, operation.ulp);
    }
    let operand = if constant { "constant" } else { "variable" };
    writer.finish(format!("{}, {lanes} lanes, {operand} operand, {how:?}", group.name))
}

struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, limit: usize) -> usize {
        (random(&mut self.0) >> 20) as usize % limit
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

const INTS2: &[&str] = &[
    "arith.addi",
    "arith.addi",
    "arith.addi",
    "arith.subi",
    "arith.muli",
    "arith.andi",
    "arith.ori",
    "arith.xori",
    "arith.maxsi",
    "arith.maxui",
    "arith.minsi",
    "arith.minui",
    "cube.divui",
    "cube.divsi",
    "cube.remui",
    "cube.shl",
    "cube.shrui",
    "cube.shrsi",
    "cube.addsi_sat",
    "cube.addui_sat",
    "cube.subsi_sat",
    "cube.subui_sat",
];
const FLOATS2: &[&str] = &["arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minimumf"];

/// A kernel with a random chain of operations on vectors of narrow elements. Equal seeds produce equal kernels.
#[must_use]
pub fn chain(seed: u64) -> Case {
    let mut dice = RandomNumbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let lanes = *dice.pick(&LANES);
    let mut writer = Writer::new(lanes, line(lanes) * UNITS);
    let mut pool: Vec<(String, &str)> = Vec::new();
    for ty in NARROW {
        let values = edges(ty);
        let from = dice.below(values.len());
        pool.push((writer.load(ty, ty, values.iter().copied().cycle().skip(from).step_by(3)), ty));
    }
    for _ in 0..6 + dice.below(12) {
        let made = step(&mut writer, &mut dice, &pool);
        pool.push(made);
    }
    let last = pool.len();
    for (value, ty) in pool.split_off(last - 3) {
        let how = *dice.pick(&USES);
        writer.store(format!("{value}, {how:?}"), &value, ty, how, 0);
    }
    writer.finish(format!("chain {seed}"))
}

/// Appends an operation on the vectors of `pool`.
fn step<'t>(writer: &mut Writer, dice: &mut RandomNumbers, pool: &[(String, &'t str)]) -> (String, &'t str) {
    // Later vectors are chosen more often, so that chains grow.
    let at = dice.below(pool.len()).max(dice.below(pool.len()));
    let (a, ty) = pool[at].clone();
    let (lanes, vector) = (writer.lanes, whole(writer.lanes, ty));
    let same: Vec<&String> = pool.iter().filter(|(_, other)| *other == ty).map(|(name, _)| name).collect();
    let other = dice.pick(&same).to_string();
    let scalar = |writer: &mut Writer, dice: &mut RandomNumbers| {
        writer.op(&format!("vector.extract {other}[{}] : {ty} from {vector}", dice.below(lanes)))
    };
    let text = match dice.below(8) {
        0 => {
            let order: Vec<String> = (0..lanes).map(|_| dice.below(2 * lanes).to_string()).collect();
            format!("vector.shuffle {a}, {other} [{}] : {vector}, {vector}", order.join(", "))
        }
        1 => {
            let one = scalar(writer, dice);
            format!("vector.insert {one}, {a}[{}] : {ty} into {vector}", dice.below(lanes))
        }
        2 => {
            let word = if is_float(ty) { "arith.cmpf olt," } else { "arith.cmpi slt," };
            let less = writer.op(&format!("{word} {a}, {other} : {vector}"));
            let third = dice.pick(&same).to_string();
            format!("arith.select {less}, {a}, {third} : {}, {vector}", whole(lanes, "i1"))
        }
        3 => {
            // Converts between i8 and i16, and between f16 and bf16 through f32.
            let Some((_, to)) = pool.iter().find(|(_, to)| *to != ty && is_float(to) == is_float(ty)) else {
                return (a, ty);
            };
            let into = whole(lanes, to);
            let text = match ty {
                "i8" => format!("arith.{} {a} : {vector} to {into}", dice.pick(&["extsi", "extui"])),
                "i16" => format!("arith.trunci {a} : {vector} to {into}"),
                _ => {
                    let wide = whole(lanes, "f32");
                    let single = writer.op(&format!("arith.extf {a} : {vector} to {wide}"));
                    format!("arith.truncf {single} : {wide} to {into}")
                }
            };
            return (writer.op(&text), to);
        }
        kind => {
            let b = match kind {
                4 => {
                    let one = scalar(writer, dice);
                    writer.op(&format!("vector.broadcast {one} : {ty} to {vector}"))
                }
                5 => {
                    let all = edges(ty);
                    let values: Vec<u64> = (0..lanes).map(|_| *dice.pick(&all)).collect();
                    writer.constant(ty, &values)
                }
                6 => {
                    let value = *dice.pick(&edges(ty));
                    writer.constant(ty, &vec![value; lanes])
                }
                _ => other,
            };
            format!("{} {a}, {b} : {vector}", dice.pick(if is_float(ty) { FLOATS2 } else { INTS2 }))
        }
    };
    (writer.op(&text), ty)
}
