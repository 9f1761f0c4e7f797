//! Tests of the check after O3, on control flow in LLVM IR.
use super::*;
use inkwell::{context::Context, memory_buffer::MemoryBuffer};

const DECLARED: &str = "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
    declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)\n";

/// The GPU calls in these tests, by their NVPTX names.
const CALLS: Convergence = Convergence {
    target: "llvm.nvvm.",
    uniform: &["llvm.nvvm.read.ptx.sreg.ctaid"],
    positions: &["llvm.nvvm.read.ptx.sreg.tid"],
    shuffles: &["llvm.nvvm.shfl"],
    votes: &["llvm.nvvm.vote"],
    barriers: &["llvm.nvvm.barrier"],
    planes: &["llvm.nvvm.shfl", "llvm.nvvm.vote"],
};

fn found(body: &str) -> Option<String> {
    let context = Context::create();
    let text = format!("{DECLARED}define void @k(ptr %p, i32 %n) {{\n{body}\n}}\n");
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "k");
    let misplaced = mark(&context, &context.create_module_from_ir(buffer).unwrap(), &CALLS);
    misplaced.into_iter().next().map(|(_, kernel)| kernel)
}

const SYNC: &str = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";

#[test]
fn a_barrier_under_a_branch_of_positions_is_found() {
    let by = |condition: &str| {
        found(&format!("{condition}\nbr i1 %c, label %in, label %out\nin:\n{SYNC}\nbr label %out\nout:\nret void"))
    };
    let tid = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
    assert_eq!(by(&format!("{tid}%c = icmp ult i32 %t, %n")), Some("k".into()));
    let read = "%a = getelementptr i32, ptr %p, i32 %t\n%v = load i32, ptr %a\n%c = icmp eq i32 %v, 0";
    assert_eq!(by(&format!("{tid}{read}")), Some("k".into()));
    assert_eq!(by("%o = atomicrmw add ptr %p, i32 1 monotonic\n%c = icmp eq i32 %o, 0"), Some("k".into()));
    // Votes can differ between planes.
    let vote =
        "%b = icmp ult i32 %t, %n\n%v = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %b)\n%c = icmp eq i32 %v, 0";
    assert_eq!(by(&format!("{tid}{vote}")), Some("k".into()));
    let cube = "%t = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n";
    assert_eq!(by(&format!("{cube}%c = icmp ult i32 %t, %n")), None);
    assert_eq!(by("%v = load i32, ptr %p\n%c = icmp eq i32 %v, 0"), None);
}

#[test]
fn unlisted_calls_are_divergent_and_unlisted_convergent_calls_are_barriers() {
    let by = |declared: &str, condition: &str, inside: &str| {
        let context = Context::create();
        let text = format!(
            "{DECLARED}{declared}\ndefine void @k(ptr %p, i32 %n) {{\n{condition}\nbr i1 %c, label %in, label %out
            in:\n{inside}\nbr label %out\nout:\nret void\n}}\n"
        );
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "k");
        mark(&context, &context.create_module_from_ir(buffer).unwrap(), &CALLS)
    };
    let barrier = (Kind::Barrier, "k".to_string());
    let found = |declared: &str, condition: &str, inside: &str| by(declared, condition, inside).contains(&barrier);
    let compared = |call: &str| format!("%v = call i32 {call}\n%c = icmp eq i32 %v, 0");
    // An unlisted position, an external function, and a target-independent intrinsic.
    let lane = "declare i32 @llvm.nvvm.read.ptx.sreg.laneid()";
    assert!(found(lane, &compared("@llvm.nvvm.read.ptx.sreg.laneid()"), SYNC));
    assert!(found("declare i32 @other(i32)", &compared("@other(i32 %n)"), SYNC));
    let bits = "declare i32 @llvm.ctpop.i32(i32)";
    assert!(!found(bits, &compared("@llvm.ctpop.i32(i32 %n)"), SYNC));
    // Inside of a divergent branch.
    let odd = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%c = icmp ult i32 %t, %n";
    assert!(found("declare void @wait() convergent", odd, "call void @wait()"));
    assert!(found("declare void @wait()", odd, "call void @wait() convergent"));
    assert!(!found("declare void @wait()", odd, "call void @wait()"));
    let both = by("declare void @wait() convergent", odd, "call void @wait()");
    assert_eq!(both, BTreeSet::from([barrier.clone(), (Kind::Plane, "k".into())]));
}

#[test]
fn phi_of_a_position_branch_is_varying() {
    let body = |condition: &str| {
        found(&format!(
            "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%d = icmp ult i32 {condition}, 7
            br i1 %d, label %a, label %b\na:\nbr label %j\nb:\nbr label %j
            j:\n%v = phi i32 [1, %a], [2, %b]\n%c = icmp eq i32 %v, 1\nbr i1 %c, label %in, label %out
            in:\n{SYNC}\nbr label %out\nout:\nret void"
        ))
    };
    assert_eq!(body("%t"), Some("k".into()));
    assert_eq!(body("%n"), None);
}

