//! Bytes read from a device.

/// Bytes read from a device, aligned to 8 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes(Vec<u64>, usize);

impl Bytes {
    /// `len` bytes of value 0.
    pub(super) fn zeroed(len: usize) -> Self {
        Bytes(vec![0; len.div_ceil(8)], len)
    }

    /// Copies bytes to an aligned allocation.
    pub(super) fn copy_of(bytes: &[u8]) -> Self {
        let mut whole = Bytes::zeroed(bytes.len());
        whole.copy_from_slice(bytes);
        whole
    }

    /// Copies bytes to an aligned allocation.
    pub fn from_bytes_vec(bytes: Vec<u8>) -> Self {
        Bytes::copy_of(&bytes)
    }

    /// Copies the bytes of elements to an aligned allocation.
    pub fn from_elems<E: bytemuck::Pod>(elems: Vec<E>) -> Self {
        let mut whole = Bytes::zeroed(size_of_val(&*elems));
        whole.copy_from_slice(bytemuck::cast_slice(&elems));
        whole
    }

    /// Converts the bytes to elements. If the conversion fails, the bytes are returned unchanged.
    ///
    /// # Errors
    /// The length is not a multiple of the element's size, or a bit pattern is invalid for the
    /// element.
    pub fn try_into_vec<E: bytemuck::CheckedBitPattern + bytemuck::NoUninit>(self) -> Result<Vec<E>, Self> {
        match bytemuck::checked::try_cast_slice::<u8, E>(&self) {
            Ok(elems) => Ok(elems.to_vec()),
            Err(_) => Err(self),
        }
    }
}

impl std::ops::Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }
}

impl std::ops::DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.0)[..self.1]
    }
}
