//! Quantisation schemes of CubeCL 0.8.1: formats of quantised values, and of their storage.

/// Describes quantised values. One value is `scale * q`.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct QuantScheme {
    /// Format of a quantised value.
    pub value: QuantValue,
    /// Type of the scales.
    pub param: QuantParam,
    /// Type of the memory.
    pub store: QuantStore,
    /// The values that share one scale.
    pub level: QuantLevel,
    /// The formula that computes a value from its quantised number `q`.
    pub mode: QuantMode,
}

impl Default for QuantScheme {
    fn default() -> Self {
        QuantScheme {
            value: QuantValue::Q8F,
            param: QuantParam::F32,
            store: QuantStore::U32,
            level: QuantLevel::Tensor,
            mode: QuantMode::Symmetric,
        }
    }
}

macro_rules! setters {
    ($($name:ident $field:ident: $ty:ty;)*) => {$(
        /// Returns the scheme with a changed value of this field.
        pub fn $name(self, $field: $ty) -> Self {
            QuantScheme { $field, ..self }
        }
    )*};
}

impl QuantScheme {
    setters! {
        with_value value: QuantValue;
        with_param param: QuantParam;
        with_store store: QuantStore;
        with_level level: QuantLevel;
        with_mode mode: QuantMode;
    }

    /// Bits of one element of the memory.
    pub fn size_bits_stored(&self) -> usize {
        self.store.size_bits(&self.value).max(8)
    }

    /// Bits of one quantised value.
    pub fn size_bits_value(&self) -> usize {
        self.value.size_bits()
    }

    /// Quantised values in one element of the memory.
    pub fn num_quants(&self) -> usize {
        self.size_bits_stored() / self.size_bits_value()
    }

    /// Values that a conversion processes together.
    pub fn native_packing(&self) -> usize {
        self.value.native_packing()
    }
}

/// The values that share one scale.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuantLevel {
    /// The complete tensor.
    Tensor,
    /// A block of the tensor.
    Block(BlockSize),
}

impl QuantLevel {
    /// Blocks of the given size.
    pub fn block(values: impl AsRef<[u8]>) -> Self {
        QuantLevel::Block(BlockSize::new(values))
    }
}

/// Format of a quantised value. `F` formats have the full range of the bits, and `S` formats have a symmetric range.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum QuantValue {
    Q8F,
    E5M2,
    E4M3,
    Q4F,
    E2M1,
    Q2F,
    Q8S,
    Q4S,
    Q2S,
}

impl QuantValue {
    /// Bits of a value.
    pub fn size_bits(&self) -> usize {
        use QuantValue::*;
        match self {
            Q8F | Q8S | E4M3 | E5M2 => 8,
            Q4F | Q4S | E2M1 => 4,
            Q2F | Q2S => 2,
        }
    }

    /// Values that a conversion processes together.
    pub fn native_packing(&self) -> usize {
        if *self == QuantValue::E2M1 { 2 } else { 1 }
    }

    /// The smallest and the largest value.
    pub fn range(&self) -> (f32, f32) {
        use QuantValue::*;
        match self {
            Q8F => (-128.0, 127.0),
            Q4F => (-8.0, 7.0),
            Q2F => (-2.0, 1.0),
            Q8S => (-127.0, 127.0),
            Q4S => (-7.0, 7.0),
            Q2S => (-1.0, 1.0),
            E4M3 => (-448.0, 448.0),
            E5M2 => (-57344.0, 57344.0),
            E2M1 => (-6.0, 6.0),
        }
    }

    /// Whether the format is an integer format with a symmetric range.
    pub fn is_symmetric(&self) -> bool {
        matches!(self, QuantValue::Q8S | QuantValue::Q4S | QuantValue::Q2S)
    }
}

/// Type of the memory.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuantStore {
    /// The type of a value.
    Native,
    /// Each `u32` contains several values. The first value is in the lowest bits.
    U32,
}

impl QuantStore {
    /// Bits of one element of the memory.
    pub fn size_bits(&self, value: &QuantValue) -> usize {
        match self {
            QuantStore::Native => value.size_bits(),
            QuantStore::U32 => 32,
        }
    }
}

/// The formula that computes a value from its quantised number `q`.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuantMode {
    /// `scale * q`.
    Symmetric,
}

/// Type of the scales.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum QuantParam {
    F32,
    F16,
    BF16,
    UE8M0,
    UE4M3,
}

/// Size of a block, for up to five dimensions.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockSize {
    sizes: [u8; BlockSize::MAX_DIMS],
    rank: u8,
}

impl BlockSize {
    /// Largest number of dimensions.
    pub const MAX_DIMS: usize = 5;

    /// The size of a block in each dimension.
    ///
    /// # Panics
    /// There are more than five dimensions.
    pub fn new(values: impl AsRef<[u8]>) -> Self {
        let values = values.as_ref();
        assert!(values.len() <= Self::MAX_DIMS, "a block has at most {} dimensions", Self::MAX_DIMS);
        let mut sizes = [1; Self::MAX_DIMS];
        sizes[..values.len()].copy_from_slice(values);
        BlockSize { sizes, rank: values.len() as u8 }
    }

    /// The sizes.
    pub fn as_slice(&self) -> &[u8] {
        &self.sizes[..usize::from(self.rank)]
    }

    /// The sizes for `N` dimensions. Outer dimensions that the block does not have get the size 1.
    pub fn as_dim<const N: usize>(&self) -> [u8; N] {
        let mut sizes = [1; N];
        let own = &self.as_slice()[..N.min(usize::from(self.rank))];
        sizes[N - own.len()..].copy_from_slice(own);
        sizes
    }

    /// As [`BlockSize::as_dim`], for a number of dimensions that is known at run time.
    pub fn to_dim_vec(&self, len: usize) -> Vec<u8> {
        let own = &self.as_slice()[..len.min(usize::from(self.rank))];
        std::iter::repeat_n(1, len - own.len()).chain(own.iter().copied()).collect()
    }

    /// Number of values in a block.
    pub fn num_elements(&self) -> usize {
        self.as_slice().iter().map(|n| usize::from(*n)).product()
    }
}

impl<T: AsRef<[u8]>> From<T> for BlockSize {
    fn from(value: T) -> Self {
        BlockSize::new(value)
    }
}
