//! Control flow during construction: branches, loops and function results.
use super::value::{Operand, Staged};
use crate::ir::{self, KernelError, LoopKind, Raw, with};

enum Branch {
    /// The branch condition is a compile-time constant.
    Known(bool),
    /// The branch condition is a run-time value.
    Open { cond: u32, position: u32, then: Option<String> },
    /// The branch is unreachable.
    Dead,
}

/// An `if` under construction.
pub struct If(Branch);

impl If {
    /// Starts an `if` with the constant condition `true`.
    pub fn always() -> Self {
        If(Branch::Known(true))
    }

    /// Starts an `if` with the condition `cond`.
    pub fn begin<C: Operand<T = bool>>(cond: C, position: u32) -> Self {
        let cond = cond.val();
        crate::ir::at(position);
        if ir::is_dead() {
            return If(Branch::Dead);
        }
        match cond.known() {
            Some(known) => If(Branch::Known(known)),
            None => If(Branch::Open { cond: cond.id(), position, then: None }),
        }
    }

    /// Starts the block that runs if the condition is true. Returns `false` if the caller must not expand the
    /// block.
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

    /// Starts the `else` block. Returns `false` if the caller must not expand the block.
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

    /// Ends the `if` and emits its operation.
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

/// The result value of a branch or a loop. Several blocks can assign this value.
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
    /// Declares a result value in the current block.
    pub fn new() -> Self {
        Slot { depth: ir::depth(), direct: None, cells: None }
    }

    /// Assigns the result value in the current block.
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

    /// The assigned value.
    pub fn get(self) -> V {
        match (self.direct, self.cells) {
            (Some(value), _) => value,
            (None, Some(cells)) => cells.rd(),
            (None, None) => V::dummy(),
        }
    }
}

/// A `loop` or `while` under construction.
pub struct Loop {
    index: usize,
    position: u32,
    open: bool,
}

impl Loop {
    /// Starts the loop.
    pub fn begin(position: u32) -> Self {
        let index = with(|b| {
            b.at(position);
            b.open_loop()
        });
        Loop { index, position, open: false }
    }

    /// Drives the expansion of the loop. The first call returns `true`, so that the caller expands the body.
    /// The second call emits the loop.
    pub fn next_body(&mut self) -> bool {
        self.open = !self.open;
        if !self.open {
            with(|b| {
                b.at(self.position);
                b.close_loop("cube.loop");
            });
        }
        self.open
    }

    /// Emits a `break` of the loop.
    pub fn brk(&mut self, position: u32) {
        exit(LoopKind::Break, self.index, position);
    }

