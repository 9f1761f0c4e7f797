//! The table of all elementwise operations with their types. Operations on the same operands form a group,
//! which becomes one kernel.
use crate::judge::Data;
use crate::values::{FLOATS, bits, edges, elem, is_float};
use cube_ir::upstream::{FloatCmp, IntCmp};
use cube_semantics::tables::bound;
use cube_semantics::{IntOp, Meaning, Number, meaning};

/// An operation on the operands `%a`, `%b`, `%c`, with its result type and its tolerance.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Text of the operation with placeholders. `T` is the type of the operands, `R` of the result, `X` of indices, and
    /// `B` of bools. `S` is the types of a select, `E` the type of one element, and `A` the type of operand buffers.
    /// The buffer of the third operand is `%in_c`. The text ` ; ` separates statements. The value `%r` is the result; a
    /// single operation needs no `%r = `. `%i` is the number of the unit. `%j` and `%k` are i32 values from 0 to 7 that
    /// differ from unit to unit.
    pub text: String,
    /// Element type of the result.
    pub result: String,
    /// The tolerance in units in the last place.
    pub ulp: u64,
}

impl Operation {
    /// The operations of the row, except `vector.broadcast` and `vector.extract`.
    pub fn names(&self) -> Vec<&str> {
        self.worded().into_iter().map(|(name, _)| name).collect()
    }

    /// The operations of the row, each with the keywords between the operation's name and the types.
    pub fn worded(&self) -> Vec<(&str, Vec<&str>)> {
        let mut all = Vec::new();
        for statement in self.text.split(" ; ") {
            let mut words = statement.split(' ').skip_while(|word| !word.contains('.') || word.starts_with('%'));
            let Some(name) = words.next().filter(|name| !["vector.broadcast", "vector.extract"].contains(name)) else {
                continue;
            };
            let is_word = |word: &&str| word.starts_with(|c: char| c == '<' || c.is_ascii_lowercase());
            let words = words
                .take_while(|word| *word != ":")
                .filter(is_word)
                .map(|word| word.trim_matches(|c| "<>,".contains(c)));
            all.push((name, words.collect()));
        }
        all
    }
}

/// Operations on the same operands.
#[derive(Clone, Debug)]
pub struct Group {
    /// The name of the group in messages.
    pub name: String,
    /// Element type of the operands.
    pub ty: String,
    /// The operand tuples. A tuple has the bit patterns of `%a`, `%b` and `%c`.
    pub operands: Vec<Vec<u64>>,
    pub operations: Vec<Operation>,
}

/// The integers that kernels compute with.
pub const INTS: [&str; 5] = ["i1", "i8", "i16", "i32", "i64"];
/// Integer operations without a row: operations that exist only at levels for code generation, and operations without
/// an expansion. Other tests cover the operations in this list.
const NO_ROW: &[&str] = &["llvm.", "math.ipowi"];
const FLOAT2: &[&str] = &[
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.divf",
    "arith.remf",
    "arith.maximumf",
    "arith.minimumf",
    "arith.maxnumf",
    "arith.minnumf",
    "math.copysign",
];
const FLOAT1: &[&str] =
    &["arith.negf", "math.absf", "math.ceil", "math.floor", "math.trunc", "math.round", "math.roundeven", "math.sqrt"];
