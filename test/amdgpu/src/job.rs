//! A launch in the file format that the emulator reads.
use cube_artifact::{Artifact, InfoWord, ParamKind};
use cube_runtime::launch::BoundLaunch;
use serde_json::{Value, json};
use std::fmt::Write;
use std::io::Result;
use std::path::Path;

/// One launch of a code object.
#[derive(Clone, Debug)]
pub struct Job {
    /// The code object.
    pub code: Vec<u8>,
    /// The name of the kernel in the code object.
    pub kernel: String,
    /// Cubes along x, y, z.
    pub cubes: [u32; 3],
    /// Units of a cube along x, y, z.
    pub units: [u32; 3],
    /// The explicit arguments, in the order of the metadata.
    pub arguments: Vec<Argument>,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A buffer with the given bytes.
    Buffer(Vec<u8>),
    /// The end of a buffer. An access to another part of the buffer is a fault.
    End {
        /// The number of bytes before the end.
        before: u64,
        /// The last bytes.
        bytes: Vec<u8>,
    },
    /// The bytes of a scalar argument.
    Value(Vec<u8>),
}

impl Job {
    /// Converts a launch to a job with the calling convention of `CodeFormat::HSACO`. `buffers` are the contents of the
    /// launch's buffers. If the kernel prints, the method adds the print buffer.
    pub fn of(artifact: &Artifact, bound: &BoundLaunch<'_>, buffers: Vec<Vec<u8>>) -> Job {
        let length = |param: usize| {
            let word = artifact.info.iter().position(|word| *word == InfoWord::Length { param: param as u32 });
            word.map_or(0, |word| bound.info[word])
        };
        let value = |slot: u64, bytes: usize| Argument::Value(slot.to_le_bytes()[..bytes].to_vec());
        let (mut buffers, mut scalars) = (buffers.into_iter(), bound.scalars.iter().copied());
        let mut arguments = Vec::new();
        for (number, param) in artifact.params.iter().enumerate() {
            match param.kind {
                ParamKind::Buffer { .. } => {
                    arguments.push(Argument::Buffer(buffers.next().unwrap_or_default()));
                    arguments.push(value(length(number), 8));
                }
                ParamKind::Scalar { elem } => arguments.push(value(scalars.next().unwrap_or(0), elem.size())),
            }
        }
        for derived in &artifact.derived {
            arguments.push(value(scalars.next().unwrap_or(0), derived.elem.size()));
        }
        if !artifact.prints.is_empty() {
            let words = cube_artifact::prints::WORDS;
            arguments.extend([Argument::Buffer(vec![0; words as usize * 4]), value(words.into(), 8)]);
        }
        Job {
            code: artifact.code.clone(),
            kernel: artifact.entry.clone(),
            cubes: bound.cube_count,
            units: artifact.cube_dim,
            arguments,
        }
    }

    /// Writes the files of job `number`, and returns the description of the job.
    pub(crate) fn write(&self, number: usize, folder: &Path) -> Result<Value> {
        let code = format!("{number}.hsaco");
        std::fs::write(folder.join(&code), &self.code)?;
        let mut arguments = Vec::new();
        for (at, argument) in self.arguments.iter().enumerate() {
            arguments.push(match argument {
                Argument::Buffer(bytes) | Argument::End { bytes, .. } => {
                    let file = format!("{number}.{at}");
                    std::fs::write(folder.join(&file), bytes)?;
                    let before = if let Argument::End { before, .. } = argument { *before } else { 0 };
                    json!({ "type": "u8", "file": file, "any": true, "before": before })
                }
                Argument::Value(bytes) => {
                    let hex = bytes.iter().fold(String::new(), |mut text, byte| {
                        let _ = write!(text, "{byte:02x}");
                        text
                    });
                    json!({ "hex": hex })
                }
            });
        }
        Ok(json!({
            "name": number.to_string(),
            "hsaco": code,
            "kernel": self.kernel,
            "grid": self.cubes,
            "block": self.units,
            "args": arguments,
            "dump": format!("{number}.after"),
        }))
    }

    /// Reads the buffers of job `number` after the run.
    pub(crate) fn read(&self, number: usize, folder: &Path) -> Result<Vec<Vec<u8>>> {
        let all = std::fs::read(folder.join(format!("{number}.after")))?;
        let mut rest = all.as_slice();
        let buffers = self.arguments.iter().filter_map(|argument| match argument {
            Argument::Buffer(bytes) | Argument::End { bytes, .. } => Some(bytes.len()),
            Argument::Value(_) => None,
        });
        buffers
            .map(|bytes| {
                let (own, after) = rest.split_at_checked(bytes).ok_or(std::io::ErrorKind::UnexpectedEof)?;
                rest = after;
                Ok(own.to_vec())
            })
            .collect()
    }
}
