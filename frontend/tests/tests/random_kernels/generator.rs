//! Random functions of three numbers, as source text that is valid both as Rust and in the kernel language.

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % count.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ty {
    U32,
    I32,
    U64,
    F32,
    Bool,
}
use Ty::*;

impl Ty {
    fn name(self) -> &'static str {
        match self {
            U32 => "u32",
            I32 => "i32",
            U64 => "u64",
            F32 => "f32",
            Bool => "bool",
        }
    }
}

struct Variable {
    name: String,
    ty: Ty,
    mutable: bool,
}

struct Body<'r> {
    random: &'r mut Random,
    variables: Vec<Variable>,
    /// Arrays of four elements.
    arrays: Vec<(String, Ty)>,
    /// Values of the struct `S`.
    structs: Vec<String>,
    text: String,
    count: usize,
    /// Number of enclosing loops that can contain a `break`.
    loops: usize,
    /// Remaining number of statements that the generator can emit.
    left: usize,
}

/// `pub fn fSEED(a: u32, b: i32, c: f32) -> u32`.
pub fn function(random: &mut Random, seed: u64) -> String {
    let variable = |name: &str, ty| Variable { name: name.into(), ty, mutable: false };
    let variables = vec![variable("a", U32), variable("b", I32), variable("c", F32)];
    let left = 4 + random.below(12);
    let mut body = Body {
        random,
        variables,
        arrays: Vec::new(),
        structs: Vec::new(),
        text: String::new(),
        count: 0,
        loops: 0,
        left,
    };
    while body.left > 0 {
        body.statement(1);
    }
    let (whole, signed, float) = (body.value(U32, 3), body.value(I32, 2), body.value(F32, 2));
    let wide = body.value(U64, 2);
    let text = body.text;
    format!(
        "pub fn f{seed}(a: u32, b: i32, c: f32) -> u32 {{\n{text}    {whole} ^ ({signed} as u32) ^ bits({float}) ^ (({wide} >> 7u32) as u32)\n}}\n"
    )
}

