//! Writes one kernel as text, while the twins of the user's functions run.
mod calls;
mod finish;
mod loops;

pub use calls::enter;
pub use loops::LoopKind;
use loops::LoopState;

use super::hints::{Hints, Key, MOST_ROUNDS};
use super::{Lit, MemKind, MemTy, Ty};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;

/// What stands behind a staged value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Raw {
    /// Known when the kernel is compiled.
    Const(Lit, Ty),
    /// A value of the IR.
    Ssa(u32, Ty),
    /// A variable: one line of local memory.
    Cell(u32, Ty),
    /// A variable that gets its cell with its first value; the depth of its declaration.
    Unset(usize),
}

/// What is wrong with a kernel, found while it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelError {
    /// The source file.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What and the way out.
    pub message: String,
}

#[derive(Default)]
pub(super) struct Frame {
    pub(super) text: String,
    /// Nothing after this point is reached.
    dead: bool,
}

/// The kernel that is being written.
pub struct Builder {
    pub(super) frames: Vec<Frame>,
    loops: Vec<LoopState>,
    pub(super) constants: String,
    known: HashMap<(String, Ty), u32>,
    next: u32,
    position: u32,
    files: Vec<&'static str>,
    /// The file in which the host's part of the kernel panicked.
    left: Option<&'static str>,
    /// Fast-math flags in force, as the text of the attribute.
    pub fast: Vec<String>,
    errors: Vec<KernelError>,
    /// Arguments of the kernel, as text.
    pub arguments: Vec<String>,
    /// Names of arguments given so far.
    pub names: HashMap<String, u32>,
    /// Which value is which argument.
    pub named: HashMap<u32, String>,
    /// Functions that are being written.
    pub calls: usize,
    /// What earlier writings of this kernel have found.
    pub hints: Hints,
    /// Whether this writing has found more, and another has to follow.
    pub again: bool,
    /// Variables declared so far at each place.
    declared: HashMap<(&'static str, u32), u32>,
    /// Which variable a cell is.
    variables: HashMap<u32, Key>,
    pub(super) debug: super::names::Debug,
}

thread_local!(static CURRENT: RefCell<Option<Builder>> = const { RefCell::new(None) });

/// Works on the kernel that is being written.
///
/// # Panics
/// No kernel is being written: a function of the kernel language was called on the host.
pub fn with<T>(work: impl FnOnce(&mut Builder) -> T) -> T {
    CURRENT.with_borrow_mut(|current| match current {
        Some(builder) => work(builder),
        None => panic!("a function of the kernel language ran outside of a kernel: launch it"),
    })
}

/// Writes a kernel: its text, or everything that is wrong with it; `debug` keeps the names of its variables.
///
/// # Errors
/// What the expansion has found.
pub fn run(debug: bool, work: impl Fn()) -> Result<Builder, Vec<KernelError>> {
    /// A panic in user code must not leave half a kernel behind, and a kernel may be launched while another is written.
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
        builder.debug.asked = debug;
        CURRENT.set(Some(builder));
        calls::guarded(&work);
        let builder = CURRENT.take().expect("it was set above, and every inner kernel restores it");
        rounds += 1;
        if !builder.again || rounds == MOST_ROUNDS {
            break builder;
        }
        hints = builder.hints;
    };
    drop(restore);
    if builder.errors.is_empty() { Ok(builder) } else { Err(builder.errors) }
}

/// Reports a mistake at the place of the operation that is being written.
pub fn fail(message: impl Into<String>) {
    with(|b| b.error(message.into()));
}

/// The depth of the block that is being written.
pub fn depth() -> usize {
    with(|b| b.frames.len())
}

/// Writes before the blocks that are open further in than that depth.
pub fn outside<T>(depth: usize, work: impl FnOnce() -> T) -> T {
    let inner = with(|b| b.frames.split_off(depth.min(b.frames.len())));
    let result = work();
    with(|b| b.frames.extend(inner));
    result
}

/// Whether nothing reaches the place that is being written.
pub fn is_dead() -> bool {
    with(|b| b.dead())
}

