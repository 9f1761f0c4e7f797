//! What is wrong with a kernel: found while it runs.
use crate::program::Site;
use std::collections::HashMap;
use std::fmt;

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// A checked access outside its buffer: defined, but seldom meant.
    Bounds,
    /// Two units use one line without an order between them, and one writes.
    Races,
    /// A read of what nothing has written.
    Uninit,
    /// Undefined behaviour: an access outside a buffer that was promised to be inside, arith's undefined results, loops
    /// that do not go forward.
    Ub,
    /// A barrier or plane operation that not all units of its scope reach.
    Barriers,
}

impl FindingKind {
    /// All of them.
    pub const ALL: [FindingKind; 5] =
        [FindingKind::Bounds, FindingKind::Races, FindingKind::Uninit, FindingKind::Ub, FindingKind::Barriers];

    /// Its word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            FindingKind::Bounds => "bounds",
            FindingKind::Races => "races",
            FindingKind::Uninit => "uninit",
            FindingKind::Ub => "ub",
            FindingKind::Barriers => "barriers",
        }
    }
}

/// Which findings are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Find(u8);

impl Find {
    /// Nothing: the fastest run.
    pub const NOTHING: Find = Find(0);
    /// Everything that is wrong in any kernel: all but `bounds`.
    pub const FAULTS: Find = Find(0b11110);
    /// Everything.
    pub const ALL: Find = Find(0b11111);

    /// These and one more.
    pub fn with(self, kind: FindingKind) -> Find {
        Find(self.0 | 1 << kind as u8)
    }

    /// Whether a kind is looked for.
    pub fn has(self, kind: FindingKind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }
}

/// Where a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Its place in the cube.
    pub unit: [u32; 3],
    /// The cube's place.
    pub cube: [u32; 3],
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x, y, z], [cx, cy, cz]) = (self.unit, self.cube);
        write!(f, "unit ({x}, {y}, {z}) of cube ({cx}, {cy}, {cz})")
    }
}

/// One thing that is wrong, as it was met first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub kind: FindingKind,
    /// The operation.
    pub site: Site,
    /// The unit that met it.
    pub at: At,
    /// Why it is wrong.
    pub why: String,
    /// The other unit of a race and its operation, or where a poisoned value comes from.
    pub other: Option<(Option<At>, Site)>,
    /// How often it was met.
    pub count: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}, {}", self.site, self.kind.word(), self.why, self.at)?;
        match &self.other {
            Some((Some(at), site)) => write!(f, "; the other is {site}, {at}")?,
            Some((None, site)) => write!(f, "; the value comes from {site}")?,
            None => {}
        }
        if self.count > 1 { write!(f, " (met {} times)", self.count) } else { Ok(()) }
    }
}

/// Different findings that are kept; more of them say nothing new.
const MOST: usize = 256;

/// Findings so far, one for each kind and operation.
#[derive(Debug, Default)]
pub(crate) struct Log {
    known: HashMap<(FindingKind, u32), usize>,
    pub all: Vec<Finding>,
}

impl Log {
    /// Counts a finding; true the first time, when `first` must follow.
    pub fn is_new(&mut self, kind: FindingKind, site: u32) -> bool {
        match self.known.get(&(kind, site)) {
            Some(at) => {
                self.all[*at].count += 1;
                false
            }
            None => self.all.len() < MOST,
        }
    }

    /// Keeps a finding.
    pub fn first(&mut self, site: u32, finding: Finding) {
        self.known.insert((finding.kind, site), self.all.len());
        self.all.push(finding);
    }
}
