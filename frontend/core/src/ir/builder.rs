//! Builds the text of one kernel while the expansions of the user's functions run.
mod calls;
mod finish;
mod loads;
mod loops;

pub use calls::enter;
pub use loops::LoopKind;
use loops::LoopState;

use super::hints::{Hints, MAX_ROUNDS, VariableKey};
use super::{Lit, MemKind, MemTy, Ty};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;

/// Representation of a staged value in the builder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Raw {
    /// A compile-time constant.
    Const(Lit, Ty),
    /// An SSA value: its number and type.
    Ssa(u32, Ty),
    /// A variable, which is stored in one line of local memory.
    Cell(u32, Ty),
    /// A variable that has no value yet. Its cell is allocated at the first assignment. The number is the depth of the
    /// block that declares the variable.
    Unset(usize),
}

/// An error in a kernel that is found during construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelError {
    /// Path of the source file, as in `file!()`.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The message: the violated rule, and a way to correct the kernel.
    pub message: String,
}

#[derive(Default)]
pub(super) struct Frame {
    pub(super) text: String,
    /// Whether the end of the block is unreachable.
    dead: bool,
}

/// The kernel under construction.
pub struct Builder {
    pub(super) frames: Vec<Frame>,
    loops: Vec<LoopState>,
    pub(super) constants: String,
    known: HashMap<(String, Ty), u32>,
    next: u32,
    position: u32,
    files: Vec<&'static str>,
    /// The file of the last location, and the start of its text.
    located: (&'static str, String),
    /// The source file of the function that panicked during construction.
    left: Option<&'static str>,
    /// Stack of active fast-math flags, in the syntax of the `fastmath` attribute.
    pub fast: Vec<String>,
    errors: Vec<KernelError>,
    /// Parameters of the kernel, as text.
    pub arguments: Vec<String>,
    /// Number of parameters that share each name.
    pub names: HashMap<String, u32>,
    /// Names of the SSA values that are parameters.
    pub named: HashMap<u32, String>,
    /// Current depth of nested function calls.
    pub calls: usize,
    /// Hints from earlier construction rounds.
    pub hints: Hints,
    /// Whether this construction round recorded new hints. The kernel is then built again.
    pub again: bool,
    /// Number of variables that are declared at each source location.
    declared: HashMap<(&'static str, u32), u32>,
    /// The key of the variable that each cell stores.
    variables: HashMap<u32, VariableKey>,
    /// The result and the text of the last load from memory.
    last_load: Option<(u32, String)>,
    pub(super) debug: super::names::Debug,
}

thread_local!(static CURRENT: RefCell<Option<Builder>> = const { RefCell::new(None) });

/// Runs `work` on the kernel under construction.
///
/// # Panics
/// The host called a kernel function outside of a kernel's construction.
pub fn with<T>(work: impl FnOnce(&mut Builder) -> T) -> T {
    CURRENT.with_borrow_mut(|current| match current {
        Some(builder) => work(builder),
        None => panic!("a kernel function was called on the host; launch a kernel instead"),
    })
}

/// Sets the source location of the next operations. Generic functions call this function instead of [`with`], so that each
/// of their instances needs no instance of `with`.
pub fn at(position: u32) {
    with(|builder| builder.at(position));
}

/// The source location of the next operation.
pub fn position() -> u32 {
    with(|builder| builder.position())
}

/// Builds a kernel and returns its builder, or all errors of the kernel. If `debug` is true, the builder keeps the
/// names of the kernel's variables.
///
/// # Errors
/// The errors that the expansion reports.
pub fn run(debug: bool, work: impl Fn()) -> Result<Builder, Vec<KernelError>> {
    /// A guard that restores the builder of the outer kernel, also after a panic in user code. Constructions of kernels
    /// can be nested, because code that builds a kernel can launch another kernel.
    struct Restore(Option<Builder>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let restore = Restore(CURRENT.replace(None));
    let mut hints = Hints::default();
    let mut rounds = 0;
    let builder = loop {
        let mut builder = Builder { hints: hints.clone(), ..Builder::new() };
        builder.debug.requested = debug;
        CURRENT.set(Some(builder));
        calls::guarded(&work);
        let builder = CURRENT.take().expect("it was set above, and every inner kernel restores it");
        rounds += 1;
        if !builder.again || rounds == MAX_ROUNDS {
            break builder;
        }
        hints = builder.hints;
    };
    drop(restore);
    if builder.errors.is_empty() { Ok(builder) } else { Err(builder.errors) }
}

/// Reports an error at the current source location.
pub fn fail(message: impl Into<String>) {
    with(|b| b.error(message.into()));
}

/// The nesting depth of the current block.
pub fn depth() -> usize {
    with(|b| b.frames.len())
}

/// Runs `work` with the insertion point at the end of the open block at `depth`.
pub fn outside<T>(depth: usize, work: impl FnOnce() -> T) -> T {
    let inner = with(|b| b.frames.split_off(depth.min(b.frames.len())));
    let result = work();
    with(|b| b.frames.extend(inner));
    result
}

/// Whether the code that is being built is unreachable.
pub fn is_dead() -> bool {
    with(|b| b.dead())
}

/// Returns the number and type of an SSA value. If `raw` is a variable, the builder loads the variable.
pub fn current(raw: Raw) -> (u32, Ty) {
    with(|b| b.id(raw))
}

impl Builder {
    fn new() -> Self {
        Builder {
            frames: vec![Frame::default()],
            loops: Vec::new(),
            constants: String::new(),
            known: HashMap::new(),
            next: 0,
            position: 0,
            files: Vec::new(),
            located: Default::default(),
            left: None,
            fast: Vec::new(),
            errors: Vec::new(),
            arguments: Vec::new(),
            names: HashMap::new(),
            named: HashMap::new(),
            calls: 0,
            hints: Hints::default(),
            again: false,
            last_load: None,
            declared: HashMap::new(),
            variables: HashMap::new(),
            debug: super::names::Debug::default(),
        }
    }

    /// Sets the current source location to `position`, which is line * 4096 + column. If `position` is 0, the
    /// current location does not change.
    pub fn at(&mut self, position: u32) {
        if position != 0 {
            self.position = position;
        }
    }

    /// Starts a function that is defined in `file`.
    pub fn enter(&mut self, file: &'static str) {
        self.files.push(file);
        self.calls += 1;
    }

    /// Ends the current function. The caller restores the source location.
    pub fn leave(&mut self) {
        let left = self.files.pop();
        if std::thread::panicking() && self.left.is_none() {
            self.left = left;
        }
        self.calls -= 1;
    }

    /// The current source location: line * 4096 + column.
    pub fn position(&self) -> u32 {
        self.position
    }

    /// Reports an error, unless the code that is being built is unreachable.
    pub fn error(&mut self, message: String) {
        if !self.dead() {
            self.note(message);
        }
    }

    fn note(&mut self, message: String) {
        let error = KernelError {
            file: self.files.last().copied().or(self.left).unwrap_or("<kernel>"),
            line: self.position / 4096,
            column: self.position % 4096,
            message,
        };
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    pub(super) fn loc(&mut self) -> String {
        let file = self.files.last().copied().unwrap_or("<kernel>");
        if self.located.0 != file {
            self.located = (file, format!(" loc({file:?}:"));
        }
        format!("{}{}:{})", self.located.1, self.position / 4096, self.position % 4096)
    }

    /// Whether the code that is being built is unreachable.
    pub fn dead(&self) -> bool {
        self.frames.iter().any(|f| f.dead)
    }

    /// The number of open blocks.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    pub(super) fn write_at(&mut self, frame: usize, text: &str, loc: bool) {
        for outer in &self.frames[..=frame] {
            if outer.dead {
                return;
            }
        }
        let loc = if loc { self.loc() } else { String::new() };
        let line = &mut self.frames[frame].text;
        for _ in 0..=frame {
            line.push_str("  ");
        }
        line.push_str(text);
        line.push_str(&loc);
        line.push('\n');
    }

    /// Appends an operation without results.
    pub fn op(&mut self, text: &str) {
        self.write_at(self.frames.len() - 1, text, true);
    }

    /// Appends a comment. Quotation marks become apostrophes, because later code would interpret a quotation mark as
    /// the start of a string.
    pub fn comment(&mut self, text: &str) {
        for line in text.replace('"', "'").lines() {
            self.write_at(self.frames.len() - 1, &format!("// {line}"), false);
        }
    }

    /// Appends an operation with one result. `text` follows `%n = `.
    pub fn value(&mut self, ty: Ty, text: &str) -> Raw {
        let id = self.fresh();
        self.op(&format!("%{id} = {text}"));
        Raw::Ssa(id, ty)
    }

    /// Appends an allocation, like [`Builder::value`], and returns the number of its SSA value.
    pub fn memory(&mut self, text: &str) -> u32 {
        let id = self.fresh();
        self.op(&format!("%{id} = {text}"));
        id
    }

    /// Reports an error for a line size that memory cannot have. `what` is the subject and verb of the error message.
    pub fn check_line(&mut self, ty: Ty, what: &str) {
        if !matches!(ty.line, 1 | 2 | 4 | 8 | 16) {
            let n = ty.line;
            self.error(format!(
                "{what} lines of {n} elements, but memory supports lines of 1, 2, 4, 8 or 16; use one of these line sizes"
            ));
        }
    }

    /// Requires scalar elements in all memory, because the code at the current location accesses parts of lines.
    pub fn require_elements(&mut self) {
        let here = (self.files.last().copied().unwrap_or("<kernel>"), self.position);
        self.again |= self.hints.elements.is_none();
        self.hints.elements.get_or_insert(here);
    }

    /// Reasons for additional run-time costs of this kernel that its text does not show, for `CUBE_EXPLAIN`. Each
    /// reason is one line.
    pub fn notes(&self) -> Vec<String> {
        let elements = self.hints.elements.map(|(file, position)| {
            let (line, column) = (position / 4096, position % 4096);
            format!(
                "{:10} with_line_size: all memory of this kernel has single elements, because the lines here are no \
                 multiple of the memory's lines; use a multiple of its line size ({file})",
                format!("{line}:{column}")
            )
        });
        elements.into_iter().collect()
    }

    /// Whether the builder has reported an error.
    pub fn is_wrong(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Size in bytes of the text that has been built so far.
    pub fn size(&self) -> usize {
        self.frames.iter().map(|frame| frame.text.len()).sum()
    }

    pub(super) fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Returns an unused SSA number for a parameter of the kernel.
    pub fn argument(&mut self) -> u32 {
        self.fresh()
    }

    /// Returns the SSA number of a constant, which the builder emits once at the top of the kernel.
    pub fn constant(&mut self, lit: Lit, ty: Ty) -> u32 {
        let attribute = lit.attribute(ty);
        if let Some(id) = self.known.get(&(attribute.clone(), ty)) {
            return *id;
        }
        let id = self.fresh();
        let is_bool = ty.elem == super::Elem::Bool && ty.line == 1;
        let typed = if is_bool { attribute.clone() } else { format!("{attribute} : {ty}") };
        let _ = writeln!(self.constants, "  %{id} = arith.constant {typed}");
        self.known.insert((attribute, ty), id);
        id
    }

    /// Returns the number and type of an SSA value; a variable is loaded.
    pub fn id(&mut self, raw: Raw) -> (u32, Ty) {
        match raw {
            Raw::Ssa(id, ty) => (id, ty),
            Raw::Const(lit, ty) => (self.constant(lit, ty), ty),
            Raw::Cell(..) => match self.load(raw) {
                Raw::Ssa(id, ty) => (id, ty),
                _ => unreachable!("a load returns an SSA value"),
            },
            Raw::Unset(_) => {
                self.error("this variable is read before it is assigned; assign a value first".into());
                let ty = Ty::scalar(super::Elem::I32);
                (self.constant(Lit::Int(0), ty), ty)
            }
        }
    }

    /// Loads the current value of a variable. If `raw` is not a variable, it is returned unchanged.
    pub fn load(&mut self, raw: Raw) -> Raw {
        let Raw::Cell(id, ty) = raw else { return raw };
        let zero = self.constant(Lit::Int(0), Ty::scalar(super::Elem::U32));
        let memory = MemTy { kind: MemKind::Local(1), ty };
        self.value(ty, &format!("cube.load %{id}[%{zero}] inbounds : {memory} -> {ty}"))
    }

    /// The key of the next variable that the current source location declares.
    pub fn key(&mut self) -> VariableKey {
        let file = self.files.last().copied().unwrap_or_default();
        let count = self.declared.entry((file, self.position)).or_default();
        *count += 1;
        (file, self.position, *count)
    }

    /// Allocates a variable for a value of type `ty`. Hints from earlier rounds can widen the variable's
    /// line.
    pub fn variable(&mut self, ty: Ty, depth: usize) -> Raw {
        let key = self.key();
        let line = self.hints.lines.get(&key).copied().unwrap_or(1).max(ty.line);
        let ty = Ty { line, ..ty };
        let id = self.cell(ty, depth);
        self.variables.insert(id, key);
        Raw::Cell(id, ty)
    }

    /// Requests that a variable has a wider line in the next construction round. Returns `false` if the cell does not
    /// belong to a variable.
    pub fn widen(&mut self, cell: u32, line: u32) -> bool {
        let Some(key) = self.variables.get(&cell) else { return false };
        if !self.dead() {
            self.again |= self.hints.line(*key, line);
        }
        true
    }

    /// Allocates a cell in the block at `depth`.
    pub fn cell(&mut self, ty: Ty, depth: usize) -> u32 {
        self.check_line(ty, "this variable has");
        let id = self.fresh();
        let memory = MemTy { kind: MemKind::Local(1), ty };
        self.write_at(depth - 1, &format!("%{id} = cube.alloc : {memory}"), true);
        id
    }

    /// Stores a value to the variable with the number `cell`, in the innermost frame.
    pub fn store(&mut self, cell: u32, ty: Ty, value: Raw) {
        let (value, _) = self.id(value);
        let frame = self.frames.len() - 1;
        self.store_at(frame, cell, ty, value);
    }

    fn store_at(&mut self, frame: usize, cell: u32, ty: Ty, value: u32) {
        let zero = self.constant(Lit::Int(0), Ty::scalar(super::Elem::U32));
        let memory = MemTy { kind: MemKind::Local(1), ty };
        self.write_at(frame, &format!("cube.store %{value}, %{cell}[%{zero}] inbounds : {ty}, {memory}"), true);
        self.stored(frame, cell, ty, value);
    }

    /// Opens a nested block.
    pub fn open(&mut self) {
        self.frames.push(Frame::default());
    }

    /// Closes the block. Returns the block's text, and whether the block's end is reachable.
    pub fn close(&mut self) -> (String, bool) {
        let frame = self.frames.pop().unwrap_or_default();
        (frame.text, !frame.dead)
    }

    /// Appends an operation with regions, in the syntax `head { block } joint { block }`.
    pub fn region(&mut self, head: &str, blocks: &[(&str, &str)]) {
        let indent = "  ".repeat(self.frames.len());
        let mut text = head.to_string();
        for (joint, block) in blocks {
            let _ = write!(text, "{joint} {{\n{block}{indent}}}");
        }
        self.op(&text);
    }

    /// Appends a terminator; the rest of the block is unreachable.
    pub fn end(&mut self, text: &str) {
        self.op(text);
        self.frames.last_mut().expect("the kernel's own block is always open").dead = true;
    }

    /// The fast-math attribute, as the text that follows an operation's operands.
    pub fn flags(&self) -> String {
        match self.fast.last() {
            Some(flags) if !flags.is_empty() => format!(" fastmath<{flags}>"),
            _ => String::new(),
        }
    }

    /// Whether the current block is under run-time control flow.
    pub fn in_runtime_block(&self) -> bool {
        self.frames.len() > 1
    }
}
