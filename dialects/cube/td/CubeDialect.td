//===- CubeDialect.td: the cube dialect, its types, attributes and enums ----------------------------------------===//
//
// The files of this folder declare operations, types, attributes and enums. C++ declarations, Rust views and builders, and the
// reference page are generated from these files. Registration, custom syntax and storage are C++ code in dialects/cube/cpp and
// dialects/bridge. Verifiers and folders are Rust code in dialects/cube/src.
//
#ifndef CUBE_DIALECT_TD
#define CUBE_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

def Cube_Dialect : Dialect {
  let name = "cube";
  let cppNamespace = "::cube";
  let summary = "GPU kernels in terms of units, cubes and checked buffers";
  let description = [{
    The dialect contains the parts of compute kernels that upstream MLIR lacks. These parts are the launch structure
    (units in cubes in a grid), buffers with checked or unchecked accesses, and total integer operations. Kernels use
    `arith` and `math` for arithmetic, `scf` for control flow, and `vector` for lines.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{
    void registerInterfaces();
    // Whether a function also returns from inside a branch or loop. Passes of MLIR assume that the last return is the only one.
    // Such a function is therefore neither inlined nor analysed before the pass `structure-exits`.
    static bool leavesEarly(::mlir::Operation *function) {
      auto isEarly = [&](::mlir::Operation *op) {
        return op->getName().getStringRef() == "cube.return" && op->getParentOp() != function;
      };
      return function->walk([&](::mlir::Operation *op) {
        return isEarly(op) ? ::mlir::WalkResult::interrupt() : ::mlir::WalkResult::advance();
      }).wasInterrupted();
    }
  }];
}

//===- Types ------------------------------------------------------------------------------------------------------===//

class Cube_Type<string name, string mnem, list<Trait> traits = []> : TypeDef<Cube_Dialect, name, traits> {
  let mnemonic = mnem;
}

// A buffer of lines. Each line has `line` elements. Accesses have an operand of one of the five buffer types.
class Cube_BufferType<string name, string mnem> : Cube_Type<name, mnem> {
  let parameters = (ins "::mlir::Type":$elementType, DefaultValuedParameter<"int64_t", "1">:$line);
  let assemblyFormat = "`<` $elementType (`,` $line^)? `>`";
  let genVerifyDecl = 1;
  code lines = [{
    if (!::llvm::isa<::mlir::IntegerType, ::mlir::FloatType>(element))
      return emitError() << "the element type of a buffer must be an integer or a float, not " << element
                         << "; for lines (short vectors) of N elements, write !cube.array<T, N> [CUBE0110]";
    if (line < 1 || line > 16 || (line & (line - 1)))
      return emitError() << "line size must be 1, 2, 4, 8 or 16, not " << line << " [CUBE0111]";
    return ::mlir::success();
  }
  }];
  code head = "::mlir::LogicalResult $cppClass::verify(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,";
  let extraClassDefinition = !strconcat(head, "::mlir::Type element, int64_t line) {", lines);
}

def Cube_ArrayType : Cube_BufferType<"Array", "array"> {
  let summary = "a one-dimensional buffer in global memory";
  let description = [{
    A buffer of type `!cube.array<T>` contains elements of type T. A buffer of type `!cube.array<T, N>` contains lines
    of N elements, which are loaded and stored as `vector<NxT>`. The launch determines the number of lines. Indices of
    accesses and the result of `cube.len` count lines.
  }];
}

def Cube_TensorType : Cube_BufferType<"Tensor", "tensor"> {
  let summary = "a buffer in global memory with a rank, a shape and strides, which are known at the launch";
  let description = [{
    A tensor is accessed by line indices, like an array. The operations `cube.rank`, `cube.shape` and `cube.stride`
    return values that the host passes at the launch. A tensor has at most 8 dimensions. Shapes and strides count
    elements, but indices count lines.
  }];
}

