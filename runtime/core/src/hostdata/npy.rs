//! numpy's `.npy` files (numpy.lib.format, versions 1, 2 and 3): little endian, C order.
//!
//! This crate has its own reader for `.npy` files, because the reader must not trust its input. The header of an
//! invalid file can nest deeply, state wrong sizes, or belong to another file format. The grammar of a header is
//! small: a dictionary with three keys. numpy has no type `bf16`, so elements of this type are stored as raw 2-byte
//! elements (`<V2`).
mod header;

use super::array::{HostArray, byte_size, reserve};
use super::{DataError, write_atomically};
use cube_artifact::ElemType;
use header::Header;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Maximum length of a header in bytes; the headers of simple arrays have about a hundred bytes.
const MAX_HEADER: u32 = 1 << 16;

/// Reads an array.
///
/// # Errors
/// The file is missing, damaged, truncated or longer than its header states, or is not a `.npy` file. The array is in
/// Fortran order or big endian, or has an element type that kernels do not support.
pub fn read(file: &Path) -> Result<HostArray, DataError> {
    let open = || -> Result<HostArray, DataError> {
        let cannot = |error: std::io::Error| DataError::cannot_read(file, &error);
        let input = File::open(file).map_err(cannot)?;
        let found = input.metadata().map_err(cannot)?;
        if found.is_dir() {
            return Err(cannot(ErrorKind::IsADirectory.into()));
        }
        // The file can be a pipe, whose size is not known.
        parse(input, found.is_file().then_some(found.len()))
    };
    open().map_err(|error| error.in_file(file))
}

/// Reads an array and checks its type.
///
/// # Errors
/// The errors of [`read`]. An array of another type than `elem` is also an error.
pub fn read_as(file: &Path, elem: ElemType) -> Result<HostArray, DataError> {
    let array = read(file)?;
    if array.elem() == elem {
        return Ok(array);
    }
    let message = format!(
        "it has elements of type {}, but {elem} is required; save {}",
        array.elem(),
        conversion(array.elem(), elem)
    );
    Err(DataError::new(message).in_file(file))
}

/// The Python expression with which a user can convert an array to another type and keep its numbers. numpy has no
/// type bf16: numpy's own conversion would extract the lower two bytes of each number, or treat `<V2` as raw
/// bytes.
fn conversion(from: ElemType, to: ElemType) -> String {
    match (from, to) {
        (ElemType::U16, ElemType::BF16) => {
            "array.view('V2') where its numbers are the patterns of bf16, else array.astype(ml_dtypes.bfloat16)".into()
        }
        (_, ElemType::BF16) => "array.astype(ml_dtypes.bfloat16), or, rounded toward zero, \
                                (array.astype('<f4').view('<u4') >> 16).astype('<u2').view('V2')"
            .into(),
        (ElemType::BF16, ElemType::F32) => "(array.view('<u2').astype('<u4') << 16).view('<f4')".into(),
        (ElemType::BF16, to) => {
            format!("(array.view('<u2').astype('<u4') << 16).view('<f4').astype('{}')", to.numpy())
        }
        (from, to) if from.numpy().contains('V') || to.numpy().contains('V') => {
            format!("numbers of {to} as '{}', made by ml_dtypes or another library that knows both types", to.numpy())
        }
        (_, to) => format!("array.astype(numpy.dtype('{}'))", to.numpy()),
    }
}

/// Writes an array to a file atomically. If the write fails, no incomplete file remains.
///
/// # Errors
/// See [`write_atomically`].
pub fn write(file: &Path, array: &HostArray) -> Result<(), DataError> {
    write_atomically(file, &encode(array))
}

/// The bytes of a `.npy` file that contains the array.
pub fn encode(array: &HostArray) -> Vec<u8> {
    let mut content = Header::of(array).to_bytes();
    content.extend_from_slice(array.bytes());
    content
}

fn parse(mut input: impl Read, file_size: Option<u64>) -> Result<HostArray, DataError> {
    let mut start = [0; 8];
    let got = fill(&mut input, &mut start)?;
    if !start[..got].starts_with(MAGIC) {
        return Err(DataError::new("it is not a .npy file; write one with numpy.save"));
    }
    if got < start.len() {
        return Err(cut_short("in its first bytes"));
    }
    let (header_size, before) = match start[6..] {
        [1, 0] => (u32::from(u16::from_le_bytes(word(&mut input)?)), 10),
        [2 | 3, 0] => (u32::from_le_bytes(word(&mut input)?), 12),
        [major, minor] => {
            return Err(DataError::new(format!(
                "it has .npy version {major}.{minor}, but only versions 1.0, 2.0 and 3.0 are supported; save the array with another version of numpy"
            )));
        }
        _ => return Err(cut_short("in its first bytes")),
    };
    if header_size > MAX_HEADER {
        return Err(DataError::new(format!(
            "its header has {header_size} bytes, but at most {MAX_HEADER} are supported: the file is damaged; save the file again"
        )));
    }
    let mut text = vec![0; header_size as usize];
    if fill(&mut input, &mut text)? < text.len() {
        return Err(cut_short("inside its header"));
    }
    let header = Header::parse(&text)?;
    let size = byte_size(header.elem, &header.shape)?;
    if let Some(file_size) = file_size {
        check_size(&header, size, file_size.saturating_sub(before + u64::from(header_size)))?;
    }
    let bytes = data(input, &header, size, file_size.is_some())?;
    HostArray::new(header.elem, header.shape, bytes)
}

fn data(input: impl Read, header: &Header, size: u64, size_is_true: bool) -> Result<Vec<u8>, DataError> {
    let mut bytes = reserve(if size_is_true { size } else { size.min(1 << 20) })?;
    // Reads one byte more than the expected size, to detect a file that is too long.
    input.take(size.saturating_add(1)).read_to_end(&mut bytes).map_err(broken)?;
    check_size(header, size, bytes.len() as u64)?;
    Ok(bytes)
}

fn check_size(header: &Header, expected: u64, found: u64) -> Result<(), DataError> {
    let what = match found {
        _ if found < expected => "the file is truncated",
        _ if found > expected => "the file continues after its array",
        _ => return Ok(()),
    };
    Err(DataError::new(format!(
        "{what}: its header says shape {:?} of {}, which takes {expected} bytes, but {found} bytes follow; save the file again",
        header.shape, header.elem
    )))
}

fn cut_short(place: &str) -> DataError {
    DataError::new(format!("the file is truncated {place}; save the file again"))
}

fn broken(error: std::io::Error) -> DataError {
    DataError::new(format!("it cannot be read ({error}): copy it to another disk, and try again"))
}

fn word<const N: usize>(input: &mut impl Read) -> Result<[u8; N], DataError> {
    let mut bytes = [0; N];
    if fill(input, &mut bytes)? < N { Err(cut_short("in its first bytes")) } else { Ok(bytes) }
}

/// Reads until the buffer is full or the input ends, and returns the number of bytes read.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> Result<usize, DataError> {
    let mut got = 0;
    while got < buffer.len() {
        match input.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(broken(error)),
        }
    }
    Ok(got)
}

#[cfg(test)]
mod tests;
