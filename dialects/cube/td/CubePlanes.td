//===- CubePlanes.td: what the units of a cube or a plane do together ---------------------------------------------===//
// Included by CubeOps.td.

let lastLevel = "legal" in def Cube_SyncOp : Cube_Op<"sync", [Convergent, MemoryEffects<[MemRead, MemWrite, MemRead<Cube_Plane>, MemWrite<Cube_Plane>]>]> {
  let summary = "a barrier at which each unit waits for all units of the scope, and after which each unit sees the writes of all units";
  let description = [{
    `cube` orders shared and global memory among the units of a cube, `storage` only global memory, `plane` both among
    the active lanes of a plane. All units of a cube must reach a barrier of scope `cube` or `storage`.
  }];
  let arguments = (ins Cube_ScopeAttr:$scope);
  let assemblyFormat = "`` $scope attr-dict";
}

// The lanes of an operation are the active units of the plane: in a branch those that take it, in a loop those in the same
// iteration. The others are absent, and contribute nothing.
// Its result is `same` for all active lanes, each unit's `own`, or that of the `lane` that the second operand names. The group is one
// of `cube_target::PlaneOperation`, which a chip has or lacks as a whole. The verifier is named here, too, where an operation
// needs one.
class Cube_PlaneOp<string mnemonic, string result, string group, list<Trait> traits = []> : Cube_Op<mnemonic,
    [Convergent, Cube_ReadsPlane] # traits> {
  let lastLevel = "legal";
  let planeResult = result;
  let planeGroup = group;
}

def Cube_PlaneElectOp : Cube_PlaneOp<"plane_elect", "own", "elect"> {
  let summary = "true in exactly one unit of the plane: the unit with the lowest lane";
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

def Cube_PlaneVoteOp : Cube_PlaneOp<"plane_vote", "same", "vote"> {
  let summary = "whether a condition is true in all units, or in any unit, of the plane";
  let arguments = (ins Cube_VoteAttr:$vote, I1:$value);
  let results = (outs I1:$result);
  let assemblyFormat = "`` $vote $value attr-dict";
}

def Cube_PlaneBallotOp : Cube_PlaneOp<"plane_ballot", "same", "ballot"> {
  let summary = "a bit for each lane whose condition is true; lane 0 is the lowest bit of the first word";
  let arguments = (ins I1:$value);
  let results = (outs FixedVectorOfLengthAndType<[4], [I32]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Cube_PlaneReduceOp : Cube_PlaneOp<"plane_reduce", "same", "reduce", [SameOperandsAndResultType, RustVerify<"planes::combine">]> {
  let summary = "combines the values of all units of the plane; every unit gets the result";
  let description = [{
    Each step combines the upper half of the lanes with the lower half, until one lane remains. The order of the steps, and therefore the sum of floats, is the same on every target with the same plane size. In a branch or loop, only the
    active lanes participate. The operations `minf` and `maxf` ignore a NaN operand, and order -0 below +0.
  }];
  let arguments = (ins Cube_CombineAttr:$kind, Cube_Value:$value);
  let results = (outs Cube_Value:$result);
  let assemblyFormat = "`` $kind $value attr-dict `:` type($result)";
}

def Cube_PlaneScanOp : Cube_PlaneOp<"plane_scan", "own", "scan", [SameOperandsAndResultType, RustVerify<"planes::combine">]> {
  let summary = "combines the values of the lanes up to the unit's lane, with or without the unit's own value";
  let description = [{
    Step k combines each lane with the lane 2^k positions below (Hillis and Steele, 1986). In a branch or loop, only
    the active lanes participate. The operations `minf` and `maxf` ignore a NaN operand, and order -0 below +0. In an
    `exclusive` scan, the first lane gets the neutral element: 0, 1, or the largest or smallest number.
  }];
  let arguments = (ins Cube_ScanAttr:$scan, Cube_CombineAttr:$kind, Cube_Value:$value);
  let results = (outs Cube_Value:$result);
  let assemblyFormat = "`` $scan `` $kind $value attr-dict `:` type($result)";
}

def Cube_PlaneBroadcastOp : Cube_PlaneOp<"plane_broadcast", "lane", "broadcast", [AllTypesMatch<["value", "result"]>]> {
  let summary = "the value of one lane, the same for all units of the plane";
  let arguments = (ins Cube_Value:$value, I32:$lane);
  let results = (outs Cube_Value:$result);
  let assemblyFormat = "$value `,` $lane attr-dict `:` type($result)";
}

def Cube_PlaneShuffleOp : Cube_PlaneOp<"plane_shuffle", "own", "shuffle", [AllTypesMatch<["value", "result"]>]> {
  let summary = "the value of another lane, given by its number, by an xor mask, or by a distance down or up";
  let description = [{
    If the source lane is absent or inactive, the result is the unit's own value. `up` reads lane - n, and `down`
    reads lane + n; n is unsigned, and a sum or difference outside u32 names no lane.
  }];
  let arguments = (ins Cube_ShuffleAttr:$shuffle, Cube_Value:$value, I32:$operand);
  let results = (outs Cube_Value:$result);
  let assemblyFormat = "`` $shuffle $value `,` $operand attr-dict `:` type($result)";
}
