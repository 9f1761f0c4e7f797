//===- CubePlanes.td: barriers, and operations on the units of a plane ---------------------------------------------===//
// Included by CubeOps.td.

let lastLevel = "legal" in def Cube_SyncOp : Cube_Op<"sync", [Convergent, MemoryEffects<[MemRead, MemWrite, MemRead<Cube_Plane>, MemWrite<Cube_Plane>]>]> {
  let summary = "a barrier at which each unit waits for all units of the scope, and after which each unit sees the writes of all units";
  let description = [{
    A barrier of scope `cube` orders the accesses of the cube's units to shared and global memory. A barrier of scope
    `storage` orders only their accesses to global memory. A barrier of scope `plane` orders the accesses of the
    active lanes of a plane to shared and global memory. All units of a cube must reach a barrier of scope `cube` or
    `storage`.
  }];
  let arguments = (ins Cube_ScopeAttr:$scope);
  let assemblyFormat = "`` $scope attr-dict";
}

// A plane operation applies to the active lanes: the lanes that take the same branch, or are in the same iteration of a loop. Inactive
// lanes contribute no value. `result` is `same` if all active lanes get one value, `own` if the result can differ from lane to lane,
// and `lane` if the result is the value of the lane that the second operand names. `group` is a case of
// `cube_target::PlaneOperation`. A chip supports all operations of a group, or none of them.
class Cube_PlaneOp<string mnemonic, string result, string group, list<Trait> traits = []> : Cube_Op<mnemonic,
    [Convergent, Cube_ReadsPlane] # traits> {
  let lastLevel = "legal";
  let planeResult = result;
  let planeGroup = group;
}

def Cube_PlaneElectOp : Cube_PlaneOp<"plane_elect", "own", "elect"> {
  let summary = "true in the active unit with the lowest lane of the plane, and false in its other active units";
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

def Cube_PlaneVoteOp : Cube_PlaneOp<"plane_vote", "same", "vote"> {
  let summary = "whether a condition is true in all active units of the plane (`all`), or in at least one of them (`any`)";
  let arguments = (ins Cube_VoteAttr:$vote, I1:$value);
  let results = (outs I1:$result);
  let assemblyFormat = "`` $vote $value attr-dict";
}

def Cube_PlaneBallotOp : Cube_PlaneOp<"plane_ballot", "same", "ballot"> {
  let summary = "a mask with one bit for each lane, which is 1 if the lane's condition is true; lane 0 is the lowest bit of the first word";
  let arguments = (ins I1:$value);
  let results = (outs FixedVectorOfLengthAndType<[4], [I32]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Cube_PlaneReduceOp : Cube_PlaneOp<"plane_reduce", "same", "reduce", [SameOperandsAndResultType, RustVerify<"planes::combine">]> {
  let summary = "combines the values of all active units of the plane; each of these units gets the result";
  let description = [{
    Each step combines each lane of the upper half with the corresponding lane of the lower half, until one lane
    remains. The order of the steps is equal on all targets with equal plane sizes, so sums of floats are also equal.
    In a branch or loop, only the active lanes participate. The operations `minf` and `maxf` ignore a NaN operand, and
    order -0 below +0.
  }];
  let arguments = (ins Cube_CombineAttr:$kind, Cube_Value:$value);
  let results = (outs Cube_Value:$result);
  let assemblyFormat = "`` $kind $value attr-dict `:` type($result)";
}

def Cube_PlaneScanOp : Cube_PlaneOp<"plane_scan", "own", "scan", [SameOperandsAndResultType, RustVerify<"planes::combine">]> {
  let summary = "combines the values of the lanes below the unit's lane, with (`inclusive`) or without (`exclusive`) the unit's own value";
  let description = [{
    Step k combines the value of each lane with the value of the lane 2^k positions below (Hillis and Steele, 1986).
    In a branch or loop, only the active lanes participate. The operations `minf` and `maxf` ignore a NaN operand, and
    order -0 below +0. In an `exclusive` scan, the first active lane gets the neutral element of the operation: 0, 1,
    or the largest or smallest number.
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
    If the source lane is absent or inactive, the result is the unit's own value. For a unit in lane l, `up` reads
    lane l - n, and `down` reads lane l + n. The distance n is unsigned. If l - n or l + n is outside the range of
    u32, the source lane is absent.
  }];
  let arguments = (ins Cube_ShuffleAttr:$shuffle, Cube_Value:$value, I32:$operand);
  let results = (outs Cube_Value:$result);
  let assemblyFormat = "`` $shuffle $value `,` $operand attr-dict `:` type($result)";
}
