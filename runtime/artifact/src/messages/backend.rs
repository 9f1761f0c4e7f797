//! Messages about targets, their backends, and bugs of Cube itself.

super::table::messages! {
    CUBE0320 {
        other { pass: Text, own: Text, other: Text }
            "the pass {pass} supports only {own}, but the module is for {other}; compile the module for {own}";
    }
    CUBE0321 {
        shared { bytes: Number, chip: Text, limit: Number }
            "the kernel uses {bytes} bytes of shared memory, but {chip} allows at most {limit} bytes per cube; use less shared memory, or compile for another chip";
        local { bytes: Number, chip: Text, limit: Number }
            "a unit uses {bytes} bytes of local memory, but {chip} allows at most {limit} bytes per unit; use less local memory, or compile for another chip";
        units { kernel: Symbol, units: Number, chip: Text, limit: Number }
            "a cube of kernel {kernel} has {units} units, but {chip} allows at most {limit}; choose a smaller cube_dim";
        axis { kernel: Symbol, units: Number, axis: Symbol, chip: Text, limit: Number }
            "a cube of kernel {kernel} has {units} units along {axis}, but {chip} allows at most {limit} along {axis}; choose a smaller cube_dim";
        units_guaranteed { kernel: Symbol, units: Number, chip: Text, limit: Number }
            "a cube of kernel {kernel} has {units} units, but {chip} guarantees only {limit}; choose a smaller cube_dim, or a device with a higher limit";
        axis_guaranteed { kernel: Symbol, units: Number, axis: Symbol, chip: Text, limit: Number }
            "a cube of kernel {kernel} has {units} units along {axis}, but {chip} guarantees only {limit}; choose a smaller cube_dim, or a device with a higher limit";
        shared_guaranteed { kernel: Symbol, bytes: Number, chip: Text, limit: Number }
            "kernel {kernel} uses {bytes} bytes of shared memory, but {chip} guarantees only {limit}; use less shared memory, or choose a device with a higher limit";
    }
    CUBE0322 {
        length { ty: Type } "memory of type {ty} has no static length; write !cube.shared<N x T> or !cube.local<N x T>";
    }
    CUBE0340 {
        divergent { barrier: Name, around: Noun }
            "{barrier} is not reached by all units of a cube: the enclosing {around} diverges; move the barrier out of the {around}, or make the condition uniform in the cube";
    }
    CUBE0341 {
        around "{op} cannot enclose a barrier or plane operation; use scf.if, scf.index_switch, scf.for or scf.while";
    }
    CUBE0342 {
        lanes { lanes: Number, widths: Text }
            "a plane of the CPU cannot have {lanes} lanes; choose one of {widths}";
    }
    CUBE0343 {
        size "shared and local memory requires a static size; use a type such as memref<16xf32>";
        local "local memory requires a static size; use a type such as memref<16xf32>";
        use_of "{op} cannot use local memory in a kernel with barriers or plane operations; use loads and stores";
    }
    CUBE0344 {
        step "a loop whose bounds differ between units requires step 1; run normalize-loops before this pass";
        atomic { kind: Words }
            "{op} with kind {kind} on a float has no native instruction in this lowering; run expand-atomics before this pass";
    }
    CUBE0350 {
        other { known: Text, difference: Text, requested: Text, attribute: Text }
            "the module has target {known}{difference}, but target {requested} is requested; compile for {known}, or remove {attribute} if no pass has run yet";
    }
    CUBE0351 {
        unknown { name: Symbol, known: Text } "unknown target '{name}' in attach-target; choose one of {known}";
    }
    CUBE0352 {
        needed { pass: Text, attribute: Text }
            "the pass {pass} requires the attribute {attribute}, which describes the chip; run attach-target{{target=BACKEND:CHIP}} before the pass";
    }
    CUBE0353 {
        widths { chip: Text, widths: Text, lanes: Number }
            "a plane of {chip} cannot have {lanes} lanes; choose one of the supported widths: {widths}";
    }
    CUBE0398 {
        failed { what: Text } "{what}; please report the error with this kernel";
        no_flat_phase "no phase of the pipeline produces level flat; add a phase that produces this level";
        no_phase { level: Symbol }
            "no phase of the pipeline produces level {level}; add a phase that produces this level";
        differs "{op} requires a uniform value, but the value differs between units; please report this kernel";
        together "{op} cannot be vectorised over units; please report this kernel";
        unit_loop { rule: Text } "{op} does not fit the loops over the units of a cube: {rule}; please report this kernel";
        in_use { pass: Text }
            "pass {pass} has a bug: the pass erased an operation that is still in use; please report the bug with this kernel";
    }
    CUBE0402 {
        failed { reason: Text }
            "LLVM could not compile the kernel: {reason}; replace the operation that the target does not support";
    }
    CUBE0399 {
        library "the library panicked; please report the panic with this program";
        verifier { panic: Text } "the verifier of {op} panicked: {panic}; please report the panic with this kernel";
        attribute { name: Symbol, panic: Text }
            "the verifier of #{name} panicked: {panic}; please report the panic with this text";
        pass { pass: Text, panic: Text }
            "pass {pass} panicked: {panic}; this is a bug of the pass, not of the kernel; please report the panic with this kernel";
    }
    CUBE0400 {
        refused { why: Text } "LLVM: {why}; please report the error with this kernel";
    }
    CUBE0401 {
        object { error: Text } "LLVM emitted an unreadable object: {error}; please report the error with this kernel";
    }
    CUBE0410 {
        refused { target: Symbol, why: Text }
            "{op} is not supported on target {target}: {why}; use another operation, or compile for another target";
        no_code { short: Symbol, target: Symbol }
            "'{short}' is not supported on target {target}; use operations that the target supports, or compile for another target";
    }
    CUBE0411 {
        integers { function: Symbol, float: Symbol, chip: Symbol, integer: Symbol }
            "{op} requires {function} of {float}; {chip} has no accurate instruction for {function}, and no {integer} for an expansion; choose another chip";
        library { functions: Text }
            "the kernel requires {functions} from a library, but kernels cannot call libraries on the CPU; choose a chip with an instruction, or use other operations";
    }
    CUBE0412 {
        no_code { target: Symbol, why: Text } "{op} is not supported on target {target}: {why}; compile for another target";
        lacks { chip: Symbol, ty: Type }
            "{op} requires type {ty}, which {chip} does not support; use another element type, or compile for a chip with {ty}";
    }
    CUBE0413 {
        moved { kernel: Symbol }
            "LLVM's optimiser moved a barrier or plane operation of {kernel} under a divergent branch, which can deadlock; please report the kernel";
    }
    CUBE0414 {
        unsound { why: Text } "the PTX is invalid: {why}; this is a bug of Cube, please report it with the kernel";
    }
    CUBE0415 {
        operation { other: Op, why: Text } "kernels cannot contain {other}: {why}";
    }
    CUBE0416 {
        shape { ty: Type }
            "kernels cannot use type {ty}: a vector must have one dimension of a fixed size; use one vector for each row, or keep the elements in !cube.local";
    }
    CUBE0417 {
        no_zero { ty: Type }
            "the compiler cannot replace an undefined value of type {ty} by zero; use a parameter of the kernel or cube.alloc";
    }
    CUBE0418 {
        invalid { why: Text }
            "the WGSL of the kernel is not valid: {why}; this is a bug of Cube, please report it with the kernel";
    }
    CUBE0702 {
        steps { max: Number } "the launch exceeds {max} steps at {op}; use a smaller launch, or raise --max-steps";
    }
    CUBE0710 {
        found { why: Text, location: Text, times: Text }
            "bounds: {op} {why}, in {location}{times}; compare the index with the length before the access"
            rust "bounds: the kernel {why}, in {location}{times}; compare the index with the length before the access";
    }
    CUBE0711 {
        found { why: Text, location: Text, times: Text }
            "races: {op} {why}, in {location}{times}; put a barrier between the accesses, or use separate lines"
            rust "races: the kernel {why}, in {location}{times}; put a barrier between the accesses, or use separate lines";
        unordered { unit: Text } "{op} of {unit} accesses the same line without a barrier between the two accesses";
    }
    CUBE0712 {
        found { why: Text, location: Text, times: Text }
            "uninit: {op} {why}, in {location}{times}; write this memory before the read"
            rust "uninit: the kernel {why}, in {location}{times}; write this memory before the read";
        source "the value comes from {op}";
    }
    CUBE0713 {
        found { why: Text, location: Text, times: Text }
            "ub: undefined behaviour of {op}: {why}, first in {location}{times}; test the operands before the operation";
    }
    CUBE0714 {
        found { why: Text, location: Text, times: Text } "barriers: {op}: {why}, first in {location}{times}; use a uniform condition";
        elsewhere { unit: Text } "{unit} is at {op}";
    }
}