    /// Emits a `continue` of the loop.
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

/// Values over which a `for` loop can iterate.
pub trait Iterate {
    /// Type of the loop variable.
    type Item;
    /// The bounds of a run-time loop; `None` if a loop over this source must be unrolled.
    fn counted(&self) -> Option<Counted<Self::Item>>;
    /// All items, for an unrolled loop; `None` if the number of items is not a compile-time constant.
    fn items(self) -> Option<Vec<Self::Item>>;
}

const TOO_LARGE: &str = "the kernel is too large to compile with this loop unrolled; remove `#[unroll]` from it, or from the loop around it";
/// Maximum size of a kernel's text in bytes for unrolling. If the kernel's text exceeds the maximum size, no further
/// iterations of a loop are unrolled. A text of this size contains several hundred thousand operations, whose
/// compilation takes minutes.
const MAX_UNROLLED_TEXT: usize = 32 << 20;

/// Bounds of a run-time loop.
pub struct Counted<Item> {
    /// First value of the loop counter.
    pub from: Raw,
    /// Exclusive end of the loop counter.
    pub to: Raw,
    /// Increment of the loop counter.
    pub step: Raw,
    /// Computes the loop variable from the loop counter.
    pub item: Box<dyn Fn(Raw) -> Item>,
}

enum Iterations<Item> {
    Written { head: String, item: Option<Item> },
    Unrolled { items: std::vec::IntoIter<Item>, outer: Option<usize>, inner: Option<usize> },
}

/// A `for` under construction.
pub struct For<Item> {
    iterations: Iterations<Item>,
    index: usize,
    position: u32,
}

impl<Item> For<Item> {
    /// Starts the loop. `exits` is true if the body contains `break` or `continue`.
    pub fn begin<I: Iterate<Item = Item>>(source: I, unroll: bool, exits: bool, position: u32) -> Self {
        crate::ir::at(position);
        let counted = if unroll { None } else { source.counted() };
        if let Some(counted) = counted {
            let (from, ty) = ir::current(counted.from);
            let (to, _) = ir::current(counted.to);
            let (step, _) = ir::current(counted.step);
            let counter = with(|b| b.argument());
            let unsigned = if ty.elem.is_signed() { "" } else { " unsigned" };
            let head = format!("cube.for{unsigned} %{counter} = %{from} to %{to} step %{step} : {ty}");
            // Code that computes the item from the counter belongs to the loop's body.
            let index = with(|b| b.open_loop());
            let item = (counted.item)(Raw::Ssa(counter, ty));
            return For { iterations: Iterations::Written { head, item: Some(item) }, index, position };
        }
        let Some(items) = source.items() else {
            ir::fail(
                "cannot unroll a loop whose bounds are not known at compile time; compute them from `#[comptime]` values, or remove `#[unroll]`",
            );
            return For {
                iterations: Iterations::Unrolled { items: Vec::new().into_iter(), outer: None, inner: None },
                index: 0,
                position,
            };
        };
        // All unrolled iterations are in one surrounding loop. An exit of an iteration leaves this loop.
        let outer = exits.then(|| with(|b| b.open_loop()));
        For {
            iterations: Iterations::Unrolled { items: items.into_iter(), outer, inner: None },
            index: outer.unwrap_or(0),
            position,
        }
    }

