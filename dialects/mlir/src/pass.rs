//! Passes written in Rust. A pass is declared as data and registered with MLIR. A panic of a pass becomes an error.
use crate::{
    Cx,
    builder::Builder,
    counters::{count_edit, edits},
    guard::guarded,
    op::{Op, Val, str_of, string_ref},
};
use cube_bridge::*;
use mlir_sys::*;
use std::{
    collections::BTreeMap,
    ffi::c_void,
    fmt::Write,
    sync::{Mutex, OnceLock},
};

/// The levels of a kernel, from the first to the last. The levels are part of the declaration of a pass, so rustc
/// checks their names. `passes/src/levels.rs` has the contract of each level. A backend can add or replace
/// contracts for its phase `lower` (`Backend::contracts`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The kernel as written, with comptime parameters and calls.
    Source,
    /// One kernel without calls or comptime parameters.
    Flat,
    /// Buffers are memrefs, accesses are unchecked, and integer operations are operations of `arith`.
    Legal,
    /// A kernel of level legal, in which operations of the target or of the backend replace some operations. Each
    /// backend defines the contract of this level.
    Mixed,
    /// The kernel as a function of the target. Registers or loops define the positions of units. Each backend defines
    /// the contract of this level.
    Device,
    /// The kernel in the LLVM dialect and the target's dialect, as the input of LLVM's translation.
    Llvm,
    /// A pass with the input level `Any` accepts every level. A pass with the output level `Any` keeps the
    /// level of its input.
    Any,
}

impl Level {
    /// The name in options, docs and messages.
    pub fn name(self) -> &'static str {
        match self {
            Level::Source => "source",
            Level::Flat => "flat",
            Level::Legal => "legal",
            Level::Mixed => "mixed",
            Level::Device => "device",
            Level::Llvm => "llvm",
            Level::Any => "any",
        }
    }
}

/// The pass failed and has reported the reason as a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

pub type PassResult = Result<(), Failed>;

/// Default value of an option. The default value also determines the option's type.
#[derive(Clone, Copy, Debug)]
pub enum OptionDefault {
    /// A flag.
    Bool(bool),
    /// A number.
    Int(i64),
    Text(&'static str),
    /// A comma-separated list of texts, empty by default.
    List,
}

/// One option of a pass.
#[derive(Clone, Copy, Debug)]
pub struct OptionDecl {
    /// Name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Type and default.
    pub default: OptionDefault,
}

/// The declaration of a pass. Help, docs, pipeline syntax, cache key and timing row are derived from the
/// declaration.
pub struct Pass {
    /// Name on the command line and in pipelines.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Name of the operation that the pass runs on; empty for any operation.
    pub anchor: &'static str,
    /// The accepted input levels.
    pub needs: &'static [Level],
    /// The output level; `Any` for the level of the input.
    pub produces: Level,
    /// Dialects whose operations the pass can create.
    pub dialects: &'static [&'static str],
    pub options: &'static [OptionDecl],
    /// Names of the pass's statistics.
    pub statistics: &'static [&'static str],
    /// The function that runs the pass.
    pub run: for<'p> fn(&mut Run<'p>) -> PassResult,
}

impl Pass {
    /// Whether the pass accepts a module at `level`.
    pub fn takes(&self, level: Level) -> bool {
        self.needs.iter().any(|needed| [level, Level::Any].contains(needed))
    }
}

/// One run of a pass over one operation.
pub struct Run<'p> {
    pass: &'static Pass,
    handle: *const c_void,
    root: Op<'p>,
    erased: Vec<Op<'p>>,
    counts: BTreeMap<&'static str, u64>,
}

