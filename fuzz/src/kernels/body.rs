//! The statements of a kernel.
use super::{FLOATS, Gen, INTS, PlaneScope, Val};

const WRAPPING: &[&str] = &[
    "arith.addi",
    "arith.subi",
    "arith.muli",
    "arith.andi",
    "arith.ori",
    "arith.xori",
    "arith.minsi",
    "arith.minui",
    "arith.maxsi",
    "arith.maxui",
    "cube.divui",
    "cube.divsi",
    "cube.remui",
    "cube.remsi",
    "cube.shl",
    "cube.shrui",
    "cube.shrsi",
    "cube.addsi_sat",
    "cube.addui_sat",
    "cube.subsi_sat",
    "cube.subui_sat",
];
const FLOAT: &[&str] = &[
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.divf",
    "arith.maximumf",
    "arith.minimumf",
    "arith.maxnumf",
    "arith.minnumf",
];
const COMPARE: &[&str] = &["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
const FCOMPARE: &[&str] = &["oeq", "ogt", "ole", "one", "ord", "ueq", "ult", "une", "uno"];
const SUMS: &[&str] = &["addi", "minsi", "minui", "maxsi", "maxui", "andi", "ori", "xori"];
const ROUND: &[&str] = &["", " round toward_zero", " round upward", " round downward"];

impl Gen {
    pub(super) fn number(&mut self) -> &'static str {
        if self.chance(60) { self.pick(self.scope.ints) } else { self.pick(self.scope.floats) }
    }

    /// Generates one statement, with its nested statements.
    pub(super) fn statement(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        match self.below(24) {
            0..=5 => self.arithmetic(),
            6 => {
                self.compare();
            }
            7 => self.cast(),
            8 | 9 => self.load(),
            10 => self.slice(),
            11 => self.tensor(),
            12 => self.lanes(),
            13 | 14 => self.variable(),
            15 => self.store(),
            16 => self.atomic(),
            17 => self.call(),
            18 | 19 if self.depth < 5 => self.branch(),
            20 | 21 if self.depth < 4 => self.counted_loop(),
            22 if self.units_together => self.exchange(),
            23 if self.scope.planes == PlaneScope::Anywhere && self.chance(25) => self.exchange_in_plane(),
            23 if self.scope.planes == PlaneScope::Anywhere => self.plane(),
            23 if self.scope.planes == PlaneScope::Together && self.units_together => self.plane(),
            _ => self.exit(),
        }
    }

    fn arithmetic(&mut self) {
        let ty = self.number();
        let uniform = self.units_together && self.chance(20);
        let (a, b) = (self.any(ty, uniform), self.any(ty, uniform));
        let same = a.uniform && b.uniform;
        let (a, b) = (a.name, b.name);
        if self.chance(15) {
            let c = self.any("i1", false);
            let text = format!("arith.select {}, {a}, {b} : {ty}", c.name);
            self.make(ty, same && c.uniform, &text);
        } else if INTS.contains(&ty) {
            let text = match self.below(12) {
                0 => format!("cube.reverse_bits {a} : {ty}"),
                1 => format!("{} {a} : {ty}", ["math.ctpop", "math.ctlz", "math.cttz", "math.absi"][self.below(4)]),
                _ => format!("{} {a}, {b} : {ty}", self.pick(WRAPPING)),
            };
            self.make(ty, same, &text);
        } else {
            let text = match self.below(8) {
                0 => format!("arith.negf {a} : {ty}"),
                1 => format!("math.absf {a} : {ty}"),
                2 => format!("math.fma {a}, {b}, {a} : {ty}"),
                _ => format!("{} {a}, {b} : {ty}", self.pick(FLOAT)),
            };
            self.make(ty, same, &text);
        }
    }

    fn compare(&mut self) -> Val {
        let ty = self.number();
        self.compare_of(ty, false)
    }

    fn compare_of(&mut self, ty: &'static str, uniform: bool) -> Val {
        let (a, b) = (self.any(ty, uniform), self.any(ty, uniform));
        let text = match INTS.contains(&ty) {
            true => format!("arith.cmpi {}, {}, {} : {ty}", self.pick(COMPARE), a.name, b.name),
            false => format!("arith.cmpf {}, {}, {} : {ty}", self.pick(FCOMPARE), a.name, b.name),
        };
        self.make("i1", a.uniform && b.uniform, &text)
    }

    fn cast(&mut self) {
        let (from, to) = (self.number(), self.number());
        let a = self.any(from, false);
        let mut text = format!("cube.cast {}", a.name);
        if INTS.contains(&from) && self.chance(40) {
            text += " from_unsigned";
        }
        if INTS.contains(&to) && self.chance(40) {
            text += " to_unsigned";
        }
        if self.chance(30) {
            text += " saturate";
        }
        if FLOATS.contains(&from) && FLOATS.contains(&to) && self.chance(30) {
            text += self.pick(ROUND);
        }
        let text = format!("{text} : {from} to {to}");
        self.make(to, a.uniform, &text);
    }

    fn load(&mut self) {
        let (ty, at) = (self.number(), self.any("i32", false));
        let text = format!("cube.load %x_{ty}[{}] : !cube.array<{ty}> -> {ty}", at.name);
        self.make(ty, at.uniform, &text);
    }

    fn slice(&mut self) {
        let ty = self.number();
        let (start, end, at) = (self.any("i32", false), self.any("i32", false), self.any("i32", false));
        let name = self.fresh();
        self.line(&format!(
            "{name} = cube.slice %x_{ty}[{} to {}] : !cube.array<{ty}> -> !cube.slice<{ty}>",
            start.name, end.name
        ));
        let mut of = name;
        if self.chance(40) {
            let (start, end) = (self.any("i32", false), self.any("i32", false));
            let inner = self.fresh();
            self.line(&format!(
                "{inner} = cube.slice {of}[{} to {}] : !cube.slice<{ty}> -> !cube.slice<{ty}>",
                start.name, end.name
            ));
            of = inner;
        }
        let text = format!("cube.load {of}[{}] : !cube.slice<{ty}> -> {ty}", at.name);
        self.make(ty, false, &text);
        let word = self.pick(&["len", "buffer_len"]);
        self.make("i32", false, &format!("cube.{word} {of} : !cube.slice<{ty}>"));
    }

    fn tensor(&mut self) {
        let (at, dim) = (self.any("i32", false), self.any("i32", false));
        let constant = self.pick(&["%c0", "%c1"]);
        let text = match self.below(6) {
            0 => "cube.rank %grid : !cube.tensor<i32>".to_string(),
            1 => format!("cube.shape %grid, {constant} : !cube.tensor<i32>"),
            2 => format!("cube.stride %grid, {} : !cube.tensor<i32>", dim.name),
            3 => format!("cube.coordinate %grid, {}, {constant} : !cube.tensor<i32>", at.name),
            4 => "cube.len %grid : !cube.tensor<i32>".to_string(),
            _ => format!("cube.load %grid[{}] : !cube.tensor<i32> -> i32", at.name),
        };
        self.make("i32", false, &text);
    }

    fn lanes(&mut self) {
        let (ty, n) = (self.number(), self.pick(&[2, 3, 4]));
        let parts: Vec<String> = (0..n).map(|_| self.any(ty, false).name).collect();
        let (a, b) = (self.fresh(), self.fresh());
        let vector = format!("vector<{n}x{ty}>");
        self.line(&format!("{a} = vector.from_elements {} : {vector}", parts.join(", ")));
        let (value, at, from) = (self.any(ty, false), self.any("i32", false), self.any("i32", false));
        // The index is computed, because a constant outside of the line is an error in the source.
        let (to, out_of) = (self.fresh(), self.fresh());
        self.line(&format!("{to} = arith.addi {}, %c0 : i32", at.name));
        self.line(&format!("{out_of} = arith.addi {}, %c0 : i32", from.name));
        self.line(&format!("{b} = cube.insert {}, {a}[{to}] : {ty}, {vector}", value.name));
        let c = self.fresh();
        let op = if INTS.contains(&ty) { self.pick(&WRAPPING[..6]) } else { self.pick(&FLOAT[..3]) };
        self.line(&format!("{c} = {op} {a}, {b} : {vector}"));
        let text = format!("cube.extract {c}[{out_of}] : {vector} -> {ty}");
        self.make(ty, false, &text);
    }

    fn variable(&mut self) {
        if self.cells.is_empty() || self.chance(25) {
            let (ty, name) = (self.number(), self.fresh());
            self.line(&format!("{name} = cube.alloc : !cube.local<1 x {ty}>"));
            self.cells.push((name.clone(), ty));
            return self.set(&name, ty);
        }
        let at = self.below(self.cells.len());
        let (name, ty) = self.cells[at].clone();
        if self.chance(50) {
            return self.set(&name, ty);
        }
        self.make(ty, false, &format!("cube.load {name}[%c0] : !cube.local<1 x {ty}> -> {ty}"));
    }

    fn set(&mut self, name: &str, ty: &'static str) {
        let value = self.any(ty, false).name;
        self.line(&format!("cube.store {value}, {name}[%c0] : {ty}, !cube.local<1 x {ty}>"));
    }

    fn store(&mut self) {
        let ty = self.number();
        let value = self.any(ty, false).name;
        self.line(&format!("cube.store {value}, %y_{ty}[%absolute_pos] : {ty}, !cube.array<{ty}>"));
        if self.chance(40) {
            let text = format!("cube.load %y_{ty}[%absolute_pos] : !cube.array<{ty}> -> {ty}");
            self.make(ty, false, &text);
        }
    }

    // Each kind of atomic operation has a separate element of `%sums`, so that the result does not depend on the order
    // of units.
    fn atomic(&mut self) {
        let value = self.any("i32", false).name;
        let word = self.pick(SUMS);
        let (at, old) = (SUMS.iter().position(|w| *w == word).unwrap_or(0), self.fresh());
        let index = self.fresh();
        self.line(&format!("{index} = arith.constant {at} : i32"));
        self.line(&format!("{old} = cube.atomic_rmw {word} {value}, %sums[{index}] : i32, !cube.array<i32>"));
    }

    fn call(&mut self) {
        let (a, b) = (self.any("i32", false), self.any("i32", false));
        let text = match self.chance(50) {
            true => format!("cube.call @first_above({}, {}) : (i32, i32) -> i32", a.name, b.name),
            false => format!("cube.call @halves({}) : (i32) -> i32", a.name),
        };
        self.make("i32", false, &text);
    }

    // Generates the statements of a block. Values that they define are not in scope after the block.
    pub(super) fn block(&mut self) {
        let (values, cells) = (self.values.len(), self.cells.len());
        self.depth += 1;
        for _ in 0..1 + self.below(4) {
            self.statement();
        }
        self.depth -= 1;
        self.values.truncate(values);
        self.cells.truncate(cells);
    }

    fn branch(&mut self) {
        let units_together = self.units_together;
        let comptime = units_together && self.chance(15);
        let uniform = units_together && self.chance(50);
        let condition = match comptime {
            true => {
                let limit = self.below(5);
                let at = self.fresh();
                self.line(&format!("{at} = arith.constant {limit} : i32"));
                self.make("i1", true, &format!("arith.cmpi sgt, %param, {at} : i32"))
            }
            false => {
                let ty = self.number();
                self.compare_of(ty, uniform)
            }
        };
        self.units_together = units_together && condition.uniform;
        let condition = match self.units_together && !comptime && self.chance(25) {
            true => self.agreed(condition),
            false => condition,
        };
        let word = if comptime { "comptime_if" } else { "if" };
        self.line(&format!("cube.{word} {} {{", condition.name));
        self.block();
        self.leave();
        if self.chance(40) {
            self.line("} else {");
            self.block();
        }
        self.line("}");
        self.units_together = units_together;
    }

    // Returns a condition with the same value whose uniformity the analyses cannot prove. The code adds the conjunct
    // `min(unit_pos, x) <= x`, which is always true. For backends that require a proof, the function returns the
    // condition itself.
    pub(super) fn agreed(&mut self, condition: Val) -> Val {
        if self.scope.planes != PlaneScope::Anywhere {
            return condition;
        }
        let of = self.any("i32", true).name;
        let least = self.make("i32", false, &format!("arith.minui %unit_pos, {of} : i32")).name;
        let always = self.make("i1", true, &format!("arith.cmpi ule, {least}, {of} : i32")).name;
        self.make("i1", true, &format!("arith.andi {}, {always} : i1", condition.name))
    }

    // Generates an exit at the end of a block, with some probability.
    fn leave(&mut self) {
        if self.units_together {
            return;
        }
        self.depth += 1;
        if self.exitable_loops > 0 && self.chance(40) {
            let word = self.pick(&["cube.break", "cube.continue"]);
            self.line(word);
        } else if self.may_return && self.chance(40) {
            let word = self.pick(&["cube.return", "cube.terminate"]);
            self.line(word);
        }
        self.depth -= 1;
    }

    // An exit under a condition, without other statements.
    fn exit(&mut self) {
        if self.units_together || self.exitable_loops == 0 && !self.may_return {
            return self.arithmetic();
        }
        let condition = self.compare();
        self.line(&format!("cube.if {} {{", condition.name));
        self.leave();
        self.line("}");
    }

    // Exchanges values between the units of a cube through shared memory.
    fn exchange(&mut self) {
        let (ty, tile) = (self.number(), self.fresh());
        let value = self.any(ty, false).name;
        let buffer = format!("!cube.shared<{} x {ty}>", self.units);
        self.line(&format!("{tile} = cube.alloc : {buffer}"));
        self.line("cube.sync cube");
        self.line(&format!("cube.store {value}, {tile}[%unit_pos] : {ty}, {buffer}"));
        self.line("cube.sync cube");
        for _ in 0..1 + self.below(2) {
            let at = self.any("i32", false);
            let text = format!("cube.load {tile}[{}] : {buffer} -> {ty}", at.name);
            self.make(ty, at.uniform, &text);
        }
    }

    // Exchanges values between the active lanes of a plane, in any control flow.
    fn exchange_in_plane(&mut self) {
        let (ty, tile) = (self.number(), self.fresh());
        let (value, lane) = (self.any(ty, false).name, self.any("i32", false).name);
        let buffer = format!("!cube.shared<{} x {ty}>", self.units);
        self.line(&format!("{tile} = cube.alloc : {buffer}"));
        // The unit in that lane, or the unit itself if that lane is inactive.
        let from = self.make("i32", false, &format!("cube.plane_shuffle idx %unit_pos, {lane} : i32")).name;
        self.line("cube.sync plane");
        self.line(&format!("cube.store {value}, {tile}[%unit_pos] : {ty}, {buffer}"));
        self.line("cube.sync plane");
        self.make(ty, false, &format!("cube.load {tile}[{from}] : {buffer} -> {ty}"));
        // In the next iteration, other units can be active.
        self.line("cube.sync plane");
    }

    // A float whose sums (0 and 1) or products (1 and -1) over lanes are exact, so that the result does not depend on
    // the order of the lanes.
    fn exact(&mut self, ty: &'static str, word: &str) -> Val {
        let (any, one) = (self.any("i32", false).name, self.make("i32", true, "arith.constant 1 : i32").name);
        let bit = self.make("i32", false, &format!("arith.andi {any}, {one} : i32")).name;
        if word == "addf" {
            return self.make(ty, false, &format!("arith.uitofp {bit} : i32 to {ty}"));
        }
        let two = self.make("i32", false, &format!("arith.addi {bit}, {bit} : i32")).name;
        let sign = self.make("i32", false, &format!("arith.subi {one}, {two} : i32")).name;
        self.make(ty, false, &format!("arith.sitofp {sign} : i32 to {ty}"))
    }

    fn plane(&mut self) {
        let ty = self.number();
        let float = FLOATS.contains(&ty);
        let words: &[&str] =
            if float { &["addf", "mulf", "minf", "maxf"] } else { &["addi", "muli", "minsi", "maxui", "andi", "xori"] };
        let word = self.pick(words);
        let value = if ["addf", "mulf"].contains(&word) { self.exact(ty, word).name } else { self.any(ty, false).name };
        match self.below(7) {
            0 => {
                let condition = self.any("i1", false).name;
                let vote = self.pick(&["all", "any"]);
                self.make("i1", false, &format!("cube.plane_vote {vote} {condition}"));
            }
            1 => {
                let condition = self.any("i1", false).name;
                let bits = self.fresh();
                self.line(&format!("{bits} = cube.plane_ballot {condition} : vector<4xi32>"));
                self.make("i32", false, &format!("vector.extract {bits}[0] : i32 from vector<4xi32>"));
            }
            2 => {
                self.make(ty, false, &format!("cube.plane_reduce {word} {value} : {ty}"));
            }
            3 => {
                let scan = self.pick(&["inclusive", "exclusive"]);
                self.make(ty, false, &format!("cube.plane_scan {scan} {word} {value} : {ty}"));
            }
            4 => {
                let lane = self.any("i32", true).name;
                self.make(ty, false, &format!("cube.plane_broadcast {value}, {lane} : {ty}"));
            }
            5 => {
                self.make("i1", false, "cube.plane_elect");
            }
            _ => {
                let (how, lane) = (self.pick(&["idx", "xor", "up", "down"]), self.any("i32", false).name);
                self.make(ty, false, &format!("cube.plane_shuffle {how} {value}, {lane} : {ty}"));
            }
        }
    }
}
