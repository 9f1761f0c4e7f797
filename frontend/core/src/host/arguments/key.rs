//! The key of a kernel contains all properties of a launch that select the kernel, as bytes.
//!
//! The runtime compares keys byte by byte. The hash of a key only finds candidate kernels, so the hash does
//! not have to be cryptographic.

/// The key of a kernel, under construction.
#[derive(Default)]
pub struct LaunchKey(pub(super) Vec<u8>);

impl LaunchKey {
    /// Appends bytes.
    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// All bytes of the key.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The hash builder of maps whose keys are kernel keys. Each process uses the same hash seed. Only the program
/// itself creates kernel keys, so an attacker cannot provoke collisions.
pub type BuildKeyHasher = foldhash::fast::FixedState;

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