impl<'p> Run<'p> {
    /// The name of the pass.
    pub fn name(&self) -> &'static str {
        self.pass.name
    }

    /// The operation that the pass runs on.
    pub fn root(&self) -> Op<'p> {
        self.root
    }

    /// The context.
    pub fn cx(&self) -> Cx<'p> {
        self.root.cx()
    }

    fn option(&self, name: &str) -> isize {
        let found = self.pass.options.iter().position(|o| o.name == name);
        found.unwrap_or_else(|| panic!("pass {} declares no option {name}", self.pass.name)) as isize
    }

    /// Value of a flag option.
    pub fn flag(&self, name: &str) -> bool {
        // SAFETY: the handle is the running pass, the index is of this declaration.
        unsafe { cubePassOptionBool(self.handle, self.option(name)) }
    }

    /// Value of a number option.
    pub fn int(&self, name: &str) -> i64 {
        // SAFETY: as above.
        unsafe { cubePassOptionInt(self.handle, self.option(name)) }
    }

    /// Value of a text option.
    pub fn text(&self, name: &str) -> String {
        // SAFETY: as above; copied at once.
        unsafe { str_of(cubePassOptionText(self.handle, self.option(name))).to_string() }
    }

    /// Values of a list option.
    pub fn list(&self, name: &str) -> Vec<String> {
        let index = self.option(name);
        // SAFETY: as above; copied at once.
        unsafe {
            (0..cubePassOptionListSize(self.handle, index))
                .map(|i| str_of(cubePassOptionListItem(self.handle, index, i)).to_string())
                .collect()
        }
    }

    /// Adds `amount` to a statistic of the declaration.
    pub fn count(&mut self, statistic: &'static str, amount: u64) {
        assert!(self.pass.statistics.contains(&statistic), "pass {} declares no {statistic}", self.pass.name);
        *self.counts.entry(statistic).or_default() += amount;
    }

    /// Records that the pass did not change the operation, so that MLIR keeps its analyses.
    pub fn unchanged(&self) {
        // SAFETY: the handle is the running pass.
        unsafe { cubePassMarkUnchanged(self.handle) }
    }

    /// Unlinks `op`. The operation is destroyed when the run ends, so that views of the operation stay valid until
    /// then. The results of `op` must be unused, or used only by operations that are erased too.
    pub fn erase(&mut self, op: Op<'p>) {
        count_edit();
        // SAFETY: live and attached; ownership moves to `erased`.
        unsafe { mlirOperationRemoveFromParent(op.to_raw()) }
        self.erased.push(op);
    }

    /// Replaces all uses of the results of `op` by `values` and erases `op`.
    pub fn replace(&mut self, op: Op<'p>, values: &[Val<'p>]) {
        assert_eq!(op.results().len(), values.len(), "replacing {} by another number of values", op.name());
        for (old, new) in op.results().zip(values) {
            old.replace_all_uses(*new);
        }
        self.erase(op);
    }

    /// A builder whose insertion point is before `op`.
    pub fn before(&self, op: Op<'p>) -> Builder<'p> {
        Builder::before(op)
    }
}

/// Declares a pass by its fields: `name: "...", summary: "...", on: "cube.kernel", level: Flat => Flat, run: run`. A
/// pass that accepts several levels and keeps the level of its input declares `level: Legal | Device => Any`.
#[macro_export]
macro_rules! pass {
    (
        name: $name:literal,
        summary: $summary:literal,
        on: $anchor:tt $(:: $anchor_op:ident)*,
        level: $($needs:ident)|+ => $produces:ident,
        $(dialects: [$($dialect:literal),* $(,)?],)?
        $(options: { $($option:ident: $kind:ident $(($default:expr))? = $help:literal),* $(,)? },)?
        $(statistics: [$($statistic:literal),* $(,)?],)?
        run: $run:path $(,)?
    ) => {
        /// The declaration of this pass.
        pub static PASS: $crate::Pass = $crate::Pass {
            name: $name,
            summary: $summary,
            anchor: $crate::anchor!($anchor $(:: $anchor_op)*),
            needs: &[$($crate::Level::$needs),+],
            produces: $crate::Level::$produces,
            dialects: &[$($($dialect),*)?],
            options: &[$($($crate::OptionDecl {
                name: stringify!($option),
                help: $help,
                default: $crate::OptionDefault::$kind $(($default))?,
            }),*)?],
            statistics: &[$($($statistic),*)?],
            run: $run,
        };
    };
}

/// The name of the operation that a pass runs on: a constant of its dialect (`builtin::MODULE`), or `any`.
#[doc(hidden)]
#[macro_export]
macro_rules! anchor {
    (any) => {
        ""
    };
    ($name:literal) => {
        $name
    };
    ($dialect:ident :: $op:ident) => {
        $crate::ops::$dialect::$op.name()
    };
}

/// The handle through which C++ code refers to a pass. The declaration is the first field, so a pointer to the
/// declaration is a pointer to the handle.
#[repr(C)]
struct Registered {
    decl: CubePassDecl,
    pass: &'static Pass,
}

static REGISTERED: Mutex<BTreeMap<&'static str, &'static Pass>> = Mutex::new(BTreeMap::new());

/// The declaration of the Rust pass with this name; `None` for an upstream pass.
pub fn registered_pass(name: &str) -> Option<&'static Pass> {
    REGISTERED.lock().unwrap_or_else(|e| e.into_inner()).get(name).copied()
}

