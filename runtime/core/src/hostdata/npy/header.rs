//! The header of a `.npy` file: a Python dictionary with three keys.
use crate::hostdata::{DataError, HostArray};
use cube_artifact::ElemType;

/// The contents of a `.npy` header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub elem: ElemType,
    pub shape: Vec<u64>,
}

impl Header {
    pub fn of(array: &HostArray) -> Header {
        Header { elem: array.elem(), shape: array.shape().to_vec() }
    }

    /// Encodes all bytes before the data in version 1 of the format; the data begins at a multiple of 64
    /// bytes, as in numpy's files.
    pub fn to_bytes(&self) -> Vec<u8> {
        let dimensions: Vec<_> = self.shape.iter().map(u64::to_string).collect();
        let shape = match &dimensions[..] {
            [one] => format!("({one},)"),
            all => format!("({})", all.join(", ")),
        };
        let mut text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': {shape}, }}", self.elem.numpy());
        // Magic, version and length take 10 bytes, the line feed one.
        let padding = (text.len() + 11).next_multiple_of(64) - (text.len() + 11);
        text.push_str(&" ".repeat(padding));
        text.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        // A shape of several thousand dimensions would need version 2. This crate creates no such shape.
        bytes.extend_from_slice(&u16::try_from(text.len()).unwrap_or(u16::MAX).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
        bytes
    }

    pub fn parse(bytes: &[u8]) -> Result<Header, DataError> {
        let mut text = Text { rest: std::str::from_utf8(bytes).map_err(|_| damaged("it is not text"))? };
        let (mut elem, mut shape, mut fortran) = (None, None, None);
        text.token("{")?;
        while !text.take("}") {
            let key = text.string()?;
            text.token(":")?;
            match key {
                "descr" => elem = Some(text.descr()?),
                "fortran_order" => fortran = Some(text.boolean()?),
                "shape" => shape = Some(text.shape()?),
                other => return Err(damaged(format!("it has an unknown key '{}'", other.escape_debug()))),
            }
            if !text.take(",") {
                text.token("}")?;
                break;
            }
        }
        if !text.rest.trim().is_empty() {
            return Err(damaged("it continues after its dictionary"));
        }
        let (Some(elem), Some(shape), Some(fortran)) = (elem, shape, fortran) else {
            return Err(damaged("it lacks one of descr, fortran_order and shape"));
        };
        if fortran && shape.len() > 1 {
            return Err(DataError::new("it is in Fortran order; save numpy.ascontiguousarray(array)"));
        }
        Ok(Header { elem, shape })
    }
}

fn damaged(what: impl std::fmt::Display) -> DataError {
    DataError::new(format!("its header is damaged ({what}); save the file again"))
}

/// The part of the header that was not parsed yet.
struct Text<'a> {
    rest: &'a str,
}

impl<'a> Text<'a> {
    /// Skips a word if the unread text begins with it.
    fn take(&mut self, word: &str) -> bool {
        let Some(rest) = self.rest.trim_start().strip_prefix(word) else { return false };
        self.rest = rest;
        true
    }

    fn token(&mut self, word: &str) -> Result<(), DataError> {
        if self.take(word) {
            return Ok(());
        }
        let found: String = self.rest.trim_start().chars().take(10).collect();
        Err(damaged(format!("'{word}' is expected before '{}'", found.escape_debug())))
    }

    fn string(&mut self) -> Result<&'a str, DataError> {
        let quote = if self.take("\"") { '"' } else { '\'' };
        if quote == '\'' {
            self.token("'")?;
        }
        let (string, rest) = self.rest.split_once(quote).ok_or_else(|| damaged("a string does not end"))?;
        self.rest = rest;
        Ok(string)
    }

    fn boolean(&mut self) -> Result<bool, DataError> {
        if self.take("True") {
            return Ok(true);
        }
        if self.take("False") { Ok(false) } else { Err(damaged("fortran_order is neither True nor False")) }
    }

    fn shape(&mut self) -> Result<Vec<u64>, DataError> {
        self.token("(")?;
        let mut shape = Vec::new();
        while !self.take(")") {
            let text = self.rest.trim_start();
            let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let number =
                text[..digits].parse().map_err(|_| damaged("its shape is not made of whole numbers below 2^64"))?;
            self.rest = &text[digits..];
            // Python 2 wrote long integers with this suffix.
            self.take("L");
            shape.push(number);
            if !self.take(",") {
                self.token(")")?;
                break;
            }
        }
        Ok(shape)
    }

    fn descr(&mut self) -> Result<ElemType, DataError> {
        let advice = "save array.astype of one of bool, int8 to int64, uint8 to uint64, float16, float32, float64";
        if self.rest.trim_start().starts_with('[') {
            return Err(DataError::new(format!("its elements are records of several fields; {advice}")));
        }
        let text = self.string()?;
        // Raw bytes have no byte order. numpy stores types that it does not know as raw bytes.
        let raw = text.strip_prefix("|V").map(|size| format!("<V{size}"));
        let text = raw.as_deref().unwrap_or(text);
        let known = ElemType::ALL.into_iter().find(|elem| {
            // The byte order has no meaning for elements of one byte.
            elem.numpy() == text || (elem.size() == 1 && text.len() == 3 && text.get(1..) == elem.numpy().get(1..))
        });
        known.ok_or_else(|| match text.strip_prefix('>') {
            Some(rest) => DataError::new(format!(
                "it is big-endian ('{0}'); save array.astype(numpy.dtype('<{1}'))",
                text.escape_debug(),
                rest.escape_debug()
            )),
            None => DataError::new(format!(
                "its elements have type '{}', which kernels do not support; {advice}",
                text.escape_debug()
            )),
        })
    }
}
