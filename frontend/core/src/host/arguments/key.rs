//! Key of a kernel: the bytes of everything that selects it.
//!
//! Keys are compared byte by byte. The hash only finds candidates, so that it need not be cryptographic.
use std::hash::{BuildHasherDefault, Hasher};

/// Key of a kernel under construction.
#[derive(Default)]
pub struct LaunchKey(pub(super) Vec<u8>);

impl LaunchKey {
    /// Appends bytes.
    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A hash of 64 bits over words of 8 bytes: rotate, exclusive or, multiply, as in rustc's FxHash.
#[derive(Default)]
pub struct KeyHasher(u64);

/// Builder of [`KeyHasher`], for maps.
pub type BuildKeyHasher = BuildHasherDefault<KeyHasher>;

impl KeyHasher {
    fn word(&mut self, word: u64) {
        // 2^64 divided by the golden ratio, odd.
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        // A multiplication leaves the low bits weak, and a map uses them.
        (self.0 ^ (self.0 >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.word(u64::from_le_bytes(last));
        }
    }

    fn write_usize(&mut self, number: usize) {
        self.word(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::BuildHasher;

    #[test]
    fn keys_that_differ_in_one_bit_have_different_hashes() {
        let build = BuildKeyHasher::default();
        let mut hashes = HashSet::new();
        let mut low_bits = HashSet::new();
        for length in [1, 8, 9, 150] {
            for bit in 0..length * 8 {
                let mut key = vec![0u8; length];
                key[bit / 8] = 1 << (bit % 8);
                let hash = build.hash_one(&key[..]);
                assert!(hashes.insert(hash), "bit {bit} of {length} bytes");
                low_bits.insert(hash % 256);
            }
        }
        assert!(low_bits.len() > 200, "only {} of 256 buckets are used", low_bits.len());
    }
}
