//! Branches, loops and results, as the macro writes them.
use super::value::{Operand, Staged};
use crate::ir::{self, KernelError, LoopKind, Raw, with};

enum Branch {
    /// The host knows which way it goes.
    Known(bool),
    /// The kernel finds out.
    Open { cond: u32, position: u32, then: Option<String> },
    /// Nothing reaches it.
    Dead,
}

/// An `if` that is being written.
pub struct If(Branch);

impl If {
    /// A branch that is always taken.
    pub fn always() -> Self {
        If(Branch::Known(true))
    }

    /// Begins it with its condition.
    pub fn begin<C: Operand<T = bool>>(cond: C, position: u32) -> Self {
        let cond = cond.val();
        with(|b| b.at(position));
        if ir::is_dead() {
            return If(Branch::Dead);
        }
        match cond.known() {
            Some(known) => If(Branch::Known(known)),
            None => If(Branch::Open { cond: cond.id(), position, then: None }),
        }
    }

    /// Whether the host writes the first block now.
    pub fn then(&mut self) -> bool {
        match &self.0 {
            Branch::Known(known) => *known,
            Branch::Open { .. } => {
                with(|b| b.open());
                true
            }
            Branch::Dead => false,
        }
    }

    /// Whether the host writes the second block now.
    pub fn els(&mut self) -> bool {
        match &mut self.0 {
            Branch::Known(known) => !*known,
            Branch::Open { then, .. } => {
                let (text, _) = with(|b| b.close());
                *then = Some(text);
                with(|b| b.open());
                true
            }
            Branch::Dead => false,
        }
    }

    /// Writes the whole.
    pub fn end(self) {
        if let Branch::Open { cond, position, then } = self.0 {
            let (last, _) = with(|b| b.close());
            let head = format!("cube.if %{cond}");
            with(|b| {
                b.at(position);
                match &then {
                    Some(then) if last.is_empty() => b.region(&head, &[("", then)]),
                    Some(then) => b.region(&head, &[("", then), (" else", &last)]),
                    None => b.region(&head, &[("", &last)]),
                }
            });
        }
    }
}

/// The value of a branch or a loop.
pub struct Slot<V> {
    depth: usize,
    direct: Option<V>,
    cells: Option<V>,
}

impl<V: Staged> Default for Slot<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Staged> Slot<V> {
    /// A value of the block that is being written.
    pub fn new() -> Self {
        Slot { depth: ir::depth(), direct: None, cells: None }
    }

    /// One way of getting it.
    pub fn put(&mut self, value: V) {
        if ir::is_dead() {
            return;
        }
        if ir::depth() == self.depth && self.cells.is_none() {
            self.direct = Some(value.rd());
            return;
        }
        let depth = self.depth;
        self.cells.get_or_insert_with(|| value.to_cells(depth)).store(value);
    }

    /// What has come of it.
    pub fn get(self) -> V {
        match (self.direct, self.cells) {
            (Some(value), _) => value,
            (None, Some(cells)) => cells.rd(),
            (None, None) => V::dummy(),
        }
    }
}

/// A `loop` or `while` that is being written.
pub struct Loop {
    index: usize,
    position: u32,
    open: bool,
}

impl Loop {
    /// Begins it.
    pub fn begin(position: u32) -> Self {
        let index = with(|b| {
            b.at(position);
            b.open_loop()
        });
        Loop { index, position, open: false }
    }

    /// True once, for the body; then the loop is written.
    pub fn turn(&mut self) -> bool {
        self.open = !self.open;
        if !self.open {
            with(|b| {
                b.at(self.position);
                b.close_loop("cube.loop");
            });
        }
        self.open
    }

    /// `break`.
    pub fn brk(&mut self, position: u32) {
        exit(LoopKind::Break, self.index, position);
    }

    /// `continue`.
    pub fn cont(&mut self, position: u32) {
        exit(LoopKind::Continue, self.index, position);
    }
}

fn exit(kind: LoopKind, index: usize, position: u32) {
    with(|b| {
        b.at(position);
        b.exit(kind, index);
    });
}

/// What a `for` goes through.
pub trait Iterate {
    /// What each turn gets.
    type Item;
    /// The bounds of a loop of the kernel: from, to (beyond the last), step, and what a turn makes of the counter.
    fn counted(&self) -> Option<Counted<Self::Item>>;
    /// All items, where the host knows them; `None` says why not.
    fn items(self) -> Option<Vec<Self::Item>>;
}

const TOO_LARGE: &str = "with this loop unrolled the kernel is too large to be compiled: leave `#[unroll]` out of it, or of the loop around it";
/// Bytes of text beyond which no loop is unrolled any further: some hundred thousand operations, which take minutes to compile.
const MOST_WRITTEN: usize = 32 << 20;

