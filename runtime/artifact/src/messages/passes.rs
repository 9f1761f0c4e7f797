//! Messages about levels, and about passes that all targets share.

super::table::messages! {
    CUBE0300 {
        calls_itself { callee: Symbol }
            "the call of @{callee} cannot be inlined because the function calls itself; use a loop instead of recursion";
        calls { name: Symbol } "@{name} calls itself, directly or indirectly; use a loop instead of recursion";
    }
    CUBE0305 {
        early { ty: Type }
            "the value of {op} has type {ty}, but only numbers and lines can be returned from nested control flow; return the value at the end of the function";
        after { ty: Type, around: Name }
            "the value of {op} has type {ty}, but only numbers can be yielded after a possible early exit; put the exit outside of {around}";
    }
    CUBE0306 {
        through "{op} does not support the early exit that it contains; use cube.for, cube.loop or cube.if instead";
    }
    CUBE0307 {
        comptime { limit: Number }
            "{op} unrolls to more than {limit} operations; use fewer iterations, or replace {op} by cube.for, which is not unrolled";
        factor { limit: Number }
            "{op} unrolls to more than {limit} operations; use a smaller factor, or fewer iterations";
    }
    CUBE0308 {
        comptime { what: Text, instead: Text }
            "{op} requires that {what} is known at compile time; use only constants and comptime parameters, or replace {op} by {instead}";
        unroll { bound: Text }
            "{op} cannot be unrolled completely, because its {bound} is not known at compile time; set a factor with cube.unroll = N, or use a comptime value";
    }
    CUBE0309 {
        no_loop { around: Name }
            "the attribute cube.unroll applies only to counted loops, not to {around}; put the attribute on scf.for or cube.for";
        factor { n: Number, limit: Number } "{op} has cube.unroll = {n}; use a factor of 1 to {limit}";
    }
    CUBE0310 {
        reached { what: Text, passes: Text }
            "the pass buffers-to-memref received {what}; run {passes} before buffers-to-memref";
        undecided { pass: Text }
            "the pass {pass} requires that each access is checked or inbounds; run specialize before {pass}";
    }
    CUBE0311 {
        of_type { ty: Type }
            "{op} has no expansion for {ty}; compute in f32 or f64, and convert the operands and the result";
        function "{op} has no expansion; use other functions instead";
    }
    CUBE0312 {
        chosen
            "{op} uses a slice that a branch or loop selects at run time; select the start and end instead, and create the slice at its use";
    }
    CUBE0313 {
        chosen { ty: Type }
            "{op} queries a buffer of type {ty} that a branch or loop selects at run time; query an argument of the kernel instead";
        unknown { ty: Type }
            "{op} requires an argument of the kernel, not a value of type {ty}; query an argument of the kernel";
    }
    CUBE0314 {
        stored { element: Type }
            "{op} computes with {element}, which is a storage type; convert the value with cube.cast first"
            rust "{op} computes with {element}, which is a storage type; convert the value first, as with `f32::cast_from`";
        on_chip { element: Type, chip: Text }
            "{op} computes with {element}, which is a storage type on {chip}; use another float, or keep the bits in an integer";
    }
    CUBE0315 {
        not_reached { advice: Text }
            "not all units of a cube reach this barrier; make the condition around the barrier uniform, or {advice}";
    }
    CUBE0316 {
        nested { nested: Type, name: Symbol, to: Type }
            "the type {nested} is a line of lines, because @{name} is {to}; use a number type for @{name}, or write the type without a line";
        floats { name: Symbol, to: Type }
            "{op} requires floats, but @{name} is instantiated with {to}; write cube.generic with a `float` and an `int` operation, or choose a float type for @{name}";
        constant { values: Value, ty: Type }
            "the constant {values} is not a value of the instantiated type {ty}; write a whole number in the range of this type, or use a comptime value";
        generic { what: Text, word: Text }
            "{op} has no operation for {what}, but its comptime parameter is instantiated with a type for {what}; add `{word} \"arith.NAME\"`, or choose another type";
        value { value: Value, name: Symbol }
            "the value {value} of comptime parameter @{name} does not have the parameter's instantiated type; choose another value";
        unnamed
            "{op} has no operation for the instantiated type of its comptime parameter; add an operation for this type";
    }
    CUBE0317 {
        math { limit: Number }
            "the math functions of the kernel expand to more than {limit} operations; call functions in a loop, or split the kernel";
        operations { what: Text, operations: Number, limit: Number }
            "{what} has {operations} operations after inlining, but the limit is {limit}; call fewer functions, use loops, or split the kernel";
        depth { what: Text, depth: Number, limit: Number }
            "{what} has {depth} nested regions after inlining, but the limit is {limit}; use less nesting, or split the kernel";
    }
    CUBE0318 {
        bits { ty: Type, bits: Number, limit: Number }
            "{op} has a value of type {ty}, a number of {bits} bits, but the limit is {limit} bits; use several narrower numbers";
    }
    CUBE0319 {
        elements { ty: Type, lanes: Number, limit: Number }
            "{op} has a value of type {ty}, a vector of {lanes} elements, but the limit is {limit}; use a loop over shorter vectors";
    }
    CUBE0323 {
        lines "cube.rules must be an array of strings; write each string as one rule in the syntax of rules/families";
        rule { why: Text } "the attribute cube.rules has an invalid rule: {why}; correct the rule";
    }
    CUBE0324 {
        no_guard
            "deny_checks: {op} needs a bounds check, because no enclosing condition compares the index with the length; use scf.if with the condition arith.cmpi ult, %index, %length"
            rust "deny_checks: {op} needs a bounds check, because no enclosing condition compares the index with the length; put {op} into `if index < buffer.len()`";
        other_limit
            "deny_checks: {op} needs a bounds check, because the condition compares its index with a value other than the length; compare the index with cube.len of the buffer"
            rust "deny_checks: {op} needs a bounds check, because the condition compares its index with a value other than the length; compare the index with `buffer.len()`";
        other_comparison
            "deny_checks: {op} needs a bounds check, because the condition does not imply an index below the length; compare with arith.cmpi ult, %index, %length"
            rust "deny_checks: {op} needs a bounds check, because the condition does not imply an index below the length; write `if index < buffer.len()`";
        signed_loop
            "deny_checks: {op} needs a bounds check, because its loop is signed, and a length above 2^31 is negative; write the loop as scf.for unsigned"
            rust "deny_checks: {op} needs a bounds check, because its loop is signed, and a length above 2^31 is negative; write the loop over `u32`";
        value "cube.deny_checks must have no value; write cube.deny_checks, or remove the attribute";
    }
    CUBE0330 {
        unknown { name: Symbol, known: Text } "unknown level '{name}'; choose one of {known}";
    }
    CUBE0331 {
        misplaced { level: Text, meaning: Text, advice: Text } "{op} does not belong to level {level} ({meaning}); {advice}";
        no_lowering { targets: Text } "{op} has no lowering to {targets}; use other plane operations";
    }
    CUBE0332 {
        ends { ty: Type, level: Text, word: Text }
            "type {ty} is not allowed at level {level}, where no type contains `{word}`; run the earlier phases first";
        rank { ty: Type, level: Text }
            "type {ty} is not allowed at level {level}; use numbers, and vectors of one dimension and a fixed size";
    }
    CUBE0333 {
        algebra { why: Text, location: Text } "{op}: {why}{location}";
        no_layout "{op} does not produce a layout; use an operation of the layout dialect";
        no_view "{op} does not produce a view; use an operation of the layout dialect";
        mode { mode: Number, rank: Number }
            "{op} names mode {mode}, but the layout has rank {rank}; use a mode number below the rank";
        no_mode "{op} names a mode that does not exist; use a smaller mode number";
        swizzled { what: Text } "{op}: {what} is not defined for a swizzled layout; swizzle the result instead";
        stride "{op}: a stride of the result exceeds 2^63; divide by a smaller tile";
        outside { coordinate: Number, at: Text, extent: Number }
            "{op}: coordinate {coordinate}{at} is not below the extent {extent}; use a smaller coordinate";
        rank { rank: Number, at: Text, of: Number }
            "{op}: the coordinate{at} has rank {rank}, but its mode has rank {of}; use a coordinate with the rank of the mode";
    }
    CUBE0334 {
        chosen
            "{op} uses a layout or view that a branch or loop selects at run time; select the coordinate instead, and create the view at its use";
        taken
            "an operation of another dialect uses the result of {op}; use layouts and views only in operations of the layout dialect";
    }
    CUBE0335 {
        open
            "the number of elements that {op} moves is known only at run time; write a coordinate for each mode with an unknown extent";
        lanes { lanes: Number, ty: Type, count: Number, line: Number, expected: Number }
            "{op} moves a vector of type {ty} with {lanes} elements, but its coordinate selects {count} lines of {line} elements; use a vector of {expected} elements";
        most { n: Number }
            "{op} moves {n} elements at once, but the limit is 1024; write a coordinate for another mode";
        unknown
            "the number of elements that {op} moves is known only at run time; write a coordinate for each mode with an unknown extent";
        run_time "the number of elements that {op} moves is known only at run time; write a coordinate for each mode with an unknown extent";
        leaves { lanes: Number, count: Number }
            "{op} moves {lanes} elements, but its coordinate selects {count} elements; use a vector of {count} elements";
    }
    CUBE0336 {
        known { what: Text }
            "{op}: {what} requires constant leaves, but some leaves are known only at run time; use comptime parameters, or divide each mode with `ragged` first";
        divisor { tile: Text }
            "{op} cannot divide a mode by {tile} if the extent of the mode is known only at run time; divide this mode by n:1";
        twice
            "{op} cannot divide a mode twice if the extent of the mode is known only at run time; divide this mode once, by the product of the two tile sizes";
    }
    CUBE0337 {
        lines { lines: Number }
            "{op} addresses {lines} lines, but a buffer has fewer than 2^32 lines; create a view of a part of the buffer";
    }
    CUBE0365 {
        of_backends { level: Text }
            "the pass check-level cannot check level {level}, whose contract differs between backends; use --compile-to=lower to check this level";
    }
    CUBE0366 {
        exit "{op} ends a unit before the end of a kernel that reads its number of cubes; run structure-exits before loop-cubes";
        written "{op} writes the buffer with the number of cubes (cube.cubes); write to another buffer";
    }
}
