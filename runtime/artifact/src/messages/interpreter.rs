//! Messages about kernels that the interpreter cannot run, because they call an unknown function or use an unsupported operation.

super::table::messages! {
    CUBE0112 {
        callee { callee: Text }
            "{op} op calls {callee}, which is not a cube.func of this module; define it or correct the name";
        no_function { name: Symbol } "no cube.func has the name @{name} in the module";
    }
    CUBE0700 {
        operands { count: Number } "the interpreter supports {op} for {count} operands";
        scalar_buffers "the interpreter supports {op} for buffers of scalars only";
        no_access "no access";
        no_buffer "an atomic on a value that is not a buffer";
        combine { element: Text } "the interpreter does not combine {element} so";
        gives { ty: Type } "{op} gives {ty}, which the interpreter does not support";
        dimension "the interpreter supports {op} for the constant dimension 0 only";
        topology "no topology value";
        no_value "a constant without a value";
        constant { value: Value } "the interpreter cannot read the constant {value}";
        name { name: Symbol } "the interpreter does not support {name}";
        power "the interpreter supports {op} for powers of type i32 only";
        blocks "{op} has several blocks, and control flow is structured";
        no_loop_body "a loop without a body";
        no_counter "a loop without a counter";
        planes_in_loop "a plane operation inside a loop over planes";
        loop_condition "a loop without a condition";
        no_condition "no condition";
        no_loop "it is not inside a loop";
        operation { why: Text } "the interpreter does not support {op}: {why}";
        out_of_region "a branch out of its region";
        to_entry "a branch to the entry of a function";
        nowhere "a branch to nowhere";
        case "a case that is not a number";
        no_view "a view of a value that is not a buffer";
        no_kernel { kernel: Symbol } "no function has the name @{kernel} in the module";
        no_entry "the entry has no body";
        no_memref "an access to a value that is not a memref";
        loop_over { word: Text } "the interpreter does not support a loop over '{word}'";
        no_function { name: Symbol } "no function has the name @{name} to call";
        call { name: Symbol } "@{name} returns a result or calls itself, which the interpreter does not support";
        constant_size "the interpreter supports {op} for constant sizes only";
        no_element "no element type";
        structure "the interpreter does not support {op} of a structure";
        index_bits "the interpreter supports {op} for indices of 64 bits only";
        one_index "the interpreter supports {op} for one index only";
        atomic { number: Number } "the interpreter does not support {op} number {number}";
        part { ty: Type } "{op} names an element that {ty} does not have";
        cast "the interpreter does not support a cast between values of different sizes";
        scalar_memrefs "the interpreter supports {op} for memrefs of scalars only";
        no_body "the kernel has no body";
        of_type { ty: Type } "{op} has type {ty}, which the interpreter does not support";
        operand { index: Number } "operand {index} of {op} is not defined at its use";
        undefined "{op} reads a value that is not defined at its use";
        of_kind { kind: Text } "the interpreter does not support {op} of {kind}";
        of_buffer "the interpreter does not support {op} of a buffer";
        predicate "unknown predicate";
        rounding { mode: Text } "the interpreter does not support {op} with rounding mode {mode}";
        conversion { from: Text, to: Text } "the interpreter does not support {op} of {from} to {to}";
        scope "a barrier of an unknown scope";
        word "the interpreter does not support {op} with an unknown word";
        position "the interpreter supports {op} for one dynamic position, or constant ones inside";
        stretch "the interpreter does not support {op} that stretches an inner dimension";
        gaps "the interpreter supports {op} for one dimension without gaps";
        shuffle "the interpreter supports {op} for one-dimensional vectors only";
        no_mask "a shuffle without a mask";
        reduction { word: Text } "the interpreter does not support {op} of kind {word}";
        no_lanes "a reduction of no lanes";
    }
    CUBE0701 {
        memory { ty: Type, elements: Number, limit: Number }
            "{ty} has {elements} elements, and the interpreter supports at most {limit} per unit; use a smaller allocation";
        program { limit: Number } "the kernel has more than {limit} instructions or lanes after inlining; split it";
    }
    CUBE0704 {
        bits "{op}: elements of the ring have no bits; run without --ring";
        floats "{op}: floats of the ring have no bits; run without --ring";
    }
    CUBE0705 {
        derived { name: Symbol, text: Text, why: Text } "argument {name} is derived by '{text}': {why}";
    }
}