def Cube_SliceType : Cube_BufferType<"Slice", "slice"> {
  let summary = "a range of a buffer, which `cube.slice` creates";
}

// `size` is an i32 attribute. Until `specialize`, it can also be a `#cube.param` of type i32.
class Cube_StaticBufferType<string name, string mnem> : Cube_BufferType<name, mnem> {
  let parameters = (ins "::mlir::Attribute":$size, "::mlir::Type":$elementType,
                        DefaultValuedParameter<"int64_t", "1">:$line);
  let assemblyFormat = "`<` custom<Size>($size) `x` $elementType (`,` $line^)? `>`";
  let extraClassDeclaration = [{
    int64_t getLines() { auto n = ::llvm::dyn_cast<::mlir::IntegerAttr>(getSize()); return n ? n.getInt() : -1; }
    ::mlir::Type getLineType() {
      return getLine() == 1 ? getElementType() : ::mlir::VectorType::get({getLine()}, getElementType());
    }
  }];
  let extraClassDefinition = !strconcat(head, "::mlir::Attribute size, ::mlir::Type element, int64_t line) {", [{
    auto number = ::llvm::dyn_cast<::mlir::IntegerAttr>(size);
    if (number ? !number.getType().isSignlessInteger(32) || number.getInt() < 1 : !::llvm::isa<::cube::ParamAttr>(size))
      return emitError() << "the size of shared or local memory must be an i32 of at least 1 or a comptime parameter of "
                            "that type, not " << size << " [CUBE0114]";
  }], lines);
}

def Cube_SharedType : Cube_StaticBufferType<"Shared", "shared"> {
  let summary = "memory that the units of a cube share; `!cube.shared<64 x f32, 4>` contains 64 lines of 4 elements";
}

def Cube_LocalType : Cube_StaticBufferType<"Local", "local"> {
  let summary = "memory of one unit; `!cube.local<1 x T>` is a mutable variable";
}

def Cube_ParamType : Cube_Type<"Param", "param", [DeclareTypeInterfaceMethods<FloatTypeInterface,
                                                                                ["getFloatSemantics"]>]> {
  let summary = "a type parameter of the kernel";
  let description = [{
    At level `source`, a kernel can use the type `!cube.param<@F>` instead of any number type. The pass `specialize`
    replaces the type parameter by the chosen type: a float, an integer, or a line such as `vector<4xf32>`. If the
    chosen type is a line, buffers of the type parameter become buffers of lines. Before `specialize`, a type
    parameter counts as a float of double precision. Operations of arith and math accept a type parameter only if all
    its instantiated types are floats. Constants of a type parameter are written as floats of double precision. For a
    type parameter that can also be an integer, use `cube.generic`.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$name);
  let assemblyFormat = "`<` $name `>`";
}

//===- Attributes ---------------------------------------------------------------------------------------------------===//

class Cube_Attr<string name, string mnem> : AttrDef<Cube_Dialect, name> { let mnemonic = mnem; }

def Cube_ParamAttr : Cube_Attr<"Param", "param"> {
  let summary = "a comptime value of the kernel";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$name);
  let assemblyFormat = "`<` $name `>`";
}

def Cube_ComptimeAttr : Cube_Attr<"Comptime", "comptime"> {
  let summary = "the declaration of a comptime parameter, with a name, a type (`none` for a type parameter) and a default";
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::Type":$type,
                        OptionalParameter<"::mlir::Attribute">:$value);
  let assemblyFormat = "`<` $name `,` $type (`,` $value^)? `>`";
}

def Cube_TargetAttr : Cube_Attr<"Target", "target"> {
  let summary = "the description of the chip for which a module is compiled";
  let description = [{
    The pass `attach-target` adds the description to the module as the attribute `cube.target`. The crate
    `cube-target` defines and checks the fields of the description. An unknown field, a wrong version and
    contradictory fields are errors.
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$fields);
  let assemblyFormat = "`<` $fields `>`";
  let genVerifyDecl = 1;
  let genMnemonicAlias = 1;
}

class Cube_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::cube";
  let genSpecializedAttr = 0;
}

