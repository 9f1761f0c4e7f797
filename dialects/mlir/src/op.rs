//! Borrowed views of operations, values, blocks and regions.
use crate::counters::{count_edit, count_view};
use crate::{Cx, Message, OpKind, Severity, diagnostics, dialect};
use melior::ir::{Attribute, Location, Type, TypeLike, attribute::AttributeLike};
use mlir_sys::*;
use std::{fmt, marker::PhantomData, ops::Range};

pub(crate) fn string_ref(text: &str) -> MlirStringRef {
    MlirStringRef { data: text.as_ptr().cast(), length: text.len() }
}

/// # Safety
/// The bytes must live for `'a` and be UTF-8. The identifiers of a context are UTF-8, and live as long as the
/// context.
pub(crate) unsafe fn str_of<'a>(text: MlirStringRef) -> &'a str {
    if text.length == 0 {
        return "";
    }
    // SAFETY: promised by the caller.
    let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length) };
    std::str::from_utf8(bytes).unwrap_or("<not utf-8>")
}

macro_rules! view {
    ($(#[$doc:meta])* $name:ident, $raw:ident, $equal:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<'p> {
            pub(crate) raw: $raw,
            scope: PhantomData<&'p ()>,
        }

        impl<'p> $name<'p> {
            /// # Safety
            /// `raw` must be live for all of `'p`.
            pub unsafe fn from_raw(raw: $raw) -> Self {
                count_view();
                $name { raw, scope: PhantomData }
            }

            /// The C API's handle.
            pub fn to_raw(self) -> $raw {
                self.raw
            }

            #[allow(dead_code)]
            fn from_option(raw: $raw) -> Option<Self> {
                // SAFETY: the caller promises that a pointer that is not null is live.
                (!raw.ptr.is_null()).then(|| unsafe { Self::from_raw(raw) })
            }
        }

        impl PartialEq for $name<'_> {
            fn eq(&self, other: &Self) -> bool {
                self.raw.ptr == other.raw.ptr
            }
        }

        impl Eq for $name<'_> {}

        impl std::hash::Hash for $name<'_> {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.raw.ptr.hash(state);
            }
        }
    };
}

view!(Op, MlirOperation, mlirOperationEqual);
view!(
    /// An SSA value: a result or a block argument.
    Val, MlirValue, mlirValueEqual
);
view!(Block, MlirBlock, mlirBlockEqual);
view!(Region, MlirRegion, mlirRegionEqual);

