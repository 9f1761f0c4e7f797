//! Arrays on the host, as they are stored in files.
use super::DataError;
use crate::launch::Scalar;
use cube_artifact::ElemType;

/// An array of elements of one type in row-major order, with a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostArray {
    elem: ElemType,
    shape: Vec<u64>,
    bytes: Vec<u8>,
}

impl HostArray {
    /// Creates an array from little-endian elements.
    ///
    /// # Errors
    /// The size of `bytes` does not match the shape.
    pub fn new(elem: ElemType, shape: Vec<u64>, bytes: Vec<u8>) -> Result<Self, DataError> {
        let expected = byte_size(elem, &shape)?;
        if expected != bytes.len() as u64 {
            return Err(DataError::new(format!(
                "shape {shape:?} of {elem} requires {expected} bytes, but the data has {}; use a shape of this size",
                bytes.len()
            )));
        }
        Ok(HostArray { elem, shape, bytes })
    }

    /// Type of an element.
    pub fn elem(&self) -> ElemType {
        self.elem
    }

    /// Number of elements along each dimension, outermost dimension first. The shape of a single value is
    /// empty.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.elem.size()
    }

    /// Whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The elements, little endian.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The elements, little endian, as a mutable buffer for a read from a device.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Converts the array to the bytes of its elements.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns an array with the same elements in another shape.
    ///
    /// # Errors
    /// The new shape has another number of elements than the array.
    pub fn reshape(self, shape: Vec<u64>) -> Result<Self, DataError> {
        HostArray::new(self.elem, shape, self.bytes)
    }

    /// Element number `index` as readable text; `None` beyond the end.
    pub fn show(&self, index: usize) -> Option<String> {
        let size = self.elem.size();
        let bytes = self.bytes.get(index.checked_mul(size)?..)?.get(..size)?;
        let value = match self.elem {
            // In a file, any byte except 0 can represent `true`.
            ElemType::Bool => Scalar::Bool(bytes[0] != 0),
            elem => Scalar::from_bytes(elem, &in_order_of_this_machine(bytes)).ok()?,
        };
        Some(value.to_string())
    }
}

fn in_order_of_this_machine(little_endian: &[u8]) -> Vec<u8> {
    let mut bytes = little_endian.to_vec();
    if cfg!(target_endian = "big") {
        bytes.reverse();
    }
    bytes
}

/// Size in bytes of an array with this type and shape.
///
/// # Errors
/// The number of bytes does not fit in 63 bits.
pub(super) fn byte_size(elem: ElemType, shape: &[u64]) -> Result<u64, DataError> {
    // An array with a dimension of 0 is empty, even if the product of the other dimensions overflows.
    if shape.contains(&0) {
        return Ok(0);
    }
    let bytes = shape.iter().try_fold(elem.size() as u64, |bytes, &n| bytes.checked_mul(n));
    bytes.filter(|&bytes| bytes <= i64::MAX as u64).ok_or_else(|| {
        DataError::new(format!("shape {shape:?} of {elem} is larger than any memory; use a smaller shape"))
    })
}

/// Allocates memory for the bytes of an array. If the memory is not available, the function returns an error
/// and does not end the process.
pub(super) fn reserve(bytes: u64) -> Result<Vec<u8>, DataError> {
    let mut room = Vec::new();
    let done = usize::try_from(bytes).ok().and_then(|n| room.try_reserve_exact(n).ok());
    done.ok_or_else(|| DataError::new(format!("{bytes} bytes of memory cannot be allocated; use a smaller array")))?;
    Ok(room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_must_be_those_of_the_shape() {
        let error = HostArray::new(ElemType::F32, vec![2, 3], vec![0; 23]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "error[CUBE0930]: shape [2, 3] of f32 requires 24 bytes, but the data has 23; use a shape of this size"
        );
        let array = HostArray::new(ElemType::F32, vec![2, 3], vec![0; 24]).unwrap();
        assert_eq!(array.len(), 6);
        assert_eq!(array.clone().reshape(vec![6]).unwrap().shape(), [6]);
        assert!(array.reshape(vec![5]).is_err());
    }

    #[test]
    fn sizes_beyond_memory_are_errors_not_overflows() {
        let error = byte_size(ElemType::F64, &[1 << 40, 1 << 40]).unwrap_err();
        assert!(error.message.contains("is larger than any memory"), "{error}");
        assert_eq!(byte_size(ElemType::F64, &[0, u64::MAX, u64::MAX]), Ok(0));
        assert_eq!(byte_size(ElemType::F64, &[]), Ok(8));
        assert!(reserve(1 << 62).unwrap_err().message.contains("bytes of memory cannot be allocated"));
    }

    #[test]
    fn elements_are_shown_by_type() {
        let show = |elem, bytes: &[u8]| HostArray::new(elem, vec![1], bytes.to_vec()).unwrap().show(0).unwrap();
        assert_eq!(show(ElemType::I8, &[0xff]), "-1");
        assert_eq!(show(ElemType::U16, &[0, 1]), "256");
        assert_eq!(show(ElemType::F16, &[0, 0x3c]), "1");
        assert_eq!(show(ElemType::BF16, &[0x80, 0x3f]), "1");
        assert_eq!(show(ElemType::F64, &0.25f64.to_le_bytes()), "0.25");
        assert_eq!(show(ElemType::Bool, &[2]), "true");
        assert_eq!(HostArray::new(ElemType::I8, vec![1], vec![0]).unwrap().show(1), None);
    }
}
