//! Typed access to MLIR attributes.
use crate::op::str_of;
use cube_bridge::{cubeNumbersAttrParts, cubeWordOf, mlir_sys::*};
use melior::ir::{Attribute, Type, attribute::AttributeLike};

/// Queries about attributes. A query for one kind of attribute returns `None` for an attribute of a different
/// kind.
pub trait AttrExt<'p>: Copy {
    /// The value of an integer attribute, or of an integer splat, sign-extended to 64 bits.
    fn as_int(self) -> Option<i64>;
    /// The value of a float attribute, or of a float splat, as a double.
    fn as_float(self) -> Option<f64>;
    /// The text of a string attribute.
    fn as_str(self) -> Option<&'p str>;
    /// The type in a type attribute.
    fn as_type(self) -> Option<Type<'p>>;
    /// The name in a flat symbol reference.
    fn as_symbol(self) -> Option<&'p str>;
    /// The type of an integer, float or elements attribute.
    fn value_type(self) -> Option<Type<'p>>;
    /// Element number `index` of an array attribute.
    fn item(self, index: usize) -> Option<Attribute<'p>>;
    /// The elements of an array attribute.
    fn as_array(self) -> Option<Vec<Attribute<'p>>>;
    /// The elements of an `array<i32: ...>`.
    fn as_i32_array(self) -> Option<Vec<i32>>;
    /// The elements of an `array<i64: ...>`.
    fn as_i64_array(self) -> Option<Vec<i64>>;
    /// The elements of a dense attribute in row-major order; one element if all are equal.
    fn as_elements(self) -> Option<Vec<Attribute<'p>>>;
    /// The numbers in an attribute of the layout dialect, and whether the attribute is a coordinate.
    fn as_numbers(self) -> Option<(bool, &'p [i64])>;
    /// The case name of an enumeration attribute of the cube dialect. For enumerations of other dialects the result is
    /// `None`, because printing their text costs thousands of instructions.
    fn enum_word(self) -> Option<&'p str>;
    /// Whether the attribute is a dictionary.
    fn is_dictionary(self) -> bool;
    /// The entry called `name` of a dictionary.
    fn entry(self, name: &str) -> Option<Attribute<'p>>;
    /// The names of the entries of a dictionary; empty for other attributes.
    fn entry_names(self) -> Vec<&'p str>;
}