// The IR after O3 of a loop with a check and a barrier, whose counter decreases. Random kernels on a GPU found this
// case.
#[test]
fn phi_with_equal_incoming_values_is_uniform() {
    let body = |skipped: &str| {
        found(&format!(
            "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%d = icmp ult i32 %t, 7\nbr label %l
            l:\n%i = phi i32 [%n, %0], [%v, %j]\n%z = icmp eq i32 %i, 0\nbr i1 %z, label %j, label %in
            in:\n{SYNC}\n%o = sub i32 %i, 1\n%p2 = sub i32 %i, 2\nbr i1 %d, label %st, label %j
            st:\nstore i32 0, ptr %p\nbr label %j
            j:\n%v = phi i32 [0, %l], [%o, %st], [{skipped}, %in]\nbr i1 %z, label %out, label %l\nout:\nret void"
        ))
    };
    assert_eq!(body("%o"), None);
    assert_eq!(body("%p2"), Some("k".into()));
}

// LLVM moved two equal stores to the block `both`, which the entry reaches with another value. The units of the divergent
// branch all have `%a` after it.
#[test]
fn a_phi_with_one_value_on_the_paths_from_a_branch_is_uniform() {
    let body = |from_branch: &str| {
        found(&format!(
            "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%u = icmp ult i32 %n, 7\nbr i1 %u, label %one, label %two
            one:\n%x = load i32, ptr %p\nbr label %both
            two:\n%a = load i32, ptr %p\n%c = icmp ult i32 %t, %n\nbr i1 %c, label %both, label %join
            both:\n%s = phi i32 [%x, %one], [{from_branch}, %two]\nstore i32 %s, ptr %p\nbr label %join
            join:\n%v = phi i32 [%a, %two], [%s, %both]\n%d = icmp eq i32 %v, 0\nbr i1 %d, label %in, label %out
            in:\n{SYNC}\nbr label %out\nout:\nret void"
        ))
    };
    assert_eq!(body("%a"), None);
    assert_eq!(body("%n"), Some("k".into()));
    assert_eq!(body("%t"), Some("k".into()));
}

// The path leads back to the branch, so the values before and after the last iteration are joined.
#[test]
fn a_phi_with_values_of_two_iterations_is_varying() {
    let body = format!(
        "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\nbr label %head
        head:\n%i = phi i32 [0, %0], [%j, %back]\n%a = load i32, ptr %p\n%c = icmp ult i32 %i, %t
        br i1 %c, label %back, label %join
        back:\n%s = phi i32 [%a, %head]\n%j = add i32 %i, 1\n%o = icmp ult i32 %j, %n
        br i1 %o, label %head, label %join
        join:\n%v = phi i32 [%a, %head], [%s, %back]\n%d = icmp eq i32 %v, 0\nbr i1 %d, label %in, label %out
        in:\n{SYNC}\nbr label %out\nout:\nret void"
    );
    assert_eq!(found(&body), Some("k".into()));
}

#[test]
fn barrier_in_a_loop_requires_a_uniform_trip_count() {
    let body = |iterations: &str| {
        found(&format!(
            "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\nbr label %l
            l:\n%i = phi i32 [0, %0], [%j, %l]\n{SYNC}\n%j = add i32 %i, 1\n%c = icmp ult i32 %j, {iterations}
            br i1 %c, label %l, label %out\nout:\nret void"
        ))
    };
    // The second iteration depends on the branch.
    assert_eq!(body("%n"), None);
    assert_eq!(body("%t"), Some("k".into()));
}

// Units can leave a loop in different iterations. A random kernel found this case: its check before O3 accepted the plane
// operation after the loop, and O3 removed the loop.
#[test]
fn value_of_a_loop_with_a_divergent_exit_is_divergent_after_the_loop() {
    let body = |iterations: &str, compared: &str| {
        found(&format!(
            "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\nbr label %l
            l:\n%i = phi i32 [0, %0], [%j, %in]\n%d = phi i1 [false, %0], [%e, %in]
            %u = icmp ult i32 %i, {iterations}\nbr i1 %u, label %in, label %after
            in:\n%j = add i32 %i, 1\n%e = icmp ult i32 %i, 3\nbr label %l
            after:\nbr i1 {compared}, label %out, label %at\nat:\n{SYNC}\nbr label %out\nout:\nret void"
        ))
    };
    assert_eq!(body("%t", "%d"), Some("k".into()));
    assert_eq!(body("%n", "%d"), None);
    // Without a branch on a value of the loop.
    assert_eq!(body("%t", "true"), None);
}

