//! Pictures: PNG files with 8 bits per channel and 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGBA) channels.
use super::{DataError, HostArray, write_atomically};
use cube_artifact::ElemType;
use png::{BitDepth, ColorType, Transformations};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Maximum size of a picture's pixels in bytes. A size limit is necessary because a header of a few bytes can state
/// any size.
const MAX_BYTES: usize = 1 << 30;

/// Reads a picture as u8 elements of shape `[height, width, channels]`; palettes and depths below 8 bits are expanded.
///
/// # Errors
/// The file is missing, is not a PNG file, is damaged, truncated or too large, or has 16 bits per channel.
pub fn read(file: &Path) -> Result<HostArray, DataError> {
    let input = File::open(file).map_err(|error| DataError::cannot_read(file, &error))?;
    let size = input.metadata().ok().filter(|found| found.is_file()).map_or(u64::MAX, |found| found.len());
    decode(input, size).map_err(|error| error.in_file(file))
}

fn decode(input: File, file_size: u64) -> Result<HostArray, DataError> {
    let mut decoder = png::Decoder::new_with_limits(BufReader::new(input), png::Limits { bytes: MAX_BYTES });
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(unreadable)?;
    let (color, depth) = reader.output_color_type();
    if depth != BitDepth::Eight {
        return Err(DataError::new(
            "it has 16 bits per channel, but only 8 bits are supported; convert the picture to 8 bits",
        ));
    }
    let size = reader.output_buffer_size().filter(|&size| size <= MAX_BYTES);
    let size = size.ok_or_else(|| {
        DataError::new(format!("it has more than {MAX_BYTES} bytes of pixels; use a smaller picture"))
    })?;
    // Deflate expands by at most a factor of 1032 (zlib technical details). A shorter file is truncated, or its header
    // is wrong.
    if size as u64 > file_size.saturating_mul(1032) {
        return Err(DataError::new(format!(
            "it has {file_size} bytes, which are too few for its {size} bytes of pixels; save the file again"
        )));
    }
    let shape = vec![reader.info().height.into(), reader.info().width.into(), color.samples() as u64];
    let mut pixels = super::array::reserve(size as u64)?;
    pixels.resize(size, 0);
    reader.next_frame(&mut pixels).map_err(unreadable)?;
    HostArray::new(ElemType::U8, shape, pixels)
}

fn unreadable(error: png::DecodingError) -> DataError {
    use png::DecodingError;
    match error {
        DecodingError::LimitsExceeded => {
            DataError::new(format!("it has more than {MAX_BYTES} bytes of pixels; use a smaller picture"))
        }
        DecodingError::IoError(error) if error.kind() == std::io::ErrorKind::IsADirectory => {
            DataError::new("it is a folder; name a file")
        }
        DecodingError::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            DataError::new("the file is truncated; save the file again")
        }
        other => DataError::new(format!("it is not a valid PNG file ({other}); save the file again as PNG")),
    }
}

/// Writes elements of shape `[height, width]` or `[height, width, channels]` as a picture. Elements of type u8 are
/// written unchanged. For elements of type f32, 0 is black and 1 is white; values are clamped and rounded,
/// and NaN is black.
///
/// # Errors
/// The array does not have the type or the shape of a picture; see [`write_atomically`] for other errors.
pub fn write(file: &Path, array: &HostArray) -> Result<(), DataError> {
    encode(array).and_then(|content| write_atomically(file, &content)).map_err(|error| error.in_file(file))
}

/// The bytes of a PNG file with the picture; see [`write`].
///
/// # Errors
/// The array does not have the type or the shape of a picture.
pub fn encode(array: &HostArray) -> Result<Vec<u8>, DataError> {
    let (height, width, channels) = match *array.shape() {
        [height, width] => (height, width, 1),
        [height, width, channels] => (height, width, channels),
        ref other => {
            return Err(DataError::new(format!(
                "shape {other:?} is not the shape of a picture; pass [height, width] or [height, width, channels]"
            )));
        }
    };
    let color = match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        4 => ColorType::Rgba,
        other => return Err(DataError::new(format!("a picture has 1 to 4 channels, not {other}; split the array"))),
    };
    let side = |n: u64| {
        let side = u32::try_from(n).ok().filter(|n| (1..=i32::MAX as u32).contains(n));
        side.ok_or_else(|| {
            DataError::new(format!("a picture has 1 to 2147483647 pixels per side, not {n}; use another shape"))
        })
    };
    let floats;
    let pixels = match array.elem() {
        ElemType::U8 => array.bytes(),
        ElemType::F32 => {
            floats = from_f32(array.bytes());
            &floats[..]
        }
        other => {
            return Err(DataError::new(format!(
                "a picture has elements of type u8 or f32, not {other}; convert the array"
            )));
        }
    };
    let mut content = Vec::new();
    let mut encoder = png::Encoder::new(&mut content, side(width)?, side(height)?);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    let done = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    });
    done.map_err(|error| DataError::new(format!("the picture cannot be encoded ({error}); pass another shape")))?;
    Ok(content)
}

/// Converts a picture's u8 elements to f32 in [0, 1].
///
/// # Errors
/// The elements of the array are not u8.
pub fn to_f32(array: &HostArray) -> Result<HostArray, DataError> {
    if array.elem() != ElemType::U8 {
        return Err(DataError::new(format!(
            "a picture has elements of type u8, not {}; read it from a file",
            array.elem()
        )));
    }
    let bytes = array.bytes().iter().flat_map(|&v| (f32::from(v) / 255.0).to_le_bytes()).collect();
    HostArray::new(ElemType::F32, array.shape().to_vec(), bytes)
}

