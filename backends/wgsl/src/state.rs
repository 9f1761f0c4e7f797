//! The state of the generator for one kernel.
use crate::memory::{Array, key};
use cube_dialect::ops;
use cube_ir::Val;
use cube_passes::analysis::decisions::Decisions;
use cube_structured::{Ordered, Units};
use cube_target::Target;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Inputs for the text of one kernel, and the features that the text uses.
#[derive(Default)]
pub struct Wgsl {
    /// The arrays of arguments and allocations. The function `key` computes the key from a value.
    pub arrays: HashMap<usize, Array>,
    /// The buffers that the first cubes access as vectors.
    pub vectors: HashMap<usize, Array>,
    /// The arguments that the kernel only reads.
    pub read_only: HashSet<usize>,
    /// The conditions that decide whether units reach a barrier or plane operation.
    pub decisions: Decisions,
    /// The shape of the kernel's cubes and planes.
    pub units: Units,
    /// The memory that barriers order.
    pub ordered: Ordered,
    /// Whether the chip has subgroups.
    pub has_subgroups: bool,
    builtins: RefCell<BTreeSet<&'static str>>,
    helpers: RefCell<BTreeMap<String, String>>,
    uniform_word: Cell<bool>,
}

impl Wgsl {
    /// The initial state for a kernel and a chip. The caller adds the arrays of arguments and allocations.
    pub fn of(kernel: ops::Kernel<'_>, target: &Target) -> Wgsl {
        let has_subgroups = target.capabilities.iter().any(|one| one == "subgroups");
        Wgsl {
            units: Units::of(kernel, has_subgroups, &target.planes),
            has_subgroups,
            decisions: Decisions::of(kernel.op()),
            ordered: Ordered::of(kernel),
            ..Wgsl::default()
        }
    }

    /// The name of a built-in value, which becomes a parameter of the entry point.
    pub fn builtin(&self, name: &'static str) -> String {
        self.builtins.borrow_mut().insert(name);
        name.into()
    }

    /// Replaces a literal zero by a zero that the GPU driver cannot fold. If the zero is a constant, lavapipe
    /// computes wrong results for `0 - x`, `x + 0`, `x * 0`, `0 / x` and `x / 0`, in every float mode.
    pub fn hide_zero(&self, operand: &mut String) {
        if !matches!(operand.as_str(), "0.0f" | "0.0h") {
            return;
        }
        let single = format!("bitcast<f32>({} >> 31u)", self.builtin("unit_index"));
        *operand = if operand.ends_with('h') { format!("f16({single})") } else { single };
    }

    /// The built-in values that the text uses, in order.
    pub fn builtins(&self) -> BTreeSet<&'static str> {
        self.builtins.borrow().clone()
    }

    /// Begins the text of an entry point.
    pub fn begin(&mut self, vectors: HashMap<usize, Array>) {
        self.vectors = vectors;
        self.builtins.borrow_mut().clear();
    }

    /// Records that the text uses a helper function.
    pub fn helper(&self, name: &str, text: String) {
        self.helpers.borrow_mut().entry(name.into()).or_insert(text);
    }

    /// The helper functions that the text uses, each once.
    pub fn helpers(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let all = self.helpers.borrow();
        let each = all.values().flat_map(|text| text.split_inclusive("\n}\n"));
        each.map(|text| text.trim_start().to_string()).filter(|text| seen.insert(text.clone())).collect()
    }

    /// Records that the text uses the workgroup variable `uniform_word`, from which `workgroupUniformLoad` reads a
    /// condition.
    pub fn use_uniform_word(&self) {
        self.uniform_word.set(true);
    }

    /// Whether the text uses the workgroup variable `uniform_word`.
    pub fn uses_uniform_word(&self) -> bool {
        self.uniform_word.get()
    }

    /// The array of an argument or allocation.
    pub fn array(&self, memory: Val<'_>) -> Option<&Array> {
        self.vectors.get(&key(memory)).or_else(|| self.arrays.get(&key(memory)))
    }
}
