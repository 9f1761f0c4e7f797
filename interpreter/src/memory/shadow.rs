//! Shadow memory: recorded accesses of each line, for the detection of races and of uninitialised reads.
//!
//! Two accesses of a line by different units race if at least one writes, not both are atomic, and no barrier orders
//! them. All accesses of a cube before a cube barrier precede all accesses of the cube after the barrier. A plane
//! barrier orders the accesses of the units that reach it (`plane_barriers.rs`). An access is therefore recorded with
//! the number of barriers that its cube and its plane have passed. An access precedes a later access of the
//! same cube or plane if the earlier access was recorded with a smaller number of barriers. Units of different
//! cubes are not ordered.
//!
//! For each line, only the last read and the last write are stored, separately for plain and for atomic accesses.
//! Each stored access has three marks. A mark records that other units accessed the line in the same way (read or
//! write) after the last barrier that orders accesses. The three marks are for units of the same plane, of the same
//! cube, and of other cubes. The marks suffice to find the first race on a line in any order of units. If only some
//! units of a plane reached a barrier, the last two accesses of the plane represent all accesses of the plane.
use super::plane_barriers::PlaneBarriers;

/// A unit and the barriers that it has passed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AccessingUnit {
    /// Number of the unit in the launch.
    pub unit: u64,
    /// Number of the cube.
    pub cube: u64,
    /// Number of the plane in the cube.
    pub plane: u32,
    /// Barriers of the cube that order this memory.
    pub cube_epoch: u32,
    /// Number of the unit in the plane.
    pub lane: u32,
    /// The last plane barrier that the unit passed.
    pub plane_epoch: u32,
}

/// The last access of a kind (read or write) to a line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecordedAccess {
    accessor: AccessingUnit,
    /// The number of the accessing operation plus one; 0 if no access was recorded.
    site: u32,
    /// The number, plus one, of a unit other than `accessor` that accessed the line earlier; zero if no such unit
    /// exists.
    previous_unit: u64,
    /// The lane of the unit in `previous_unit`, and the last plane barrier of this lane.
    previous_lane: (u32, u32),
    /// Whether other units of the plane have accessed the line since the plane's last barrier.
    in_plane: bool,
    /// Whether other planes of the cube have accessed the line since the cube's last barrier.
    in_cube: bool,
    /// Whether other cubes have accessed the line.
    in_launch: bool,
}

impl RecordedAccess {
    /// The conflicting unit and its site, if the recorded access does not precede an access of `accessor`.
    #[inline(always)]
    fn conflict(&self, accessor: AccessingUnit, passed: &PlaneBarriers) -> Option<(u64, u32)> {
        if self.site == 0 { None } else { self.conflict_of_site(accessor, passed) }
    }

    // The same for an access that was recorded.
    fn conflict_of_site(&self, accessor: AccessingUnit, passed: &PlaneBarriers) -> Option<(u64, u32)> {
        let last = &self.accessor;
        let other = || if last.unit != accessor.unit { last.unit } else { self.previous_unit.saturating_sub(1) };
        let races = if self.in_launch || last.cube != accessor.cube {
            true
        } else if last.cube_epoch < accessor.cube_epoch {
            false
        } else if self.in_cube || last.plane != accessor.plane {
            true
        } else if passed.has_diverged(accessor.plane) {
            let [last, before] = self.open(accessor, passed);
            return last.or(before).map(|unit| (unit, self.site - 1));
        } else if last.plane_epoch < accessor.plane_epoch {
            false
        } else {
            self.in_plane || last.unit != accessor.unit
        };
        races.then(|| (other(), self.site - 1))
    }

    // The last two units of the plane whose accesses are not ordered before an access of `accessor`.
    fn open(&self, accessor: AccessingUnit, passed: &PlaneBarriers) -> [Option<u64>; 2] {
        let open = |unit: u64, at| unit != accessor.unit && !passed.orders(accessor.plane, at, accessor.lane);
        let last = &self.accessor;
        let before = self.previous_unit.checked_sub(1).filter(|_| self.in_plane);
        [
            Some(last.unit).filter(|unit| open(*unit, (last.lane, last.plane_epoch))),
            before.filter(|unit| open(*unit, self.previous_lane)),
        ]
    }

