//! The key of a kernel contains all properties of a launch that select the kernel, as words.
//!
//! The runtime compares keys word by word. The hash of a key only finds candidate kernels, so the hash does
//! not have to be cryptographic.

use super::lists::{keep, push};
use smallvec::SmallVec;
use std::cell::Cell;

/// The key of a kernel, under construction. Most keys need no memory of the heap.
#[derive(Default)]
pub struct LaunchKey(SmallVec<[u64; 24]>);

thread_local!(static WORDS: Cell<Vec<u64>> = const { Cell::new(Vec::new()) });

impl LaunchKey {
    /// Appends a number.
    #[inline]
    pub fn word(&mut self, word: u64) -> &mut Self {
        push(&mut self.0, word, &WORDS);
        self
    }

    /// Removes all words, and keeps the memory for the next launch of this thread.
    #[inline]
    pub(super) fn keep(&mut self) {
        keep(&mut self.0, &WORDS);
    }

    /// Appends bytes, and their number.
    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.word(u64::from_le_bytes(word));
        }
        self.word(bytes.len() as u64)
    }

    /// Appends all words of another key.
    pub(super) fn append(&mut self, other: &LaunchKey) {
        self.0.extend_from_slice(&other.0);
    }

    /// Removes all words.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// All words of the key.
    #[inline]
    pub fn words(&self) -> &[u64] {
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
        for length in [1, 2, 19] {
            for bit in 0..length * 64 {
                let mut key = vec![0u64; length];
                key[bit / 64] = 1 << (bit % 64);
                let hash = build.hash_one(&key[..]);
                assert!(hashes.insert(hash), "bit {bit} of {length} words");
                low_bits.insert(hash % 256);
            }
        }
        assert!(low_bits.len() > 200, "only {} of 256 buckets are used", low_bits.len());
    }

    #[test]
    fn texts_of_a_key_are_distinguished_by_their_lengths() {
        let key = |texts: &[&str]| {
            let mut key = LaunchKey::default();
            texts.iter().for_each(|text| _ = key.update(text.as_bytes()));
            key.words().to_vec()
        };
        let keys = [key(&["ab", "c"]), key(&["a", "bc"]), key(&["abc"]), key(&["abc", ""]), key(&["abc\0"])];
        assert_eq!(keys.iter().collect::<HashSet<_>>().len(), keys.len());
    }
}