    /// Drives the expansion of the loop. Each call returns the loop variable for a body that the caller
    /// expands. The last call emits the loop and returns `None`.
    pub fn next_body(&mut self) -> Option<Item> {
        let position = self.position;
        match &mut self.iterations {
            Iterations::Written { head, item } => {
                let next = item.take();
                if next.is_none() {
                    with(|b| {
                        b.at(position);
                        b.close_loop(head);
                    });
                }
                next
            }
            Iterations::Unrolled { items, outer, inner } => {
                let close = |b: &mut ir::Builder, index: usize| {
                    b.at(position);
                    b.exit(LoopKind::Break, index);
                    b.close_loop("cube.loop");
                };
                if let Some(index) = inner.take() {
                    with(|b| close(b, index));
                }
                let mut next = items.next();
                if next.is_some() && with(|b| b.size()) > MAX_UNROLLED_TEXT {
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

    /// Emits a `break` of the loop.
    pub fn brk(&mut self, position: u32) {
        exit(LoopKind::Break, self.index, position);
    }

    /// Emits a `continue` of the loop.
    pub fn cont(&mut self, position: u32) {
        match &self.iterations {
            Iterations::Unrolled { inner: Some(inner), .. } => exit(LoopKind::Break, *inner, position),
            _ => exit(LoopKind::Continue, self.index, position),
        }
    }
}

/// The result of a function with early returns.
pub struct Ret<V> {
    slot: Slot<V>,
    /// The loop that an early `return` exits. The value is `None` in the kernel function itself, where
    /// `return` ends the unit.
    index: Option<usize>,
}

impl<V: Staged> Ret<V> {
    /// Starts the body.
    pub fn begin() -> Self {
        let slot = Slot::new();
        let index = with(|b| (b.calls > 1).then(|| b.open_loop()));
        Ret { slot, index }
    }

    /// Emits `return value`.
    pub fn put(&mut self, value: V, position: u32) {
        crate::ir::at(position);
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

    /// Assigns the value of the body's tail expression.
    pub fn tail(&mut self, value: V) {
        self.slot.put(value);
    }

    /// Ends the function's body and returns its result.
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

/// Guard of a function under construction. Dropping the guard ends the function.
pub struct FunctionGuard;

impl Drop for FunctionGuard {
    fn drop(&mut self) {
        // Construction of the kernel can have been stopped.
        with(|b| b.leave());
    }
}

/// Starts a function.
pub fn enter(file: &'static str, name: &'static str) -> FunctionGuard {
    crate::ir::enter(file, name);
    FunctionGuard
}

/// Sets the current source location to `position`, which is line * 4096 + column.
pub fn at(position: u32) {
    crate::ir::at(position);
}

/// Expands `terminate!()`, which ends the unit from any function.
pub fn terminate(position: u32) {
    with(|b| {
        b.at(position);
        if !b.dead() {
            // In the outermost block of a kernel, `terminate!()` becomes the return of the kernel.
            b.end(if b.depth() == 1 { "cube.return" } else { "cube.terminate" });
        }
    });
}

/// `comment!("…")`: writes a comment into the kernel's text, which `CUBE_DUMP` shows.
pub fn comment(text: &str) {
    with(|b| b.comment(text));
}

/// Reports a failed host assertion. The failed assertion is an error of the kernel, unless the code that is
/// being built is unreachable.
pub fn fail(message: String, position: u32) {
    with(|b| {
        b.at(position);
        b.error(message);
    });
}

/// Expands `panic!`, or a similar macro with the name `name`. The expansion is a compile-time error of the
/// kernel. Inside a run-time branch, the message adds that the macro fails the launch even if only some units
/// take the branch.
pub fn panicked(message: String, name: &str, position: u32) {
    let within = with(|b| b.depth() > 1 && !b.dead() && b.in_runtime_block());
    let advice = format!(
        ": `{name}!` fails the launch even in a branch that only some units take; use `terminate!()` to end a unit, or `debug_print!` to print"
    );
    fail(message + if within { &advice } else { "" }, position);
}

/// Returns an operand of `debug_print!`.
pub fn printed<A: Operand>(value: A) -> Raw {
    value.val().raw
}

/// Converts the placeholders of a print, such as printf's `%d`, to `{}`.
pub fn placeholders(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('%', Some('%')) => {
                rest.next();
                out.push('%');
            }
            ('%', Some(_)) => {
                // The flags, the width, the precision and the length modifiers of a C conversion are ignored.
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

/// Emits a `debug_print!`.
pub fn print(text: &str, values: &[Raw], position: u32) {
    let placeholder_count = text.matches("{}").count();
    if placeholder_count != values.len() {
        let (placeholders, given) = (counted(placeholder_count, "placeholder"), counted(values.len(), "value"));
        crate::ir::at(position);
        return ir::fail(format!(
            "{placeholders} in the text, but {given}; write one `{{}}`, `%d` or `%f` for each value"
        ));
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

/// Formats a number with a noun: "1 value", "2 values".
fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Replaces the placeholder `{}` by `{:u}` for unsigned values.
fn signs(text: &str, unsigned: &[bool]) -> String {
    let mut parts = text.split("{}");
    let mut out = parts.next().unwrap_or("").to_string();
    for (i, part) in parts.enumerate() {
        out.push_str(if unsigned.get(i) == Some(&true) { "{:u}" } else { "{}" });
        out.push_str(part);
    }
    out
}

/// Guard of fast-math flags. Dropping the guard restores the previous flags.
pub struct FastMathGuard;

impl Drop for FastMathGuard {
    fn drop(&mut self) {
        with(|b| b.fast.pop());
    }
}

/// Sets the fast-math flags for the current function.
pub fn fast_math(flags: impl Into<super::math::FastFlags>) -> FastMathGuard {
    let flags: super::math::FastFlags = flags.into();
    with(|b| b.fast.push(flags.attribute()));
    FastMathGuard
}

/// Builds a kernel whose body is `work` and returns its text, for tests.
pub fn text_of(work: impl Fn()) -> Result<String, Vec<KernelError>> {
    ir::run(false, work).map(|b| b.finish("test", [1, 1, 1], "", ("test.rs", 1)))
}
