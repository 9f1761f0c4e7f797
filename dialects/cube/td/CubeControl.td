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
  let summary = "runs one of two blocks, which can leave loops and functions";
  let description = [{
    The operation is like `scf.if` without results: a block passes its values through local memory. A block ends in
    `cube.yield`, which is omitted in text, or in `cube.break`, `cube.continue`, `cube.return` or `cube.terminate`.
  }];
}

def Cube_ForOp : Cube_ForLikeOp<"for"> {
  let summary = "a counted loop with early exits";
  let description = [{
    The counter takes the values `lower + k * step` below `upper`; the counter never wraps around, and a step beyond
    the largest number ends the loop. With `unsigned`, the bounds and the step are unsigned, and every step except 0
    is positive. Without `unsigned`, the bounds and the step are signed. A step that is not positive is undefined
    behaviour. With the attribute `cube.unroll`, the loop is unrolled completely; with `cube.unroll = N : i32`, the
    loop is unrolled by the factor N.
  }];
}

def Cube_LoopOp : Cube_ControlOp<"loop"> {
  let summary = "a loop that runs until an exit";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Body>($body) attr-dict";
}

def Cube_ComptimeIfOp : Cube_IfLikeOp<"comptime_if"> {
  let summary = "runs one of two blocks, which is selected when the kernel is specialised";
  let description = [{
    The condition must be a constant after comptime parameters are replaced by values; the pass `specialize` then
    keeps one block.
  }];
}

def Cube_ComptimeForOp : Cube_ForLikeOp<"comptime_for"> {
  let summary = "a loop that is unrolled when the kernel is specialised";
  let description = [{ The bounds and the step must be constants after comptime parameters are replaced by values. }];
}

def Cube_YieldOp : Cube_Op<"yield", [Pure, Terminator, RustVerify<"control::exit">]> {
  let summary = "ends a block of `cube.if`, `cube.for` or `cube.loop`, and can be omitted in text";
  let assemblyFormat = "attr-dict";
}

def Cube_BreakOp : Cube_ExitOp<"break"> { let summary = "leaves the innermost loop"; }
def Cube_ContinueOp : Cube_ExitOp<"continue"> { let summary = "continues with the next iteration of the innermost loop"; }
def Cube_TerminateOp : Cube_ExitOp<"terminate"> { let summary = "ends the execution of the unit, also from inside a function"; }

let lastLevel = "legal" in def Cube_MayNotTerminateOp : Cube_Op<"may_not_terminate", [MemoryEffects<[MemWrite<Cube_Output>]>]> {
  let summary = "marks a loop that is not proven to terminate, so that no pass removes the loop as dead code";
  let description = [{
    An infinite loop is part of the meaning of a kernel, so no pass is allowed to remove the loop as dead code. The
    pass `mark-may-not-terminate` adds this operation to every loop without a trip count; `drop-terminating-marks`
    removes it from loops that provably terminate. On the CPU, a launch can be cancelled at this operation; other
    targets remove the operation.
  }];
  let assemblyFormat = "attr-dict";
}