/// Integer rows given as complete text: both results of wide sums and products, a select, and a conversion
/// through `index`.
const AS_WRITTEN: &[&str] = &[
    "%r, %s = arith.addui_extended %a, %b : T, B",
    "%s, %o = arith.addui_extended %a, %b : T, B ; %r = arith.select %o, %a, %b : S",
    "%r, %s = arith.mului_extended %a, %b : T",
    "%s, %r = arith.mului_extended %a, %b : T",
    "%r, %s = arith.mulsi_extended %a, %b : T",
    "%s, %r = arith.mulsi_extended %a, %b : T",
    "%p = arith.cmpi ult, %a, %b : T ; %r = arith.select %p, %a, %b : S",
    "%x = arith.index_cast %a : T to X ; %r = arith.index_cast %x : X to T",
    "%x = arith.index_castui %a : T to X ; %r = arith.index_castui %x : X to T",
];
/// Rows for lines only: lane operations whose run-time index is inside or outside the line.
const LANES: &[&str] = &[
    "%e = cube.extract %a [ %j ] : T -> E ; %r = vector.broadcast %e : E to T",
    "%e = cube.extract %b [ %j ] : T -> E ; %r = cube.insert %e, %a [ %k ] : E, T",
    "%e = cube.extract %b [ %j ] : T -> E ; %r = cube.insert %e, %a [ %j ] : E, T",
    "%s = arith.constant 2 : i32 ; %e = cube.extract %b [ %s ] : T -> E ; %r = cube.insert %e, %a [ %j ] : E, T",
    "%s = arith.constant 2 : i32 ; %e = cube.extract %b [ %j ] : T -> E ; %r = cube.insert %e, %a [ %s ] : E, T",
];
const CLASSES: &[&str] = &["math.isfinite", "math.isinf", "math.isnan", "math.isnormal"];
const MATH1: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1",
    "log", "log10", "log1p", "log2", "rsqrt", "sin", "sinh", "tan", "tanh",
];

/// The operands for which an integer operation with two operands is defined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defined {
    Always,
    /// All operands except a divisor of 0.
    Quotient,
    /// All operands whose shift amount is less than the width.
    Shift,
}

// The operations on integers of a width. A new row of `cube_semantics` is therefore tested automatically.
fn defined(width: u32, operands: usize, class: Defined) -> Vec<&'static str> {
    let of = |op: IntOp| {
        let value = |b| op.evaluate(width, &[0, b][..op.operands()]).value();
        match (value(0), value(u64::from(width))) {
            (None, _) => Defined::Quotient,
            (_, None) => Defined::Shift,
            _ => Defined::Always,
        }
    };
    let fit = |op: &IntOp| op.widths().contains(&width) && op.operands() == operands && of(*op) == class;
    let names = IntOp::ALL.iter().filter(|op| fit(op)).flat_map(|op| op.names());
    names.copied().filter(|name| !NO_ROW.iter().any(|start| name.starts_with(start))).collect()
}

fn same(text: String, ty: &str) -> Operation {
    Operation { text, result: ty.into(), ulp: 0 }
}

fn binary(names: &[&str], ty: &str) -> Vec<Operation> {
    names.iter().map(|name| same(format!("{name} %a, %b : T"), ty)).collect()
}

fn unary(names: &[&str], ty: &str) -> Vec<Operation> {
    names.iter().map(|name| same(format!("{name} %a : T"), ty)).collect()
}

// The tolerance: a bound in ULP, plus half a ULP for the rounding of the reference.
fn allowed(ty: &str, function: &str) -> u64 {
    match ty {
        "f32" | "f64" => (bound(ty, function).unwrap_or(0.0) + 0.5) as u64,
        _ => 1,
    }
}

fn pairs(ty: &str) -> Vec<Vec<u64>> {
    let all = edges(ty);
    all.iter().flat_map(|a| all.iter().map(|b| vec![*a, *b, *a ^ 1])).collect()
}

fn triples(ty: &str) -> Vec<Vec<u64>> {
    let all: Vec<u64> = edges(ty).into_iter().step_by(3).collect();
    let mut tuples = Vec::new();
    for a in &all {
        tuples.extend(all.iter().flat_map(|b| all.iter().map(|c| vec![*a, *b, *c])));
    }
    tuples
}

fn singles(ty: &str) -> Vec<Vec<u64>> {
    edges(ty).into_iter().map(|a| vec![a, a, a]).collect()
}

/// Edge values, and for f32 and f64 the angle nearest to a multiple of pi/2. The range reduction of this angle
/// requires every bit of pi (Kahan).
fn angles(ty: &str) -> Vec<Vec<u64>> {
    let nearest = match ty {
        "f32" => Some(0x6f79_be45),
        "f64" => Some(0x7506_ac5b_262c_a1ff),
        _ => None,
    };
    singles(ty).into_iter().chain(nearest.map(|a| vec![a; 3])).collect()
}