def Cube_Bounds : Cube_Enum<"Bounds", "whether an access is checked or promised to be in bounds", [
    I32EnumAttrCase<"Checked", 0, "checked">, I32EnumAttrCase<"Inbounds", 1, "inbounds">]>;
def Cube_BoundsAttr : EnumAttr<Cube_Dialect, Cube_Bounds, "bounds"> { let assemblyFormat = "$value"; }

// The names and meanings are equal to those in CubeCL. A position without an axis is a linear index.
def Cube_Topology : Cube_Enum<"Topology", "a position in a launch, or a size of a launch", [
    I32EnumAttrCase<"AbsolutePos", 0, "absolute_pos">, I32EnumAttrCase<"AbsolutePosX", 1, "absolute_pos_x">,
    I32EnumAttrCase<"AbsolutePosY", 2, "absolute_pos_y">, I32EnumAttrCase<"AbsolutePosZ", 3, "absolute_pos_z">,
    I32EnumAttrCase<"UnitPos", 4, "unit_pos">, I32EnumAttrCase<"UnitPosX", 5, "unit_pos_x">,
    I32EnumAttrCase<"UnitPosY", 6, "unit_pos_y">, I32EnumAttrCase<"UnitPosZ", 7, "unit_pos_z">,
    I32EnumAttrCase<"CubePos", 8, "cube_pos">, I32EnumAttrCase<"CubePosX", 9, "cube_pos_x">,
    I32EnumAttrCase<"CubePosY", 10, "cube_pos_y">, I32EnumAttrCase<"CubePosZ", 11, "cube_pos_z">,
    I32EnumAttrCase<"CubeDim", 12, "cube_dim">, I32EnumAttrCase<"CubeDimX", 13, "cube_dim_x">,
    I32EnumAttrCase<"CubeDimY", 14, "cube_dim_y">, I32EnumAttrCase<"CubeDimZ", 15, "cube_dim_z">,
    I32EnumAttrCase<"CubeCount", 16, "cube_count">, I32EnumAttrCase<"CubeCountX", 17, "cube_count_x">,
    I32EnumAttrCase<"CubeCountY", 18, "cube_count_y">, I32EnumAttrCase<"CubeCountZ", 19, "cube_count_z">,
    I32EnumAttrCase<"CubeClusterDim", 20, "cube_cluster_dim">,
    I32EnumAttrCase<"CubeClusterDimX", 21, "cube_cluster_dim_x">,
    I32EnumAttrCase<"CubeClusterDimY", 22, "cube_cluster_dim_y">,
    I32EnumAttrCase<"CubeClusterDimZ", 23, "cube_cluster_dim_z">,
    I32EnumAttrCase<"CubePosCluster", 24, "cube_pos_cluster">,
    I32EnumAttrCase<"CubePosClusterX", 25, "cube_pos_cluster_x">,
    I32EnumAttrCase<"CubePosClusterY", 26, "cube_pos_cluster_y">,
    I32EnumAttrCase<"CubePosClusterZ", 27, "cube_pos_cluster_z">,
    I32EnumAttrCase<"PlaneDim", 28, "plane_dim">, I32EnumAttrCase<"PlanePos", 29, "plane_pos">,
    I32EnumAttrCase<"UnitPosPlane", 30, "unit_pos_plane">]>;
def Cube_TopologyAttr : EnumAttr<Cube_Dialect, Cube_Topology, "topology"> { let assemblyFormat = "$value"; }

class Cube_WordAttr<EnumInfo words, string mnem> : EnumAttr<Cube_Dialect, words, mnem> { let assemblyFormat = "$value"; }

