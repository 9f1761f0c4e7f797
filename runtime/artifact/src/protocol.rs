//! The protocol between `cubec serve` and a runtime over a pipe.
//!
//! Both sides send a greeting ([`hello`]). The client then sends [`Request`]s one at a time, and waits for the
//! [`Response`] to each request. A closed pipe ends the session. Every message is one [`frame`] with a postcard
//! payload.
pub mod frame;
pub mod hello;
mod serve;

pub use frame::{MAX_FRAME, read_frame, write_frame};
pub use hello::{COMPILER_BUILD, COMPILER_VERSION, PROTOCOL_VERSION, Peer, is_another_build, read_hello, write_hello};
pub use serve::serve;

use crate::cost::Profile;
use crate::{Artifact, CompileError, CompileOptions, Target};
use serde::{Deserialize, Serialize};

/// The requested result of a compilation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wanted {
    /// An artifact and a report text ([`Answer`]).
    #[default]
    Code,
    /// The cost profile, without code generation.
    Profile,
}

/// One kernel to compile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The number of the request, which the response repeats.
    pub id: u64,
    /// MLIR text or bytecode.
    #[serde(with = "serde_bytes")]
    pub source: Vec<u8>,
    /// The target to compile for.
    pub target: Target,
    /// All other options.
    pub options: CompileOptions,
    /// The requested result.
    pub wanted: Wanted,
}

/// The answer to one [`Request`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// [`Request::id`] of the answered request.
    pub id: u64,
    /// The encoded result and the requested report text, or the compiler's messages. An artifact has the encoding of
    /// [`Artifact::to_bytes`], and a profile the encoding of the protocol.
    pub result: Result<Encoded, CompileError>,
}

/// A result as bytes, and the report text.
pub type Encoded = (serde_bytes::ByteBuf, String);

/// An answer to [`Wanted::Code`] after the client has decoded it.
pub type Answer = Result<(Artifact, String), CompileError>;

/// A result that a client can request.
pub trait Output: Sized {
    /// The request for this result.
    const WANTED: Wanted;

    /// Decodes the result.
    ///
    /// # Errors
    /// The bytes are not an encoded result of this kind.
    fn decode(encoded: Encoded) -> Result<Self, ProtocolError>;
}

impl Output for (Artifact, String) {
    const WANTED: Wanted = Wanted::Code;

    fn decode((bytes, report): Encoded) -> Result<Self, ProtocolError> {
        let artifact = Artifact::from_bytes(&bytes);
        artifact.map_or(Err(ProtocolError::Garbled("the answer contains an unreadable artifact")), |a| Ok((a, report)))
    }
}

impl Output for Option<Profile> {
    const WANTED: Wanted = Wanted::Profile;

    fn decode((bytes, _): Encoded) -> Result<Self, ProtocolError> {
        decode(&bytes)
    }
}

impl Request {
    /// Sends the request.
    ///
    /// # Errors
    /// See [`write_frame`].
    pub fn write(&self, output: &mut impl std::io::Write) -> Result<(), ProtocolError> {
        write_frame(output, &encode(self))
    }
}

impl Response {
    /// Waits for the response to the request with the number `id`. [`Output::decode`] decodes the result.
    ///
    /// # Errors
    /// The pipe is closed, a frame is damaged, or the answer belongs to another request.
    pub fn read(input: &mut impl std::io::Read, id: u64) -> Result<Result<Encoded, CompileError>, ProtocolError> {
        let payload = read_frame(input)?.ok_or(ProtocolError::Closed)?;
        let response: Response = decode(&payload)?;
        if response.id != id {
            return Err(ProtocolError::Garbled("the answer belongs to another request"));
        }
        Ok(response.result)
    }
}

fn encode(message: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(message).expect("a message contains only plain data")
}

fn decode<'a, T: Deserialize<'a>>(payload: &'a [u8]) -> Result<T, ProtocolError> {
    match postcard::take_from_bytes(payload) {
        Ok((message, [])) => Ok(message),
        _ => Err(ProtocolError::Garbled("a message is neither a request nor an answer")),
    }
}

/// The reason why a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProtocolError {
    /// The peer closed the pipe inside a message.
    Closed,
    /// The peer is a program that does not use this protocol.
    NotCube {
        /// The first bytes that the peer sent.
        received: Vec<u8>,
    },
    /// The version of the peer differs from the version of this program.
    Version {
        /// The peer's protocol version.
        protocol: u32,
        /// The peer's compiler version.
        version: String,
    },
    /// A message is larger than [`MAX_FRAME`].
    TooLarge {
        /// Size of the message in bytes.
        bytes: u64,
    },
    /// Invalid bytes.
    Garbled(&'static str),
    /// The pipe failed.
    Io(String),
}

impl From<std::io::Error> for ProtocolError {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind;
        match error.kind() {
            ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe => ProtocolError::Closed,
            _ => ProtocolError::Io(error.to_string()),
        }
    }
}

impl std::fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ProtocolError::Closed => write!(f, "the other process closed the pipe"),
            ProtocolError::NotCube { received } => {
                write!(
                    f,
                    "the other process is not a cube compiler: its output begins with \"{}\"",
                    received.escape_ascii()
                )
            }
            ProtocolError::Version { protocol, version } => write!(
                f,
                "the other process has version {version} (protocol {protocol}), but this process has {COMPILER_BUILD} (protocol {PROTOCOL_VERSION}); install cubec {COMPILER_VERSION}"
            ),
            ProtocolError::TooLarge { bytes } => {
                write!(f, "a message of {bytes} bytes on the compiler's pipe exceeds the limit of {MAX_FRAME} bytes")
            }
            ProtocolError::Garbled(what) => write!(f, "damaged bytes: {what}"),
            ProtocolError::Io(what) => write!(f, "the pipe failed: {what}"),
        }
    }
}

impl std::error::Error for ProtocolError {}

#[cfg(test)]
mod tests;
