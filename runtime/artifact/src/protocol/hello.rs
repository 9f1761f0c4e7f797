//! The handshake: both sides identify themselves before the first frame.
//!
//! ```text
//! 8 bytes magic | u32 protocol version | u32 length of the compiler version | that many bytes, UTF-8
//! ```
//!
//! The compiler version consists of the package version, `+`, and a number for the layout of messages and
//! artifacts (`build.rs`). The layout number is necessary because two compilers with the same package version can
//! have different layouts.
//!
//! The layout of the greeting itself never changes, so that any two versions can identify each other. The two
//! sides send different magic bytes. The client therefore does not mistake a program that echoes its input for a
//! compiler.
use super::ProtocolError;
use std::io::{Read, Write};

/// Version of the format of frames and messages.
pub const PROTOCOL_VERSION: u32 = 3;

/// The package version, which compiler and runtime must share.
pub const COMPILER_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version text in the greeting: the package version and the number of the message layout.
pub const COMPILER_BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("CUBE_LAYOUT_OF_MESSAGES"));

/// Whether a version text in a greeting is from another build of this package version.
pub fn is_another_build(version: &str) -> bool {
    version != COMPILER_BUILD && version.split('+').next() == Some(COMPILER_VERSION)
}

const MAX_VERSION_BYTES: u32 = 256;

/// One of the two peers of the pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// The program that requests compiled kernels.
    Client,
    /// The compiler.
    Server,
}

impl Peer {
    fn magic(self) -> &'static [u8; 8] {
        match self {
            Peer::Client => b"CUBECLNT",
            Peer::Server => b"CUBESERV",
        }
    }
}

/// Writes the greeting of `peer`.
///
/// # Errors
/// Writing to the pipe fails.
pub fn write_hello(output: &mut impl Write, peer: Peer) -> Result<(), ProtocolError> {
    write_hello_of(output, peer, PROTOCOL_VERSION, COMPILER_BUILD)
}

fn write_hello_of(output: &mut impl Write, peer: Peer, protocol: u32, version: &str) -> Result<(), ProtocolError> {
    let mut bytes = peer.magic().to_vec();
    bytes.extend_from_slice(&protocol.to_le_bytes());
    bytes.extend_from_slice(&(version.len() as u32).to_le_bytes());
    bytes.extend_from_slice(version.as_bytes());
    output.write_all(&bytes)?;
    output.flush()?;
    Ok(())
}

/// Reads the greeting of the other peer, which must be `peer` and have the versions of this program.
///
/// # Errors
/// [`ProtocolError::NotCube`] for another program, [`ProtocolError::Version`] for another version,
/// [`ProtocolError::Closed`] if the other side sends nothing.
pub fn read_hello(input: &mut impl Read, peer: Peer) -> Result<(), ProtocolError> {
    // Reads byte by byte up to the first byte that differs. The function therefore also recognises a different program
    // that sends a few bytes and then waits.
    let mut received = Vec::new();
    for &expected in peer.magic() {
        let mut byte = [0];
        if let Err(error) = input.read_exact(&mut byte) {
            // The pipe ended after a few bytes. The error contains these bytes, because they can show the user which
            // program was started.
            return Err(if received.is_empty() { error.into() } else { ProtocolError::NotCube { received } });
        }
        received.push(byte[0]);
        if byte[0] != expected {
            return Err(ProtocolError::NotCube { received });
        }
    }
    let mut word = [0; 4];
    input.read_exact(&mut word)?;
    let protocol = u32::from_le_bytes(word);
    input.read_exact(&mut word)?;
    let length = u32::from_le_bytes(word);
    if length > MAX_VERSION_BYTES {
        return Err(ProtocolError::Garbled("the greeting contains a version of more than 256 bytes"));
    }
    let mut version = vec![0; length as usize];
    input.read_exact(&mut version)?;
    let version = String::from_utf8_lossy(&version).into_owned();
    if protocol != PROTOCOL_VERSION || version != COMPILER_BUILD {
        return Err(ProtocolError::Version { protocol, version });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greeting_of_the_same_side_is_rejected() {
        for (peer, other) in [(Peer::Client, Peer::Server), (Peer::Server, Peer::Client)] {
            let mut bytes = Vec::new();
            write_hello(&mut bytes, peer).unwrap();
            assert_eq!(read_hello(&mut &bytes[..], peer), Ok(()));
            assert_eq!(
                read_hello(&mut &bytes[..], other),
                Err(ProtocolError::NotCube { received: bytes[..5].to_vec() })
            );
        }
    }

    #[test]
    fn other_programs_are_identified_by_their_output() {
        let error = read_hello(&mut &b"usage: cat FILE"[..], Peer::Server).unwrap_err();
        assert_eq!(error, ProtocolError::NotCube { received: b"u".to_vec() });
        assert_eq!(
            read_hello(&mut &b"CUBE"[..], Peer::Server),
            Err(ProtocolError::NotCube { received: b"CUBE".to_vec() })
        );
        assert_eq!(read_hello(&mut &b""[..], Peer::Server), Err(ProtocolError::Closed));
    }

    #[test]
    fn other_versions_are_refused_by_name() {
        let other = format!("{COMPILER_VERSION}+0123456789abcdef");
        let greetings = [
            (PROTOCOL_VERSION + 1, COMPILER_BUILD),
            (PROTOCOL_VERSION, "9.9.9"),
            (PROTOCOL_VERSION, COMPILER_VERSION),
            (PROTOCOL_VERSION, other.as_str()),
        ];
        for (protocol, version) in greetings {
            let mut bytes = Vec::new();
            write_hello_of(&mut bytes, Peer::Server, protocol, version).unwrap();
            let error = read_hello(&mut &bytes[..], Peer::Server).unwrap_err();
            assert_eq!(error, ProtocolError::Version { protocol, version: version.into() });
            assert!(error.to_string().contains(version), "{error}");
            assert_eq!(is_another_build(version), [COMPILER_VERSION, &other].contains(&version), "{version}");
        }
    }

    #[test]
    fn a_greeting_cut_short_or_with_a_huge_version_is_an_error() {
        let mut bytes = Vec::new();
        write_hello(&mut bytes, Peer::Server).unwrap();
        for end in 8..bytes.len() {
            assert_eq!(read_hello(&mut &bytes[..end], Peer::Server), Err(ProtocolError::Closed), "cut at {end}");
        }
        bytes[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(matches!(read_hello(&mut &bytes[..], Peer::Server), Err(ProtocolError::Garbled(_))));
    }
}
