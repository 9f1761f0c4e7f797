//! Declarations of the C++ bridge (`cpp/Bridge.h`). The safe interface to the bridge is the crate in
//! `dialects/mlir`.
#![allow(missing_docs)]
pub use mlir_sys;
use mlir_sys::{
    MlirAttribute, MlirContext, MlirDialectRegistry, MlirLocation, MlirModule, MlirOperation, MlirStringCallback,
    MlirStringRef, MlirType, MlirValue,
};
use std::ffi::{c_char, c_int, c_void};

/// `CubeOptionKind`: the type of a pass option.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    Bool = 0,
    Int = 1,
    Text = 2,
    List = 3,
}

/// `CubeBufferKind`: the kind of a buffer type.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferKind {
    Array = 0,
    Tensor = 1,
    Slice = 2,
    Shared = 3,
    Local = 4,
}

#[repr(C)]
pub struct CubeOptionDecl {
    pub name: MlirStringRef,
    pub summary: MlirStringRef,
    pub default_value: MlirStringRef,
    pub kind: OptionKind,
}

#[repr(C)]
pub struct CubePassDecl {
    pub argument: MlirStringRef,
    pub summary: MlirStringRef,
    pub anchor: MlirStringRef,
    pub dialects: *const MlirStringRef,
    pub dialect_count: isize,
    pub options: *const CubeOptionDecl,
    pub option_count: isize,
}

#[repr(C)]
pub struct CubeFold {
    pub kind: i32,
    pub attribute: MlirAttribute,
    pub value: MlirValue,
}

#[repr(C)]
pub struct CubeCallbacks {
    pub verify: unsafe extern "C" fn(MlirOperation) -> bool,
    pub fold: unsafe extern "C" fn(MlirOperation, isize, *const MlirAttribute) -> CubeFold,
    pub bounds: unsafe extern "C" fn(MlirOperation, *mut u64, *mut u64),
    pub run_pass: unsafe extern "C" fn(*const CubePassDecl, MlirOperation, *const c_void) -> bool,
    pub verify_attribute: unsafe extern "C" fn(MlirStringRef, MlirAttribute, MlirStringCallback, *mut c_void) -> bool,
    pub parse_numbers: unsafe extern "C" fn(MlirStringRef, MlirStringRef, CubeNumbersCallback, *mut c_void),
    pub print_numbers: unsafe extern "C" fn(MlirStringRef, *const i64, isize, MlirStringCallback, *mut c_void),
}

pub type CubeNumbersCallback = Option<unsafe extern "C" fn(*const i64, isize, *mut c_void)>;

unsafe extern "C" {
    pub fn cubeSetCallbacks(callbacks: *const CubeCallbacks);
    pub fn cubeRegisterDialects(registry: MlirDialectRegistry);
    pub fn cubeInsertDialects(registry: MlirDialectRegistry);
    pub fn cubeRegisterPass(decl: *const CubePassDecl);
    pub fn cubeRegisterPipeline(name: MlirStringRef, summary: MlirStringRef, passes: MlirStringRef);
    pub fn cubePassOptionBool(pass: *const c_void, index: isize) -> bool;
    pub fn cubePassOptionInt(pass: *const c_void, index: isize) -> i64;
    pub fn cubePassOptionText(pass: *const c_void, index: isize) -> MlirStringRef;
    pub fn cubePassOptionListSize(pass: *const c_void, index: isize) -> isize;
    pub fn cubePassOptionListItem(pass: *const c_void, index: isize, item: isize) -> MlirStringRef;
    pub fn cubePassMarkUnchanged(pass: *const c_void);

    pub fn cubeParseModule(context: MlirContext, source: MlirStringRef, name: MlirStringRef) -> MlirModule;

    pub fn cubeBufferTypeGet(kind: BufferKind, size: MlirAttribute, element: MlirType, line: i64) -> MlirType;
    pub fn cubeBufferTypeParts(
        ty: MlirType,
        kind: *mut BufferKind,
        size: *mut MlirAttribute,
        element: *mut MlirType,
        line: *mut i64,
    ) -> bool;
    pub fn cubeComptimeAttrParts(
        attr: MlirAttribute,
        name: *mut MlirStringRef,
        ty: *mut MlirType,
        value: *mut MlirAttribute,
    ) -> bool;
    pub fn cubeNumbersAttrGet(context: MlirContext, coord: bool, count: isize, numbers: *const i64) -> MlirAttribute;
    pub fn cubeNumbersAttrParts(attr: MlirAttribute, numbers: *mut *const i64, count: *mut isize) -> i32;
    pub fn cubeLayoutTypeGet(context: MlirContext) -> MlirType;
    pub fn cubeLayoutTypeParts(ty: MlirType, element: *mut MlirType) -> i32;
    pub fn cubeTargetFields(attr: MlirAttribute) -> MlirAttribute;
    pub fn cubeTargetGet(fields: MlirAttribute) -> MlirAttribute;
    pub fn cubeWordOf(attr: MlirAttribute) -> MlirStringRef;
    pub fn cubeParamName(attr: MlirAttribute, ty: MlirType, name: *mut MlirStringRef) -> bool;
    pub fn cubeSubstituteParams(
        op: MlirOperation,
        count: isize,
        names: *const MlirStringRef,
        values: *const MlirAttribute,
    );

    pub fn cubeEmit(
        at: MlirLocation,
        severity: i32,
        message: MlirStringRef,
        note_count: isize,
        note_at: *const MlirLocation,
        notes: *const MlirStringRef,
    );
    pub fn cubeOpAsk(op: MlirOperation, question: i32) -> bool;
    pub fn cubeOpEffects(
        op: MlirOperation,
        each: unsafe extern "C" fn(*mut c_void, i32, MlirValue, MlirStringRef),
        to: *mut c_void,
    ) -> bool;
    pub fn cubeFoldRanges(op: MlirOperation, limit: i64, changed: *mut bool) -> i64;
    pub fn cubeLinkShared(
        object: *const c_char,
        output: *const c_char,
        said: unsafe extern "C" fn(MlirStringRef, *mut c_void),
        to: *mut c_void,
    ) -> bool;
    pub fn cubeOptMain(argc: c_int, argv: *mut *mut c_char, tool: *const c_char) -> c_int;
    pub fn cubeLspMain(argc: c_int, argv: *mut *mut c_char) -> c_int;
}