impl<'p> AttrExt<'p> for Attribute<'p> {
    fn as_int(self) -> Option<i64> {
        let raw = self.to_raw();
        // SAFETY: kinds checked. The value fits an i64 only if it has at most 64 bits.
        unsafe {
            if mlirAttributeIsAInteger(raw) {
                let ty = mlirAttributeGetType(raw);
                let wide = mlirTypeIsAInteger(ty) && mlirIntegerTypeGetWidth(ty) > 64;
                return (!wide).then(|| mlirIntegerAttrGetValueInt(raw));
            }
            if mlirAttributeIsADenseElements(raw) && mlirDenseElementsAttrIsSplat(raw) {
                return Attribute::from_raw(mlirDenseElementsAttrGetSplatValue(raw)).as_int();
            }
            None
        }
    }

    fn as_float(self) -> Option<f64> {
        let raw = self.to_raw();
        // SAFETY: kinds checked.
        unsafe {
            if mlirAttributeIsAFloat(raw) {
                return Some(mlirFloatAttrGetValueDouble(raw));
            }
            if mlirAttributeIsADenseElements(raw) && mlirDenseElementsAttrIsSplat(raw) {
                return Attribute::from_raw(mlirDenseElementsAttrGetSplatValue(raw)).as_float();
            }
            None
        }
    }

    fn as_str(self) -> Option<&'p str> {
        // SAFETY: kind checked; the text lives as long as the context.
        unsafe { mlirAttributeIsAString(self.to_raw()).then(|| str_of(mlirStringAttrGetValue(self.to_raw()))) }
    }

    fn as_type(self) -> Option<Type<'p>> {
        // SAFETY: kind checked.
        unsafe { mlirAttributeIsAType(self.to_raw()).then(|| Type::from_raw(mlirTypeAttrGetValue(self.to_raw()))) }
    }

    fn as_symbol(self) -> Option<&'p str> {
        // SAFETY: kind checked; the text lives as long as the context.
        unsafe {
            mlirAttributeIsAFlatSymbolRef(self.to_raw()).then(|| str_of(mlirFlatSymbolRefAttrGetValue(self.to_raw())))
        }
    }

    fn as_array(self) -> Option<Vec<Attribute<'p>>> {
        let raw = self.to_raw();
        // SAFETY: kind checked, indices in range.
        unsafe {
            mlirAttributeIsAArray(raw).then(|| {
                (0..mlirArrayAttrGetNumElements(raw))
                    .map(|i| Attribute::from_raw(mlirArrayAttrGetElement(raw, i)))
                    .collect()
            })
        }
    }

    fn enum_word(self) -> Option<&'p str> {
        // SAFETY: valid attribute; the word is a constant of the program.
        unsafe {
            let word = cubeWordOf(self.to_raw());
            (!word.data.is_null()).then(|| str_of(word))
        }
    }

    fn value_type(self) -> Option<Type<'p>> {
        let raw = self.to_raw();
        // SAFETY: kinds checked. Other attributes, such as strings, can also have a type.
        unsafe {
            let value = mlirAttributeIsAInteger(raw) || mlirAttributeIsAFloat(raw) || mlirAttributeIsAElements(raw);
            value.then(|| Type::from_raw(mlirAttributeGetType(raw)))
        }
    }

    fn item(self, index: usize) -> Option<Attribute<'p>> {
        let raw = self.to_raw();
        // SAFETY: kind and index checked.
        unsafe {
            let inside = mlirAttributeIsAArray(raw) && (index as isize) < mlirArrayAttrGetNumElements(raw);
            inside.then(|| Attribute::from_raw(mlirArrayAttrGetElement(raw, index as isize)))
        }
    }

    fn as_i32_array(self) -> Option<Vec<i32>> {
        let raw = self.to_raw();
        // SAFETY: kind checked, indices in range.
        unsafe {
            mlirAttributeIsADenseI32Array(raw)
                .then(|| (0..mlirDenseArrayGetNumElements(raw)).map(|i| mlirDenseI32ArrayGetElement(raw, i)).collect())
        }
    }

    fn as_i64_array(self) -> Option<Vec<i64>> {
        let raw = self.to_raw();
        // SAFETY: kind checked, indices in range.
        unsafe {
            mlirAttributeIsADenseI64Array(raw)
                .then(|| (0..mlirDenseArrayGetNumElements(raw)).map(|i| mlirDenseI64ArrayGetElement(raw, i)).collect())
        }
    }

    fn as_elements(self) -> Option<Vec<Attribute<'p>>> {
        let raw = self.to_raw();
        // SAFETY: kind checked; the shape is static, so an index inside it is in range.
        unsafe {
            if !mlirAttributeIsADenseElements(raw) {
                return None;
            }
            if mlirDenseElementsAttrIsSplat(raw) {
                return Some(vec![Attribute::from_raw(mlirDenseElementsAttrGetSplatValue(raw))]);
            }
            let ty = mlirAttributeGetType(raw);
            let shape: Vec<i64> =
                (0..mlirShapedTypeGetRank(ty)).map(|d| mlirShapedTypeGetDimSize(ty, d as isize)).collect();
            let element = |number: i64| {
                let mut index = vec![0u64; shape.len()];
                let mut rest = number;
                for (at, size) in index.iter_mut().zip(&shape).rev() {
                    (*at, rest) = ((rest % size) as u64, rest / size);
                }
                Attribute::from_raw(mlirElementsAttrGetValue(raw, index.len() as isize, index.as_mut_ptr()))
            };
            Some((0..shape.iter().product::<i64>()).map(element).collect())
        }
    }

    fn as_numbers(self) -> Option<(bool, &'p [i64])> {
        let (mut numbers, mut count) = (std::ptr::null(), 0);
        // SAFETY: a live attribute and two out-pointers. The numbers live as long as the context.
        unsafe {
            let kind = cubeNumbersAttrParts(self.to_raw(), &mut numbers, &mut count);
            let all = if count == 0 { &[] } else { std::slice::from_raw_parts(numbers, count as usize) };
            (kind != 0).then_some((kind == 2, all))
        }
    }

    fn is_dictionary(self) -> bool {
        // SAFETY: a live attribute.
        unsafe { mlirAttributeIsADictionary(self.to_raw()) }
    }

    fn entry(self, name: &str) -> Option<Attribute<'p>> {
        let raw = self.to_raw();
        // SAFETY: kind checked; null when absent.
        unsafe {
            if !mlirAttributeIsADictionary(raw) {
                return None;
            }
            let found = mlirDictionaryAttrGetElementByName(raw, crate::op::string_ref(name));
            (!found.ptr.is_null()).then(|| Attribute::from_raw(found))
        }
    }

    fn entry_names(self) -> Vec<&'p str> {
        let raw = self.to_raw();
        // SAFETY: kind checked, indices in range; names live as long as the context.
        unsafe {
            if !mlirAttributeIsADictionary(raw) {
                return Vec::new();
            }
            (0..mlirDictionaryAttrGetNumElements(raw))
                .map(|i| str_of(mlirIdentifierStr(mlirDictionaryAttrGetElement(raw, i).name)))
                .collect()
        }
    }
}
