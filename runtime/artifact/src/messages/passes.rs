//! Messages about levels, and about passes that all targets share.

super::table::messages! {
    CUBE0300 {
        calls_itself { callee: Symbol }
            "the call of @{callee} cannot be inlined because the function calls itself; use a loop instead of recursion";
        calls { name: Symbol } "@{name} calls itself, directly or indirectly; use a loop instead of recursion";
    }
    CUBE0305 {
        early { ty: Type }
            "returns a {ty} from nested control flow; only numbers and lines of 1, 2, 4, 8 or 16 can be returned early, return it at the end";
        after { ty: Type, around: Name }
            "yields a {ty} after a possible early exit; only numbers can be yielded there, end the unit outside of {around}";
    }
    CUBE0306 {
        through "{op} contains an exit that leaves it; write the loop or branch with cube.for, cube.loop or cube.if";
    }
    CUBE0307 {
        comptime { limit: Number }
            "unrolls to more than {limit} operations; use cube.for, which stays a loop, or fewer iterations";
        factor { limit: Number } "unrolls to more than {limit} operations; use a factor, or fewer iterations";
    }
    CUBE0308 {
        comptime { what: Text, instead: Text }
            "{what} is not known at compile time; compute it from constants and comptime parameters, or use {instead}";
        unroll { bound: Text }
            "cannot be unrolled fully, because its {bound} is not known at compile time; give a factor, cube.unroll = N, or make the bound comptime";
    }
    CUBE0309 {
        no_loop { around: Name } "has cube.unroll, but {around} is not a counted loop; put it on scf.for or cube.for";
        factor { n: Number, limit: Number } "has cube.unroll = {n}; the factor is 1 to {limit}";
    }
    CUBE0310 {
        reached { what: Text, passes: Text } "{what} reached buffers-to-memref; run {passes} before it";
        undecided { pass: Text } "an access of undecided bounds reached {pass}; run specialize before it";
    }
    CUBE0311 {
        of_type { ty: Type } "{op} has no expansion for {ty}; convert to f32 or f64 around it";
        function "{op} has no expansion; write it with other functions";
    }
    CUBE0312 {
        chosen
            "{op} takes a slice that a branch or loop selects at run time; select its bounds instead, and create the slice at its use";
    }
    CUBE0313 {
        chosen { ty: Type } "{op} queries a {ty} that a branch or loop selects at run time; query the argument itself";
        unknown { ty: Type } "{op} of {ty} is not known to the host; query an argument of the kernel";
    }
    CUBE0314 {
        stored { element: Type } "{op} computes with {element}, which is a storage type; convert it with cube.cast first"
            rust "{op} computes with {element}, which is a storage type; convert it first, as with `f32::cast_from`";
        on_chip { element: Type, chip: Text }
            "{op} computes with {element}, which is a storage type on {chip}; use another float, or keep its bits in an integer";
    }
    CUBE0315 {
        not_reached { way: Text }
            "not all units of a cube reach this barrier, and the others would wait indefinitely; move it out of the branch or loop, or make the condition uniform for the cube: {way}";
    }
    CUBE0316 {
        nested { nested: Type, name: Symbol, to: Type }
            "{nested} would be a line of lines, because @{name} is {to}; give @{name} a number type, or write the type without a line";
        floats { name: Symbol, to: Type }
            "{op} takes floats, but @{name} is instantiated with {to}; write cube.generic with a `float` and an `int` operation, or choose a float for @{name}";
        constant { values: Value, ty: Type }
            "the constant {values} is not a value of {ty}, the instantiated type of its comptime parameter; write a whole number in its range, or make it a comptime value";
        generic { what: Text, word: Text }
            "{op} names no operation for {what}, the instantiated type of its comptime parameter; add `{word} \"arith....\"`, or choose another type";
        value { value: Value, name: Symbol }
            "the value {value} of comptime parameter @{name} does not have the instantiated type of its parameter";
        unnamed "{op} names no operation for the instantiated type; add one";
    }
    CUBE0317 {
        math { limit: Number }
            "the math functions up to this one expand to more than {limit} operations; call them in a loop, or split the kernel";
        operations { what: Text, operations: Number, limit: Number }
            "{what} has {operations} operations after inlining, the limit is {limit}; call fewer functions, use loops, or split the kernel";
        depth { what: Text, depth: Number, limit: Number }
            "{what} nests {depth} deep after inlining, the limit is {limit}; flatten it, or split the kernel";
    }
    CUBE0318 {
        bits { ty: Type, bits: Number, limit: Number }
            "{op} has a value of type {ty}, a number of {bits} bits; the limit is {limit}, compute in several numbers";
    }
    CUBE0319 {
        elements { ty: Type, lanes: Number, limit: Number }
            "{op} has a value of type {ty}, a vector of {lanes} elements; the limit is {limit}, use a loop over shorter ones";
    }
    CUBE0323 {
        lines "cube.rules is an array of texts, lines in the form of rules/families";
        rule { why: Text } "cube.rules: {why}";
    }
    CUBE0330 {
        unknown { name: Symbol, known: Text } "unknown level '{name}'; choose one of {known}";
    }
    CUBE0331 {
        misplaced { level: Text, meaning: Text, way: Text } "{op} does not belong to level {level} ({meaning}); {way}";
        no_lowering { targets: Text } "{op} has no lowering to {targets}; write it with other plane operations";
    }
    CUBE0332 {
        ends { ty: Type, level: Text, word: Text } "type {ty} is not allowed at level {level}: `{word}` must have been lowered before; run the phase before it";
        rank { ty: Type, level: Text }
            "type {ty} is not allowed at level {level}; use numbers, and vectors of one dimension and a fixed size";
    }
    CUBE0333 {
        algebra { why: Text, location: Text } "{op}: {why}{location}";
        no_layout "{op} does not produce a layout; use an operation of the layout dialect";
        no_view "{op} does not produce a view; use an operation of the layout dialect";
        mode { mode: Number, rank: Number } "{op}: mode {mode} does not exist in a layout of rank {rank}; modes count from 0";
        no_mode "{op} names a mode that does not exist; use a smaller number";
        swizzled { what: Text } "{op}: {what} is not defined for a swizzled layout; swizzle the result instead";
        stride "{op}: the stride exceeds 2^63; divide by a smaller tile";
        outside { coordinate: Number, at: Text, extent: Number }
            "{op}: coordinate {coordinate}{at} is outside the extent {extent}; coordinates start at 0";
        rank { rank: Number, at: Text, of: Number }
            "{op}: a coordinate of rank {rank}{at} for a mode of rank {of}; give the coordinate the mode's rank";
    }
    CUBE0334 {
        chosen
            "{op} takes a layout or view that a branch or loop selects at run time; select the coordinate instead, and create the view at its use";
        taken "{op} has a result that an operation of another dialect uses; use layouts and views with operations of this dialect only";
    }
    CUBE0335 {
        open "{op} moves a number of elements that is only known at run time; give those modes a coordinate";
        lanes { lanes: Number, ty: Type, count: Number, line: Number, wanted: Number }
            "{op} moves {lanes} elements as {ty}, but the coordinate leaves {count} of {line}; make it a vector of {wanted}";
        most { n: Number } "{op} moves {n} elements at once, the limit is 1024; give a mode a coordinate";
        unknown "{op} moves a number of elements that is only known at run time; give those modes a coordinate";
        run_time "{op} moves a number of elements that is only known at run time";
        leaves { lanes: Number, count: Number } "{op} moves {lanes} elements, but the coordinate leaves {count}";
    }
    CUBE0336 {
        known { what: Text }
            "{op}: {what} needs constant leaves, but some are only known at run time; make them comptime parameters, or divide mode by mode with `ragged` first";
        divisor { tile: Text }
            "{op}: a mode whose extent is only known at run time can be divided by n:1, not by {tile}";
        twice "{op}: a mode is divided twice before its extent is known; divide by the product";
    }
    CUBE0337 {
        lines { lines: Number } "{op} addresses {lines} lines, and a buffer has fewer than 2^32; view a part of it";
    }
    CUBE0365 {
        device
            "level device has a contract for each backend, which check-level does not know; --compile-to=lower checks it";
    }
}
