//===- CubeDialect.td: the cube dialect, its types, attributes and enums ----------------------------------------===//
//
// The one source of truth: C++ registration (dialects/bridge), Rust views and builders, the op table of the frontend
// and the reference page are all generated from these files.
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
    What upstream MLIR lacks for compute kernels: the launch structure (units in cubes in a grid), buffers whose
    accesses are checked or promised in bounds, and integer operations that are total. Arithmetic is `arith` and
    `math`, control flow is `scf`, lanes are `vector`.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{ void registerInterfaces(); }];
}

//===- Types ------------------------------------------------------------------------------------------------------===//

class Cube_Type<string name, string mnem, list<Trait> traits = []> : TypeDef<Cube_Dialect, name, traits> {
  let mnemonic = mnem;
}

def Cube_ArrayType : Cube_Type<"Array", "array"> {
  let summary = "a one-dimensional buffer in global memory";
  let description = [{
    `!cube.array<T>` holds a number of elements known at launch; `!cube.array<T, N>` holds lines of N elements, which
    are loaded and stored as `vector<NxT>`. Indices and `cube.len` count lines.
  }];
  let parameters = (ins "::mlir::Type":$elementType, DefaultValuedParameter<"int64_t", "1">:$line);
  let assemblyFormat = "`<` $elementType (`,` $line^)? `>`";
  let genVerifyDecl = 1;
}

def Cube_ParamType : Cube_Type<"Param", "param", [DeclareTypeInterfaceMethods<FloatTypeInterface,
                                                                                ["getFloatSemantics"]>]> {
  let summary = "a type that is a comptime parameter of the kernel";
  let description = [{
    `!cube.param<@F>` stands wherever a floating-point type does at level `source`; `specialize` puts the chosen type in
    its place. Until then it counts as a float of double precision, so constants keep their full value.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$name);
  let assemblyFormat = "`<` $name `>`";
}

//===- Attributes ---------------------------------------------------------------------------------------------------===//

class Cube_Attr<string name, string mnem> : AttrDef<Cube_Dialect, name> { let mnemonic = mnem; }

def Cube_ParamAttr : Cube_Attr<"Param", "param"> {
  let summary = "a value that is a comptime parameter of the kernel";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$name);
  let assemblyFormat = "`<` $name `>`";
}

def Cube_ComptimeAttr : Cube_Attr<"Comptime", "comptime"> {
  let summary = "the declaration of a comptime parameter: name, type (`none` for a type parameter), default";
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::Type":$type,
                        OptionalParameter<"::mlir::Attribute">:$value);
  let assemblyFormat = "`<` $name `,` $type (`,` $value^)? `>`";
}

def Cube_Bounds : I32EnumAttr<"Bounds", "whether an access is checked", [
    I32EnumAttrCase<"Checked", 0, "checked">, I32EnumAttrCase<"Inbounds", 1, "inbounds">]> {
  let cppNamespace = "::cube";
  let genSpecializedAttr = 0;
}
def Cube_BoundsAttr : EnumAttr<Cube_Dialect, Cube_Bounds, "bounds"> { let assemblyFormat = "$value"; }

// Names and meaning are those of CubeCL's topology table; without an axis a value is the linear one.
def Cube_Topology : I32EnumAttr<"Topology", "a value that tells where a unit is", [
    I32EnumAttrCase<"AbsolutePos", 0, "absolute_pos">, I32EnumAttrCase<"AbsolutePosX", 1, "absolute_pos_x">,
    I32EnumAttrCase<"AbsolutePosY", 2, "absolute_pos_y">, I32EnumAttrCase<"AbsolutePosZ", 3, "absolute_pos_z">,
    I32EnumAttrCase<"UnitPos", 4, "unit_pos">, I32EnumAttrCase<"UnitPosX", 5, "unit_pos_x">,
    I32EnumAttrCase<"UnitPosY", 6, "unit_pos_y">, I32EnumAttrCase<"UnitPosZ", 7, "unit_pos_z">,
    I32EnumAttrCase<"CubePos", 8, "cube_pos">, I32EnumAttrCase<"CubePosX", 9, "cube_pos_x">,
    I32EnumAttrCase<"CubePosY", 10, "cube_pos_y">, I32EnumAttrCase<"CubePosZ", 11, "cube_pos_z">,
    I32EnumAttrCase<"CubeDim", 12, "cube_dim">, I32EnumAttrCase<"CubeDimX", 13, "cube_dim_x">,
    I32EnumAttrCase<"CubeDimY", 14, "cube_dim_y">, I32EnumAttrCase<"CubeDimZ", 15, "cube_dim_z">,
    I32EnumAttrCase<"CubeCount", 16, "cube_count">, I32EnumAttrCase<"CubeCountX", 17, "cube_count_x">,
    I32EnumAttrCase<"CubeCountY", 18, "cube_count_y">, I32EnumAttrCase<"CubeCountZ", 19, "cube_count_z">]> {
  let cppNamespace = "::cube";
  let genSpecializedAttr = 0;
}
def Cube_TopologyAttr : EnumAttr<Cube_Dialect, Cube_Topology, "topology"> { let assemblyFormat = "$value"; }

#endif
