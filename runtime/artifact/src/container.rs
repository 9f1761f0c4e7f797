//! The format of an artifact file: magic bytes, a version, a checksum, and the artifact, which postcard
//! encodes.
use crate::Artifact;

/// Version of the file format and of the encoded artifact. If a file has another version, the error names the
/// version of the file and the expected version.
pub const ARTIFACT_VERSION: u32 = 11;

/// Maximum size of an artifact in bytes, equal to the maximum size of a frame on the compiler's pipe.
pub(crate) const MAX_BYTES: usize = crate::protocol::MAX_FRAME;

const MAGIC: &[u8; 8] = b"CUBEART\0";

/// The bytes are not an artifact of this version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArtifactError {
    /// The file does not begin with the magic bytes of an artifact.
    NotAnArtifact,
    /// The file was written by another version of the compiler.
    Version {
        /// The version found.
        found: u32,
    },
    /// The file was truncated or changed after it was written.
    Corrupt,
    /// The file is larger than the maximum size of an artifact.
    TooLarge {
        /// Its size.
        bytes: u64,
    },
}

impl std::fmt::Display for ArtifactError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ArtifactError::NotAnArtifact => {
                write!(f, "this is not a cube artifact; make one with `cubec KERNEL.mlir --emit artifact -o FILE`")
            }
            ArtifactError::Version { found } => write!(
                f,
                "this artifact has format version {found}, but this program reads version {ARTIFACT_VERSION}; compile the kernel again with the matching cubec"
            ),
            ArtifactError::TooLarge { bytes } => {
                write!(
                    f,
                    "the file has {bytes} bytes, but an artifact has at most {MAX_BYTES}; name the file of an artifact"
                )
            }
            ArtifactError::Corrupt => write!(
                f,
                "this artifact is truncated or damaged: its checksum does not match; compile the kernel again"
            ),
        }
    }
}

impl std::error::Error for ArtifactError {}

impl Artifact {
    /// Encodes the artifact as the content of a file. Equal artifacts have equal encodings.
    pub fn to_bytes(&self) -> Vec<u8> {
        let payload = postcard::to_stdvec(self).expect("an artifact contains only plain data");
        let mut bytes = Vec::with_capacity(payload.len() + 44);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&ARTIFACT_VERSION.to_le_bytes());
        bytes.extend_from_slice(blake3::hash(&payload).as_bytes());
        bytes.extend_from_slice(&payload);
        bytes
    }

    /// A hash of the complete artifact. The hashes of two artifacts are equal if and only if [`Artifact::to_bytes`]
    /// returns equal bytes for both.
    pub fn content_hash(&self) -> [u8; 32] {
        let payload = postcard::to_stdvec(self).expect("an artifact contains only plain data");
        *blake3::hash(&payload).as_bytes()
    }

    /// Decodes an artifact that [`Artifact::to_bytes`] encoded.
    ///
    /// # Errors
    /// The bytes are not an artifact that this version encoded.
    pub fn from_bytes(bytes: &[u8]) -> Result<Artifact, ArtifactError> {
        let (sum, payload) = parts(bytes)?;
        if blake3::hash(payload).as_bytes() != sum {
            return Err(ArtifactError::Corrupt);
        }
        decode(payload)
    }

    /// [`Artifact::from_bytes`] for bytes whose checksum the caller has compared. The artifact's own checksum is ignored.
    ///
    /// # Errors
    /// The bytes are not an artifact that this version encoded.
    pub fn from_checked_bytes(bytes: &[u8]) -> Result<Artifact, ArtifactError> {
        decode(parts(bytes)?.1)
    }
}

/// The checksum and the encoded artifact of a file.
fn parts(bytes: &[u8]) -> Result<(&[u8; 32], &[u8]), ArtifactError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(ArtifactError::NotAnArtifact)?;
    let (version, rest) = rest.split_first_chunk::<4>().ok_or(ArtifactError::Corrupt)?;
    let found = u32::from_le_bytes(*version);
    if found != ARTIFACT_VERSION {
        return Err(ArtifactError::Version { found });
    }
    let parts = rest.split_first_chunk::<32>().ok_or(ArtifactError::Corrupt)?;
    if bytes.len() > MAX_BYTES {
        return Err(ArtifactError::TooLarge { bytes: bytes.len() as u64 });
    }
    Ok(parts)
}

fn decode(payload: &[u8]) -> Result<Artifact, ArtifactError> {
    // A wrong length inside the payload reserves at most 1 MiB (serde's cautious size hints) before the error is
    // detected.
    match postcard::take_from_bytes(payload) {
        Ok((artifact, [])) => Ok(artifact),
        _ => Err(ArtifactError::Corrupt),
    }
}
