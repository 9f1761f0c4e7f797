//! Writes a bundle, which is one file with the code objects of several chips. HIP loads the code object for the chip
//! of the device (LLVM, "Clang Offload Bundler").

const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";

/// The name of the host entry. HIP expects an empty host entry as the first entry of a bundle.
const HOST: &str = "host-x86_64-unknown-linux-gnu-";

/// Alignment of code objects in bytes, so that HIP can map them into memory.
const ALIGNMENT: usize = 4096;

/// Creates a bundle of code objects, each with the name of its processor.
pub fn bundle(objects: &[(&str, &[u8])]) -> Vec<u8> {
    let named = objects.iter().map(|(processor, code)| (format!("hipv4-amdgcn-amd-amdhsa--{processor}"), *code));
    let entries: Vec<(String, &[u8])> = std::iter::once((HOST.to_string(), &[][..])).chain(named).collect();
    let head = MAGIC.len() + 8 + entries.iter().map(|(name, _)| 24 + name.len()).sum::<usize>();
    let mut bytes = MAGIC.to_vec();
    let number = |bytes: &mut Vec<u8>, value: usize| bytes.extend((value as u64).to_le_bytes());
    number(&mut bytes, entries.len());
    let mut at = head.next_multiple_of(ALIGNMENT);
    let mut starts = Vec::new();
    for (name, code) in &entries {
        number(&mut bytes, at);
        number(&mut bytes, code.len());
        number(&mut bytes, name.len());
        bytes.extend(name.as_bytes());
        starts.push(at);
        at = (at + code.len()).next_multiple_of(ALIGNMENT);
    }
    for (start, (_, code)) in starts.into_iter().zip(&entries) {
        bytes.resize(start, 0);
        bytes.extend(*code);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::bundle;

    #[test]
    fn each_entry_names_its_code() {
        let (first, second) = (vec![1u8; 5000], vec![2u8; 3]);
        let bytes = bundle(&[("gfx942", &first), ("gfx1100", &second)]);
        assert!(bytes.starts_with(b"__CLANG_OFFLOAD_BUNDLE__"));
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        assert_eq!(word(24), 3);
        let (mut at, mut found) = (32, Vec::new());
        for _ in 0..3 {
            let (start, size, length) = (word(at), word(at + 8), word(at + 16));
            let name = String::from_utf8(bytes[at + 24..at + 24 + length].to_vec()).unwrap();
            assert_eq!(start % 4096, 0);
            found.push((name, bytes[start..start + size].to_vec()));
            at += 24 + length;
        }
        assert_eq!(found[0], ("host-x86_64-unknown-linux-gnu-".to_string(), vec![]));
        assert_eq!(found[1], ("hipv4-amdgcn-amd-amdhsa--gfx942".to_string(), first));
        assert_eq!(found[2], ("hipv4-amdgcn-amd-amdhsa--gfx1100".to_string(), second));
    }
}