// The branch in the body of the loop is divergent, but all units reach the exit in the same iteration.
#[test]
fn value_of_a_loop_with_a_divergent_body_stays_uniform() {
    let body = format!(
        "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%c = icmp ult i32 %t, 7\nbr label %l
        l:\n%i = phi i32 [0, %0], [%j, %end]\nbr i1 %c, label %st, label %end\nst:\nstore i32 0, ptr %p\nbr label %end
        end:\n%j = add i32 %i, 1\n%u = icmp ult i32 %j, %n\nbr i1 %u, label %l, label %after
        after:\n%d = icmp ult i32 %j, 3\nbr i1 %d, label %at, label %out\nat:\n{SYNC}\nbr label %out\nout:\nret void"
    );
    assert_eq!(found(&body), None);
}

// The IR that loop peeling produces from a store behind a check and a barrier.
#[test]
fn paths_that_join_before_the_barrier_are_accepted() {
    let body = format!(
        "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%c = icmp ult i32 %t, 7\n%u = icmp ult i32 %n, 2
        br i1 %c, label %a, label %m\na:\nstore i32 0, ptr %p\nbr label %m
        m:\n{SYNC}\nbr i1 %u, label %out, label %again\nagain:\nbr i1 %c, label %b, label %l
        b:\nstore i32 0, ptr %p\nbr label %l\nl:\n{SYNC}\nbr label %out
        out:\n%v = phi i32 [0, %m], [1, %l]\n%w = icmp eq i32 %v, 0\nbr i1 %w, label %last, label %end
        last:\n{SYNC}\nbr label %end\nend:\nret void"
    );
    assert_eq!(found(&body), None);
}

#[test]
fn a_moved_barrier_is_reported() {
    let error = moved_error("k");
    assert_eq!(error.diagnostics[0].code.as_deref(), Some("CUBE0413"));
    assert!(error.diagnostics[0].message.starts_with("LLVM's optimiser moved a barrier or plane operation of k under"));
}

#[test]
fn vote_under_plane_uniform_branch_is_accepted() {
    let vote = "call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %b)";
    let body = |condition: &str| {
        found(&format!(
            "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%b = icmp ult i32 %t, %n\n%v = {vote}
            %all = icmp eq i32 %v, -1\nbr i1 {condition}, label %in, label %out
            in:\n%w = {vote}\nbr label %out\nout:\nret void"
        ))
    };
    assert_eq!(body("%all"), None);
    assert_eq!(body("%b"), Some("k".into()));
}

// A kernel with a vote under a divergent branch, and a second vote. LLVM moved the second vote if it is converged before,
// and divergent after.
#[test]
fn each_plane_operation_is_compared_with_its_own_control_flow() {
    let vote = "call i32 @llvm.nvvm.vote.ballot.sync(i32 1, i1 true)";
    let context = Context::create();
    let module = |body: String| {
        let text = format!("{DECLARED}define void @k(ptr %p, i32 %n) {{\n{body}\n}}\n");
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "k");
        context.create_module_from_ir(buffer).unwrap()
    };
    let under = |condition: &str, second: &str, attributes: &str| {
        module(format!(
            "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%d = icmp ult i32 %t, 7\n%u = icmp ult i32 %n, 7
            br i1 %d, label %a, label %b\na:\n%v = {vote} \"cube-plane-control-flow\"=\"divergent\"\nbr label %b
            b:\nbr i1 {condition}, label %in, label %out\nin:\n{second} {attributes}\nbr label %out
            out:\nret void"
        ))
    };
    let mark_of = |place: &str| format!("\"cube-plane-control-flow\"=\"{place}\"");
    let before = under("%u", vote, "");
    let misplaced = mark(&context, &before, &CALLS);
    assert_eq!(misplaced, BTreeSet::from([(Kind::Plane, "k".into())]));
    let text = before.print_to_string().to_string();
    let counts = ["divergent", "converged"].map(|place| text.matches(&mark_of(place)).count());
    assert_eq!(counts, [1, 1], "{text}");
    assert_eq!(moved(&before, &CALLS, &misplaced), None);
    assert_eq!(moved(&under("%d", vote, &mark_of("converged")), &CALLS, &misplaced), Some("k".into()));
    assert_eq!(moved(&under("%d", vote, &mark_of("divergent")), &CALLS, &misplaced), None);
    // A call that LLVM created has no attribute, so the kernel decides.
    assert_eq!(moved(&under("%d", vote, ""), &CALLS, &misplaced), None);
    assert_eq!(moved(&under("%d", vote, ""), &CALLS, &BTreeSet::new()), Some("k".into()));
    // A barrier does not have the mark of a plane operation.
    assert_eq!(moved(&under("%d", SYNC.trim_start(), &mark_of("divergent")), &CALLS, &misplaced), Some("k".into()));
    unmark(&before);
    let text = before.print_to_string().to_string();
    assert!(!text.contains("cube-plane-control-flow"), "{text}");
}
