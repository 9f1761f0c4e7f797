//! A case, which is a kernel with its launch, and the size of a case.
use cube_artifact::CompileError;
use cube_dialect::kernels_of;
use cube_ir::ops::{arith, builtin};
use cube_ir::{AttrExt, Op, OwnedModule};

/// The launch of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Arguments by name, in the syntax of `cube-run`.
    pub args: Vec<(String, String)>,
    /// Cubes along x, y, z.
    pub count: Option<[u32; 3]>,
    /// Comptime parameters.
    pub params: Vec<String>,
    pub kernel: Option<String>,
}

impl Launch {
    /// The launch as options of `cube-run`.
    pub fn words(&self) -> Vec<String> {
        let mut words = self.compile_words();
        words.extend(self.args.iter().flat_map(|(name, value)| ["--arg".into(), format!("{name}={value}")]));
        if let Some([x, y, z]) = self.count {
            words.extend(["--cube-count".into(), format!("{x},{y},{z}")]);
        }
        words
    }

    /// The compile options of the launch as options of `cubec`.
    pub fn compile_words(&self) -> Vec<String> {
        let mut words: Vec<String> = self.params.iter().flat_map(|p| ["--param".into(), p.clone()]).collect();
        words.extend(self.kernel.iter().flat_map(|k| ["--kernel".into(), k.clone()]));
        words
    }
}

/// The size of a case. The search prefers a case with a smaller size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// The total weight of the operations; a constant has a low weight.
    weight: u64,
    /// The weight of the launch: its units, cubes, buffer elements and digits.
    launch: u64,
    /// Bytes of text.
    text: usize,
    /// Operations.
    pub ops: usize,
}

/// A kernel with its launch.
#[derive(Clone, Debug)]
pub struct Case {
    /// The module.
    pub text: String,
    pub launch: Launch,
    weight: u64,
    ops: usize,
    units: u64,
}

impl Case {
    /// Creates a case from a verified module and a launch.
    pub fn of(module: &OwnedModule<'_>, launch: Launch) -> Case {
        let all = module.op().walk();
        let units = kernels_of(module.op()).iter().map(|k| volume(k.facts().cube_dim)).sum();
        // The module itself and terminators cannot be removed.
        let ops = all.iter().filter(|op| !is_fixed(**op)).count();
        Case { text: module.print(), launch, weight: all.iter().map(|op| weight(*op)).sum(), ops, units }
    }

    /// The case with the same module and another launch.
    pub fn with(&self, launch: Launch) -> Case {
        Case { launch, ..self.clone() }
    }

    /// The size of the case.
    pub fn size(&self) -> Size {
        let count = self.launch.count.map_or(0, volume);
        let args: u64 = self.launch.args.iter().map(|(_, value)| super::launch::weight(value)).sum();
        let params = self.launch.params.len() as u64 + u64::from(self.launch.kernel.is_some());
        Size { weight: self.weight, launch: self.units + count + args + params, text: self.text.len(), ops: self.ops }
    }

    /// The number of units in all cubes of the launch.
    pub fn units_in_all(&self) -> u64 {
        self.units.saturating_mul(self.launch.count.map_or(1, volume))
    }

    /// A key that identifies the case.
    pub fn hash(&self) -> blake3::Hash {
        blake3::hash(format!("{}\0{:?}", self.text, self.launch).as_bytes())
    }
}

fn volume(sides: [u32; 3]) -> u64 {
    sides.iter().fold(1, |all, side| u64::from(*side).saturating_mul(all))
}

/// Whether an operation can only be removed together with its parent.
pub fn is_fixed(op: Op<'_>) -> bool {
    op.is(builtin::MODULE) || op.block().and_then(|b| b.terminator()) == Some(op)
}

fn weight(op: Op<'_>) -> u64 {
    if is_fixed(op) {
        return op.operands().len() as u64;
    }
    if op.is(arith::CONSTANT) {
        let simple = op.attr("value").is_some_and(|v| v.as_int() == Some(0) || v.as_float() == Some(0.0));
        let digits = op.attr("value").map_or(0, |v| v.to_string().len() as u64).min(40);
        return if simple { 4 } else { 5 + digits };
    }
    let args: usize = op.regions().filter_map(|r| r.first_block()).map(|b| b.args().len()).sum();
    let attrs: usize = op.attrs().iter().map(|(_, value)| value.to_string().len()).sum();
    100 + 4 * op.operands().len() as u64 + 20 * op.regions().len() as u64 + 4 * args as u64 + attrs as u64
}

/// `X`, `X,Y` or `X,Y,Z`.
///
/// # Errors
/// The text does not have one of the forms `X`, `X,Y` and `X,Y,Z`.
pub fn count(text: &str) -> Result<[u32; 3], CompileError> {
    let parts: Option<Vec<u32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match parts.as_deref() {
        Some([x]) => Ok([*x, 1, 1]),
        Some([x, y]) => Ok([*x, *y, 1]),
        Some([x, y, z]) => Ok([*x, *y, *z]),
        _ => Err(CompileError::from(cube_artifact::diagnostic!(CUBE0608.count { given: text }))),
    }
}