impl Body<'_> {
    fn fresh(&mut self, what: &str) -> String {
        self.count += 1;
        format!("{what}{}", self.count)
    }

    fn ty(&mut self) -> Ty {
        *self.random.of(&[U32, U32, I32, I32, F32, F32, U64, Bool])
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.text.push_str(&"    ".repeat(depth));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn literal(&mut self, ty: Ty) -> String {
        match ty {
            U32 => format!("{}u32", self.random.of(&[0, 1, 2, 3, 7, 31, 255, 65_537, 4_000_000_000u32])),
            I32 => format!("{}i32", self.random.of(&[0, 1, 2, 5, 100, 2_000_000_000])),
            U64 => format!("{}u64", self.random.of(&[0, 1, 3, 1 << 33, u64::MAX])),
            F32 => format!("{:?}f32", self.random.of(&[0.0, 1.0, 0.5, 3.25, 1e10, 1e-20])),
            Bool => self.random.of(&["true", "false"]).to_string(),
        }
    }

    /// A variable or a literal of a type.
    fn leaf(&mut self, ty: Ty) -> String {
        let names: Vec<String> = self.variables.iter().filter(|v| v.ty == ty).map(|v| v.name.clone()).collect();
        let field = match ty {
            U32 => "a",
            I32 => "b",
            F32 => "c",
            _ => "",
        };
        if !field.is_empty() && !self.structs.is_empty() && self.random.below(5) == 0 {
            let name = self.random.of(&self.structs).clone();
            return format!("{name}.{field}");
        }
        if names.is_empty() || self.random.below(6) == 0 {
            return self.literal(ty);
        }
        self.random.of(&names).clone()
    }

    /// An expression of a type. A float is the argument of `seen`, which the program defines or removes.
    fn value(&mut self, ty: Ty, depth: usize) -> String {
        let value = self.plain_value(ty, depth);
        if ty == F32 { format!("seen({value})") } else { value }
    }

    fn plain_value(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        let d = depth - 1;
        let arrays: Vec<String> =
            self.arrays.iter().filter(|(_, of)| *of == ty).map(|(name, _)| name.clone()).collect();
        match self.random.below(16) {
            0 | 1 => self.leaf(ty),
            2 if !arrays.is_empty() => {
                let at = self.value(U32, d);
                format!("{}[({at} % 4u32) as usize]", self.random.of(&arrays))
            }
            3 => {
                let (c, a, b) = (self.value(Bool, d), self.value(ty, d), self.value(ty, d));
                format!("(if {c} {{ {a} }} else {{ {b} }})")
            }
            4 => {
                let on = self.value(U32, d);
                let arms: Vec<String> = (0..4).map(|_| self.value(ty, d.min(1))).collect();
                format!(
                    "(match {on} % 9u32 {{ 0 => {}, 1 | 3 => {}, 4..=6 => {}, _ => {} }})",
                    arms[0], arms[1], arms[2], arms[3]
                )
            }
            5 => {
                let (name, inner) = (self.fresh("t"), self.value(ty, d));
                self.variables.push(Variable { name: name.clone(), ty, mutable: false });
                let outer = self.value(ty, d);
                self.variables.pop();
                format!("({{ let {name} = {inner}; {outer} }})")
            }
            6 if ty == U32 || ty == I32 => {
                let (a, b) = (self.value(ty, d), self.value(ty, d));
                format!("mixed::<{}>({a}, {b})", ty.name())
            }
            _ => self.operation(ty, d),
        }
    }

    fn operation(&mut self, ty: Ty, d: usize) -> String {
        match ty {
            Bool => {
                let of = *self.random.of(&[U32, I32, F32, U64]);
                let (a, b) = (self.value(of, d), self.value(of, d));
                let compared = format!("({a} {} {b})", self.random.of(&["<", "<=", ">", ">=", "==", "!="]));
                match self.random.below(4) {
                    0 => format!("({compared} && {})", self.value(Bool, d)),
                    1 => format!("({compared} || {})", self.value(Bool, d)),
                    2 => format!("(!{compared})"),
                    _ => compared,
                }
            }
            F32 => match self.random.below(8) {
                0 => format!("({} as f32)", self.value(U32, d)),
                1 => format!("({} as f32)", self.value(I32, d)),
                2 => format!("(-{})", self.value(F32, d)),
                3 => format!("({}).abs()", self.value(F32, d)),
                4 => format!("({}).{}()", self.value(F32, d), self.random.of(&["floor", "ceil", "trunc", "sqrt"])),
                _ => {
                    let (a, b) = (self.value(F32, d), self.value(F32, d));
                    format!("({a} {} {b})", self.random.of(&["+", "-", "*", "/"]))
                }
            },
            _ => self.integer(ty, d),
        }
    }

    fn integer(&mut self, ty: Ty, d: usize) -> String {
        let name = ty.name();
        match self.random.below(12) {
            0 => {
                let of = *self.random.of(&[U32, I32, F32, U64, Bool]);
                let from = if of == ty { F32 } else { of };
                format!("({} as {name})", self.value(from, d))
            }
            // The divisor is positive: neither a division by zero, nor of the least number by -1.
            1 => {
                let (a, b) = (self.value(ty, d), self.value(ty, d));
                format!("({a} {} (({b} & 15{name}) + 1{name}))", self.random.of(&["/", "%"]))
            }
            2 => {
                let (a, by, bits) = (self.value(ty, d), self.value(U32, d), if ty == U64 { 63 } else { 31 });
                format!("({a} {} ({by} & {bits}u32))", self.random.of(&["<<", ">>"]))
            }
            3 => format!("(!{})", self.value(ty, d)),
            4 if ty == I32 => format!("(-{})", self.value(ty, d)),
            5 => {
                let (a, b) = (self.value(ty, d), self.value(ty, d));
                format!("({a}).{}({b})", self.random.of(&["max", "min", "saturating_add", "saturating_sub"]))
            }
            6 if ty == U32 => {
                let of = *self.random.of(&[U32, I32]);
                let function = self.random.of(&["count_ones", "leading_zeros", "trailing_zeros"]);
                let function = *function;
                format!("({}).{function}()", self.value(of, d))
            }
            _ => {
                let (a, b) = (self.value(ty, d), self.value(ty, d));
                format!("({a} {} {b})", self.random.of(&["+", "-", "*", "&", "|", "^"]))
            }
        }
    }

    /// Generates the statements of a block. The variables of a block are out of scope after the block.
    fn block(&mut self, depth: usize) {
        let (variables, arrays, structs) = (self.variables.len(), self.arrays.len(), self.structs.len());
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
        self.variables.truncate(variables);
        self.arrays.truncate(arrays);
        self.structs.truncate(structs);
    }

    fn statement(&mut self, depth: usize) {
        self.left = self.left.saturating_sub(1);
        let deep = depth > 3;
        match self.random.below(14) {
            0..=2 => {
                let (ty, mutable) = (self.ty(), self.random.below(3) > 0);
                let (name, value) = (self.fresh("v"), self.value(ty, 3));
                let word = if mutable { "mut " } else { "" };
                let declared = if self.random.below(2) == 0 { format!(": {}", ty.name()) } else { String::new() };
                self.line(depth, &format!("let {word}{name}{declared} = {value};"));
                self.variables.push(Variable { name, ty, mutable });
            }
            3..=5 => self.assignment(depth),
            6 if !deep => {
                let condition = self.value(Bool, 2);
                self.line(depth, &format!("if {condition} {{"));
                self.block(depth + 1);
                if self.random.below(2) == 0 {
                    self.line(depth, "} else {");
                    self.block(depth + 1);
                }
                self.line(depth, "}");
            }
            7 if !deep => {
                let (counter, limit) = (self.fresh("n"), self.value(U32, 1));
                self.line(depth, &format!("let mut {counter} = {limit} % 6u32;"));
                self.line(depth, &format!("while {counter} > 0u32 {{"));
                self.line(depth + 1, &format!("{counter} -= 1u32;"));
                self.variables.push(Variable { name: counter, ty: U32, mutable: false });
                self.loops += 1;
                self.block(depth + 1);
                self.exit(depth + 1);
                self.loops -= 1;
                self.line(depth, "}");
            }
            8 if !deep => {
                let (counter, limit) = (self.fresh("i"), self.value(U32, 1));
                let range = *self.random.of(&["0u32..", "1u32..="]);
                self.line(depth, &format!("for {counter} in {range}({limit} % 5u32) {{"));
                self.variables.push(Variable { name: counter, ty: U32, mutable: false });
                self.loops += 1;
                self.block(depth + 1);
                self.exit(depth + 1);
                self.loops -= 1;
                self.variables.pop();
                self.line(depth, "}");
            }
            9 => {
                let ty = *self.random.of(&[U32, I32, F32]);
                let (name, parts) = (self.fresh("r"), [0; 4].map(|_| self.value(ty, 1)).join(", "));
                self.line(depth, &format!("let mut {name} = [{parts}];"));
                self.arrays.push((name, ty));
            }
            10 => {
                let (name, a, b, c) = (self.fresh("s"), self.value(U32, 2), self.value(I32, 2), self.value(F32, 2));
                let made = format!("S {{ a: {a}, b: {b}, c: {c} }}");
                let made = if self.random.below(2) == 0 { format!("turned({made}, {})", self.leaf(U32)) } else { made };
                self.line(depth, &format!("let mut {name} = {made};"));
                self.structs.push(name);
            }
            11 if depth > 1 => {
                let (condition, value) = (self.value(Bool, 2), self.value(U32, 1));
                self.line(depth, &format!("if {condition} {{ return {value}; }}"));
            }
            12 if !deep => {
                let (name, counter, limit) = (self.fresh("v"), self.fresh("n"), self.value(U32, 1));
                let ty = *self.random.of(&[U32, F32]);
                let value = self.value(ty, 1);
                self.line(depth, &format!("let mut {counter} = {limit} % 4u32;"));
                self.line(depth, &format!("let {name} = loop {{"));
                self.line(depth + 1, &format!("if {counter} > 5u32 {{ break {value}; }}"));
                self.line(depth + 1, &format!("{counter} += 1u32;"));
                self.block(depth + 1);
                self.line(depth, "};");
                self.variables.push(Variable { name, ty, mutable: false });
            }
            _ => self.assignment(depth),
        }
    }

    /// Generates a conditional `break` or `continue`.
    fn exit(&mut self, depth: usize) {
        if self.random.below(3) == 0 {
            let (condition, word) = (self.value(Bool, 1), *self.random.of(&["break", "continue"]));
            self.line(depth, &format!("if {condition} {{ {word}; }}"));
            self.assignment(depth);
        }
    }

    fn assignment(&mut self, depth: usize) {
        if !self.arrays.is_empty() && self.random.below(3) == 0 {
            let (name, ty) = self.random.of(&self.arrays).clone();
            let (at, value) = (self.value(U32, 1), self.value(ty, 2));
            let operator = *self.random.of(&["=", "+=", "*="]);
            self.line(depth, &format!("{name}[({at} % 4u32) as usize] {operator} {value};"));
            return;
        }
        if !self.structs.is_empty() && self.random.below(3) == 0 {
            let name = self.random.of(&self.structs).clone();
            let (field, ty) = *self.random.of(&[("a", U32), ("b", I32), ("c", F32)]);
            let value = self.value(ty, 2);
            self.line(depth, &format!("{name}.{field} = {value};"));
            return;
        }
        let targets: Vec<(String, Ty)> =
            self.variables.iter().filter(|v| v.mutable).map(|v| (v.name.clone(), v.ty)).collect();
        if targets.is_empty() {
            return;
        }
        let (name, ty) = self.random.of(&targets).clone();
        let value = self.value(ty, 3);
        let operator = match ty {
            Bool => "=",
            F32 => *self.random.of(&["=", "+=", "-=", "*="]),
            _ => *self.random.of(&["=", "+=", "-=", "*=", "^=", "|=", "&="]),
        };
        self.line(depth, &format!("{name} {operator} {value};"));
    }
}