fn from_f32(bytes: &[u8]) -> Vec<u8> {
    // A cast from a float to an integer saturates, and converts NaN to 0.
    let pixel = |bytes: &[u8; 4]| (f32::from_le_bytes(*bytes) * 255.0).round() as u8;
    bytes.as_chunks().0.iter().map(pixel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(shape: &[u64]) -> HostArray {
        let bytes = (0..shape.iter().product()).map(|i| (i * 37) as u8).collect();
        HostArray::new(ElemType::U8, shape.to_vec(), bytes).unwrap()
    }

    fn read_bytes(bytes: &[u8]) -> Result<HostArray, DataError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.png");
        std::fs::write(&path, bytes).unwrap();
        read(&path)
    }

    #[track_caller]
    fn refused<T: std::fmt::Debug>(result: Result<T, DataError>, words: &str) {
        let error = result.expect_err("it must be refused");
        assert!(error.message.contains(words), "{error}\n  lacks: {words}");
    }

    #[test]
    fn images_of_all_channel_counts_round_trip() {
        for channels in 1..=4 {
            let array = picture(&[5, 7, channels]);
            assert_eq!(read_bytes(&encode(&array).unwrap()), Ok(array));
        }
        let grey = picture(&[5, 7]);
        assert_eq!(read_bytes(&encode(&grey).unwrap()).unwrap().reshape(vec![5, 7]), Ok(grey));
    }

    #[test]
    fn floats_are_clamped_and_rounded_to_bytes() {
        let values = [0.0, 1.0, 0.5, -3.0, 7.0, f32::NAN];
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let array = HostArray::new(ElemType::F32, vec![2, 3], bytes).unwrap();
        let back = read_bytes(&encode(&array).unwrap()).unwrap();
        assert_eq!(back.bytes(), [0, 255, 128, 0, 255, 0]);
        let every = HostArray::new(ElemType::U8, vec![16, 16], (0..=255).collect()).unwrap();
        let through = read_bytes(&encode(&to_f32(&every).unwrap()).unwrap()).unwrap();
        assert_eq!(through.bytes(), every.bytes());
    }

    #[test]
    fn palettes_and_low_depths_are_expanded_and_16_bits_refused() {
        let encoded = |color, depth, palette: Option<Vec<u8>>, data: &[u8]| {
            let mut bytes = Vec::new();
            let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
            encoder.set_color(color);
            encoder.set_depth(depth);
            if let Some(palette) = palette {
                encoder.set_palette(palette);
            }
            encoder.write_header().unwrap().write_image_data(data).unwrap();
            bytes
        };
        let palette = encoded(ColorType::Indexed, BitDepth::Eight, Some(vec![1, 2, 3, 4, 5, 6]), &[1, 0]);
        assert_eq!(read_bytes(&palette).unwrap().bytes(), [4, 5, 6, 1, 2, 3]);
        let bits = encoded(ColorType::Grayscale, BitDepth::One, None, &[0b0100_0000]);
        assert_eq!(read_bytes(&bits).unwrap().bytes(), [0, 255]);
        let deep = encoded(ColorType::Grayscale, BitDepth::Sixteen, None, &[0; 4]);
        refused(
            read_bytes(&deep),
            "it has 16 bits per channel, but only 8 bits are supported; convert the picture to 8 bits",
        );
    }

    #[test]
    fn damaged_files_are_refused() {
        let good = encode(&picture(&[5, 7, 3])).unwrap();
        for end in 0..good.len() - 12 {
            assert!(read_bytes(&good[..end]).is_err(), "cut at {end}");
        }
        refused(read_bytes(&good[..40]), "the file is truncated; save the file again");
        refused(read_bytes(b"GIF89a and more"), "it is not a valid PNG file (");
        let mut huge = good.clone();
        // Width and height of 2^30, with a wrong or a correct checksum. Neither case allocates memory.
        huge[16..24].copy_from_slice(&[0x40, 0, 0, 0, 0x40, 0, 0, 0]);
        assert!(read_bytes(&huge).is_err());
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            let _ = read_bytes(&bad);
        }
    }

    #[test]
    fn a_picture_larger_than_the_limit_is_refused() {
        let empty = |side| {
            let mut bytes = Vec::new();
            let mut writer = png::Encoder::new(&mut bytes, side, side).write_header().unwrap();
            writer.write_chunk(png::chunk::IDAT, &[0x78, 1]).unwrap();
            drop(writer);
            bytes
        };
        refused(read_bytes(&empty(1 << 17)), "it has more than 1073741824 bytes of pixels; use a smaller picture");
        // The size is below the limit, but the file is too short for it.
        refused(
            read_bytes(&empty(1 << 14)),
            "bytes, which are too few for its 268435456 bytes of pixels; save the file again",
        );
    }

    #[test]
    fn invalid_image_array_is_rejected_with_the_rule() {
        refused(encode(&picture(&[5])), "shape [5] is not the shape of a picture; pass [height, width]");
        refused(encode(&picture(&[5, 5, 5])), "a picture has 1 to 4 channels, not 5");
        refused(encode(&picture(&[0, 5])), "a picture has 1 to 2147483647 pixels per side, not 0");
        let ints = HostArray::new(ElemType::I32, vec![1, 1], vec![0; 4]).unwrap();
        refused(encode(&ints), "a picture has elements of type u8 or f32, not i32; convert the array");
        refused(to_f32(&ints), "a picture has elements of type u8, not i32");
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = read(&folder.path().join("no.png")).unwrap_err();
        assert!(error.to_string().ends_with("no.png: the file does not exist; check the path"), "{error}");
        refused(read(folder.path()), "it is a folder; name a file");
    }
}
