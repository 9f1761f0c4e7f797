//! Predictions for small profiles whose numbers are calculated in the comments of the tests.
use super::*;
use cube_target::Target;

// A kernel in which each of 256 units loads one f32 at `index`, and stores one at its position. Nodes 0 to 4 are the unit, the
// cube, the cube dim, and the position.
pub(crate) fn profile(index: &[Node]) -> Profile {
    let target = Target::known("nvptx", "sm_90a").expect("a known chip");
    let binary = |function, x, y| Node::Binary { function, bits: 32, x, y };
    let mut nodes =
        vec![Node::Unit(0), Node::Cube(0), Node::Number(256), binary(Function::Mul, 1, 2), binary(Function::Add, 3, 0)];
    nodes.extend_from_slice(index);
    let access = |kind, name: &str, index| Access {
        block: 0,
        memory: Memory::Global(name.into()),
        kind,
        bytes: 4,
        index,
        element: 4,
        location: String::new(),
    };
    let last = nodes.len() as u32 - 1;
    Profile {
        kernel: "k".into(),
        params: vec![],
        machine: target.machine.clone().expect("a board"),
        cube_dim: [256, 1, 1],
        plane_dim: 32,
        cube_count: None,
        registers: 16,
        register_file: 65536,
        shared_bytes: 0,
        resident_planes: 16,
        costs: target.costs.clone(),
        latencies: target.latencies.clone(),
        nodes,
        blocks: vec![Block { counts: [(CostClass::FmaF32, 1)].into(), ..Block::default() }],
        accesses: vec![access(AccessKind::Load, "x", last), access(AccessKind::Store, "y", 4)],
    }
}

fn facts(cubes: u64) -> Facts {
    let lengths = [("x".to_string(), cubes * 256), ("y".to_string(), cubes * 256)].into();
    Facts { cubes: [cubes, 1, 1], lengths, ..Facts::default() }
}

#[test]
fn streams_move_each_byte_once_and_take_the_time_of_global_memory() {
    let found = profile(&[]).predict(&facts(1 << 20)).expect("all names are known");
    assert_eq!(found.global_bytes, 2.0 * 4.0 * 256.0 * f64::from(1 << 20));
    // In this kernel, one access of a plane covers exactly one group of 128 bytes.
    assert_eq!(found.accesses.iter().map(|a| (a.cycles, a.least)).collect::<Vec<_>>(), [(1.0, 1.0); 2]);
    let least = found.global_bytes / 4.8e12;
    assert!(found.seconds > least && found.seconds < 2.0 * least, "{found:?}");
}

#[test]
fn strided_loads_take_one_group_for_each_lane_and_a_sector_for_each_element() {
    let strided = profile(&[Node::Number(64), Node::Binary { function: Function::Mul, bits: 32, x: 4, y: 5 }]);
    let found = strided.predict(&facts(1 << 16)).expect("all names are known");
    assert_eq!((found.accesses[0].cycles, found.accesses[0].least), (32.0, 1.0));
    assert_eq!(found.cache_bytes, (32.0 + 4.0) * 256.0 * f64::from(1 << 16));
    assert_eq!(found.limit, Limit::MemoryPipeline);
    // If all units of a plane load one element, the access takes one group and one sector.
    let broadcast = profile(&[Node::Number(7)]);
    let found = broadcast.predict(&facts(1 << 16)).expect("all names are known");
    assert_eq!(found.accesses[0].cycles, 1.0);
    assert!(found.cache_bytes < 4.2 * 256.0 * f64::from(1 << 16), "{}", found.cache_bytes);
}

#[test]
fn unknown_indices_count_as_scattered() {
    let found = profile(&[Node::Unknown]).predict(&facts(1 << 16)).expect("all names are known");
    assert!(found.accesses[0].unknown && !found.accesses[1].unknown);
    assert_eq!(found.accesses[0].cycles, 32.0);
}

// Adds a loop to the profile, which runs from 0 to the scalar `n` and contains the load.
fn looped() -> Profile {
    let mut looped = profile(&[Node::Launch("n".into()), Node::Number(0), Node::Number(1), Node::Counter(1)]);
    let kind = BlockKind::Loop { from: 6, to: 5, step: 7, bits: 32, signed: false };
    let counts = [(CostClass::FmaF32, 2)].into();
    looped.blocks.push(Block { parent: 0, kind, counts, ..Block::default() });
    looped.accesses[0].block = 1;
    looped
}

#[test]
fn loops_multiply_the_work_and_missing_names_are_reported() {
    let looped = looped();
    let error = looped.predict(&facts(132)).expect_err("n is missing");
    assert!(error.contains("'n'"), "{error}");
    let time = |n: u64| {
        let facts = Facts { scalars: [("n".to_string(), n)].into(), ..facts(132) };
        let found = looped.predict(&facts).expect("all names are known");
        assert!(found.assumptions.is_empty(), "{found:?}");
        (found.instructions, found.seconds)
    };
    assert_eq!((time(10).0, time(1000).0), (21.0, 2001.0));
    assert!(time(1000).1 > 20.0 * time(10).1 / 4.0);
    assert_eq!(time(0).0, 1.0);
}