/// A loop of the kernel.
pub struct Counted<Item> {
    /// First value of the counter.
    pub from: Raw,
    /// The counter stays below.
    pub to: Raw,
    /// What is added.
    pub step: Raw,
    /// The item of a turn.
    pub item: Box<dyn Fn(Raw) -> Item>,
}

enum Turns<Item> {
    Written { head: String, item: Option<Item> },
    Unrolled { items: std::vec::IntoIter<Item>, outer: Option<usize>, inner: Option<usize> },
}

/// A `for` that is being written.
pub struct For<Item> {
    turns: Turns<Item>,
    index: usize,
    position: u32,
}

impl<Item> For<Item> {
    /// Begins it; `exits` says that its body may leave or continue it.
    pub fn begin<I: Iterate<Item = Item>>(source: I, unroll: bool, exits: bool, position: u32) -> Self {
        with(|b| b.at(position));
        let counted = if unroll { None } else { source.counted() };
        if let Some(counted) = counted {
            let (from, ty) = ir::current(counted.from);
            let (to, _) = ir::current(counted.to);
            let (step, _) = ir::current(counted.step);
            let counter = with(|b| b.argument());
            let unsigned = if ty.elem.is_signed() { "" } else { " unsigned" };
            let head = format!("cube.for{unsigned} %{counter} = %{from} to %{to} step %{step} : {ty}");
            // What a turn makes of the counter stands inside the loop.
            let index = with(|b| b.open_loop());
            let item = (counted.item)(Raw::Ssa(counter, ty));
            return For { turns: Turns::Written { head, item: Some(item) }, index, position };
        }
        let Some(items) = source.items() else {
            ir::fail(
                "a loop can only be unrolled when its bounds are known as the kernel is compiled: take them from `#[comptime]` values, or leave `#[unroll]` out",
            );
            return For {
                turns: Turns::Unrolled { items: Vec::new().into_iter(), outer: None, inner: None },
                index: 0,
                position,
            };
        };
        // Turns that may be left need something to leave.
        let outer = exits.then(|| with(|b| b.open_loop()));
        For {
            turns: Turns::Unrolled { items: items.into_iter(), outer, inner: None },
            index: outer.unwrap_or(0),
            position,
        }
    }

    /// The item of the next turn.
    pub fn turn(&mut self) -> Option<Item> {
        let position = self.position;
        match &mut self.turns {
            Turns::Written { head, item } => {
                let next = item.take();
                if next.is_none() {
                    with(|b| {
                        b.at(position);
                        b.close_loop(head);
                    });
                }
                next
            }
            Turns::Unrolled { items, outer, inner } => {
                let close = |b: &mut ir::Builder, index: usize| {
                    b.at(position);
                    b.exit(LoopKind::Break, index);
                    b.close_loop("cube.loop");
                };
                if let Some(index) = inner.take() {
                    with(|b| close(b, index));
                }
                let mut next = items.next();
                if next.is_some() && with(|b| b.size()) > MOST_WRITTEN {
                    with(|b| {
                        b.at(position);
                        if !b.is_wrong() {
                            b.error(TOO_LARGE.into());
                        }
                    });
                    next = None;
                }
                match (&next, *outer) {
                    (Some(_), Some(_)) => *inner = Some(with(|b| b.open_loop())),
                    (None, Some(index)) => with(|b| close(b, index)),
                    _ => {}
                }
                next
            }
        }
    }

    /// `break`.
    pub fn brk(&mut self, position: u32) {
        exit(LoopKind::Break, self.index, position);
    }

    /// `continue`.
    pub fn cont(&mut self, position: u32) {
        match &self.turns {
            Turns::Unrolled { inner: Some(inner), .. } => exit(LoopKind::Break, *inner, position),
            _ => exit(LoopKind::Continue, self.index, position),
        }
    }
}

/// The result of a function that returns before its end.
pub struct Ret<V> {
    slot: Slot<V>,
    /// The loop that `return` leaves; `None` in a kernel, where it ends the unit's work.
    index: Option<usize>,
}

impl<V: Staged> Ret<V> {
    /// Begins the body.
    pub fn begin() -> Self {
        let slot = Slot::new();
        let index = with(|b| (b.calls > 1).then(|| b.open_loop()));
        Ret { slot, index }
    }

    /// `return value`.
    pub fn put(&mut self, value: V, position: u32) {
        with(|b| b.at(position));
        match self.index {
            Some(index) => {
                self.slot.put(value);
                exit(LoopKind::Break, index, position);
            }
            None => with(|b| {
                if !b.dead() {
                    b.end("cube.return");
                }
            }),
        }
    }

    /// The value at the end of the body.
    pub fn tail(&mut self, value: V) {
        self.slot.put(value);
    }

