//! Operations without a rule in the interpreter.

super::table::messages! {
    CUBE0112 {
        callee { callee: Text }
            "{op} op calls {callee}, which is not a cube.func of this module; define it or mend the name";
        no_function { name: Symbol } "no cube.func has the name @{name} in the module";
    }
    CUBE0700 {
        operands { count: Number } "{op} has a rule for {count} operands";
        scalar_buffers "{op} has a rule for buffers of scalars only";
        no_access "no access";
        no_buffer "an atomic on a value that is not a buffer";
        combine { element: Text } "no rule combines {element} so";
        gives { ty: Type } "{op} gives {ty}, for which no rule exists";
        dimension "{op} has a rule for the constant dimension 0 only";
        topology "no topology value";
        no_value "a constant without a value";
        constant { value: Value } "the interpreter cannot read the constant {value}";
        name { name: Symbol } "{name} has no rule";
        power "{op} has a rule for powers of type i32 only";
        blocks "{op} has several blocks, and control flow is structured";
        no_loop_body "a loop without a body";
        no_counter "a loop without a counter";
        planes_in_loop "a plane operation inside a loop over planes";
        loop_condition "a loop without a condition";
        no_condition "no condition";
        no_loop "it is not inside a loop";
        operation { why: Text } "the interpreter has no rule for {op}: {why}";
        out_of_region "a branch out of its region";
        to_entry "a branch to the entry of a function";
        nowhere "a branch to nowhere";
        case "a case that is not a number";
        no_view "a view of a value that is not a buffer";
        no_kernel { kernel: Symbol } "no function has the name @{kernel} in the module";
        no_entry "the entry has no body";
        no_memref "an access to a value that is not a memref";
        loop_over { word: Text } "a loop over '{word}' has no rule";
        no_function { name: Symbol } "no function has the name @{name} to call";
        call { name: Symbol } "@{name} returns a result or calls itself, which has no rule";
        constant_size "{op} has a rule for constant sizes only";
        no_element "no element type";
        structure "{op} of a structure has no rule";
        index_bits "{op} has a rule for indices of 64 bits only";
        one_index "{op} has a rule for one index only";
        atomic { number: Number } "{op} number {number} has no rule";
        part { ty: Type } "{op} names an element that {ty} does not have";
        cast "a cast between values of other sizes has no rule";
        scalar_memrefs "{op} has a rule for memrefs of scalars only";
        no_body "the kernel has no body";
        of_type { ty: Type } "{op} has type {ty}, for which the interpreter has no rule";
        operand { index: Number } "operand {index} of {op} is not defined at its use";
        undefined "{op} reads a value that is not defined at its use";
        of_kind { kind: Text } "{op} of {kind} has no rule";
        of_buffer "{op} of a buffer has no rule";
        predicate "unknown predicate";
        rounding { mode: Text } "{op} with rounding mode {mode} has no rule";
        conversion { from: Text, to: Text } "{op} of {from} to {to} has no rule";
        scope "a barrier of an unknown scope";
        word "{op} with an unknown word has no rule";
        position "{op} has a rule for one dynamic position, or constant ones inside";
        stretch "{op} that stretches an inner dimension has no rule";
        gaps "{op} has a rule for one dimension without gaps";
        shuffle "{op} has a rule for one-dimensional vectors only";
        no_mask "a shuffle without a mask";
        reduction { word: Text } "{op} of kind {word} has no rule";
        no_lanes "a reduction of no lanes";
    }
    CUBE0701 {
        memory { ty: Type, elements: Number, limit: Number }
            "{ty} has {elements} elements, and the interpreter holds at most {limit} a unit: use a smaller allocation";
        program { limit: Number } "the kernel has more than {limit} instructions or lanes once calls are inlined";
    }
    CUBE0704 {
        bits "{op}: elements of the ring have no bits";
        floats "{op}: floats of the ring have no bits to take as integers";
    }
    CUBE0705 {
        derived { name: Symbol, text: Text, why: Text } "argument {name} is derived by '{text}': {why}";
    }
}