#[test]
fn iterations_that_do_not_fit_into_a_multiprocessor_load_each_byte_once() {
    // Iteration k of a unit loads the line 2^20 k + position. The lines of 128 bytes of 8 iterations of 8 cubes exceed
    // the cache of 228 KiB.
    let index = [
        Node::Launch("n".into()),
        Node::Number(0),
        Node::Number(1),
        Node::Counter(1),
        Node::Number(1 << 20),
        Node::Binary { function: Function::Mul, bits: 64, x: 8, y: 9 },
        Node::Binary { function: Function::Add, bits: 64, x: 10, y: 4 },
    ];
    let mut kernel = profile(&index);
    let kind = BlockKind::Loop { from: 6, to: 5, step: 7, bits: 32, signed: false };
    kernel.blocks.push(Block { parent: 0, kind, ..Block::default() });
    for bytes in [4, 128] {
        (kernel.accesses[0].block, kernel.accesses[0].bytes, kernel.accesses[0].element) = (1, bytes, bytes);
        let facts = Facts { scalars: [("n".to_string(), 100)].into(), ..facts(1000) };
        let found = kernel.predict(&facts).expect("all names are known");
        let loads = f64::from(bytes) * 100.0 * 256.0 * 1000.0;
        assert_eq!(found.cache_bytes, loads + 4.0 * 256.0 * 1000.0);
    }
}

#[test]
fn arms_run_where_their_condition_holds() {
    let mut guarded = looped();
    // The arm runs for the units below 16, which are all in one of the eight planes.
    guarded.nodes.push(Node::Number(16));
    guarded.nodes.push(Node::Binary { function: Function::LtU, bits: 32, x: 0, y: 9 });
    guarded.nodes.push(Node::Unknown);
    let facts = Facts { scalars: [("n".to_string(), 10)].into(), ..facts(132) };
    guarded.blocks[1].kind = BlockKind::Arm(10, true);
    let found = guarded.predict(&facts).expect("all names are known");
    assert_eq!(found.instructions, 1.0 + 2.0 / 8.0);
    assert_eq!(found.accesses[0].runs, 1.0);
    guarded.blocks[1].kind = BlockKind::Arm(11, true);
    let found = guarded.predict(&facts).expect("all names are known");
    assert_eq!((found.instructions, found.assumptions), (3.0, vec![Assumption::Condition(1)]));
    guarded.blocks[1].kind = BlockKind::While;
    let found = guarded.predict(&facts).expect("all names are known");
    assert_eq!((found.instructions, found.assumptions), (33.0, vec![Assumption::Trips(1, 16)]));
}

#[test]
fn registers_and_shared_memory_limit_the_resident_planes() {
    let mut kernel = profile(&[]);
    assert_eq!(kernel.resident(), (64, Resource::Planes));
    kernel.registers = 100;
    // With 104 registers per unit, 32 lanes and 8 planes per cube, 2 cubes fit the registers of a multiprocessor.
    assert_eq!(kernel.resident(), (16, Resource::Registers));
    kernel.shared_bytes = 200 << 10;
    assert_eq!(kernel.resident(), (8, Resource::SharedMemory));
    let few = kernel.predict(&facts(1 << 16)).expect("all names are known");
    let all = profile(&[]).predict(&facts(1 << 16)).expect("all names are known");
    assert!(few.limit == Limit::Latency && few.seconds > 2.0 * all.seconds, "{few:?} {all:?}");
}

#[test]
fn bank_conflicts_count_the_words_of_the_busiest_bank() {
    let cycles = |stride: u64| {
        let mut kernel =
            profile(&[Node::Number(stride), Node::Binary { function: Function::Mul, bits: 32, x: 0, y: 5 }]);
        kernel.accesses[0].memory = Memory::Shared(0);
        kernel.predict(&facts(132)).expect("all names are known").accesses[0].cycles
    };
    assert_eq!([1, 2, 8, 32, 33].map(cycles), [1.0, 2.0, 8.0, 32.0, 1.0]);
}

#[test]
fn facts_are_parsed_and_wrong_ones_are_named() {
    let facts = Facts::parse("cubes=4x2, n=7,x=100,i=-1", |name| name == "x").expect("correct facts");
    assert_eq!((facts.cubes, facts.lengths["x"]), ([4, 2, 1], 100));
    assert_eq!((facts.scalars["n"], facts.scalars["i"]), (7, u64::MAX));
    for wrong in ["cubes", "cubes=1x2x3x4", "cubes=a", "n=x"] {
        assert!(Facts::parse(wrong, |_| false).expect_err("wrong").contains(&format!("'{wrong}'")));
    }
}

#[test]
fn profiles_are_stored_and_read_back() {
    let profile = looped();
    let bytes = postcard::to_stdvec(&profile).expect("plain data");
    assert_eq!(postcard::from_bytes::<Profile>(&bytes), Ok(profile));
}
