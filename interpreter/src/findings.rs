//! Findings: faults of a kernel, detected while it runs.
use crate::program::Site;
use std::collections::HashMap;
use std::fmt;

/// The class of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// A checked access out of bounds, which is defined but is often a mistake.
    Bounds,
    /// Two units access one line without an order between them, and at least one of them writes.
    Races,
    /// A read of memory that has not been written.
    Uninit,
    /// Undefined behaviour: an unchecked access out of bounds, an undefined result of arith, or a loop whose step is
    /// zero or negative.
    Ub,
    /// A barrier or plane operation that not all units of its scope reach.
    Barriers,
}

impl FindingKind {
    /// All kinds of findings.
    pub const ALL: [FindingKind; 5] =
        [FindingKind::Bounds, FindingKind::Races, FindingKind::Uninit, FindingKind::Ub, FindingKind::Barriers];

    /// The name of the finding on the command line.
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

/// The set of finding kinds to detect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Find(u8);

impl Find {
    /// The empty set, with which a run is fastest.
    pub const NOTHING: Find = Find(0);
    /// All kinds that are faults in every kernel, that is, all except `bounds`.
    pub const FAULTS: Find = Find(0b11110);
    /// All kinds of findings.
    pub const ALL: Find = Find(0b11111);

    /// Returns the set with `kind` added.
    pub fn with(self, kind: FindingKind) -> Find {
        Find(self.0 | 1 << kind as u8)
    }

    /// Whether a kind is in the set.
    pub fn has(self, kind: FindingKind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }
}

/// Position of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitCoordinates {
    /// Position in the cube.
    pub unit: [u32; 3],
    /// Position of the cube.
    pub cube: [u32; 3],
}

impl fmt::Display for UnitCoordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x, y, z], [cx, cy, cz]) = (self.unit, self.cube);
        write!(f, "unit ({x}, {y}, {z}) of cube ({cx}, {cy}, {cz})")
    }
}

/// One finding, with the data of its first occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The class of the finding.
    pub kind: FindingKind,
    /// The operation.
    pub site: Site,
    /// The first unit in which the finding occurred.
    pub at: UnitCoordinates,
    /// The reason.
    pub why: String,
    /// For a race, the other unit and its operation; for a poisoned value, the operation that produced the
    /// value.
    pub other: Option<(Option<UnitCoordinates>, Site)>,
    /// Number of occurrences.
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

/// Maximum number of recorded findings. Further findings are dropped.
const MAX_FINDINGS: usize = 256;

/// The recorded findings, one for each kind and operation.
#[derive(Debug, Default)]
pub(crate) struct Log {
    known: HashMap<(FindingKind, u32), usize>,
    pub all: Vec<Finding>,
}

impl Log {
    /// Counts a finding. Returns true if this is the first finding of its kind at its operation; the caller
    /// must then call `first`.
    pub fn is_new(&mut self, kind: FindingKind, site: u32) -> bool {
        match self.known.get(&(kind, site)) {
            Some(at) => {
                self.all[*at].count += 1;
                false
            }
            None => self.all.len() < MAX_FINDINGS,
        }
    }

    /// Keeps a finding.
    pub fn first(&mut self, site: u32, finding: Finding) {
        self.known.insert((finding.kind, site), self.all.len());
        self.all.push(finding);
    }
}