/// The value as one of the IR, loaded where it is a variable.
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
            left: None,
            fast: Vec::new(),
            errors: Vec::new(),
            arguments: Vec::new(),
            names: HashMap::new(),
            named: HashMap::new(),
            calls: 0,
            hints: Hints::default(),
            again: false,
            declared: HashMap::new(),
            variables: HashMap::new(),
            debug: super::names::Debug::default(),
        }
    }

    /// Sets the place of what is written next: line * 4096 + column.
    pub fn at(&mut self, position: u32) {
        if position != 0 {
            self.position = position;
        }
    }

    /// Begins a function of a file.
    pub fn enter(&mut self, file: &'static str) {
        self.files.push(file);
        self.calls += 1;
    }

    /// Ends it, back at the place of the call.
    pub fn leave(&mut self) {
        let left = self.files.pop();
        if std::thread::panicking() && self.left.is_none() {
            self.left = left;
        }
        self.calls -= 1;
    }

    /// The place that is being written.
    pub fn position(&self) -> u32 {
        self.position
    }

    /// Reports a mistake; code that is never reached makes none.
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

    pub(super) fn loc(&self) -> String {
        let file = self.files.last().copied().unwrap_or("<kernel>");
        format!(" loc({file:?}:{}:{})", self.position / 4096, self.position % 4096)
    }

    /// Whether nothing reaches this place.
    pub fn dead(&self) -> bool {
        self.frames.iter().any(|f| f.dead)
    }

    /// The number of frames.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    pub(super) fn write_at(&mut self, frame: usize, text: &str, loc: bool) {
        let loc = if loc { self.loc() } else { String::new() };
        if self.frames[..=frame].iter().any(|f| f.dead) {
            return;
        }
        let indent = "  ".repeat(frame + 1);
        let _ = writeln!(self.frames[frame].text, "{indent}{text}{loc}");
    }

    /// An operation without a result.
    pub fn op(&mut self, text: &str) {
        self.write_at(self.frames.len() - 1, text, true);
    }

    /// An operation with a result: the text after `%n = `.
    pub fn value(&mut self, ty: Ty, text: &str) -> Raw {
        let id = self.fresh();
        self.op(&format!("%{id} = {text}"));
        Raw::Ssa(id, ty)
    }

    /// The same for memory.
    pub fn memory(&mut self, text: &str) -> u32 {
        let id = self.fresh();
        self.op(&format!("%{id} = {text}"));
        id
    }

    /// Refuses lines that no memory holds; `what` has them.
    pub fn check_line(&mut self, ty: Ty, what: &str) {
        if !matches!(ty.line, 1 | 2 | 4 | 8 | 16) {
            let n = ty.line;
            self.error(format!(
                "{what} lines of {n} elements, and memory has lines of 1, 2, 4, 8 or 16: use one of these line sizes"
            ));
        }
    }

    /// Whether a mistake has been found.
    pub fn is_wrong(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Bytes of text written so far.
    pub fn size(&self) -> usize {
        self.frames.iter().map(|frame| frame.text.len()).sum()
    }

    pub(super) fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// A number for an argument of the kernel.
    pub fn argument(&mut self) -> u32 {
        self.fresh()
    }

    /// A constant; each stands once, at the top of the kernel.
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

    /// The value as one of the IR.
    pub fn id(&mut self, raw: Raw) -> (u32, Ty) {
        match raw {
            Raw::Ssa(id, ty) => (id, ty),
            Raw::Const(lit, ty) => (self.constant(lit, ty), ty),
            Raw::Cell(..) => match self.load(raw) {
                Raw::Ssa(id, ty) => (id, ty),
                _ => unreachable!("a load gives a value"),
            },
            Raw::Unset(_) => {
                self.error("this variable has no value yet: give it one before it is read".into());
                let ty = Ty::scalar(super::Elem::I32);
                (self.constant(Lit::Int(0), ty), ty)
            }
        }
    }

    /// What a variable holds now; other values are themselves.
    pub fn load(&mut self, raw: Raw) -> Raw {
        let Raw::Cell(id, ty) = raw else { return raw };
        let zero = self.constant(Lit::Int(0), Ty::scalar(super::Elem::U32));
        let memory = MemTy { kind: MemKind::Local(1), ty };
        self.value(ty, &format!("cube.load %{id}[%{zero}] inbounds : {memory} -> {ty}"))
    }

    /// The next variable that is declared at this place.
    pub fn key(&mut self) -> Key {
        let file = self.files.last().copied().unwrap_or_default();
        let count = self.declared.entry((file, self.position)).or_default();
        *count += 1;
        (file, self.position, *count)
    }

    /// A variable that begins with a value of a type, and may have to be wider.
    pub fn variable(&mut self, ty: Ty, depth: usize) -> Raw {
        let key = self.key();
        let line = self.hints.lines.get(&key).copied().unwrap_or(1).max(ty.line);
        let ty = Ty { line, ..ty };
        let id = self.cell(ty, depth);
        self.variables.insert(id, key);
        Raw::Cell(id, ty)
    }

    /// Whether a variable of one element can become one of lines: then the kernel is written again.
    pub fn widen(&mut self, cell: u32, line: u32) -> bool {
        let Some(key) = self.variables.get(&cell) else { return false };
        if !self.dead() {
            self.again |= self.hints.line(*key, line);
        }
        true
    }

    /// A variable that stands in the block of that depth.
    pub fn cell(&mut self, ty: Ty, depth: usize) -> u32 {
        self.check_line(ty, "this variable has");
        let id = self.fresh();
        let memory = MemTy { kind: MemKind::Local(1), ty };
        self.write_at(depth - 1, &format!("%{id} = cube.alloc : {memory}"), true);
        id
    }

    /// Writes a variable.
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

    /// Opens a block.
    pub fn open(&mut self) {
        self.frames.push(Frame::default());
    }

    /// Closes it; its text, and whether its end is reached.
    pub fn close(&mut self) -> (String, bool) {
        let frame = self.frames.pop().unwrap_or_default();
        (frame.text, !frame.dead)
    }

    /// An operation with blocks: `head { block } joint { block }`.
    pub fn region(&mut self, head: &str, blocks: &[(&str, &str)]) {
        let indent = "  ".repeat(self.frames.len());
        let mut text = head.to_string();
        for (joint, block) in blocks {
            let _ = write!(text, "{joint} {{\n{block}{indent}}}");
        }
        self.op(&text);
    }

    /// An operation after which nothing is reached in this block.
    pub fn end(&mut self, text: &str) {
        self.op(text);
        self.frames.last_mut().expect("there is always one").dead = true;
    }

    /// The fast-math flags as they stand after an operation's operands.
    pub fn flags(&self) -> String {
        match self.fast.last() {
            Some(flags) if !flags.is_empty() => format!(" fastmath<{flags}>"),
            _ => String::new(),
        }
    }

    /// Whether a block is open whose execution the kernel decides.
    pub fn in_runtime_block(&self) -> bool {
        self.frames.len() > 1
    }
}
