//! Random kernels: typed, terminating, and race-free by construction.
//!
//! A unit writes only its own lines of global memory. Each unit writes its own line of shared memory between two
//! barriers, and all units read after the second barrier. The generator emits only atomics whose result does not depend
//! on the order of the units. The generator tracks uniformity, and emits barriers only in control flow that is uniform
//! in the cube. Plane operations occur anywhere. The bounds of loop counters are small numbers or arbitrary numbers of
//! the counter's type. The generator also emits loops that count a variable down. Indices of reads and lanes are
//! arbitrary, because a read out of bounds returns 0.
mod body;
mod loops;
mod write;

use crate::values::{edges, random};
use std::fmt::Write;

/// An SSA value of the generated kernel.
#[derive(Clone, Debug)]
pub(crate) struct Val {
    /// `%v7`
    name: String,
    /// `i32`, `f16`, ...
    ty: &'static str,
    /// Whether the value is uniform in the cube.
    uniform: bool,
}

/// A kernel with its launch.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The module as MLIR text.
    pub text: String,
    /// The buffers: element type and number of elements.
    pub buffers: Vec<Data>,
    /// The scalar arguments, all of type i32. The scalar arguments follow the buffer arguments.
    pub scalars: Vec<u32>,
    /// Cubes along x.
    pub cubes: u32,
    /// Units of a plane.
    pub plane_dim: u32,
}

/// Types and operations that a generated kernel uses.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Integer types.
    pub ints: &'static [&'static str],
    /// Types of floats.
    pub floats: &'static [&'static str],
    /// Positions of plane operations.
    pub planes: PlaneScope,
}

/// Positions of plane operations in a generated kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaneScope {
    /// Plane operations, including plane barriers, can occur at any position.
    Anywhere,
    /// Plane operations occur only in control flow that is uniform in the cube, and plane barriers do not
    /// occur.
    Together,
    Nowhere,
}

impl Scope {
    /// Allows all types, and plane operations at any position of the generated kernel.
    pub const ALL: Scope = Scope { ints: &INTS, floats: &FLOATS, planes: PlaneScope::Anywhere };
}

/// A buffer before the launch.
#[derive(Clone, Debug)]
pub struct Data {
    pub bytes: Vec<u8>,
    /// The shape of a tensor.
    pub shape: Option<[u64; 2]>,
}

pub(crate) const INTS: [&str; 4] = ["i8", "i16", "i32", "i64"];
pub(crate) use crate::values::FLOATS;