pub fn groups() -> Vec<Group> {
    let mut groups = Vec::new();
    for ty in INTS {
        groups.extend(integers(ty));
        groups.extend(conversions_of_integers(ty));
    }
    for ty in FLOATS {
        groups.extend(floats(ty));
        groups.extend(conversions_of_floats(ty));
    }
    groups.extend(crate::conversions::groups());
    groups.extend(crate::words::groups());
    groups
}

// Whether an operation on two integers has a defined value.
fn is_defined(name: &str, width: u32, operands: &[u64]) -> bool {
    let Some(Meaning::Int(op)) = meaning(name) else { return false };
    op.evaluate(width, &operands[..op.operands()]).value().is_some()
}

// Whether a conversion has a defined value.
fn converts(name: &str, from: &str, to: &str, operand: u64) -> bool {
    let Some(Meaning::Convert(conversion)) = meaning(name) else { return false };
    let types = Number::named(from).zip(Number::named(to));
    types.is_some_and(|(from, to)| conversion.evaluate(from, to, operand).value().is_some())
}

fn integers(ty: &str) -> Vec<Group> {
    let group =
        |what: &str, operands, operations| Group { name: format!("{what} {ty}"), ty: ty.into(), operands, operations };
    let width = bits(ty);
    let (partial, shifts) = (defined(width, 2, Defined::Quotient), defined(width, 2, Defined::Shift));
    let mut all = binary(&defined(width, 2, Defined::Always), ty);
    all.extend(unary(&defined(width, 1, Defined::Always), ty));
    let compares = IntCmp::ALL.iter().map(|p| Operation {
        text: format!("arith.cmpi {}, %a, %b : T", p.word()),
        result: "i1".into(),
        ulp: 0,
    });
    all.extend(compares);
    all.extend(AS_WRITTEN.iter().map(|text| same(text.to_string(), ty)));
    let divisible = pairs(ty).into_iter().filter(|t| partial.iter().all(|name| is_defined(name, width, t))).collect();
    let shifted = pairs(ty).into_iter().filter(|t| shifts.iter().all(|name| is_defined(name, width, t))).collect();
    all.extend(bitcasts(ty));
    vec![
        group("lanes of", singles(ty), LANES.iter().map(|text| same(text.to_string(), ty)).collect()),
        group("integers", pairs(ty), all),
        group("division", divisible, binary(&partial, ty)),
        group("shifts", shifted, binary(&shifts, ty)),
    ]
}

// Bitcasts to each other type of the same width.
fn bitcasts(ty: &str) -> Vec<Operation> {
    let types = INTS.iter().chain(&FLOATS).filter(|to| bits(to) == bits(ty) && **to != ty);
    types.map(|to| Operation { text: "arith.bitcast %a : T to R".into(), result: to.to_string(), ulp: 0 }).collect()
}

fn conversions_of_integers(ty: &str) -> Option<Group> {
    let convert = |name: &str, to: &str| Operation { text: format!("{name} %a : T to R"), result: to.into(), ulp: 0 };
    let mut operations = Vec::new();
    for to in INTS {
        match bits(to).cmp(&bits(ty)) {
            std::cmp::Ordering::Greater => operations.extend([convert("arith.extsi", to), convert("arith.extui", to)]),
            std::cmp::Ordering::Less => operations.push(convert("arith.trunci", to)),
            std::cmp::Ordering::Equal => {}
        }
    }
    for to in FLOATS {
        operations.extend([convert("arith.sitofp", to), convert("arith.uitofp", to)]);
    }
    Some(Group { name: format!("conversions of {ty}"), ty: ty.into(), operands: singles(ty), operations })
}

