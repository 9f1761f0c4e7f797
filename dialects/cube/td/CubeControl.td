//===- CubeControl.td: control flow with exits --------------------------------------------------------------------===//
// Included by CubeOps.td.

class Cube_ControlOp<string mnemonic, list<Trait> traits = []> : Cube_Op<mnemonic,
    [SingleBlock, RecursiveMemoryEffects, RustVerify<"control::structure">] # traits>;
class Cube_IfLikeOp<string mnemonic> : Cube_ControlOp<mnemonic> {
  let arguments = (ins I1:$condition);
  let regions = (region SizedRegion<1>:$then, AnyRegion:$otherwise);
  let assemblyFormat = "$condition custom<Body>($then) (`else` custom<Body>($otherwise)^)? attr-dict";
}
class Cube_ForLikeOp<string mnemonic> : Cube_ControlOp<mnemonic, [AllTypesMatch<["lower", "upper", "step"]>]> {
  let arguments = (ins Cube_ScalarInt:$lower, Cube_ScalarInt:$upper, Cube_ScalarInt:$step, UnitAttr:$unsignedCmp);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`unsigned` $unsignedCmp^)? custom<For>($lower, $upper, $step, type($lower), $body) attr-dict";
}
class Cube_ExitOp<string mnemonic> : Cube_Op<mnemonic, [Terminator, RustVerify<"control::exit">]> { let assemblyFormat = "attr-dict"; }

def Cube_IfOp : Cube_IfLikeOp<"if"> {
  let summary = "one of two blocks, which can leave loops and functions";
  let description = [{
    Like `scf.if` without results: values leave through local memory. A block ends in `cube.yield`, which is omitted
    in text, or in `cube.break`, `cube.continue`, `cube.return` or `cube.terminate`.
  }];
}

def Cube_ForOp : Cube_ForLikeOp<"for"> {
  let summary = "a counted loop with early exits";
  let description = [{
    The counter takes the values `lower + k * step` below `upper`; it never wraps around, and a step beyond the
    largest number ends the loop. With `unsigned` all three are unsigned, and every step except 0 is positive; without
    it all are signed. A step that is not positive is undefined behaviour. With the attribute
    `cube.unroll` it is unrolled whole, with `cube.unroll = N : i32` by N.
  }];
}

def Cube_LoopOp : Cube_ControlOp<"loop"> {
  let summary = "a loop that runs until an exit";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Body>($body) attr-dict";
}

def Cube_ComptimeIfOp : Cube_IfLikeOp<"comptime_if"> {
  let summary = "one of two blocks, selected when the kernel is specialised";
  let description = [{ The condition must be a constant once comptime parameters have values; `specialize` then keeps one block. }];
}

def Cube_ComptimeForOp : Cube_ForLikeOp<"comptime_for"> {
  let summary = "a loop that is unrolled when the kernel is specialised";
  let description = [{ Bounds and step must be constants once comptime parameters have values. }];
}

def Cube_YieldOp : Cube_Op<"yield", [Pure, Terminator, RustVerify<"control::exit">]> {
  let summary = "ends a block of `cube.if`, `cube.for` or `cube.loop`; omitted in text";
  let assemblyFormat = "attr-dict";
}

def Cube_BreakOp : Cube_ExitOp<"break"> { let summary = "leaves the loop around it"; }
def Cube_ContinueOp : Cube_ExitOp<"continue"> { let summary = "continues with the next iteration of the loop around it"; }
def Cube_TerminateOp : Cube_ExitOp<"terminate"> { let summary = "ends the unit, also from inside a function"; }

let lastLevel = "legal" in def Cube_MayNotTerminateOp : Cube_Op<"may_not_terminate", [MemoryEffects<[MemWrite<Cube_Output>]>]> {
  let summary = "marks an iteration of a loop not proven to terminate, so that the loop is not dead code";
  let description = [{
    An infinite loop is part of the meaning of a kernel, so no pass is allowed to remove it as dead code. `mark-may-not-terminate`
    marks every loop without a count; `drop-terminating-marks` removes the mark from loops that provably terminate. On the CPU a
    launch can be cancelled at a mark; other targets drop it.
  }];
  let assemblyFormat = "attr-dict";
}