    fn update(&mut self, accessor: AccessingUnit, site: u32, passed: &PlaneBarriers) {
        if self.site == 0 {
            *self = RecordedAccess { accessor, site: site + 1, ..RecordedAccess::default() };
            return;
        }
        let last = self.accessor;
        let diverged = passed.has_diverged(accessor.plane) && last.plane == accessor.plane;
        let open = if diverged { self.open(accessor, passed).map(|unit| unit.is_some()) } else { [false; 2] };
        // An access that is ordered before `accessor` need not replace an access that is not ordered.
        if last.unit != accessor.unit && open != [false, true] {
            self.previous_unit = last.unit + 1;
            self.previous_lane = (last.lane, last.plane_epoch);
        }
        self.in_launch |= last.cube != accessor.cube;
        let same_cube = last.cube == accessor.cube && last.cube_epoch == accessor.cube_epoch;
        self.in_cube = same_cube && (self.in_cube || last.plane != accessor.plane);
        let same_plane = same_cube && last.plane == accessor.plane;
        self.in_plane = same_plane
            && match diverged {
                true => open.contains(&true),
                false => last.plane_epoch == accessor.plane_epoch && (self.in_plane || last.unit != accessor.unit),
            };
        (self.accessor, self.site) = (accessor, site + 1);
    }
}

/// The earlier access with which an access conflicts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Race {
    /// The unit of the earlier access.
    pub unit: u64,
    /// The site of the earlier access.
    pub site: u32,
    /// The effect of the earlier access, as a verb such as `writes`.
    pub effect: &'static str,
}

/// Recorded accesses of the lines of a buffer.
#[derive(Debug)]
pub(crate) struct Shadow {
    /// The last plain read and the last plain write of each line.
    plain: Vec<[RecordedAccess; 2]>,
    /// The last atomic read and the last atomic write of each line. The list is empty before the first atomic
    /// access.
    atomic: Vec<[RecordedAccess; 2]>,
    /// For each line, whether it was ever written.
    written: Vec<bool>,
}

/// The largest number of bytes that the records of one line occupy.
pub(crate) fn bytes_of_line() -> u64 {
    4 * size_of::<RecordedAccess>() as u64 + 1
}

impl Shadow {
    /// Creates empty records of accesses for `lines` lines.
    pub fn new(lines: u64, written: bool) -> Shadow {
        let lines = lines as usize;
        Shadow { plain: vec![[RecordedAccess::default(); 2]; lines], atomic: vec![], written: vec![written; lines] }
    }

    /// Clears the records, so that the next cube can use the memory.
    pub fn clear(&mut self) {
        self.plain.fill([RecordedAccess::default(); 2]);
        self.atomic.clear();
        self.written.fill(false);
    }

    /// Whether the line was written.
    pub fn is_written(&self, line: u64) -> bool {
        self.written.get(line as usize).copied().unwrap_or(true)
    }

    /// Marks a line as not written, because another buffer wrote its bytes.
    pub fn mark_unwritten(&mut self, line: u64) {
        if let Some(written) = self.written.get_mut(line as usize) {
            *written = false;
        }
    }

    /// Records an access. Returns an earlier access that races with the recorded access.
    pub fn record(
        &mut self,
        line: u64,
        accessor: AccessingUnit,
        site: u32,
        (writes, atomic): (bool, bool),
        passed: &PlaneBarriers,
    ) -> Option<Race> {
        let found = self.race(line, accessor, (writes, atomic), passed);
        let line = line as usize;
        if atomic && self.atomic.is_empty() {
            self.atomic = vec![[RecordedAccess::default(); 2]; self.plain.len()];
        }
        let touches = if atomic { self.atomic.get_mut(line) } else { self.plain.get_mut(line) };
        touches?[usize::from(writes)].update(accessor, site, passed);
        if writes {
            self.written[line] = true;
        }
        found
    }

    /// An earlier access that races with an access, which is not recorded.
    pub fn race(
        &self,
        line: u64,
        accessor: AccessingUnit,
        (writes, atomic): (bool, bool),
        passed: &PlaneBarriers,
    ) -> Option<Race> {
        let line = line as usize;
        let plain = self.plain.get(line)?;
        let race = |touch: &RecordedAccess, effect: &'static str| {
            touch.conflict(accessor, passed).map(|(unit, site)| Race { unit, site, effect })
        };
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
        found
    }
}
