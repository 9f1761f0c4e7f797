//! Loops of a kernel: counted loops with small or arbitrary bounds, and loops that count a variable down.
use super::{Gen, Val};

/// The range of a counted loop.
struct Bounds {
    ty: &'static str,
    unsigned: bool,
    from: String,
    to: String,
    step: String,
    uniform: bool,
    constant: bool,
}

impl Gen {
    pub(super) fn counted_loop(&mut self) {
        let (units_together, exitable_loops) = (self.units_together, self.exitable_loops);
        let iterations = 1 + self.below(5);
        if self.chance(30) {
            // Counts a variable down, and exits when it is 0.
            self.units_together = false;
            self.exitable_loops = 1;
            // No analysis proves that a variable whose bits are cleared one by one reaches 0.
            let by_bits = self.chance(40);
            let (cell, mut start) = (self.fresh(), self.fresh());
            self.line(&format!("{cell} = cube.alloc : !cube.local<1 x i32>"));
            self.line(&format!("{start} = arith.constant {} : i32", if by_bits { 31 } else { iterations }));
            if by_bits {
                let of = self.any("i32", false).name;
                start = self.make("i32", false, &format!("arith.andi {of}, {start} : i32")).name;
            }
            self.line(&format!("cube.store {start}, {cell}[%c0] : i32, !cube.local<1 x i32>"));
            self.line("cube.loop {");
            self.depth += 1;
            let (left, done, mut less) = (self.fresh(), self.fresh(), self.fresh());
            self.line(&format!("{left} = cube.load {cell}[%c0] : !cube.local<1 x i32> -> i32"));
            self.line(&format!("{done} = arith.cmpi eq, {left}, %c0 : i32"));
            self.line(&format!("cube.if {done} {{"));
            self.line("  cube.break");
            self.line("}");
            self.line(&format!("{less} = arith.subi {left}, %c1 : i32"));
            if by_bits {
                let rest = self.fresh();
                self.line(&format!("{rest} = arith.andi {left}, {less} : i32"));
                less = rest;
            }
            self.line(&format!("cube.store {less}, {cell}[%c0] : i32, !cube.local<1 x i32>"));
            self.depth -= 1;
        } else if self.chance(35) {
            return self.arbitrary_loop();
        } else {
            let (mut end, k) = (self.fresh(), self.fresh());
            let dynamic = self.chance(30);
            let uniform = match dynamic {
                true => {
                    let (of, limit) = (self.any("i32", units_together), self.fresh());
                    self.line(&format!("{limit} = arith.constant {iterations} : i32"));
                    self.line(&format!("{end} = cube.remui {}, {limit} : i32", of.name));
                    if units_together && of.uniform && self.chance(25) {
                        let always = self.make("i1", true, "arith.constant true");
                        let always = self.agreed(always);
                        end = self.make("i32", true, &format!("arith.select {}, {end}, %c0 : i32", always.name)).name;
                    }
                    of.uniform
                }
                false => {
                    self.line(&format!("{end} = arith.constant {iterations} : i32"));
                    true
                }
            };
            self.units_together = units_together && uniform && self.chance(60);
            // If units stay together in a loop, no single unit exits it.
            self.exitable_loops = u32::from(!self.units_together);
            let word = if dynamic { "for" } else { self.pick(&["for", "for", "for unsigned", "comptime_for"]) };
            if word == "comptime_for" {
                self.exitable_loops = 0;
            }
            self.line(&format!("cube.{word} {k} = %c0 to {end} step %c1 : i32 {{"));
            let outside = self.values.len();
            self.values.push(Val { name: k, ty: "i32", uniform: units_together && uniform });
            self.block();
            self.values.truncate(outside);
            self.line("}");
            (self.units_together, self.exitable_loops) = (units_together, exitable_loops);
            return;
        }
        self.block();
        self.line("}");
        (self.units_together, self.exitable_loops) = (units_together, exitable_loops);
    }