    /// The result.
    pub fn end(self) -> V {
        if let Some(index) = self.index {
            with(|b| {
                b.exit(LoopKind::Break, index);
                b.close_loop("cube.loop");
            });
        }
        self.slot.get()
    }
}

/// A function that is being written; its end is the guard's.
pub struct Here;

impl Drop for Here {
    fn drop(&mut self) {
        // Nothing is written any more where the kernel was given up.
        with(|b| b.leave());
    }
}

/// Begins a function.
pub fn enter(file: &'static str, name: &'static str) -> Here {
    crate::ir::enter(file, name);
    Here
}

/// Sets the place of what is written next.
pub fn at(position: u32) {
    with(|b| b.at(position));
}

/// `terminate!()`: the unit's work ends, from inside any function.
pub fn terminate(position: u32) {
    with(|b| {
        b.at(position);
        if !b.dead() {
            // The outermost block of a kernel ends in its return.
            b.end(if b.depth() == 1 { "cube.return" } else { "cube.terminate" });
        }
    });
}

/// A failed assertion of the host: reached while the kernel is compiled, it is an error of the kernel.
pub fn fail(message: String, position: u32) {
    with(|b| {
        b.at(position);
        b.error(message);
    });
}

/// `panic!` and its kin, by the name of the macro: an error of the kernel where it is reached while the kernel is compiled. That is so
/// in a branch that only some units take, too, which the message then says.
pub fn panicked(message: String, name: &str, position: u32) {
    let within = with(|b| b.depth() > 1 && !b.dead() && b.in_runtime_block());
    let way_out = format!(
        ": `{name}!` fails the launch also in a branch that only the kernel decides on: there `terminate!()` ends a unit, and `debug_print!` writes"
    );
    fail(message + if within { &way_out } else { "" }, position);
}

/// What `debug_print!` prints.
pub fn printed<A: Operand>(value: A) -> Raw {
    value.val().raw
}

/// The text of a print with `{}` for each value, also where the program says `%d` and the like.
pub fn places(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('%', Some('%')) => {
                rest.next();
                out.push('%');
            }
            ('%', Some(_)) => {
                // Flags, width, precision and length do not matter, up to the letter of the conversion.
                let skipped: String =
                    std::iter::from_fn(|| rest.next_if(|c| "-+#0123456789.hlLqjzt".contains(*c))).collect();
                match rest.next_if(|c| "diouxXeEfFgGaAcsp".contains(*c)) {
                    Some(_) => out.push_str("{}"),
                    None => out.extend(['%'].into_iter().chain(skipped.chars())),
                }
            }
            _ => out.push(c),
        }
    }
    out
}

/// `debug_print!`.
pub fn print(text: &str, values: &[Raw], position: u32) {
    let wanted = text.matches("{}").count();
    if wanted != values.len() {
        let (places, given) = (counted(wanted, "place"), counted(values.len(), "value"));
        with(|b| b.at(position));
        return ir::fail(format!("{places} in the text, but {given}: write one `{{}}`, `%d` or `%f` for each value"));
    }
    with(|b| {
        b.at(position);
        let unsigned = values.iter().map(|v| b.id(*v).1.elem).map(|e| e.is_int() && !e.is_signed()).collect::<Vec<_>>();
        let text = signs(text, &unsigned);
        let (ids, types): (Vec<_>, Vec<_>) =
            values.iter().map(|v| b.id(*v)).map(|(id, ty)| (format!("%{id}"), ty.to_string())).unzip();
        if ids.is_empty() {
            b.op(&format!("cube.print {text:?}"));
        } else {
            b.op(&format!("cube.print {text:?} ({}) : {}", ids.join(", "), types.join(", ")));
        }
    });
}

/// "1 place", "2 places".
fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The text with `{:u}` for the values that have no sign.
fn signs(text: &str, unsigned: &[bool]) -> String {
    let mut parts = text.split("{}");
    let mut out = parts.next().unwrap_or("").to_string();
    for (i, part) in parts.enumerate() {
        out.push_str(if unsigned.get(i) == Some(&true) { "{:u}" } else { "{}" });
        out.push_str(part);
    }
    out
}

/// Fast-math flags in force until the guard is dropped.
pub struct Fast;

impl Drop for Fast {
    fn drop(&mut self) {
        with(|b| b.fast.pop());
    }
}

/// Sets the flags of a function.
pub fn fast_math(flags: impl Into<super::math::FastFlags>) -> Fast {
    let flags: super::math::FastFlags = flags.into();
    with(|b| b.fast.push(flags.attribute()));
    Fast
}

/// Writes a block of its own and gives its text: for tests.
pub fn text_of(work: impl Fn()) -> Result<String, Vec<KernelError>> {
    ir::run(false, work).map(|b| b.finish("test", [1, 1, 1], true, ("test.rs", 1)))
}