fn floats(ty: &str) -> Vec<Group> {
    let group =
        |what: &str, operands, operations| Group { name: format!("{what} {ty}"), ty: ty.into(), operands, operations };
    let to_bool = |text: String| Operation { text, result: "i1".into(), ulp: 0 };
    let mut two = binary(FLOAT2, ty);
    two.extend(FloatCmp::ALL.iter().map(|p| to_bool(format!("arith.cmpf {}, %a, %b : T", p.word()))));
    let math2 = [("math.atan2", "atan2"), ("math.powf", "pow")].map(|(name, function)| Operation {
        text: format!("{name} %a, %b : T"),
        result: ty.into(),
        ulp: allowed(ty, function),
    });
    two.push(same("%p = arith.cmpf olt, %a, %b : T ; %r = arith.select %p, %a, %b : S".into(), ty));
    let mut one = unary(FLOAT1, ty);
    one.extend(bitcasts(ty));
    one.extend(CLASSES.iter().map(|name| to_bool(format!("{name} %a : T"))));
    let mut math1: Vec<_> = MATH1
        .iter()
        .map(|f| Operation { text: format!("math.{f} %a : T"), result: ty.into(), ulp: allowed(ty, f) })
        .collect();
    math1.extend([("sin", "%r, %s"), ("cos", "%s, %r")].map(|(function, results)| Operation {
        text: format!("{results} = math.sincos %a : T"),
        result: ty.into(),
        ulp: allowed(ty, function),
    }));
    let three = ["math.fma %a, %b, %c : T", "math.clampf %a to [ %b, %c ] : T"].map(|t| same(t.into(), ty)).to_vec();
    vec![
        group("floats", pairs(ty), two),
        group("pow and atan2", pairs(ty), math2.to_vec()),
        group("one float", singles(ty), one),
        group("math", angles(ty), math1),
        group("fma", triples(ty), three),
        group("lanes of", singles(ty), LANES.iter().map(|text| same(text.to_string(), ty)).collect()),
    ]
}

fn conversions_of_floats(ty: &str) -> Vec<Group> {
    let convert = |name: &str, to: &str| Operation { text: format!("{name} %a : T to R"), result: to.into(), ulp: 0 };
    let width = |t: &str| bits(t.trim_start_matches('b'));
    let mut exact = Vec::new();
    for to in FLOATS {
        match width(to).cmp(&width(ty)) {
            std::cmp::Ordering::Greater => exact.push(convert("arith.extf", to)),
            std::cmp::Ordering::Less => exact.push(convert("arith.truncf", to)),
            std::cmp::Ordering::Equal => {}
        }
    }
    let mut groups =
        vec![Group { name: format!("conversions of {ty}"), ty: ty.into(), operands: singles(ty), operations: exact }];
    for to in INTS {
        for name in ["arith.fptosi", "arith.fptoui"] {
            let operands: Vec<_> = singles(ty).into_iter().filter(|t| converts(name, ty, to, t[0])).collect();
            let name_of = format!("{name} {ty} to {to}");
            groups.push(Group { name: name_of, ty: ty.into(), operands, operations: vec![convert(name, to)] });
        }
    }
    groups
}

fn whole(ty: &str, line: usize) -> String {
    if line == 1 { ty.to_string() } else { format!("vector<{line}x{ty}>") }
}

fn array(ty: &str, line: usize) -> String {
    if line == 1 { format!("!cube.array<{ty}>") } else { format!("!cube.array<{ty}, {line}>") }
}

impl Group {
    // A word of a row in the kernel's text: placeholder types are replaced, and values get the number of their row.
    fn word(&self, word: &str, number: usize, result: &str, line: usize) -> String {
        match word.trim_end_matches(',') {
            "T" | "R" | "B" | "X" | "E" | "A" | "N" | "M" => {
                let comma = &word[1..];
                let ty = match &word[..1] {
                    "T" => whole(&self.ty, line),
                    "R" => whole(result, line),
                    "B" => whole("i1", line),
                    "X" => whole("index", line),
                    // The integers that are as wide as an operand, and as wide as the result.
                    "N" => whole(&format!("i{}", bits(&self.ty)), line),
                    "M" => whole(&format!("i{}", bits(result)), line),
                    "A" => array(&self.ty, line),
                    _ => self.ty.clone(),
                };
                ty + comma
            }
            "S" if line > 1 => format!("{}, {}", whole("i1", line), whole(&self.ty, line)),
            "S" => self.ty.clone(),
            "%a" | "%b" | "%c" | "%i" | "%j" | "%k" | "%in_c" => word.to_string(),
            name if name.starts_with('%') => format!("{name}_{number}{}", &word[name.len()..]),
            _ => word.to_string(),
        }
    }

