//! Debug prints: the kernel writes records to a separate buffer, and the runtime formats the records as lines.
//!
//! ```text
//! word 0   number of words of all requested records, including records that do not fit into the buffer
//! word 1   number of the print that made the launch fail, even if its record does not fit; 0 without a failure
//! then     records: the number of the print (from 1), then its values in order, lane by lane; a value of 64 bits
//!          occupies two words, low word first
//! ```
use cube_target::HostType as ElemType;
use serde::{Deserialize, Serialize};

/// Number of words in the record buffer of a launch; the buffer has 1 MiB.
pub const WORDS: u32 = 1 << 18;

/// The format of one `cube.print` of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintFormat {
    /// The text. `{}` is the placeholder of a value, `{:u}` of an unsigned value.
    pub text: String,
    /// Type and number of lanes of each printed value. The types are bools, signed integers, f32 and f64.
    pub values: Vec<(ElemType, u32)>,
    /// Whether the printed line states the reason why the launch failed.
    pub fails: bool,
}

/// The output of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintOutput {
    /// The printed lines, in the order of the records, and a final line if the buffer was full.
    pub lines: Vec<String>,
    /// The reason why the launch failed; the first reason if there are several.
    pub failure: Option<String>,
}

impl PrintFormat {
    /// Parses an entry of the attribute `cube.prints`, which the pass `lower-print` writes, for example
    /// `i32x1,f32x4|{} has {}`. A `!` before the entry means that printing the line makes the launch fail.
    pub fn of_attribute(attribute: &str) -> Option<PrintFormat> {
        let (types, text) = attribute.split_once('|')?;
        let (types, fails) = types.strip_prefix('!').map_or((types, false), |types| (types, true));
        let value = |part: &str| {
            let (name, lanes) = part.split_once('x')?;
            Some((ElemType::ALL.into_iter().find(|t| t.name() == name)?, lanes.parse().ok()?))
        };
        let values = types.split(',').filter(|part| !part.is_empty()).map(value).collect::<Option<_>>()?;
        Some(PrintFormat { text: text.into(), values, fails })
    }

    /// The number of words of a record, including the index of its text.
    pub fn words(&self) -> u32 {
        1 + self.values.iter().map(|(ty, lanes)| lanes * words_of(*ty)).sum::<u32>()
    }

    fn line(&self, mut words: impl Iterator<Item = u32>) -> String {
        let (parts, rest) = split_placeholders(&self.text);
        let mut line = String::new();
        let mut values = self.values.iter();
        for (part, unsigned) in parts {
            line.push_str(part);
            if let Some((ty, lanes)) = values.next() {
                let mut next = || {
                    let low = u64::from(words.next().unwrap_or(0));
                    if words_of(*ty) == 2 { low | u64::from(words.next().unwrap_or(0)) << 32 } else { low }
                };
                let lanes: Vec<String> = (0..*lanes).map(|_| format_value(*ty, next(), unsigned)).collect();
                match lanes.as_slice() {
                    [one] => line.push_str(one),
                    all => line.push_str(&format!("[{}]", all.join(", "))),
                }
            }
        }
        line.push_str(rest);
        line
    }
}

/// Splits a format text at its placeholders. Returns the texts before the placeholders, each with a flag for
/// `{:u}` (unsigned), and the text after the last placeholder.
pub fn split_placeholders(text: &str) -> (Vec<(&str, bool)>, &str) {
    let (mut parts, mut rest) = (Vec::new(), text);
    loop {
        let found =
            [("{}", false), ("{:u}", true)].into_iter().filter_map(|(place, u)| Some((rest.find(place)?, place, u)));
        let Some((at, place, unsigned)) = found.min() else { return (parts, rest) };
        parts.push((&rest[..at], unsigned));
        rest = &rest[at + place.len()..];
    }
}

fn words_of(ty: ElemType) -> u32 {
    if ty.size() == 8 { 2 } else { 1 }
}

