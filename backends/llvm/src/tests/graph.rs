//! Compares the graph algorithms with their definitions, on random graphs and on a long graph.
use super::*;

/// A random graph by a linear congruential generator; `forward` edges lead to later blocks only.
fn random(seed: u64, forward: bool) -> Graph {
    let mut state = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    let mut pick = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let size = 3 + pick(7);
    let next = (0..size).map(|at| {
        let from = if forward { at + 1 } else { 0 };
        if from >= size { vec![] } else { (0..pick(3)).map(|_| from + pick(size - from)).collect() }
    });
    Graph::new(next.collect())
}

// The blocks that paths from `from` reach, including `from`; no path contains `avoid`.
fn reach(graph: &Graph, from: usize, avoid: usize) -> HashSet<usize> {
    reach_without(graph, from, &HashSet::from([avoid]))
}

fn reach_without(graph: &Graph, from: usize, avoid: &HashSet<usize>) -> HashSet<usize> {
    let (mut seen, mut open) = (HashSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        if !avoid.contains(&at) && seen.insert(at) {
            open.extend(&graph.next[at]);
        }
    }
    seen
}

fn decides(graph: &Graph, branch: usize, block: usize) -> bool {
    let always =
        |next: &usize| *next == block || !reach(graph, *next, block).iter().any(|at| graph.next[*at].is_empty());
    graph.next[branch].iter().any(always) && !graph.next[branch].iter().all(always)
}

fn leads(graph: &Graph, branch: usize, to: usize, avoid: usize) -> bool {
    graph.next[branch].iter().any(|next| reach(graph, *next, avoid).contains(&to))
}

#[test]
fn branch_controls_blocks_on_all_paths_of_exactly_one_side() {
    for seed in 0..400 {
        let graph = random(seed, false);
        let size = graph.next.len();
        for branch in 0..size {
            let mut expected: HashSet<usize> = HashSet::new();
            let mut open = vec![branch];
            while let Some(at) = open.pop() {
                open.extend((0..size).filter(|block| decides(&graph, at, *block) && expected.insert(*block)));
            }
            assert_eq!(graph.decided_by(&[branch]), expected, "seed {seed}, branch {branch} of {:?}", graph.next);
        }
    }
}

#[test]
fn join_is_the_first_common_block_of_disjoint_paths() {
    for seed in 0..400 {
        let graph = random(seed, true);
        let size = graph.next.len();
        for branch in 0..size {
            let mut expected = Vec::new();
            for at in branch + 1..size {
                let before = (0..size).filter(|from| graph.next[*from].contains(&at));
                let from: HashSet<usize> =
                    before.filter(|from| *from == branch || leads(&graph, branch, *from, at)).collect();
                let mut others = (0..size).filter(|other| *other != branch && *other != at);
                if from.len() > 1 && others.all(|other| leads(&graph, branch, at, other)) {
                    expected.push(Join { at, from });
                }
            }
            let mut joins = graph.joins(branch);
            joins.sort_by_key(|join| join.at);
            assert_eq!(joins, expected, "seed {seed}, branch {branch} of {:?}", graph.next);
        }
    }
}

#[test]
fn paths_through_a_loop_join_at_its_exit() {
    // 0 -> 1 (outer) -> 2 (inner, ends itself by a branch) -> 2 or 3 -> 1 or 4
    let graph = Graph::new(vec![vec![1], vec![2], vec![2, 3], vec![1, 4], vec![]]);
    assert_eq!(graph.joins(2), vec![]);
    // A loop with two exits. The values differ between units that leave by different exits.
    let graph = Graph::new(vec![vec![1], vec![2, 3], vec![1, 3], vec![]]);
    assert_eq!(graph.joins(1), vec![Join { at: 3, from: HashSet::from([1, 2]) }]);
}

// By definition: the blocks of closed paths from the branch to itself, without the blocks of all paths to an exit.
#[test]
fn repeated_blocks_are_those_of_closed_paths_before_the_reconvergence() {
    let mut loops = 0;
    for seed in 0..400 {
        let graph = random(seed, false);
        let size = graph.next.len();
        for branch in 0..size {
            let ends = |avoid: usize| reach(&graph, branch, avoid).iter().any(|at| graph.next[*at].is_empty());
            let every = (0..size).filter(|at| *at != branch && ends(size) && !ends(*at)).collect();
            let leads = |from: usize, to: usize| {
                graph.next[from].iter().any(|next| reach_without(&graph, *next, &every).contains(&to))
            };
            let closed = (0..size).filter(|at| leads(branch, *at) && leads(*at, branch));
            let expected: HashSet<usize> = closed.collect();
            loops += usize::from(!expected.is_empty());
            assert_eq!(graph.repeated(branch), expected, "seed {seed}, branch {branch} of {:?}", graph.next);
        }
    }
    assert!(loops >= 100, "only {loops} branches are in a loop");
    // A loop with a check in its body: the units reconverge in each iteration, except at the exit.
    let graph = Graph::new(vec![vec![1], vec![2, 3], vec![3], vec![1, 4], vec![]]);
    assert_eq!((graph.repeated(1), graph.repeated(3)), (HashSet::new(), HashSet::from([1, 2, 3])));
}

// 100,000 checks in sequence: the search from each check ends where its paths join.
#[test]
fn join_search_stops_at_the_join() {
    let checks = 100_000;
    let next = (0..checks).flat_map(|i| [vec![2 * i + 1, 2 * i + 2], vec![2 * i + 2]]).chain([vec![]]);
    let graph = Graph::new(next.collect());
    let branches: Vec<usize> = (0..checks).map(|i| 2 * i).collect();
    for branch in &branches {
        assert_eq!(graph.joins(*branch), vec![Join { at: branch + 2, from: HashSet::from([*branch, branch + 1]) }]);
    }
    assert_eq!(graph.decided_by(&branches).len(), checks);
}
