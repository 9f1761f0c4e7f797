//! Plane barriers that units have passed, and the resulting order of accesses between lanes.
//!
//! The barriers of each plane are numbered. If all lanes of a plane reach a barrier, every access before the barrier
//! precedes every access after the barrier. After a barrier that only some lanes reached, the state contains the
//! number of a barrier for each pair of lanes. Accesses of the second lane before the barrier with this number
//! precede the next access of the first lane. Lanes that synchronise take the maximum of their numbers (vector
//! clocks; Mattern, 1989). After a barrier that all lanes reach, the numbers of the pairs are discarded.

/// The state of the plane barriers of a cube.
#[derive(Debug)]
pub(crate) struct PlaneBarriers {
    planes: Vec<Plane>,
    lanes: usize,
}

#[derive(Clone, Debug, Default)]
struct Plane {
    /// The last barrier.
    number: u32,
    diverged: Option<DivergedLanes>,
}

/// The state of a plane whose lanes have passed different barriers.
#[derive(Clone, Debug)]
struct DivergedLanes {
    /// The last barrier of each lane.
    own: Vec<u32>,
    /// For each pair of lanes, the number of a barrier. Accesses of the second lane before the barrier with this
    /// number precede the next access of the first lane.
    seen: Vec<u32>,
}

impl PlaneBarriers {
    /// The initial state, without passed barriers, for planes of `lanes` lanes.
    pub fn new(planes: usize, lanes: u32) -> Self {
        PlaneBarriers { planes: vec![Plane::default(); planes], lanes: lanes as usize }
    }

    /// Resets the state for the next cube.
    pub fn clear(&mut self) {
        self.planes.fill(Plane::default());
    }

    /// Synchronises the lanes `here` of a plane. `all` is true if `here` contains all lanes of the plane.
    pub fn synchronise(&mut self, plane: usize, here: &[usize], all: bool) {
        let lanes = self.lanes;
        let Some(plane) = self.planes.get_mut(plane) else { return };
        let before = plane.number;
        plane.number += 1;
        if all {
            plane.diverged = None;
            return;
        }
        let diverged = plane
            .diverged
            .get_or_insert_with(|| DivergedLanes { own: vec![before; lanes], seen: vec![before; lanes * lanes] });
        let known = |of: usize| here.iter().map(|lane| diverged.seen[lane * lanes + of]).max().unwrap_or(before);
        let mut joined: Vec<u32> = (0..lanes).map(known).collect();
        here.iter().for_each(|lane| joined[*lane] = plane.number);
        for lane in here {
            diverged.own[*lane] = plane.number;
            diverged.seen[lane * lanes..(lane + 1) * lanes].copy_from_slice(&joined);
        }
    }

    /// The last barrier that a lane has passed.
    #[inline(always)]
    pub fn last(&self, plane: u32, lane: u32) -> u32 {
        let Some(plane) = self.planes.get(plane as usize) else { return 0 };
        plane.diverged.as_ref().map_or(plane.number, |diverged| diverged.own[lane as usize])
    }

    /// Whether lanes of a plane have passed different barriers.
    #[inline(always)]
    pub fn has_diverged(&self, plane: u32) -> bool {
        self.planes.get(plane as usize).is_some_and(|plane| plane.diverged.is_some())
    }

    /// Whether an access of lane `earlier` precedes the next access of lane `later`. `last` is the number of
    /// the last barrier that the lane `earlier` passed before its access.
    pub fn orders(&self, plane: u32, (earlier, last): (u32, u32), later: u32) -> bool {
        let Some(plane) = self.planes.get(plane as usize) else { return false };
        let seen = |diverged: &DivergedLanes| diverged.seen[later as usize * self.lanes + earlier as usize];
        last < plane.diverged.as_ref().map_or(plane.number, seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synchronised_lanes_are_ordered_with_each_other_only() {
        let mut passed = PlaneBarriers::new(1, 4);
        let start: Vec<u32> = (0..4).map(|lane| passed.last(0, lane)).collect();
        let orders = |passed: &PlaneBarriers, earlier: u32, later: u32| {
            passed.orders(0, (earlier, start[earlier as usize]), later)
        };
        passed.synchronise(0, &[0, 1], false);
        assert!(passed.has_diverged(0) && orders(&passed, 0, 1) && orders(&passed, 1, 0));
        assert!(!orders(&passed, 2, 0) && !orders(&passed, 0, 2));
        // Later accesses of lane 0 do not precede the accesses of lane 1.
        assert!(!passed.orders(0, (0, passed.last(0, 0)), 1));
        // By transitivity through lane 1, lane 2 is ordered after lane 0. Lane 3 is not ordered after another lane.
        passed.synchronise(0, &[1, 2], false);
        assert!(orders(&passed, 0, 2) && orders(&passed, 1, 2) && !orders(&passed, 2, 0) && !orders(&passed, 0, 3));
        passed.synchronise(0, &[0, 1, 2, 3], true);
        assert!(!passed.has_diverged(0) && orders(&passed, 3, 0) && orders(&passed, 0, 3));
    }
}