/// Formats a value: integers with their sign, floats with enough digits to distinguish any two values.
fn format_value(ty: ElemType, bits: u64, unsigned: bool) -> String {
    match ty {
        ElemType::Bool => (bits != 0).to_string(),
        ElemType::I8 | ElemType::I16 | ElemType::I32 | ElemType::I64 if unsigned => bits.to_string(),
        ElemType::I8 => (bits as i8).to_string(),
        ElemType::I16 => (bits as i16).to_string(),
        ElemType::I32 => (bits as i32).to_string(),
        ElemType::I64 => bits.cast_signed().to_string(),
        ElemType::F32 => f32::from_bits(bits as u32).to_string(),
        ElemType::F64 => f64::from_bits(bits).to_string(),
        _ => bits.to_string(),
    }
}

/// Decodes the words of a kernel's record buffer.
pub fn read(formats: &[PrintFormat], words: &[u32]) -> PrintOutput {
    let mut output = PrintOutput::default();
    let [requested_words, failed, ref records @ ..] = *words else { return output };
    let mut rest = &records[..records.len().min(requested_words as usize)];
    while let Some((&number, values)) = rest.split_first() {
        // If a record exceeds the end of the buffer, the buffer contains only the start of the record, or zeros.
        let Some(format) = formats.get((number as usize).wrapping_sub(1)) else { break };
        let size = format.words() as usize - 1;
        if size > values.len() {
            break;
        }
        let line = format.line(values[..size].iter().copied());
        match format.fails {
            true => _ = output.failure.get_or_insert(line),
            false => output.lines.push(line),
        }
        rest = &values[size..];
    }
    if requested_words as usize > records.len() {
        output.lines.push(format!("... and more, for which the {} words of a launch had no room", records.len()));
    }
    if let Some(format) = formats.get((failed as usize).wrapping_sub(1)).filter(|_| output.failure.is_none()) {
        output.failure = Some(format.text.replace("{:u}", "?").replace("{}", "?"));
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_decoded_to_lines() {
        let formats = [
            PrintFormat { text: "{} of {}".into(), values: vec![(ElemType::I32, 1), (ElemType::F32, 2)], fails: false },
            PrintFormat { text: "wide {:u}!".into(), values: vec![(ElemType::I64, 1)], fails: true },
        ];
        let parsed = ["i32x1,f32x2|{} of {}", "!i64x1|wide {:u}!"].map(|text| PrintFormat::of_attribute(text).unwrap());
        assert_eq!(parsed, formats);
        let words =
            [7, 2, 1, (-3i32).cast_unsigned(), 1.5f32.to_bits(), (-0f32).to_bits(), 2, u32::MAX, u32::MAX, 0, 0];
        let output = read(&formats, &words);
        assert_eq!(output.lines, ["-3 of [1.5, -0]"]);
        assert_eq!(output.failure.as_deref(), Some("wide 18446744073709551615!"));
    }

    #[test]
    fn a_failure_without_room_for_its_values_is_reported() {
        let values = vec![(ElemType::I32, 1), (ElemType::I32, 1)];
        let formats = [PrintFormat { text: "cube {:u} of {} stopped".into(), values, fails: true }];
        assert_eq!(read(&formats, &[3, 1]).failure.as_deref(), Some("cube ? of ? stopped"));
    }

    #[test]
    fn a_full_buffer_is_reported_and_damaged_records_end_the_lines() {
        let formats = [PrintFormat { text: "x{}".into(), values: vec![(ElemType::I8, 1)], fails: false }];
        assert_eq!(
            read(&formats, &[9, 0, 1, 255, 1]).lines,
            ["x-1", "... and more, for which the 3 words of a launch had no room"]
        );
        assert_eq!(read(&formats, &[3, 0, 1, 1, 9]).lines, ["x1"]);
        assert_eq!(read(&formats, &[]), PrintOutput::default());
    }
}
