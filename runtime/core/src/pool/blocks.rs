//! The segments of a pool, and the blocks in each segment.
//!
//! The blocks of a segment form a doubly linked list in address order and cover the segment without gaps. Two
//! neighbouring blocks are never free at the same time, because [`Blocks::free`] merges neighbouring free
//! blocks. For each size class, a set orders the free blocks by size.
use crate::queue::Ticks;
use std::collections::BTreeSet;

/// Size classes of requests. All blocks of a segment belong to one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Small,
    Medium,
    /// A segment of the class `Large` has one block.
    Large,
    /// Small blocks of persistent requests.
    PersistentSmall,
    /// Medium blocks of persistent requests.
    PersistentMedium,
}

/// Number of size classes.
const CLASSES: usize = 5;

/// The block number that means "no block".
const NONE: u32 = u32::MAX;

#[derive(Debug)]
struct Node {
    segment: u32,
    offset: u64,
    size: u64,
    previous: u32,
    next: u32,
    free: bool,
    /// Whether all bytes of the block are zero, because the block was never used after its segment was
    /// reserved.
    zeroed: bool,
    /// The last commands that use the memory of the block.
    ticks: Ticks,
}

#[derive(Debug)]
struct Segment<S> {
    memory: S,
    class: Class,
    size: u64,
    first: u32,
}

#[derive(Debug)]
pub(super) struct Blocks<S> {
    nodes: Vec<Node>,
    unused_nodes: Vec<u32>,
    segments: Vec<Option<Segment<S>>>,
    unused_segments: Vec<u32>,
    free: [BTreeSet<(u64, u32)>; CLASSES],
    reserved: u64,
    free_large: u64,
}

impl<S> Default for Blocks<S> {
    fn default() -> Self {
        Blocks {
            nodes: Vec::new(),
            unused_nodes: Vec::new(),
            segments: Vec::new(),
            unused_segments: Vec::new(),
            free: Default::default(),
            reserved: 0,
            free_large: 0,
        }
    }
}

impl<S> Blocks<S> {
    /// Total size of all segments in bytes.
    pub fn reserved(&self) -> u64 {
        self.reserved
    }

    /// Total size in bytes of the free segments of the class `Large`.
    pub fn free_large(&self) -> u64 {
        self.free_large
    }

    pub fn size(&self, id: u32) -> u64 {
        self.nodes[id as usize].size
    }

    pub fn offset(&self, id: u32) -> u64 {
        self.nodes[id as usize].offset
    }

    pub fn zeroed(&self, id: u32) -> bool {
        self.nodes[id as usize].zeroed
    }

    pub fn ticks(&self, id: u32) -> Ticks {
        self.nodes[id as usize].ticks
    }

    pub fn set_ticks(&mut self, id: u32, ticks: Ticks) {
        self.nodes[id as usize].ticks = ticks;
    }

    pub fn segment_of(&self, id: u32) -> &S {
        &self.segment(self.nodes[id as usize].segment).memory
    }

    fn segment(&self, index: u32) -> &Segment<S> {
        self.segments[index as usize].as_ref().expect("a block's segment is alive")
    }

    pub fn class_of(&self, id: u32) -> Class {
        self.segment(self.nodes[id as usize].segment).class
    }

    /// Adds a segment that consists of one free block.
    pub fn add(&mut self, class: Class, size: u64, memory: S, zeroed: bool) {
        let index = self.unused_segments.pop().unwrap_or_else(|| {
            self.segments.push(None);
            (self.segments.len() - 1) as u32
        });
        let ticks = Ticks::default();
        let node = Node { segment: index, offset: 0, size, previous: NONE, next: NONE, free: false, zeroed, ticks };
        let first = self.node(node);
        self.segments[index as usize] = Some(Segment { memory, class, size, first });
        self.reserved += size;
        self.mark_free(first);
    }

    /// Takes the smallest free block whose size is from `size` to `most` bytes. If segments of this class can have
    /// several blocks, the unused part of the block becomes a free block.
    pub fn take(&mut self, class: Class, size: u64, most: u64) -> Option<u32> {
        let &(found, id) = self.free[class as usize].range((size, 0)..).next().filter(|(found, _)| *found <= most)?;
        self.mark_used(id);
        if class != Class::Large && found > size {
            let Node { segment, offset, next, zeroed, ticks, .. } = self.nodes[id as usize];
            let (offset, size_of_rest) = (offset + size, found - size);
            let rest = Node { segment, offset, size: size_of_rest, previous: id, next, free: false, zeroed, ticks };
            let rest = self.node(rest);
            if next != NONE {
                self.nodes[next as usize].previous = rest;
            }
            let node = &mut self.nodes[id as usize];
            (node.size, node.next) = (size, rest);
            self.mark_free(rest);
        }
        Some(id)
    }