impl<'p> Op<'p> {
    /// Full name of the operation, for example `arith.addi`.
    pub fn name(self) -> &'p str {
        // SAFETY: names live as long as the context.
        unsafe { str_of(mlirIdentifierStr(mlirOperationGetName(self.raw))) }
    }

    /// The context of the operation.
    pub fn cx(self) -> Cx<'p> {
        // SAFETY: the context outlives its operations.
        unsafe { Cx::from_raw(mlirOperationGetContext(self.raw)) }
    }

    /// The source location of the operation.
    pub fn location(self) -> Location<'p> {
        // SAFETY: valid operation.
        unsafe { Location::from_raw(mlirOperationGetLocation(self.raw)) }
    }

    /// The parent operation.
    pub fn parent(self) -> Option<Op<'p>> {
        // SAFETY: valid operation; null without a parent.
        Op::from_option(unsafe { mlirOperationGetParentOperation(self.raw) })
    }

    /// All ancestors, innermost first.
    pub fn ancestors(self) -> impl Iterator<Item = Op<'p>> {
        std::iter::successors(self.parent(), |op| op.parent())
    }

    /// The block that contains the operation.
    pub fn block(self) -> Option<Block<'p>> {
        // SAFETY: valid operation; null when detached.
        Block::from_option(unsafe { mlirOperationGetBlock(self.raw) })
    }

    /// The next operation of its block.
    pub fn next(self) -> Option<Op<'p>> {
        // SAFETY: valid operation; null at the end.
        Op::from_option(unsafe { mlirOperationGetNextInBlock(self.raw) })
    }

    pub fn operands(self) -> impl ExactSizeIterator<Item = Val<'p>> {
        // SAFETY: valid operation.
        let count = unsafe { mlirOperationGetNumOperands(self.raw) } as usize;
        (0..count).map(move |i| self.operand(i))
    }

    /// Operand number `index`; panics if it does not exist.
    pub fn operand(self, index: usize) -> Val<'p> {
        // SAFETY: valid operation.
        let count = unsafe { mlirOperationGetNumOperands(self.raw) } as usize;
        assert!(index < count, "{} has {count} operands, no number {index}", self.name());
        // SAFETY: index in range.
        unsafe { Val::from_raw(mlirOperationGetOperand(self.raw, index as isize)) }
    }

    /// Replaces operand number `index`. For an access, the function also drops the proof that the access is
    /// in bounds.
    pub fn set_operand(self, index: usize, value: Val<'p>) {
        self.set_equal_operand(index, value);
        dialect::rewired(self);
    }

    /// Replaces operand number `index` by a value that always equals the old operand. Proofs about the
    /// operand stay valid.
    pub fn set_equal_operand(self, index: usize, value: Val<'p>) {
        let _ = self.operand(index);
        count_edit();
        // SAFETY: index in range, value live.
        unsafe { mlirOperationSetOperand(self.raw, index as isize, value.raw) }
    }

    /// Replaces all operands, and drops proofs like [`Op::set_operand`].
    pub fn set_operands(self, values: &[Val<'p>]) {
        let raw: Vec<MlirValue> = values.iter().map(|v| v.raw).collect();
        count_edit();
        // SAFETY: values live.
        unsafe { mlirOperationSetOperands(self.raw, raw.len() as isize, raw.as_ptr()) }
        dialect::rewired(self);
    }

    pub fn results(self) -> impl ExactSizeIterator<Item = Val<'p>> {
        // SAFETY: valid operation.
        let count = unsafe { mlirOperationGetNumResults(self.raw) } as usize;
        (0..count).map(move |i| self.result(i))
    }

    /// Result number `index`; panics if it does not exist.
    pub fn result(self, index: usize) -> Val<'p> {
        // SAFETY: valid operation.
        let count = unsafe { mlirOperationGetNumResults(self.raw) } as usize;
        assert!(index < count, "{} has {count} results, no number {index}", self.name());
        // SAFETY: index in range.
        unsafe { Val::from_raw(mlirOperationGetResult(self.raw, index as isize)) }
    }

    /// The results with numbers in `range`; numbers past the last result are omitted.
    pub fn results_in(self, range: Range<usize>) -> impl Iterator<Item = Val<'p>> {
        self.results().take(range.end).skip(range.start)
    }

    pub fn regions(self) -> impl ExactSizeIterator<Item = Region<'p>> {
        // SAFETY: valid operation.
        let count = unsafe { mlirOperationGetNumRegions(self.raw) } as usize;
        // SAFETY: index in range.
        (0..count).map(move |i| unsafe { Region::from_raw(mlirOperationGetRegion(self.raw, i as isize)) })
    }

    /// The successors of a terminator.
    pub fn successors(self) -> impl ExactSizeIterator<Item = Block<'p>> {
        // SAFETY: valid operation.
        let count = unsafe { mlirOperationGetNumSuccessors(self.raw) } as usize;
        // SAFETY: index in range.
        (0..count).map(move |i| unsafe { Block::from_raw(mlirOperationGetSuccessor(self.raw, i as isize)) })
    }

    /// The first block of the operation's first region; `None` if the region is missing or empty.
    pub fn body(self) -> Option<Block<'p>> {
        self.regions().next().and_then(|r| r.first_block())
    }

    /// The attribute called `name`, inherent or not.
    pub fn attr(self, name: &str) -> Option<Attribute<'p>> {
        // SAFETY: valid operation; null when absent.
        let raw = unsafe { mlirOperationGetAttributeByName(self.raw, string_ref(name)) };
        // SAFETY: not null.
        (!raw.ptr.is_null()).then(|| unsafe { Attribute::from_raw(raw) })
    }

    /// Sets the attribute called `name`.
    pub fn set_attr(self, name: &str, value: Attribute<'p>) {
        count_edit();
        // SAFETY: valid operation and attribute.
        unsafe { mlirOperationSetAttributeByName(self.raw, string_ref(name), value.to_raw()) }
    }

    /// Removes the attribute called `name`; returns false if it does not exist.
    pub fn remove_attr(self, name: &str) -> bool {
        count_edit();
        // SAFETY: valid operation.
        unsafe { mlirOperationRemoveAttributeByName(self.raw, string_ref(name)) }
    }

    /// All attributes by name.
    pub fn attrs(self) -> Vec<(&'p str, Attribute<'p>)> {
        // SAFETY: valid operation, indices in range.
        unsafe {
            (0..mlirOperationGetNumAttributes(self.raw))
                .map(|i| {
                    let named = mlirOperationGetAttribute(self.raw, i);
                    (str_of(mlirIdentifierStr(named.name)), Attribute::from_raw(named.attribute))
                })
                .collect()
        }
    }

    /// Moves the operation, with its regions, before `other`. Proofs of accesses are dropped, because the proofs hold
    /// only at the old position.
    pub fn move_before(self, other: Op<'p>) {
        self.move_inside(other);
        dialect::moved(self);
    }

    /// Moves the operation like [`Op::move_before`], but keeps the proofs that its accesses are in bounds. The
    /// operation must run under the same conditions as before the move.
    pub fn move_inside(self, other: Op<'p>) {
        count_edit();
        // SAFETY: both live and attached.
        unsafe { mlirOperationMoveBefore(self.raw, other.raw) }
    }

    /// Whether no result of the operation has a use.
    pub fn is_unused(self) -> bool {
        self.results().all(|r| !r.has_uses())
    }

    /// All nested operations in post-order, followed by the operation itself.
    pub fn walk(self) -> Vec<Op<'p>> {
        let mut all = Vec::new();
        // Uses two stacks instead of recursion, because the input determines the nesting.
        let mut open = vec![self];
        while let Some(op) = open.pop() {
            all.push(op);
            for region in op.regions() {
                for block in region.blocks() {
                    open.extend(std::iter::successors(block.first(), |op| op.next()));
                }
            }
        }
        all.reverse();
        all
    }

    /// Reports an error at the operation; the message ends in its code in brackets.
    pub fn error(self, message: impl Into<Message>) {
        self.error_with_notes::<Message>(message, &[]);
    }

    /// Reports an error at the operation, with notes at other locations.
    pub fn error_with_notes<N: Clone + Into<Message>>(self, message: impl Into<Message>, notes: &[(Location<'p>, N)]) {
        let notes: Vec<_> = notes.iter().map(|(at, note)| (*at, note.clone().into().note())).collect();
        diagnostics::emit(self.location(), Severity::Error, message.into().at_op(self.name()), &notes);
    }

    /// Reports a remark at the operation.
    pub fn remark(self, message: impl Into<Message>) {
        diagnostics::emit(self.location(), Severity::Remark, message.into().at_op(self.name()), &[]);
    }

    /// Whether MLIR's verifier accepts the operation. The verifier reports each violated rule as a
    /// diagnostic.
    pub fn verify(self) -> bool {
        // SAFETY: valid operation.
        unsafe { mlirOperationVerify(self.raw) }
    }

    /// A deep copy, detached. Proofs of accesses are not copied.
    pub fn deep_clone(self) -> Op<'p> {
        // SAFETY: valid operation.
        let copy = unsafe { Op::from_raw(mlirOperationClone(self.raw)) };
        dialect::moved(copy);
        copy
    }
}

