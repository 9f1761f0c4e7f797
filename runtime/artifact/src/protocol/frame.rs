//! Frames: the format of one message on the pipe.
//!
//! ```text
//! u32 length | u64 checksum | length bytes        all little endian; checksum = first 8 bytes of blake3(bytes)
//! ```
use super::ProtocolError;
use std::io::{ErrorKind, Read, Write};

/// The largest payload of a frame, in bytes.
pub const MAX_FRAME: usize = 256 << 20;

const HEADER: usize = 12;

fn checksum(payload: &[u8]) -> [u8; 8] {
    let hash = blake3::hash(payload);
    *hash.as_bytes().first_chunk().expect("a hash has 32 bytes")
}

/// Writes one frame and flushes the pipe.
///
/// # Errors
/// The payload is larger than [`MAX_FRAME`], or writing to the pipe fails.
pub fn write_frame(output: &mut impl Write, payload: &[u8]) -> Result<(), ProtocolError> {
    if payload.len() > MAX_FRAME {
        return Err(ProtocolError::TooLarge { bytes: payload.len() as u64 });
    }
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    header[4..].copy_from_slice(&checksum(payload));
    output.write_all(&header)?;
    output.write_all(payload)?;
    output.flush()?;
    Ok(())
}

/// Reads one frame; `None` if the peer closed the pipe between two frames.
///
/// # Errors
/// Reading from the pipe fails, the pipe ends inside a frame, a length exceeds [`MAX_FRAME`], or a checksum
/// does not match.
pub fn read_frame(input: &mut impl Read) -> Result<Option<Vec<u8>>, ProtocolError> {
    let mut header = [0; HEADER];
    // The first byte is read separately. If the pipe ends before this byte, the session has ended regularly.
    loop {
        match input.read(&mut header[..1]) {
            Ok(0) => return Ok(None),
            Ok(_) => break,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e.into()),
        }
    }
    input.read_exact(&mut header[1..])?;
    let (length, sum) = header.split_first_chunk::<4>().expect("a header has 12 bytes");
    let length = u32::from_le_bytes(*length) as usize;
    if length > MAX_FRAME {
        return Err(ProtocolError::TooLarge { bytes: length as u64 });
    }
    // The buffer grows with the received data, so that a wrong length costs no memory.
    let mut payload = Vec::with_capacity(length.min(1 << 16));
    input.take(length as u64).read_to_end(&mut payload)?;
    if payload.len() < length {
        return Err(ProtocolError::Closed);
    }
    if checksum(&payload) != sum {
        return Err(ProtocolError::Garbled("a message does not match its checksum"));
    }
    Ok(Some(payload))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, payload).unwrap();
        bytes
    }

    #[test]
    fn frames_are_read_in_order() {
        let mut bytes = framed(b"one");
        bytes.extend(framed(b""));
        bytes.extend(framed(&[7; 100_000]));
        let mut input = &bytes[..];
        assert_eq!(read_frame(&mut input).unwrap().unwrap(), b"one");
        assert_eq!(read_frame(&mut input).unwrap().unwrap(), b"");
        assert_eq!(read_frame(&mut input).unwrap().unwrap(), [7; 100_000]);
        assert_eq!(read_frame(&mut input).unwrap(), None);
    }

    #[test]
    fn truncated_frame_is_closed_and_flipped_bit_is_rejected() {
        let bytes = framed(b"a payload of some bytes");
        for end in 1..bytes.len() {
            assert_eq!(read_frame(&mut &bytes[..end]), Err(ProtocolError::Closed), "cut at {end}");
        }
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 0x40;
            assert!(read_frame(&mut &bad[..]).is_err(), "flip at {at}");
        }
    }

    #[test]
    fn a_length_beyond_the_limit_is_refused_without_waiting_for_its_bytes() {
        let mut bytes = framed(b"x");
        bytes[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(read_frame(&mut &bytes[..]), Err(ProtocolError::TooLarge { bytes: u32::MAX.into() }));
    }
}
