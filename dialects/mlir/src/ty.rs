//! Types, and a handle to the context that owns them.
use crate::attr::AttrExt;
use crate::op::{str_of, string_ref};
use crate::ops::Dialect;
use cube_bridge::{cubeLayoutTypeGet, cubeLayoutTypeParts, cubeNumbersAttrGet};
use melior::{
    Context,
    ir::{Attribute, Location, Type, TypeLike, attribute::AttributeLike},
};
use mlir_sys::*;
use std::{ffi::c_void, marker::PhantomData, thread::ThreadId};

/// A copyable handle to the context, for making types and attributes.
#[derive(Clone, Copy)]
pub struct Cx<'p> {
    raw: MlirContext,
    scope: PhantomData<&'p ()>,
}

/// The linkage of a function or a global variable of the dialect `llvm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Other modules see the symbol.
    External,
    /// Only this module sees the symbol.
    Internal,
}

impl<'p> Cx<'p> {
    /// A handle to `context`.
    pub fn new(context: &'p Context) -> Self {
        Cx { raw: context.to_raw(), scope: PhantomData }
    }

    /// # Safety
    /// The context must outlive `'p`.
    pub unsafe fn from_raw(raw: MlirContext) -> Self {
        Cx { raw, scope: PhantomData }
    }

    pub(crate) fn raw(self) -> MlirContext {
        self.raw
    }