impl fmt::Display for Op<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        // SAFETY: the callback receives the pointer that is passed here.
        unsafe { mlirOperationPrint(self.raw, Some(append), (&raw mut text).cast()) }
        f.write_str(&text)
    }
}

impl fmt::Debug for Op<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

pub(crate) unsafe extern "C" fn append(part: MlirStringRef, text: *mut std::ffi::c_void) {
    // SAFETY: `text` is the String of the caller, `part` is live during the call.
    unsafe { (*text.cast::<String>()).push_str(str_of(part)) }
}

impl<'p> Val<'p> {
    pub fn ty(self) -> Type<'p> {
        // SAFETY: valid value.
        unsafe { Type::from_raw(mlirValueGetType(self.raw)) }
    }

    /// The context of the value.
    pub fn cx(self) -> Cx<'p> {
        // SAFETY: the context outlives its values.
        unsafe { Cx::from_raw(mlirTypeGetContext(self.ty().to_raw())) }
    }

    /// Changes the type of the value in place.
    pub fn set_type(self, ty: Type<'p>) {
        count_edit();
        // SAFETY: valid value and type.
        unsafe { mlirValueSetType(self.raw, ty.to_raw()) }
    }

    /// The operation that defines the value; `None` for a block argument.
    pub fn def(self) -> Option<Op<'p>> {
        // SAFETY: valid value, kind checked.
        unsafe { mlirValueIsAOpResult(self.raw).then(|| Op::from_raw(mlirOpResultGetOwner(self.raw))) }
    }

    /// The operation that defines the value, if the operation has this kind.
    pub fn def_of(self, kind: OpKind) -> Option<Op<'p>> {
        self.def().filter(|op| op.is(kind))
    }

    /// The block and the index of a block argument; `None` for a result.
    pub fn block_arg(self) -> Option<(Block<'p>, usize)> {
        // SAFETY: valid value, kind checked.
        unsafe {
            mlirValueIsABlockArgument(self.raw).then(|| {
                (Block::from_raw(mlirBlockArgumentGetOwner(self.raw)), mlirBlockArgumentGetArgNumber(self.raw) as usize)
            })
        }
    }

    /// Every use as (operation, operand number).
    pub fn uses(self) -> Vec<(Op<'p>, usize)> {
        let mut uses = Vec::new();
        // SAFETY: valid value; the list is not changed while it is read.
        unsafe {
            let mut at = mlirValueGetFirstUse(self.raw);
            while !mlirOpOperandIsNull(at) {
                uses.push((Op::from_raw(mlirOpOperandGetOwner(at)), mlirOpOperandGetOperandNumber(at) as usize));
                at = mlirOpOperandGetNextUse(at);
            }
        }
        uses
    }

    /// Whether the value has uses.
    pub fn has_uses(self) -> bool {
        // SAFETY: valid value.
        unsafe { !mlirOpOperandIsNull(mlirValueGetFirstUse(self.raw)) }
    }

    /// Replaces every use of the value by `other`.
    pub fn replace_all_uses(self, other: Val<'p>) {
        count_edit();
        // SAFETY: valid values.
        unsafe { mlirValueReplaceAllUsesOfWith(self.raw, other.raw) }
    }

    /// The source location of the value's definition.
    pub fn location(self) -> Location<'p> {
        // SAFETY: valid value.
        unsafe { Location::from_raw(mlirValueGetLocation(self.raw)) }
    }
}

