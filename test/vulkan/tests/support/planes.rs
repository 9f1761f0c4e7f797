//! Kernels with every operation of planes, in uniform control flow.
use std::fmt::Write;

/// A kernel, with the number of words and the number of lines of four floats that each unit stores as
/// results.
#[derive(Default)]
pub struct Planes {
    pub text: String,
    pub words: usize,
    pub lines: usize,
}

const INTS: [&str; 9] = ["addi", "muli", "minsi", "minui", "maxsi", "maxui", "andi", "ori", "xori"];
const FLOATS: [&str; 4] = ["addf", "mulf", "minf", "maxf"];
const FORMS: [&str; 3] = ["cube.plane_reduce", "cube.plane_scan inclusive", "cube.plane_scan exclusive"];

/// The operations, each with the type of its result.
fn operations() -> Vec<(String, &'static str)> {
    let mut all = Vec::new();
    for (number, kind) in INTS.into_iter().enumerate() {
        all.push((format!("{} {kind} %v : i32", FORMS[number % 3]), "i32"));
        all.push((format!("{} {kind} %yes : i1", FORMS[(number + 1) % 3]), "i1"));
    }
    for (number, kind) in FLOATS.into_iter().enumerate() {
        all.extend([0, 1].map(|form| (format!("{} {kind} %f : f32", FORMS[(number + form) % 3]), "f32")));
        all.push((format!("{} {kind} %line : vector<4xf32>", FORMS[(number + 2) % 3]), "vector<4xf32>"));
    }
    for (number, shuffle) in ["idx", "xor", "up", "down"].into_iter().enumerate() {
        let (value, ty) = [("%f", "f32"), ("%yes", "i1"), ("%line", "vector<4xf32>"), ("%f", "f32")][number];
        all.push((format!("cube.plane_shuffle {shuffle} %v, %by : i32"), "i32"));
        all.push((format!("cube.plane_shuffle {shuffle} {value}, %by : {ty}"), ty));
    }
    all.push(("cube.plane_broadcast %v, %three : i32".into(), "i32"));
    all.extend(["all %yes", "any %yes", "all %some", "any %low"].map(|vote| (format!("cube.plane_vote {vote}"), "i1")));
    all.push(("cube.plane_elect".into(), "i1"));
    all.push(("cube.plane_ballot %yes : vector<4xi32>".into(), "vector<4xi32>"));
    all.extend(["unit_pos_plane", "plane_pos", "plane_dim"].map(|it| (format!("cube.topology {it}"), "i32")));
    all
}

impl Planes {
    /// Kernels for cubes of `dim` units with at most `most` operations each.
    pub fn all(dim: [u32; 2], most: usize) -> Vec<Planes> {
        operations().chunks(most).map(|operations| Planes::of(dim, operations)).collect()
    }

    fn of([x, y]: [u32; 2], operations: &[(String, &'static str)]) -> Planes {
        let (mut all, mut body) = (Planes::default(), String::new());
        for (op, ty) in operations {
            match *ty {
                "vector<4xf32>" => all.line(&mut body, op),
                ty => all.word(&mut body, op, ty),
            }
        }
        let (words, lines) = (all.words, all.lines);
        all.text = format!(
            "cube.kernel @planes(%x: !cube.array<i32>, %d: !cube.array<i32>, %r: !cube.array<i32>, %g: !cube.array<f32, 4>) \
             cube_dim({x}, {y}) {{
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %words = arith.constant {words} : i32
  %lines = arith.constant {lines} : i32
  %u = cube.topology unit_pos
  %cube = cube.topology cube_pos
  %units = cube.topology cube_dim
  %base = arith.muli %cube, %units : i32
  %i = arith.addi %base, %u : i32
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %by = cube.load %d[%i] : !cube.array<i32> -> i32
  %f = arith.sitofp %v : i32 to f32
  %line = vector.broadcast %f : f32 to vector<4xf32>
  %yes = arith.cmpi sgt, %v, %zero : i32
  %some = arith.cmpi slt, %v, %words : i32
  %low = arith.cmpi slt, %v, %v : i32
  %first = arith.muli %i, %words : i32
  %start = arith.muli %i, %lines : i32
{body}  cube.return
}}
"
        );
        all
    }

    // Stores the value of an operation as a word.
    fn word(&mut self, body: &mut String, op: &str, ty: &str) {
        let n = self.words;
        self.words += 1;
        let _ = writeln!(body, "  %w{n} = {op}");
        let word = match ty {
            "i1" => format!("arith.extui %w{n} : i1 to i32"),
            "vector<4xi32>" => format!("vector.extract %w{n}[0] : i32 from vector<4xi32>"),
            "f32" => format!("arith.bitcast %w{n} : f32 to i32"),
            _ => format!("arith.addi %w{n}, %zero : i32"),
        };
        let _ = writeln!(body, "  %s{n} = {word}\n  %c{n} = arith.constant {n} : i32");
        let _ = writeln!(body, "  %a{n} = arith.addi %first, %c{n} : i32");
        let _ = writeln!(body, "  cube.store %s{n}, %r[%a{n}] : i32, !cube.array<i32>");
    }

    fn line(&mut self, body: &mut String, op: &str) {
        let n = self.lines;
        self.lines += 1;
        let _ = writeln!(body, "  %l{n} = {op}\n  %k{n} = arith.constant {n} : i32");
        let _ = writeln!(body, "  %b{n} = arith.addi %start, %k{n} : i32");
        let _ = writeln!(body, "  cube.store %l{n}, %g[%b{n}] : vector<4xf32>, !cube.array<f32, 4>");
    }
}
