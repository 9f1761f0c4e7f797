//! Buffers during a launch, and what is remembered of each line to find races and reads of what nothing wrote.
//!
//! Two accesses of a line race when different units make them, one writes, and nothing orders them. A launch without barriers
//! orders nothing between units, so the last writer and the last reader of a line are enough: with the first access of a
//! third unit that matters, one of the two remembered is another unit than it. With barriers, what is remembered gets the
//! number of the barrier interval of its cube, and an older interval of the same cube is ordered before.
use crate::program::ProgramParamKind;

/// Who touched a line: unit number and site, or nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touch {
    /// Number of the unit in the launch, plus one; 0 for nobody.
    pub unit: u64,
    /// Its operation.
    pub site: u32,
    /// Whether other units have done so too.
    pub several: bool,
}

impl Touch {
    fn other(self, unit: u64) -> Option<Touch> {
        (self.unit != 0 && (self.unit != unit || self.several)).then_some(self)
    }
}

/// What is remembered of a line.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    writer: Touch,
    reader: Touch,
    written: bool,
}

/// One buffer.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub bytes: Vec<u8>,
    /// Bytes of an element.
    pub size: usize,
    /// Elements of a line.
    pub line: usize,
    pub lines: u64,
    shadow: Vec<Line>,
}

/// Bytes that the shadow of a line takes.
pub(crate) const SHADOW: usize = size_of::<Line>();

/// An access that conflicts with an earlier one.
pub(crate) struct Race {
    pub with: Touch,
    pub wrote: bool,
}

impl Buffer {
    /// A buffer of a launch; `watched` gives it a shadow.
    pub fn new(bytes: Vec<u8>, kind: ProgramParamKind, initialised: bool, watched: bool) -> Option<Buffer> {
        let ProgramParamKind::Buffer { bytes: size, line, .. } = kind else { return None };
        let (size, line) = (size as usize, line.max(1) as usize);
        if !bytes.len().is_multiple_of(size * line) {
            return None;
        }
        let lines = bytes.len() / (size * line);
        let state = Line { written: initialised, ..Line::default() };
        let shadow = if watched { vec![state; lines] } else { vec![] };
        Some(Buffer { bytes, size, line, lines: lines as u64, shadow })
    }

    /// One element.
    #[inline(always)]
    pub fn get(&self, element: usize) -> u64 {
        let at = element * self.size;
        macro_rules! read {
            ($type:ty) => {
                self.bytes[at..].first_chunk().map_or(0, |b| u64::from(<$type>::from_le_bytes(*b)))
            };
        }
        match self.size {
            1 => u64::from(self.bytes[at]),
            2 => read!(u16),
            4 => read!(u32),
            _ => read!(u64),
        }
    }

    /// Writes one element.
    #[inline(always)]
    pub fn set(&mut self, element: usize, value: u64) {
        let at = element * self.size;
        self.bytes[at..at + self.size].copy_from_slice(&value.to_le_bytes()[..self.size]);
    }

    /// Notes a read; gives the write of another unit that it races with, and whether the line was ever written.
    pub fn note_read(&mut self, line: u64, unit: u64, site: u32) -> (Option<Race>, bool) {
        let Some(state) = self.shadow.get_mut(line as usize) else { return (None, true) };
        let race = state.writer.other(unit).map(|with| Race { with, wrote: true });
        state.reader.several |= state.reader.other(unit).is_some();
        (state.reader.unit, state.reader.site) = (unit, site);
        (race, state.written)
    }

    /// Notes a write; gives the access of another unit that it races with.
    pub fn note_write(&mut self, line: u64, unit: u64, site: u32) -> Option<Race> {
        let state = self.shadow.get_mut(line as usize)?;
        let write = state.writer.other(unit).map(|with| Race { with, wrote: true });
        let race = write.or_else(|| state.reader.other(unit).map(|with| Race { with, wrote: false }));
        state.writer.several |= state.writer.other(unit).is_some();
        (state.writer.unit, state.writer.site) = (unit, site);
        state.written = true;
        race
    }
}