    // Emits a loop whose bounds, distance and step can be any numbers in the range of the counter's type. The
    // loop has few iterations.
    fn arbitrary_loop(&mut self) {
        let (units_together, exitable_loops) = (self.units_together, self.exitable_loops);
        let bounds = if self.chance(60) { self.constant_bounds() } else { self.computed_bounds() };
        let Bounds { ty, unsigned, from, to, step, uniform, constant } = bounds;
        self.units_together = units_together && uniform && self.chance(60);
        // If units stay together in a loop, no single unit exits it.
        self.exitable_loops = u32::from(!self.units_together);
        let mut word = "for";
        if constant && self.chance(20) {
            (word, self.exitable_loops) = ("comptime_for", 0);
        }
        let unsigned = if unsigned { " unsigned" } else { "" };
        let (k, cell) = (self.fresh(), self.fresh());
        let start = self.any(ty, false).name;
        self.line(&format!("{cell} = cube.alloc : !cube.local<1 x {ty}>"));
        self.line(&format!("cube.store {start}, {cell}[%c0] : {ty}, !cube.local<1 x {ty}>"));
        self.line(&format!("cube.{word}{unsigned} {k} = {from} to {to} step {step} : {ty} {{"));
        let outside = self.values.len();
        self.values.push(Val { name: k.clone(), ty, uniform: units_together && uniform });
        self.depth += 1;
        // Range analysis of the counter can decide this comparison. The factor 31 makes the result depend on
        // the order of the iterations.
        let (bound, predicate) = (self.any(ty, false).name, self.pick(&["slt", "sgt", "ult", "ugt"]));
        let below = self.make("i1", false, &format!("arith.cmpi {predicate}, {k}, {bound} : {ty}")).name;
        let chosen = self.make(ty, false, &format!("arith.select {below}, {k}, {bound} : {ty}")).name;
        let factor = self.make(ty, true, &format!("arith.constant 31 : {ty}")).name;
        let before = self.make(ty, false, &format!("cube.load {cell}[%c0] : !cube.local<1 x {ty}> -> {ty}")).name;
        let scaled = self.make(ty, false, &format!("arith.muli {before}, {factor} : {ty}")).name;
        let after = self.make(ty, false, &format!("arith.addi {scaled}, {chosen} : {ty}")).name;
        self.line(&format!("cube.store {after}, {cell}[%c0] : {ty}, !cube.local<1 x {ty}>"));
        self.depth -= 1;
        self.block();
        self.values.truncate(outside);
        self.line("}");
        (self.units_together, self.exitable_loops) = (units_together, exitable_loops);
        let after = self.make(ty, false, &format!("cube.load {cell}[%c0] : !cube.local<1 x {ty}> -> {ty}")).name;
        let word = self.make("i32", false, &format!("cube.cast {after} from_unsigned to_unsigned : {ty} to i32")).name;
        // No later statement overwrites the sum in `%sums`.
        let old = self.fresh();
        self.line(&format!("{old} = cube.atomic_rmw addi {word}, %sums[%c0] : i32, !cube.array<i32>"));
    }

    fn constant_bounds(&mut self) -> Bounds {
        let (ty, unsigned) = (self.pick(self.scope.ints), self.chance(50));
        let bits = crate::values::bits(ty);
        let mask = u64::MAX >> (64 - bits);
        let edges = crate::values::edges(ty);
        let [from, to] = [0, 1].map(|_| edges[self.below(edges.len())]);
        let (least, most) = step_limits(unsigned, bits, to.wrapping_sub(from) & mask, 3 + self.below(4) as u64);
        let step = match self.below(3) {
            0 => least,
            1 => most,
            _ => edges[self.below(edges.len())].clamp(least, most),
        };
        let [from, to, step] = [from, to, step].map(|value| {
            let number = (value << (64 - bits)) as i64 >> (64 - bits);
            self.make(ty, true, &format!("arith.constant {number} : {ty}")).name
        });
        Bounds { ty, unsigned, from, to, step, uniform: true, constant: true }
    }

    fn computed_bounds(&mut self) -> Bounds {
        let (ty, unsigned) = (self.pick(self.scope.ints), self.chance(50));
        let uniform = self.units_together && self.chance(50);
        let [from, to] = [0, 1].map(|_| if self.chance(70) { self.any(ty, uniform) } else { self.constant(ty) });
        let uniform = from.uniform && to.uniform;
        let iterations = 3 + self.below(4);
        let one = self.make(ty, true, &format!("arith.constant 1 : {ty}")).name;
        let iterations = self.make(ty, true, &format!("arith.constant {iterations} : {ty}")).name;
        let distance = self.make(ty, uniform, &format!("arith.subi {}, {} : {ty}", to.name, from.name)).name;
        let part = self.make(ty, uniform, &format!("cube.divui {distance}, {iterations} : {ty}")).name;
        let mut step = self.make(ty, uniform, &format!("arith.addi {part}, {one} : {ty}"));
        if self.chance(50) {
            // Some loops use any larger positive step.
            let (larger, max) = (self.constant(ty).name, if unsigned { "maxui" } else { "maxsi" });
            step = self.make(ty, uniform, &format!("arith.{max} {}, {larger} : {ty}", step.name));
        }
        Bounds { ty, unsigned, from: from.name, to: to.name, step: step.name, uniform, constant: false }
    }
}

// The smallest step with at most `iterations` iterations over an unsigned distance, and the largest step of the type.
fn step_limits(unsigned: bool, bits: u32, distance: u64, iterations: u64) -> (u64, u64) {
    let most = u64::MAX >> (64 - bits) >> u32::from(!unsigned);
    (distance / iterations + 1, most)
}
