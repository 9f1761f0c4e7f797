//! What is remembered of each line to find races and reads of what nothing wrote.
//!
//! Two accesses of a line race when different units make them, one writes, they are not both atomic, and nothing orders them.
//! Barriers order: one of the cube all accesses of its units before it and after it, one of a plane those of the units that come to
//! it (`passed.rs`). So
//! an access is remembered with the number of barriers that its cube and its plane had passed, and an older number of the
//! same cube or plane is ordered before. Nothing orders units of different cubes.
//!
//! Of accesses of one kind the last is kept, with three marks: whether others like it were made that the last does not stand
//! for, by units of its plane, of its cube, of other cubes, since the barrier that would have ordered them. With these the
//! first conflict of a line is always found, whatever the order in which units run. Where only some units of a plane came to a
//! barrier of it, the last two accesses of its units stand for all.
use super::passed::Passed;

/// A unit and the barriers that it has passed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Who {
    /// Number of the unit in the launch.
    pub unit: u64,
    /// Number of its cube.
    pub cube: u64,
    /// Number of its plane in the cube.
    pub plane: u32,
    /// Barriers of the cube that order this memory.
    pub cube_epoch: u32,
    /// Its number in the plane.
    pub lane: u32,
    /// The last barrier of the plane that it passed.
    pub plane_epoch: u32,
}

/// The last access of a kind; none where `site` is 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Touch {
    who: Who,
    /// Its operation, plus one.
    site: u32,
    /// Another unit that the marks speak of, plus one.
    before: u64,
    /// Its lane, and its last barrier of the plane.
    before_at: (u32, u32),
    /// Other units of the plane, since its last barrier.
    in_plane: bool,
    /// Other planes of the cube, since its last barrier.
    in_cube: bool,
    /// Other cubes.
    in_launch: bool,
}

impl Touch {
    /// The conflicting unit and its site, if an access of `who` is not ordered after this.
    fn conflict(&self, who: Who, passed: &Passed) -> Option<(u64, u32)> {
        if self.site == 0 {
            return None;
        }
        let last = &self.who;
        let other = || if last.unit != who.unit { last.unit } else { self.before.saturating_sub(1) };
        let races = if self.in_launch || last.cube != who.cube {
            true
        } else if last.cube_epoch < who.cube_epoch {
            false
        } else if self.in_cube || last.plane != who.plane {
            true
        } else if passed.is_parted(who.plane) {
            let [last, before] = self.open(who, passed);
            return last.or(before).map(|unit| (unit, self.site - 1));
        } else if last.plane_epoch < who.plane_epoch {
            false
        } else {
            self.in_plane || last.unit != who.unit
        };
        races.then(|| (other(), self.site - 1))
    }

    // The last two units of the plane that an access of `who` is not ordered after.
    fn open(&self, who: Who, passed: &Passed) -> [Option<u64>; 2] {
        let open = |unit: u64, at| unit != who.unit && !passed.orders(who.plane, at, who.lane);
        let last = &self.who;
        let before = self.before.checked_sub(1).filter(|_| self.in_plane);
        [
            Some(last.unit).filter(|unit| open(*unit, (last.lane, last.plane_epoch))),
            before.filter(|unit| open(*unit, self.before_at)),
        ]
    }

    fn update(&mut self, who: Who, site: u32, passed: &Passed) {
        if self.site == 0 {
            *self = Touch { who, site: site + 1, ..Touch::default() };
            return;
        }
        let last = self.who;
        let parted = passed.is_parted(who.plane) && last.plane == who.plane;
        let open = if parted { self.open(who, passed).map(|unit| unit.is_some()) } else { [false; 2] };
        // One that is ordered before need not be remembered in the place of one that is not.
        if last.unit != who.unit && open != [false, true] {
            self.before = last.unit + 1;
            self.before_at = (last.lane, last.plane_epoch);
        }
        self.in_launch |= last.cube != who.cube;
        let same_cube = last.cube == who.cube && last.cube_epoch == who.cube_epoch;
        self.in_cube = same_cube && (self.in_cube || last.plane != who.plane);
        let same_plane = same_cube && last.plane == who.plane;
        self.in_plane = same_plane
            && match parted {
                true => open.contains(&true),
                false => last.plane_epoch == who.plane_epoch && (self.in_plane || last.unit != who.unit),
            };
        (self.who, self.site) = (who, site + 1);
    }
}

/// An access that conflicts with an earlier one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Race {
    /// The unit that made it.
    pub unit: u64,
    /// Its operation.
    pub site: u32,
    /// What it did.
    pub did: &'static str,
}

/// What is remembered of the lines of a buffer.
#[derive(Debug)]
pub(crate) struct Shadow {
    /// Last plain read and plain write.
    plain: Vec<[Touch; 2]>,
    /// Last atomic read and atomic write; empty while there is none.
    atomic: Vec<[Touch; 2]>,
    /// Whether a line was ever written.
    written: Vec<bool>,
}

/// Bytes that are remembered of a line, at most.
pub(crate) fn bytes_of_line() -> u64 {
    4 * size_of::<Touch>() as u64 + 1
}

impl Shadow {
    /// Of `lines` lines.
    pub fn new(lines: u64, written: bool) -> Shadow {
        let lines = lines as usize;
        Shadow { plain: vec![[Touch::default(); 2]; lines], atomic: vec![], written: vec![written; lines] }
    }

    /// Forgets everything: the memory of the next cube.
    pub fn clear(&mut self) {
        self.plain.fill([Touch::default(); 2]);
        self.atomic.clear();
        self.written.fill(false);
    }

    /// Whether the line was written.
    pub fn is_written(&self, line: u64) -> bool {
        self.written.get(line as usize).copied().unwrap_or(true)
    }

    /// Notes an access; gives an earlier one that it races with.
    pub fn note(
        &mut self,
        line: u64,
        who: Who,
        site: u32,
        (writes, atomic): (bool, bool),
        passed: &Passed,
    ) -> Option<Race> {
        let line = line as usize;
        if atomic && self.atomic.is_empty() {
            self.atomic = vec![[Touch::default(); 2]; self.plain.len()];
        }
        let plain = self.plain.get_mut(line)?;
        let race =
            |touch: &Touch, did: &'static str| touch.conflict(who, passed).map(|(unit, site)| Race { unit, site, did });
        let mut found = race(&plain[1], "writes");
        if writes {
            found = found.or_else(|| race(&plain[0], "reads"));
        }
        if !atomic && let Some(touches) = self.atomic.get(line) {
            found = found.or_else(|| race(&touches[1], "writes atomically"));
            if writes {
                found = found.or_else(|| race(&touches[0], "reads atomically"));
            }
        }
        let touches = if atomic { self.atomic.get_mut(line) } else { Some(plain) };
        if let Some(touches) = touches {
            touches[usize::from(writes)].update(who, site, passed);
        }
        if writes {
            self.written[line] = true;
        }
        found
    }
}
