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
    The operation is like `scf.if`, but has no results. A block stores values for later operations in local memory. A
    block ends in `cube.yield`, which is omitted in text, or in `cube.break`, `cube.continue`, `cube.return` or
    `cube.terminate`.
  }];
}

def Cube_ForOp : Cube_ForLikeOp<"for"> {
  let summary = "a counted loop with early exits";
  let description = [{
    The counter takes the values `lower + k * step` that are below `upper`. The counter never wraps around: if its
    next value exceeds the largest number of the type, the loop ends. With `unsigned`, the bounds and the step are
    unsigned, and every step except 0 is positive. Without `unsigned`, the bounds and the step are signed. A step that
    is not positive is undefined behaviour. With the attribute `cube.unroll`, the loop is unrolled completely; with
    `cube.unroll = N : i32`, the loop is unrolled by the factor N.
  }];
}

def Cube_LoopOp : Cube_ControlOp<"loop"> {
  let summary = "a loop that runs until an early exit such as `cube.break`";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Body>($body) attr-dict";
}

def Cube_ComptimeIfOp : Cube_IfLikeOp<"comptime_if"> {
  let summary = "runs one of two blocks, which is selected when the kernel is specialised";
  let description = [{
    The pass `specialize` replaces comptime parameters by values. The condition must then be a constant, and the pass
    keeps one of the two blocks.
  }];
}

def Cube_ComptimeForOp : Cube_ForLikeOp<"comptime_for"> {
  let summary = "a loop that is unrolled when the kernel is specialised";
  let description = [{ The pass `specialize` replaces comptime parameters by values. The bounds and the step must then be constants. }];
}

def Cube_YieldOp : Cube_Op<"yield", [Pure, Terminator, RustVerify<"control::exit">]> {
  let summary = "ends a block of `cube.if`, `cube.for` or `cube.loop`; the text can omit this operation";
  let assemblyFormat = "attr-dict";
}

def Cube_BreakOp : Cube_ExitOp<"break"> { let summary = "leaves the innermost loop"; }
def Cube_ContinueOp : Cube_ExitOp<"continue"> { let summary = "continues with the next iteration of the innermost loop"; }
def Cube_TerminateOp : Cube_ExitOp<"terminate"> { let summary = "ends the execution of the unit, also from inside a function"; }

let lastLevel = "legal" in def Cube_MayNotTerminateOp : Cube_Op<"may_not_terminate", [MemoryEffects<[MemWrite<Cube_Output>]>]> {
  let summary = "marks a loop that is not proven to terminate, so that no pass removes the loop as dead code";
  let description = [{
    A kernel that does not terminate must not become a kernel that terminates. The pass `mark-may-not-terminate` adds
    this operation to every loop without a known trip count. The pass `drop-terminating-marks` removes the operation
    from loops that provably terminate. On the CPU, the runtime can cancel a launch at this operation. Other targets
    remove the operation.
  }];
  let assemblyFormat = "attr-dict";
}