// The pass `remove-checks` derives and writes the proof in each run. The Rust API drops the proof when a pass copies, moves or changes
// an access.
def Cube_Proof : Cube_Enum<"Proof", "the reason why an access is inside its buffer, if the compiler has proved it", [
    I32EnumAttrCase<"Guard", 0, "guard">, I32EnumAttrCase<"LoopBound", 1, "loop_bound">,
    I32EnumAttrCase<"Range", 2, "range">, I32EnumAttrCase<"Length", 3, "length">]>;
def Cube_ProofAttr : Cube_WordAttr<Cube_Proof, "proof">;

// The operation that combines two values in atomics, plane reductions and scans. The names are the names of arith's operations.
def Cube_Combine : Cube_Enum<"Combine", "the operation that combines two values", [
    I32EnumAttrCase<"Exchange", 0, "exchange">,
    I32EnumAttrCase<"AddI", 1, "addi">, I32EnumAttrCase<"AddF", 2, "addf">,
    I32EnumAttrCase<"SubI", 3, "subi">, I32EnumAttrCase<"SubF", 4, "subf">,
    I32EnumAttrCase<"MulI", 5, "muli">, I32EnumAttrCase<"MulF", 6, "mulf">,
    I32EnumAttrCase<"MinSI", 7, "minsi">, I32EnumAttrCase<"MinUI", 8, "minui">, I32EnumAttrCase<"MinF", 9, "minf">,
    I32EnumAttrCase<"MaxSI", 10, "maxsi">, I32EnumAttrCase<"MaxUI", 11, "maxui">, I32EnumAttrCase<"MaxF", 12, "maxf">,
    I32EnumAttrCase<"AndI", 13, "andi">, I32EnumAttrCase<"OrI", 14, "ori">, I32EnumAttrCase<"XOrI", 15, "xori">]>;
def Cube_CombineAttr : Cube_WordAttr<Cube_Combine, "combine">;

def Cube_Scope : Cube_Enum<"Scope", "the units that wait at a barrier, and the memory that the barrier orders", [
    I32EnumAttrCase<"Cube", 0, "cube">, I32EnumAttrCase<"Plane", 1, "plane">,
    I32EnumAttrCase<"Storage", 2, "storage">]>;
def Cube_ScopeAttr : Cube_WordAttr<Cube_Scope, "scope">;

def Cube_Vote : Cube_Enum<"Vote", "the quantifier of a vote over units", [
    I32EnumAttrCase<"All", 0, "all">, I32EnumAttrCase<"Any", 1, "any">]>;
def Cube_VoteAttr : Cube_WordAttr<Cube_Vote, "vote">;

def Cube_Scan : Cube_Enum<"Scan", "whether a scan includes the unit's own value", [
    I32EnumAttrCase<"Inclusive", 0, "inclusive">, I32EnumAttrCase<"Exclusive", 1, "exclusive">]>;
def Cube_ScanAttr : Cube_WordAttr<Cube_Scan, "scan">;

def Cube_Shuffle : Cube_Enum<"Shuffle", "the kind of a shuffle, which determines the source lane", [
    I32EnumAttrCase<"Idx", 0, "idx">, I32EnumAttrCase<"XOr", 1, "xor">, I32EnumAttrCase<"Up", 2, "up">,
    I32EnumAttrCase<"Down", 3, "down">]>;
def Cube_ShuffleAttr : Cube_WordAttr<Cube_Shuffle, "shuffle">;

def Cube_Rounding : Cube_Enum<"Rounding", "the rounding of a conversion to a float with fewer digits", [
    I32EnumAttrCase<"NearestEven", 0, "nearest_even">, I32EnumAttrCase<"TowardZero", 1, "toward_zero">,
    I32EnumAttrCase<"Upward", 2, "upward">, I32EnumAttrCase<"Downward", 3, "downward">]>;
def Cube_RoundingAttr : Cube_WordAttr<Cube_Rounding, "rounding">;

#endif