    /// Frees a block, and merges it with neighbouring free blocks.
    pub fn free(&mut self, id: u32) {
        self.nodes[id as usize].zeroed = false;
        let Node { previous, next, .. } = self.nodes[id as usize];
        if next != NONE && self.nodes[next as usize].free {
            self.mark_used(next);
            self.absorb(id, next);
        }
        if previous != NONE && self.nodes[previous as usize].free {
            self.mark_used(previous);
            self.absorb(previous, id);
            self.nodes[previous as usize].zeroed = false;
            return self.mark_free(previous);
        }
        self.mark_free(id);
    }

    /// Removes all segments that consist of one free block.
    pub fn remove_empty(&mut self) -> Vec<S> {
        let empty = |index: &u32| {
            let segment = self.segments[*index as usize].as_ref();
            segment.is_some_and(|segment| {
                let first = &self.nodes[segment.first as usize];
                first.free && first.size == segment.size
            })
        };
        let empty: Vec<u32> = (0..self.segments.len() as u32).filter(empty).collect();
        empty.into_iter().filter_map(|index| self.remove(index)).collect()
    }

    /// Removes the largest free segment of the class `Large`.
    pub fn remove_largest(&mut self) -> Option<S> {
        let &(_, id) = self.free[Class::Large as usize].last()?;
        self.remove(self.nodes[id as usize].segment)
    }

    fn remove(&mut self, index: u32) -> Option<S> {
        let segment = self.segments[index as usize].as_ref()?;
        let (first, size) = (segment.first, segment.size);
        self.mark_used(first);
        self.unused_nodes.push(first);
        self.unused_segments.push(index);
        self.reserved -= size;
        self.segments[index as usize].take().map(|segment| segment.memory)
    }

    fn node(&mut self, node: Node) -> u32 {
        if let Some(id) = self.unused_nodes.pop() {
            self.nodes[id as usize] = node;
            return id;
        }
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    /// Merges the block `right` into the block `left` before it.
    fn absorb(&mut self, left: u32, right: u32) {
        let Node { size, next, ticks, .. } = self.nodes[right as usize];
        let node = &mut self.nodes[left as usize];
        node.size += size;
        node.ticks.join(&ticks);
        node.next = next;
        if next != NONE {
            self.nodes[next as usize].previous = left;
        }
        self.unused_nodes.push(right);
    }

    fn mark_free(&mut self, id: u32) {
        let (class, size) = (self.class_of(id), self.size(id));
        self.free[class as usize].insert((size, id));
        self.nodes[id as usize].free = true;
        if class == Class::Large {
            self.free_large += size;
        }
    }

    fn mark_used(&mut self, id: u32) {
        let (class, size) = (self.class_of(id), self.size(id));
        self.free[class as usize].remove(&(size, id));
        self.nodes[id as usize].free = false;
        if class == Class::Large {
            self.free_large -= size;
        }
    }

    /// Checks the invariants of this module.
    #[cfg(test)]
    pub fn check(&self) {
        let mut free = 0;
        let mut reserved = 0;
        for (index, segment) in self.segments.iter().enumerate() {
            let Some(segment) = segment else { continue };
            reserved += segment.size;
            let (mut id, mut at, mut before, mut before_free) = (segment.first, 0, NONE, false);
            while id != NONE {
                let node = &self.nodes[id as usize];
                assert_eq!((node.segment as usize, node.offset, node.previous), (index, at, before));
                assert!(node.size > 0 && !(before_free && node.free), "two free neighbours at {at}");
                assert_eq!(self.free[segment.class as usize].contains(&(node.size, id)), node.free);
                free += usize::from(node.free);
                (at, before, before_free, id) = (at + node.size, id, node.free, node.next);
            }
            assert_eq!(at, segment.size);
        }
        assert_eq!(free, self.free.iter().map(BTreeSet::len).sum::<usize>());
        let large = self.free[Class::Large as usize].iter().map(|(size, _)| size).sum::<u64>();
        assert_eq!((reserved, large), (self.reserved, self.free_large));
    }
}