    /// The line sizes of the group's kernels: 1 and 4 in general, 4 for lane operations and reductions, and 1
    /// for constants, votes and atomics.
    pub fn lines(&self) -> &'static [usize] {
        match self.name.split(' ').next() {
            Some("lanes" | "reductions") => &[4],
            Some("constants" | "votes" | "atomics") => &[1],
            _ => &[1, 4],
        }
    }
    /// The kernel over lines of `line` elements, its buffers, and the number of cubes.
    pub fn kernel(&self, line: usize) -> (String, Vec<Data>, u32) {
        // The number of operands is padded to whole cubes, so that all units read inside the buffers. A read out of
        // bounds would add zeros to the operands.
        let count = self.operands.len().div_ceil(line * 64) * line * 64;
        let mut buffers = Vec::new();
        let (mut arguments, mut body) = (String::new(), String::new());
        for (number, name) in ["a", "b", "c"].into_iter().enumerate() {
            arguments += &format!("%in_{name}: {}, ", array(&self.ty, line));
            body += &format!(
                "  %{name} = cube.load %in_{name}[%i] : {} -> {}\n",
                array(&self.ty, line),
                whole(&self.ty, line)
            );
            let size = elem(&self.ty).size();
            let column = (0..count).map(|i| self.operands[i.min(self.operands.len() - 1)][number]);
            let bytes = column.flat_map(|v| v.to_le_bytes()[..size].to_vec()).collect();
            buffers.push(Data {
                name: format!("{} operand {name}", self.name),
                elem: elem(&self.ty),
                ty: self.ty.clone(),
                bytes,
                ulp: 0,
            });
        }
        for (number, operation) in self.operations.iter().enumerate() {
            let result = &operation.result;
            arguments += &format!("%out_{number}: {}, ", array(result, line));
            let text = match operation.text.contains('=') {
                true => operation.text.clone(),
                false => format!("%r = {}", operation.text),
            };
            for statement in text.split(" ; ") {
                let words: Vec<String> =
                    statement.split(' ').map(|word| self.word(word, number, result, line)).collect();
                body += &format!("  {}\n", words.join(" "));
            }
            body += &format!(
                "  cube.store %r_{number}, %out_{number}[%i] : {}, {}\n",
                whole(result, line),
                array(result, line)
            );
            let name = format!("{} ({} to {result}, lines of {line})", operation.text, self.ty);
            buffers.push(Data {
                name,
                elem: elem(result),
                ty: result.clone(),
                bytes: vec![0; count * elem(result).size()],
                ulp: operation.ulp,
            });
        }
        let arguments = arguments.trim_end_matches(", ");
        let lanes = match self.operations.iter().any(|operation| operation.text.contains("%j")) {
            true => {
                "  %one = arith.constant 1 : i32\n  %seven = arith.constant 7 : i32\n  %j = arith.andi %i, %seven : i32\n  \
                 %half = arith.shrui %i, %one : i32\n  %k = arith.andi %half, %seven : i32\n"
            }
            false => "",
        };
        let text = format!(
            "cube.kernel @k({arguments}) cube_dim(64) {{\n  %i = cube.topology absolute_pos\n{lanes}{body}  cube.return\n}}\n"
        );
        (text, buffers, (count / line).div_ceil(64) as u32)
    }

    /// Whether the operands of the group are floats.
    pub fn has_floats(&self) -> bool {
        is_float(&self.ty)
    }
}