/// The state of the generator while it generates one kernel.
pub(crate) struct Gen {
    scope: Scope,
    state: u64,
    out: String,
    depth: usize,
    next: u32,
    values: Vec<Val>,
    /// Whether all units of the cube execute the statement at the current position.
    units_together: bool,
    /// 1 inside a loop that a single unit can exit, and 0 elsewhere.
    exitable_loops: u32,
    /// Whether units can return early. Barriers cannot follow an early return.
    may_return: bool,
    /// Mutable variables in scope, with name and type.
    cells: Vec<(String, &'static str)>,
    /// Number of statements that the generator can still write.
    budget: u32,
    units: u32,
    /// Units of a cube along x and y.
    dim: [u32; 2],
}

impl Gen {
    fn below(&mut self, n: usize) -> usize {
        (random(&mut self.state) % n.max(1) as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 2 * self.depth);
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// Writes `%v = text` and records the value.
    fn make(&mut self, ty: &'static str, uniform: bool, text: &str) -> Val {
        let name = self.fresh();
        self.line(&format!("{name} = {text}"));
        let val = Val { name, ty, uniform };
        self.values.push(val.clone());
        val
    }

    /// A random value of type `ty` in scope, or a new constant; uniform if `uniform` is set.
    fn any(&mut self, ty: &'static str, uniform: bool) -> Val {
        let fitting: Vec<Val> = self.values.iter().filter(|v| v.ty == ty && (v.uniform || !uniform)).cloned().collect();
        if fitting.is_empty() || self.chance(10) {
            return self.constant(ty);
        }
        // Later values are chosen more often, so that computed values are used.
        let at = self.below(fitting.len()).max(self.below(fitting.len()));
        fitting[at].clone()
    }

    fn constant(&mut self, ty: &'static str) -> Val {
        let bits = match ty {
            "i1" => self.below(2) as u64,
            _ if self.chance(50) => {
                let all = edges(ty);
                all[self.below(all.len())]
            }
            _ if FLOATS.contains(&ty) => {
                let text = format!("arith.constant {}.0 : {ty}", self.below(9) as i64 - 4);
                return self.make(ty, true, &text);
            }
            _ => self.below(70) as u64,
        };
        let text = match ty {
            "i1" => format!("arith.constant {}", bits == 1),
            _ if FLOATS.contains(&ty) => {
                let digits = crate::values::bits(ty) as usize / 4;
                format!("arith.constant 0x{bits:0digits$X} : {ty}")
            }
            _ => {
                let spare = 64 - crate::values::bits(ty);
                format!("arith.constant {} : {ty}", (bits << spare) as i64 >> spare)
            }
        };
        self.make(ty, true, &text)
    }
}

fn content(ty: &str, elements: usize, state: &mut u64) -> Vec<u8> {
    let edge = edges(ty);
    let width = (crate::values::bits(ty) as usize).div_ceil(8);
    let mut bytes = Vec::new();
    for _ in 0..elements {
        let draw = random(state);
        let small = (draw >> 8) % 64;
        let value = match draw % 3 {
            0 => edge[(draw >> 16) as usize % edge.len()],
            _ if FLOATS.contains(&ty) => edge[(draw >> 20) as usize % edge.len()],
            _ => small,
        };
        bytes.extend(&value.to_le_bytes()[..width]);
    }
    bytes
}

/// The kernel that a seed generates, with all types, and with plane operations at any position.
pub fn generate(seed: u64) -> Kernel {
    generate_in(seed, Scope::ALL)
}

/// The kernel that a seed generates with only the types and operations in `scope`. For each type in `scope`,
/// the kernel reads one buffer and writes another buffer.
pub fn generate_in(seed: u64, scope: Scope) -> Kernel {
    let mut state = seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5eed;
    random(&mut state);
    let dim = [[1, 1], [5, 1], [8, 1], [16, 1], [33, 1], [40, 1], [96, 1], [16, 4], [8, 5], [3, 4]];
    let dim = dim[(random(&mut state) % 10) as usize];
    let units = dim[0] * dim[1];
    let cubes = 1 + (random(&mut state) % 3) as u32;
    let plane_dim = [1, 4, 8, 32, 64][(random(&mut state) % 5) as usize];
    let budget = 8 + (random(&mut state) % 40) as u32;
    let mut generator = Gen {
        scope,
        state,
        out: String::new(),
        depth: 1,
        next: 0,
        values: vec![],
        units_together: true,
        exitable_loops: 0,
        may_return: false,
        cells: vec![],
        budget,
        units,
        dim,
    };
    let text = generator.kernel();
    let mut state = generator.state;
    let all = (units * cubes) as usize;
    let mut buffers = Vec::new();
    for ty in scope.ints.iter().chain(scope.floats) {
        let elements = 1 + (random(&mut state) % 50) as usize;
        buffers.push(Data { bytes: content(ty, elements, &mut state), shape: None });
    }
    for ty in scope.ints.iter().chain(scope.floats) {
        let width = (crate::values::bits(ty) as usize).div_ceil(8);
        buffers.push(Data { bytes: vec![0; all * width], shape: None });
    }
    buffers.push(Data { bytes: content("i32", 6, &mut state), shape: None });
    buffers.push(Data { bytes: content("i32", 24, &mut state), shape: Some([4, 6]) });
    let scalars = vec![random(&mut state) as u32 % 40, random(&mut state) as u32];
    Kernel { text, buffers, scalars, cubes, plane_dim }
}
