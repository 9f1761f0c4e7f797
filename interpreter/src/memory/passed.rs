//! The barriers of planes that units have passed, and what each lane knows of the others by them.
//!
//! Barriers of a plane are numbered. While all lanes come to each of them, an access is ordered before those of lanes that have passed
//! a later one. Once only some have come, each lane remembers of each other up to which number it is ordered after it: those
//! that meet learn what any of them knows (vector clocks; Mattern, 1989). A barrier of all forgets that again.

/// The barriers of the planes of a cube.
#[derive(Debug)]
pub(crate) struct Passed {
    planes: Vec<Plane>,
    lanes: usize,
}

#[derive(Clone, Debug, Default)]
struct Plane {
    /// The last barrier.
    number: u32,
    parted: Option<Parted>,
}

/// Lanes that have not passed the same barriers.
#[derive(Clone, Debug)]
struct Parted {
    /// The last barrier of each lane.
    own: Vec<u32>,
    /// For each lane and each other, the barrier before which the other's accesses are ordered before what the lane does now.
    seen: Vec<u32>,
}

impl Passed {
    /// None yet, of planes with so many lanes.
    pub fn new(planes: usize, lanes: u32) -> Self {
        Passed { planes: vec![Plane::default(); planes], lanes: lanes as usize }
    }

    /// The next cube begins.
    pub fn clear(&mut self) {
        self.planes.fill(Plane::default());
    }

    /// Lanes of a plane meet; `all` where no other exists.
    pub fn meet(&mut self, plane: usize, here: &[usize], all: bool) {
        let lanes = self.lanes;
        let Some(plane) = self.planes.get_mut(plane) else { return };
        let before = plane.number;
        plane.number += 1;
        if all {
            plane.parted = None;
            return;
        }
        let parted =
            plane.parted.get_or_insert_with(|| Parted { own: vec![before; lanes], seen: vec![before; lanes * lanes] });
        let known = |of: usize| here.iter().map(|lane| parted.seen[lane * lanes + of]).max().unwrap_or(before);
        let mut joined: Vec<u32> = (0..lanes).map(known).collect();
        here.iter().for_each(|lane| joined[*lane] = plane.number);
        for lane in here {
            parted.own[*lane] = plane.number;
            parted.seen[lane * lanes..(lane + 1) * lanes].copy_from_slice(&joined);
        }
    }

    /// The last barrier that a lane has passed.
    #[inline(always)]
    pub fn last(&self, plane: u32, lane: u32) -> u32 {
        let Some(plane) = self.planes.get(plane as usize) else { return 0 };
        plane.parted.as_ref().map_or(plane.number, |parted| parted.own[lane as usize])
    }

    /// Whether lanes of a plane have passed different barriers.
    #[inline(always)]
    pub fn is_parted(&self, plane: u32) -> bool {
        self.planes.get(plane as usize).is_some_and(|plane| plane.parted.is_some())
    }

    /// Whether what lane `earlier` did after its barrier `last` is ordered before what lane `later` does now.
    pub fn orders(&self, plane: u32, (earlier, last): (u32, u32), later: u32) -> bool {
        let Some(plane) = self.planes.get(plane as usize) else { return false };
        let seen = |parted: &Parted| parted.seen[later as usize * self.lanes + earlier as usize];
        last < plane.parted.as_ref().map_or(plane.number, seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_that_meet_learn_from_each_other_and_from_nobody_else() {
        let mut passed = Passed::new(1, 4);
        let start: Vec<u32> = (0..4).map(|lane| passed.last(0, lane)).collect();
        let orders =
            |passed: &Passed, earlier: u32, later: u32| passed.orders(0, (earlier, start[earlier as usize]), later);
        passed.meet(0, &[0, 1], false);
        assert!(passed.is_parted(0) && orders(&passed, 0, 1) && orders(&passed, 1, 0));
        assert!(!orders(&passed, 2, 0) && !orders(&passed, 0, 2));
        // What lane 0 does from here on lane 1 knows nothing of.
        assert!(!passed.orders(0, (0, passed.last(0, 0)), 1));
        // Through lane 1 lane 2 learns of lane 0, and lane 3 of nobody.
        passed.meet(0, &[1, 2], false);
        assert!(orders(&passed, 0, 2) && orders(&passed, 1, 2) && !orders(&passed, 2, 0) && !orders(&passed, 0, 3));
        passed.meet(0, &[0, 1, 2, 3], true);
        assert!(!passed.is_parted(0) && orders(&passed, 3, 0) && orders(&passed, 0, 3));
    }
}
