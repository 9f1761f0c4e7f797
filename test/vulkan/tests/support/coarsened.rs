//! Kernels with one element for each unit, which the pass `coarsen` changes, with lengths near the widths of the accesses.

/// Units of a cube.
const DIM: u64 = 8;

/// Element types, each with its size in bytes and an operation.
const TYPES: [(&str, u64, &str); 7] = [
    ("f32", 4, "arith.addf"),
    ("f16", 2, "arith.mulf"),
    ("f64", 8, "arith.subf"),
    ("i32", 4, "arith.muli"),
    ("i8", 1, "arith.xori"),
    ("i16", 2, "arith.subi"),
    ("i64", 8, "arith.addi"),
];

/// The number of elements of the result.
const LENGTHS: [u64; 12] = [0, 1, 3, 7, 15, 16, 17, 31, 32, 63, 65, 100];

/// The index of the accesses, computed from the position `%p` and the scalar `%w`.
const INDICES: [&str; 3] = [
    "%i = arith.addi %p, %zero : i32",
    "%q = cube.divui %p, %w : i32\n%c = cube.remui %p, %w : i32\n%m = arith.muli %q, %w : i32\n%i = arith.addi %m, %c : i32",
    "%a = arith.addi %p, %w : i32\n%i = arith.subi %a, %w : i32",
];

/// The element types of WGSL.
pub const WGSL_TYPES: [&str; 3] = ["f32", "f16", "i32"];

/// A launch of a kernel with the buffers `%x`, `%y`, `%r` and the scalar `%w`.
pub struct Coarsened {
    pub text: String,
    /// The element type.
    pub ty: &'static str,
    pub buffers: [Vec<u8>; 3],
    pub scalar: u64,
    pub cubes: [u32; 3],
}

/// All launches of this file.
pub fn all() -> Vec<Coarsened> {
    let mut all = Vec::new();
    for (number, (ty, bytes, op)) in TYPES.into_iter().enumerate() {
        for (form, index) in INDICES.iter().enumerate() {
            let text = kernel(ty, op, index, (number + form).is_multiple_of(2));
            for (at, n) in LENGTHS.into_iter().enumerate() {
                // The inputs can be shorter than the result, and a launch can have more or fewer units than elements.
                let lengths = [n, n.saturating_sub(at as u64 % 3 * 5), n + at as u64 % 2];
                let cubes = (n.div_ceil(DIM) + at as u64 % 3).saturating_sub(1).max(1) as u32;
                let cubes = if at % 4 == 3 { [cubes.div_ceil(2), 2, 1] } else { [cubes, 1, 1] };
                all.push(Coarsened {
                    text: text.clone(),
                    ty,
                    buffers: lengths.map(|length| values(length, bytes)),
                    scalar: [4, 5, 16][(at + form) % 3],
                    cubes,
                });
            }
        }
    }
    all
}

/// A launch for WGSL whose units have four lines each, because at least 65,536 units remain. The last lines belong to other cubes.
pub fn of_lines() -> Coarsened {
    let text = "cube.kernel @k(%x: !cube.array<f32, 4>, %y: !cube.array<f32, 4>, %r: !cube.array<f32, 4>, %w: i32) cube_dim(64) {
        %p = cube.topology absolute_pos
        %j = arith.addi %p, %w : i32
        %u = cube.load %x[%p] : !cube.array<f32, 4> -> vector<4xf32>
        %v = cube.load %y[%j] : !cube.array<f32, 4> -> vector<4xf32>
        %s = arith.addf %u, %v : vector<4xf32>
        cube.store %s, %r[%p] : vector<4xf32>, !cube.array<f32, 4>
        cube.return
    }";
    let lines = 65_536 * 4;
    let buffers = [lines, lines - 100, lines + 37].map(|lines| values(4 * lines, 4));
    Coarsened { text: text.into(), ty: "f32", buffers, scalar: 3, cubes: [lines as u32 / 64 + 1, 1, 1] }
}

// `r[p] = x[i] op y[i] op y[p / 3]`. With `is_in_place`, each unit also stores its result to `x[p]`.
fn kernel(ty: &str, op: &str, index: &str, is_in_place: bool) -> String {
    let array = format!("!cube.array<{ty}>");
    // Other units read the elements of `x` only if `i` is not the position.
    let in_place = is_in_place && !index.contains("cube.divui");
    let store = if in_place { format!("cube.store %s, %x[%p] : {ty}, {array}\n") } else { String::new() };
    format!(
        "cube.kernel @k(%x: {array}, %y: {array}, %r: {array}, %w: i32 {{cube.host = \"u32\"}}) cube_dim({DIM}) {{\n\
         %p = cube.topology absolute_pos\n%zero = arith.constant 0 : i32\n%three = arith.constant 3 : i32\n{index}\n\
         %u = cube.load %x[%i] : {array} -> {ty}\n%v = cube.load %y[%i] : {array} -> {ty}\n%s = {op} %u, %v : {ty}\n\
         %j = cube.divui %p, %three : i32\n%g = cube.load %y[%j] : {array} -> {ty}\n%t = {op} %s, %g : {ty}\n\
         cube.store %t, %r[%p] : {ty}, {array}\n{store}cube.return\n}}\n"
    )
}

// Numbers whose last byte makes them finite in all float types.
fn values(length: u64, bytes: u64) -> Vec<u8> {
    let byte = |at: u64| match (at + 1).is_multiple_of(bytes) && bytes > 1 {
        true => 0x3c + (at / bytes % 8) as u8,
        false => (at * 37 % 251) as u8,
    };
    (0..length * bytes).map(byte).collect()
}