impl fmt::Debug for Val<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        // SAFETY: the callback receives the pointer that is passed here.
        unsafe { mlirValuePrint(self.raw, Some(append), (&raw mut text).cast()) }
        f.write_str(&text)
    }
}

impl<'p> Block<'p> {
    /// The arguments of the block.
    pub fn args(self) -> impl ExactSizeIterator<Item = Val<'p>> {
        // SAFETY: valid block.
        let count = unsafe { mlirBlockGetNumArguments(self.raw) } as usize;
        (0..count).map(move |i| self.arg(i))
    }

    /// Argument number `index`; panics if it does not exist.
    pub fn arg(self, index: usize) -> Val<'p> {
        // SAFETY: valid block.
        let count = unsafe { mlirBlockGetNumArguments(self.raw) } as usize;
        assert!(index < count, "the block has {count} arguments, no number {index}");
        // SAFETY: index in range.
        unsafe { Val::from_raw(mlirBlockGetArgument(self.raw, index as isize)) }
    }

    /// Adds an argument at the end.
    pub fn add_arg(self, ty: Type<'p>, at: Location<'p>) -> Val<'p> {
        count_edit();
        // SAFETY: valid block, type and location.
        unsafe { Val::from_raw(mlirBlockAddArgument(self.raw, ty.to_raw(), at.to_raw())) }
    }

    /// A snapshot of the block's operations in order.
    pub fn ops(self) -> Vec<Op<'p>> {
        // SAFETY: valid block; null when empty.
        let first = Op::from_option(unsafe { mlirBlockGetFirstOperation(self.raw) });
        std::iter::successors(first, |op| op.next()).collect()
    }

    /// The first operation of the block.
    pub fn first(self) -> Option<Op<'p>> {
        // SAFETY: valid block; null when empty.
        Op::from_option(unsafe { mlirBlockGetFirstOperation(self.raw) })
    }

    /// The last operation, if it is a terminator.
    pub fn terminator(self) -> Option<Op<'p>> {
        // SAFETY: valid block; null without one.
        Op::from_option(unsafe { mlirBlockGetTerminator(self.raw) })
    }

    /// The operation whose region contains the block.
    pub fn parent(self) -> Option<Op<'p>> {
        // SAFETY: valid block; null when detached.
        Op::from_option(unsafe { mlirBlockGetParentOperation(self.raw) })
    }

    /// Moves the block's operations, without its terminator, to the position before `anchor`, an operation of another
    /// block. The move drops proofs that moved accesses are in bounds.
    pub fn splice_before(self, anchor: Op<'p>) {
        self.all_but_last().into_iter().for_each(|op| op.move_before(anchor));
    }

    /// Moves the operations like [`Op::splice_before`], and keeps proofs of accesses. The operations must run under the
    /// same conditions as before the move.
    pub fn splice_inside(self, anchor: Op<'p>) {
        self.all_but_last().into_iter().for_each(|op| op.move_inside(anchor));
    }

    fn all_but_last(self) -> Vec<Op<'p>> {
        let last = self.terminator();
        self.ops().into_iter().filter(|op| Some(*op) != last).collect()
    }
}

impl<'p> Region<'p> {
    pub fn first_block(self) -> Option<Block<'p>> {
        // SAFETY: valid region; null when empty.
        Block::from_option(unsafe { mlirRegionGetFirstBlock(self.raw) })
    }

    pub fn blocks(self) -> Vec<Block<'p>> {
        std::iter::successors(self.first_block(), |block| {
            // SAFETY: valid block; null at the end.
            Block::from_option(unsafe { mlirBlockGetNextInRegion(block.raw) })
        })
        .collect()
    }
}