/// Registers a pass with MLIR. Call this function once per process and pass, before any pipeline is parsed.
pub fn register_pass(pass: &'static Pass) {
    REGISTERED.lock().unwrap_or_else(|e| e.into_inner()).insert(pass.name, pass);
    let default_text = |option: &OptionDecl| -> (OptionKind, &'static str) {
        match option.default {
            OptionDefault::Bool(b) => (OptionKind::Bool, if b { "true" } else { "false" }),
            OptionDefault::Int(n) => (OptionKind::Int, Box::leak(n.to_string().into_boxed_str())),
            OptionDefault::Text(text) => (OptionKind::Text, text),
            OptionDefault::List => (OptionKind::List, ""),
        }
    };
    let options: Vec<CubeOptionDecl> = pass
        .options
        .iter()
        .map(|option| {
            let (kind, text) = default_text(option);
            CubeOptionDecl {
                name: string_ref(option.name),
                summary: string_ref(option.help),
                default_value: string_ref(text),
                kind,
            }
        })
        .collect();
    let options: &'static [CubeOptionDecl] = Vec::leak(options);
    let dialects: &'static [MlirStringRef] = Vec::leak(pass.dialects.iter().map(|d| string_ref(d)).collect());
    let registered: &'static Registered = Box::leak(Box::new(Registered {
        decl: CubePassDecl {
            argument: string_ref(pass.name),
            summary: string_ref(pass.summary),
            anchor: string_ref(pass.anchor),
            dialects: dialects.as_ptr(),
            dialect_count: dialects.len() as isize,
            options: options.as_ptr(),
            option_count: options.len() as isize,
        },
        pass,
    }));
    // SAFETY: the declaration has static lifetime.
    unsafe { cubeRegisterPass(&registered.decl) }
}

/// Whether a pipeline can contain a pass with this name. The pass can be a Rust pass or an upstream pass.
pub fn is_registered_pass(name: &str) -> bool {
    crate::session::register_upstream_passes();
    let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if !word {
        return false;
    }
    let mut message = String::new();
    // SAFETY: the manager is destroyed; the callback gets its String back.
    unsafe {
        let context = mlirContextCreateWithThreading(false);
        let manager = mlirPassManagerCreate(context);
        let text = string_ref(name);
        let sink = (&raw mut message).cast();
        let found = mlirOpPassManagerAddPipeline(
            mlirPassManagerGetAsOpPassManager(manager),
            text,
            Some(crate::op::append),
            sink,
        );
        mlirPassManagerDestroy(manager);
        mlirContextDestroy(context);
        found.value != 0
    }
}

/// Registers a named pipeline: `--NAME` on a command line and `NAME` in a pipeline run the passes of `text`.
pub fn register_pipeline(name: &str, summary: &str, text: &str) {
    // SAFETY: the texts are copied.
    unsafe { cubeRegisterPipeline(string_ref(name), string_ref(summary), string_ref(text)) }
}

pub(crate) unsafe extern "C" fn run_pass(decl: *const CubePassDecl, op: MlirOperation, handle: *const c_void) -> bool {
    // SAFETY: every declaration that C++ holds was made by `register_pass`.
    let (pass, root) = unsafe { ((*decl.cast::<Registered>()).pass, Op::from_raw(op)) };
    let mut run = Run { pass, handle, root, erased: Vec::new(), counts: BTreeMap::new() };
    let before = edits();
    let result = guarded(|| (pass.run)(&mut run));
    if edits() == before {
        run.unchanged();
    }
    for op in run.erased.iter().rev() {
        // SAFETY: unlinked by `erase`, owned by the run, destroyed once. Operands of erased operations are removed
        // first, because an operation can be erased after the operations that define its operands.
        unsafe { mlirOperationSetOperands(op.to_raw(), 0, std::ptr::null()) }
    }
    let mut ok = match result {
        Ok(result) => result.is_ok(),
        Err(panic) => {
            let text = cube_artifact::diagnostic!(CUBE0399.pass { pass: pass.name, panic });
            root.error(text);
            false
        }
    };
    for op in run.erased.drain(..) {
        // An erased operation that a failed run left in use is not destroyed, because the module is discarded.
        if !op.is_unused() {
            if std::mem::take(&mut ok) {
                let text = cube_artifact::diagnostic!(CUBE0398.in_use { pass: pass.name });
                op.error(text);
            }
            continue;
        }
        // SAFETY: as above.
        unsafe { mlirOperationDestroy(op.to_raw()) }
    }
    record(pass, &run.counts);
    ok
}

fn totals() -> &'static Mutex<BTreeMap<(&'static str, &'static str), u64>> {
    static TOTALS: OnceLock<Mutex<BTreeMap<(&'static str, &'static str), u64>>> = OnceLock::new();
    TOTALS.get_or_init(Mutex::default)
}

fn record(pass: &'static Pass, counts: &BTreeMap<&'static str, u64>) {
    if counts.is_empty() {
        return;
    }
    let mut totals = totals().lock().unwrap_or_else(|e| e.into_inner());
    for (name, count) in counts {
        *totals.entry((pass.name, name)).or_default() += count;
    }
}

/// All statistics of this process so far, one line each: pass, count, name.
pub fn statistics_report() -> String {
    let totals = totals().lock().unwrap_or_else(|e| e.into_inner());
    let mut text = String::new();
    for ((pass, name), count) in totals.iter() {
        let _ = writeln!(text, "{pass:24} {count:8} {name}");
    }
    text
}