    /// `iN`.
    pub fn int(self, bits: u32) -> Type<'p> {
        // SAFETY: valid context.
        unsafe { Type::from_raw(mlirIntegerTypeGet(self.raw(), bits)) }
    }

    /// `index`.
    pub fn index(self) -> Type<'p> {
        // SAFETY: valid context.
        unsafe { Type::from_raw(mlirIndexTypeGet(self.raw())) }
    }

    /// `f32`.
    pub fn f32(self) -> Type<'p> {
        // SAFETY: valid context.
        unsafe { Type::from_raw(mlirF32TypeGet(self.raw())) }
    }

    /// `f64`.
    pub fn f64(self) -> Type<'p> {
        // SAFETY: valid context.
        unsafe { Type::from_raw(mlirF64TypeGet(self.raw())) }
    }

    /// `!llvm.ptr`, in address space `space`.
    pub fn llvm_ptr(self, space: u32) -> Type<'p> {
        // SAFETY: valid context.
        unsafe { Type::from_raw(mlirLLVMPointerTypeGet(self.raw(), space)) }
    }

    /// `!llvm.array<n x T>`.
    pub fn llvm_array(self, count: u32, element: Type<'p>) -> Type<'p> {
        // SAFETY: an element type of this context.
        unsafe { Type::from_raw(mlirLLVMArrayTypeGet(element.to_raw(), count)) }
    }

    /// `!llvm.struct<(...)>`, not packed.
    pub fn llvm_struct(self, fields: &[Type<'p>]) -> Type<'p> {
        let fields: Vec<MlirType> = fields.iter().map(|field| field.to_raw()).collect();
        // SAFETY: valid context and types, copied.
        unsafe {
            Type::from_raw(mlirLLVMStructTypeLiteralGet(self.raw(), fields.len() as isize, fields.as_ptr(), false))
        }
    }

    /// `!llvm.func<void (...)>`.
    pub fn llvm_void_function(self, inputs: &[Type<'p>]) -> Type<'p> {
        let inputs: Vec<MlirType> = inputs.iter().map(|input| input.to_raw()).collect();
        // SAFETY: valid context and types, copied.
        unsafe {
            let void = mlirLLVMVoidTypeGet(self.raw());
            Type::from_raw(mlirLLVMFunctionTypeGet(void, inputs.len() as isize, inputs.as_ptr(), false))
        }
    }

    /// `vector<nxT>`.
    pub fn vector(self, lanes: u64, element: Type<'p>) -> Type<'p> {
        let shape = [lanes as i64];
        // SAFETY: valid element type, one dimension.
        unsafe { Type::from_raw(mlirVectorTypeGet(1, shape.as_ptr(), element.to_raw())) }
    }

    /// The type with the text `text`; `None`, without a diagnostic, if the text is not a type.
    pub fn parse_type(self, text: &str) -> Option<Type<'p>> {
        // SAFETY: valid context, text live during the call; null is checked.
        unsafe {
            let raw = self.quietly(|| mlirTypeParseGet(self.raw(), string_ref(text)));
            (!raw.ptr.is_null()).then(|| Type::from_raw(raw))
        }
    }

    /// The attribute with the text `text`; `None`, without a diagnostic, if the text is not an attribute.
    pub fn parse_attr(self, text: &str) -> Option<Attribute<'p>> {
        // SAFETY: valid context, text live during the call; null is checked.
        unsafe {
            let raw = self.quietly(|| mlirAttributeParseGet(self.raw(), string_ref(text)));
            (!raw.ptr.is_null()).then(|| Attribute::from_raw(raw))
        }
    }

    /// The coordinate attribute (`coord`) or layout attribute whose encoding is `numbers`.
    pub fn numbers_attr(self, coord: bool, numbers: &[i64]) -> Attribute<'p> {
        // SAFETY: valid context; the numbers are copied.
        unsafe { Attribute::from_raw(cubeNumbersAttrGet(self.raw(), coord, numbers.len() as isize, numbers.as_ptr())) }
    }

    /// `!layout.layout`.
    pub fn layout_type(self) -> Type<'p> {
        // SAFETY: valid context.
        unsafe { Type::from_raw(cubeLayoutTypeGet(self.raw())) }
    }

    // Suppresses this thread's diagnostics of the context while `body` runs.
    fn quietly<T>(self, body: impl FnOnce() -> T) -> T {
        unsafe extern "C" fn ignore_output(_: MlirDiagnostic, thread: *mut c_void) -> MlirLogicalResult {
            // SAFETY: `thread` is the id below, live while the handler is attached.
            let own = unsafe { *thread.cast::<ThreadId>() } == std::thread::current().id();
            MlirLogicalResult { value: i8::from(own) }
        }
        let mut thread = std::thread::current().id();
        // SAFETY: the context is live, and the handler is detached before `thread` goes.
        unsafe {
            let handler =
                mlirContextAttachDiagnosticHandler(self.raw(), Some(ignore_output), (&raw mut thread).cast(), None);
            let result = body();
            mlirContextDetachDiagnosticHandler(self.raw(), handler);
            result
        }
    }

    /// An integer attribute. `ty` is an integer, `index`, or a vector of integers; a vector gives a splat.
    pub fn int_attr(self, ty: Type<'p>, value: i64) -> Attribute<'p> {
        let scalar = ty.element();
        // SAFETY: scalar is an integer or index type.
        let attr = unsafe { mlirIntegerAttrGet(scalar.to_raw(), value) };
        self.splat_if_vector(ty, attr)
    }

    /// A float attribute. `ty` is a float or a vector of floats; a vector gives a splat.
    pub fn float_attr(self, ty: Type<'p>, value: f64) -> Attribute<'p> {
        // SAFETY: the element is a float type.
        let attr = unsafe { mlirFloatAttrDoubleGet(self.raw(), ty.element().to_raw(), value) };
        self.splat_if_vector(ty, attr)
    }

    fn splat_if_vector(self, ty: Type<'p>, attr: MlirAttribute) -> Attribute<'p> {
        // SAFETY: a static vector type and an attribute of its element type.
        unsafe {
            Attribute::from_raw(match ty.elements() {
                Some(_) => mlirDenseElementsAttrSplatGet(ty.to_raw(), attr),
                None => attr,
            })
        }
    }

    /// The vector with these numbers as elements. One number gives a splat. `None` if `ty` is not a static vector, if the
    /// counts differ, or if the type of a number is not the element type.
    pub fn elements_attr(self, ty: Type<'p>, elements: &[Attribute<'p>]) -> Option<Attribute<'p>> {
        let count = ty.elements()?;
        let is_element = |one: &Attribute<'p>| one.value_type() == Some(ty.element());
        if ![1, count].contains(&(elements.len() as u64)) || !elements.iter().all(is_element) {
            return None;
        }
        let raw: Vec<MlirAttribute> = elements.iter().map(|one| one.to_raw()).collect();
        // SAFETY: a static vector type, and as many numbers of its element type; the numbers are copied.
        Some(unsafe { Attribute::from_raw(mlirDenseElementsAttrGet(ty.to_raw(), raw.len() as isize, raw.as_ptr())) })
    }

    /// `#llvm.linkage<...>`.
    pub fn linkage_attr(self, linkage: Linkage) -> Attribute<'p> {
        let case = match linkage {
            Linkage::External => MlirLLVMLinkage_MlirLLVMLinkageExternal,
            Linkage::Internal => MlirLLVMLinkage_MlirLLVMLinkageInternal,
        };
        // SAFETY: valid context with the dialect `llvm`.
        unsafe { Attribute::from_raw(mlirLLVMLinkageAttrGet(self.raw(), case)) }
    }

    /// `#llvm.di_expression<[DW_OP_deref]>`: the variable is at the address that the described value contains.
    pub fn deref_expression_attr(self) -> Attribute<'p> {
        // SAFETY: valid context with the dialect `llvm`; the operation without arguments is copied. `DW_OP_deref` has the
        // number 6 in DWARF 5, section 7.7.1.
        unsafe {
            let deref = mlirLLVMDIExpressionElemAttrGet(self.raw(), 6, 0, std::ptr::null());
            Attribute::from_raw(mlirLLVMDIExpressionAttrGet(self.raw(), 1, &raw const deref))
        }
    }

    /// Whether an operation with this full name is registered in a loaded dialect.
    pub fn knows_op(self, name: &str) -> bool {
        // SAFETY: the context and the text live during the call.
        unsafe { mlirContextIsRegisteredOperation(self.raw(), string_ref(name)) }
    }

    pub fn str_attr(self, text: &str) -> Attribute<'p> {
        // SAFETY: valid context, text live during the call.
        unsafe { Attribute::from_raw(mlirStringAttrGet(self.raw(), string_ref(text))) }
    }

    /// `@name`.
    pub fn symbol_attr(self, name: &str) -> Attribute<'p> {
        // SAFETY: valid context, text live during the call.
        unsafe { Attribute::from_raw(mlirFlatSymbolRefAttrGet(self.raw(), string_ref(name))) }
    }

    pub fn array_attr(self, items: &[Attribute<'p>]) -> Attribute<'p> {
        let items: Vec<MlirAttribute> = items.iter().map(|item| item.to_raw()).collect();
        // SAFETY: valid context and attributes, copied.
        unsafe { Attribute::from_raw(mlirArrayAttrGet(self.raw(), items.len() as isize, items.as_ptr())) }
    }

    /// A dictionary with distinct names.
    pub fn dictionary_attr(self, entries: &[(&str, Attribute<'p>)]) -> Attribute<'p> {
        // SAFETY: valid context, names and attributes, copied.
        unsafe {
            let name = |text: &str| mlirIdentifierGet(self.raw(), string_ref(text));
            let entry = |(text, value): &(&str, Attribute<'p>)| mlirNamedAttributeGet(name(text), value.to_raw());
            let entries: Vec<MlirNamedAttribute> = entries.iter().map(entry).collect();
            Attribute::from_raw(mlirDictionaryAttrGet(self.raw(), entries.len() as isize, entries.as_ptr()))
        }
    }

    /// `unit`.
    pub fn unit_attr(self) -> Attribute<'p> {
        // SAFETY: valid context.
        unsafe { Attribute::from_raw(mlirUnitAttrGet(self.raw())) }
    }

    pub fn type_attr(self, ty: Type<'p>) -> Attribute<'p> {
        // SAFETY: valid type.
        unsafe { Attribute::from_raw(mlirTypeAttrGet(ty.to_raw())) }
    }

    /// `array<i64: ...>`.
    pub fn i64_array(self, values: &[i64]) -> Attribute<'p> {
        // SAFETY: valid context and slice.
        unsafe { Attribute::from_raw(mlirDenseI64ArrayGet(self.raw(), values.len() as isize, values.as_ptr())) }
    }

    /// `array<i32: ...>`.
    pub fn i32_array(self, values: &[i32]) -> Attribute<'p> {
        // SAFETY: valid context and slice.
        unsafe { Attribute::from_raw(mlirDenseI32ArrayGet(self.raw(), values.len() as isize, values.as_ptr())) }
    }

    pub fn function(self, inputs: &[Type<'p>], results: &[Type<'p>]) -> Type<'p> {
        let raw = |types: &[Type<'p>]| types.iter().map(|t| t.to_raw()).collect::<Vec<_>>();
        let (inputs, results) = (raw(inputs), raw(results));
        // SAFETY: valid context and types.
        unsafe {
            Type::from_raw(mlirFunctionTypeGet(
                self.raw(),
                inputs.len() as isize,
                inputs.as_ptr(),
                results.len() as isize,
                results.as_ptr(),
            ))
        }
    }

    pub fn unknown_location(self) -> Location<'p> {
        // SAFETY: valid context.
        unsafe { Location::from_raw(mlirLocationUnknownGet(self.raw())) }
    }
}

/// Queries about types.
pub trait TypeExt<'p>: Copy {
    /// Element type of a vector or memref, otherwise the type itself.
    fn element(self) -> Type<'p>;
    /// Whether the type is a vector, tensor or memref.
    fn is_shaped(self) -> bool;
    /// Whether the type is a vector of any rank.
    fn is_vector(self) -> bool;
    /// Whether the type has no shape, such as a number, an index or a pointer.
    fn is_scalar(self) -> bool;
    /// Number of lanes of a one-dimensional vector of a fixed size. The result is `None` for all other types,
    /// including vectors of two dimensions, so `None` does not imply a scalar. [`TypeExt::is_scalar`] and
    /// [`TypeExt::line_size`] distinguish scalars from vectors.
    fn lanes(self) -> Option<u64>;
    /// Number of elements of a line: 1 for a scalar, the lanes of a one-dimensional vector of a fixed size. `None` for
    /// other types, which kernels do not compute with; code that supports only lines must refuse them.
    fn line_size(self) -> Option<u64>;
    /// Number of elements of a value: 1 for a scalar, all elements of a vector of any rank.
    fn element_count(self) -> u64;
    /// Number of elements of a vector of any rank and of a fixed size.
    fn elements(self) -> Option<u64>;
    /// Width in bits of an integer or a float, or of the elements of a shaped type; `None` for other types.
    fn bits(self) -> Option<u32>;
    /// Whether the type or its element type is an integer.
    fn is_int(self) -> bool;
    /// Whether the type or its element type is a float.
    fn is_fp(self) -> bool;
    /// Whether the type is a signless integer type. Kernels contain only signless integers.
    fn is_signless(self) -> bool;
    /// Whether the type is `index`.
    fn is_index(self) -> bool;
    /// The dialect that defines the type; `None` for a dialect without typed operations in this crate.
    fn dialect(self) -> Option<Dialect>;
    /// Whether the type is a `memref`, ranked or unranked.
    fn is_memref(self) -> bool;
    /// Whether the type is `!layout.layout`.
    fn is_layout(self) -> bool;
    /// The type of a line of the buffer behind a `!layout.view`.
    fn view_line(self) -> Option<Type<'p>>;
    /// For a vector type, the vector type of the same shape with the elements `element`. For any other type,
    /// `element` itself.
    fn with_element(self, element: Type<'p>) -> Type<'p>;
    /// The sizes of a vector or a ranked memref, outermost first; a size is `None` if it is known at launch only. The
    /// result is `None` for other types, and for scalable vectors.
    fn dims(self) -> Option<Vec<Option<u64>>>;
    /// Whether the type is a pointer of the dialect `llvm`.
    fn is_llvm_pointer(self) -> bool;
    /// The result types of a function type; `None` for other types.
    fn function_results(self) -> Option<Vec<Type<'p>>>;
}

impl<'p> TypeExt<'p> for Type<'p> {
    fn dims(self) -> Option<Vec<Option<u64>>> {
        let raw = self.to_raw();
        // SAFETY: kinds are checked, and the dimensions are below the rank.
        unsafe {
            let is_fixed = mlirTypeIsAVector(raw) && !mlirVectorTypeIsScalable(raw);
            if !is_fixed && !mlirTypeIsAMemRef(raw) {
                return None;
            }
            let size = |at| (!mlirShapedTypeIsDynamicDim(raw, at)).then(|| mlirShapedTypeGetDimSize(raw, at) as u64);
            Some((0..mlirShapedTypeGetRank(raw) as isize).map(size).collect())
        }
    }

    fn is_llvm_pointer(self) -> bool {
        // SAFETY: valid type.
        unsafe { mlirTypeIsALLVMPointerType(self.to_raw()) }
    }

    fn function_results(self) -> Option<Vec<Type<'p>>> {
        let raw = self.to_raw();
        // SAFETY: the kind is checked, and the positions are below the number of results.
        unsafe {
            let count = if mlirTypeIsAFunction(raw) { mlirFunctionTypeGetNumResults(raw) } else { return None };
            Some((0..count).map(|at| Type::from_raw(mlirFunctionTypeGetResult(raw, at))).collect())
        }
    }

    fn element(self) -> Type<'p> {
        // SAFETY: kind checked.
        unsafe {
            if mlirTypeIsAShaped(self.to_raw()) {
                Type::from_raw(mlirShapedTypeGetElementType(self.to_raw()))
            } else {
                self
            }
        }
    }

    fn is_shaped(self) -> bool {
        // SAFETY: valid type.
        unsafe { mlirTypeIsAShaped(self.to_raw()) }
    }

    fn lanes(self) -> Option<u64> {
        let raw = self.to_raw();
        // SAFETY: kind and rank checked.
        unsafe {
            (mlirTypeIsAVector(raw) && mlirShapedTypeGetRank(raw) == 1 && !mlirVectorTypeIsScalable(raw))
                .then(|| mlirShapedTypeGetDimSize(raw, 0) as u64)
        }
    }

    fn is_vector(self) -> bool {
        // SAFETY: valid type.
        unsafe { mlirTypeIsAVector(self.to_raw()) }
    }

    fn is_scalar(self) -> bool {
        !self.is_shaped()
    }

    fn line_size(self) -> Option<u64> {
        if self.is_scalar() { Some(1) } else { self.lanes() }
    }

    fn element_count(self) -> u64 {
        let raw = self.to_raw();
        // SAFETY: kind checked, dimensions below the rank.
        unsafe {
            let size = |at| mlirShapedTypeGetDimSize(raw, at) as u64;
            let rank = if mlirTypeIsAVector(raw) { mlirShapedTypeGetRank(raw) as isize } else { 0 };
            (0..rank).map(size).fold(1, u64::saturating_mul)
        }
    }

    fn elements(self) -> Option<u64> {
        let raw = self.to_raw();
        // SAFETY: kind checked.
        let fixed = unsafe { mlirTypeIsAVector(raw) && !mlirVectorTypeIsScalable(raw) };
        fixed.then(|| self.element_count())
    }

    fn bits(self) -> Option<u32> {
        let raw = self.element().to_raw();
        // SAFETY: kinds checked.
        unsafe {
            if mlirTypeIsAInteger(raw) {
                Some(mlirIntegerTypeGetWidth(raw))
            } else if mlirTypeIsAFloat(raw) {
                Some(mlirFloatTypeGetWidth(raw))
            } else {
                None
            }
        }
    }

    fn is_int(self) -> bool {
        // SAFETY: valid type.
        unsafe { mlirTypeIsAInteger(self.element().to_raw()) }
    }

    fn is_fp(self) -> bool {
        // SAFETY: valid type.
        unsafe { mlirTypeIsAFloat(self.element().to_raw()) }
    }

    fn is_signless(self) -> bool {
        // SAFETY: kind checked.
        unsafe { mlirTypeIsAInteger(self.to_raw()) && mlirIntegerTypeIsSignless(self.to_raw()) }
    }

    fn is_index(self) -> bool {
        // SAFETY: valid type.
        unsafe { mlirTypeIsAIndex(self.to_raw()) }
    }

    fn dialect(self) -> Option<Dialect> {
        // SAFETY: valid type; the name of a dialect lives as long as the context.
        let name = unsafe { str_of(mlirDialectGetNamespace(mlirTypeGetDialect(self.to_raw()))) };
        Dialect::named(name)
    }

    fn is_memref(self) -> bool {
        // SAFETY: valid type.
        unsafe { mlirTypeIsAMemRef(self.to_raw()) || mlirTypeIsAUnrankedMemRef(self.to_raw()) }
    }

    fn is_layout(self) -> bool {
        let mut element = MlirType { ptr: std::ptr::null() };
        // SAFETY: the type is valid, and `element` can receive a result.
        unsafe { cubeLayoutTypeParts(self.to_raw(), &mut element) == 1 }
    }

    fn view_line(self) -> Option<Type<'p>> {
        let mut element = MlirType { ptr: std::ptr::null() };
        // SAFETY: the type is valid, and `element` can receive a result. For a view, the function sets
        // `element` to a type.
        unsafe { (cubeLayoutTypeParts(self.to_raw(), &mut element) == 2).then(|| Type::from_raw(element)) }
    }

    fn with_element(self, element: Type<'p>) -> Type<'p> {
        let raw = self.to_raw();
        // SAFETY: kind checked, dimensions below the rank; both types are of one context.
        unsafe {
            if !mlirTypeIsAVector(raw) {
                return element;
            }
            let dims = 0..mlirShapedTypeGetRank(raw) as isize;
            let shape: Vec<i64> = dims.clone().map(|at| mlirShapedTypeGetDimSize(raw, at)).collect();
            let scalable: Vec<bool> = dims.map(|at| mlirVectorTypeIsDimScalable(raw, at)).collect();
            let rank = shape.len() as isize;
            Type::from_raw(mlirVectorTypeGetScalable(rank, shape.as_ptr(), scalable.as_ptr(), element.to_raw()))
        }
    }
}

#[cfg(test)]
mod tests;
