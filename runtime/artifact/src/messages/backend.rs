//! Messages about targets, their backends, and bugs of Cube itself.

super::table::messages! {
    CUBE0320 {
        other { pass: Text, own: Text, other: Text }
            "the pass {pass} reads registers of {own}, but the module is for {other}; compile the module for {own}";
    }
    CUBE0321 {
        shared { bytes: Number, chip: Text, limit: Number }
            "the kernel uses {bytes} bytes of shared memory, but a cube of {chip} has {limit} bytes: use less shared memory, or compile for another chip";
        local { bytes: Number, chip: Text, limit: Number }
            "a unit uses {bytes} bytes of local memory, but a unit of {chip} has {limit} bytes: use less local memory, or compile for another chip";
        units { kernel: Symbol, units: Number, chip: Text, limit: Number }
            "a cube of kernel {kernel} has {units} units, but a cube of {chip} has at most {limit}: choose a smaller cube_dim";
        axis { kernel: Symbol, units: Number, axis: Symbol, chip: Text, limit: Number }
            "a cube of kernel {kernel} has {units} units along {axis}, but a cube of {chip} has at most {limit} along it: choose a smaller cube_dim";
        units_guaranteed { kernel: Symbol, units: Number, chip: Text, limit: Number }
            "a cube of kernel {kernel} has {units} units, but {chip} guarantees only {limit}: choose a smaller cube_dim, or a device with a higher limit";
        axis_guaranteed { kernel: Symbol, units: Number, axis: Symbol, chip: Text, limit: Number }
            "a cube of kernel {kernel} has {units} units along {axis}, but {chip} guarantees only {limit}: choose a smaller cube_dim, or a device with a higher limit";
        shared_guaranteed { kernel: Symbol, bytes: Number, chip: Text, limit: Number }
            "kernel {kernel} uses {bytes} bytes of shared memory, but {chip} guarantees only {limit}: use less, or choose a device with a higher limit";
    }
    CUBE0322 {
        length { ty: Type } "memory of type {ty} has no static length: write !cube.shared<N x T> or !cube.local<N x T>";
    }
    CUBE0340 {
        divergent { barrier: Name, around: Noun }
            "{barrier} is not reached by all units of a cube: the {around} around it diverges; move the barrier out of the {around}, or make the condition uniform in the cube";
    }
    CUBE0341 {
        around "{op} cannot enclose a barrier or plane operation: use scf.if, scf.index_switch, scf.for or scf.while";
    }
    CUBE0342 {
        lanes { lanes: Number, widths: Text }
            "planes of {lanes} lanes are not possible on the CPU: choose one of {widths}";
    }
    CUBE0343 {
        size "shared and local memory requires a static size: use a type such as memref<16xf32>";
        local "local memory requires a static size: use a type such as memref<16xf32>";
        use_of "{op} cannot use local memory in a kernel with barriers or plane operations: use loads and stores";
    }
    CUBE0344 {
        step "a loop whose bounds differ between units requires step 1: run normalize-loops before this pass";
        atomic "the target has no instruction for the kind of {op}; run expand-atomics before this pass";
    }
    CUBE0350 {
        other { known: Text, difference: Text, requested: Text, attribute: Text }
            "the module is described for {known}{difference}, but {requested} is requested: compile for {known}, or remove {attribute} if no pass has run yet";
    }
    CUBE0351 {
        unknown { name: Symbol, known: Text } "attach-target does not know the target '{name}': choose one of {known}";
    }
    CUBE0352 {
        needed { pass: Text, attribute: Text }
            "the pass {pass} requires the description of a chip, but the module has no attribute {attribute}: run attach-target{{target=BACKEND:CHIP}} before the pass";
    }
    CUBE0353 {
        widths { chip: Text, widths: Text, lanes: Number }
            "planes of {lanes} lanes are not possible: the planes of {chip} have {widths} lanes; choose one of these widths";
    }
    CUBE0398 {
        failed { what: Text } "{what}; please report the error with this kernel";
        no_flat_phase "no phase of the pipeline produces level flat; add a phase that produces this level";
        no_phase { level: Symbol }
            "no phase of the pipeline produces level {level}; add a phase that produces this level";
        differs "{op} requires a uniform value, but the value differs between units: please report this kernel";
        together "{op} cannot be vectorised over units: please report this kernel";
        unit_loop { rule: Text } "{op} does not fit the loops over the units of a cube: {rule}; please report this kernel";
        in_use { pass: Text }
            "the pass {pass} erased an operation that is still in use, which is a bug of the pass: please report the pass with this kernel";
    }
    CUBE0402 {
        failed { reason: Text }
            "LLVM could not compile the kernel: {reason}; replace the operation that the target does not support";
    }
    CUBE0399 {
        library "the library panicked: please report the panic with this program";
        verifier { panic: Text } "the verifier of {op} panicked: {panic}; please report the panic with this kernel";
        attribute { name: Symbol, panic: Text }
            "the verifier of #{name} panicked: {panic}; please report the panic with this text";
        pass { pass: Text, panic: Text }
            "pass {pass} panicked: {panic}; this is a bug of the pass, not of the kernel: please report the panic with this kernel";
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
            "'{short}' is not supported on target {target}: use operations that the target supports, or compile for another target";
    }
    CUBE0411 {
        integers { function: Symbol, float: Symbol, chip: Symbol, integer: Symbol }
            "{op} needs {function} of {float}, but {chip} has neither an accurate instruction nor {integer} for an expansion; choose another chip";
        library { functions: Text }
            "the kernel needs {functions} from a library, but kernels have no libraries on the CPU: choose a chip with an instruction, or use other operations";
    }
    CUBE0412 {
        no_code { target: Symbol, why: Text } "{op} is not supported on target {target}: {why}; compile for another target";
        lacks { chip: Symbol, ty: Type }
            "{op} is not supported on target {chip}: it lacks {ty}; use another element type, or compile for a chip that has {ty}";
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
            "{ty} is not a type of kernels: vectors have one dimension of a fixed size; use one vector for each row, or keep the elements in !cube.local";
    }
    CUBE0417 {
        no_zero { ty: Type }
            "zero replaces an undefined value, but the type {ty} has no zero; use a parameter of the kernel or cube.alloc";
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
            "bounds: {op} {why}, in {location}{times}; compare the index with the length first"
            rust "bounds: the kernel {why}, in {location}{times}; compare the index with the length first";
    }
    CUBE0711 {
        found { why: Text, location: Text, times: Text }
            "races: {op} {why}, in {location}{times}; separate the accesses by a barrier, or use separate lines"
            rust "races: the kernel {why}, in {location}{times}; separate the accesses by a barrier, or use separate lines";
        unordered { unit: Text } "{op} of {unit} accesses the same line, and no barrier orders the two accesses";
    }
    CUBE0712 {
        found { why: Text, location: Text, times: Text }
            "uninit: {op} {why}, in {location}{times}; write this memory before the read"
            rust "uninit: the kernel {why}, in {location}{times}; write this memory before the read";
        source "the value comes from {op}";
    }
    CUBE0713 {
        found { why: Text, location: Text, times: Text } "ub: {op}: {why}, first in {location}{times}; test the operands before the operation";
    }
    CUBE0714 {
        found { why: Text, location: Text, times: Text } "barriers: {op}: {why}, first in {location}{times}; use a uniform condition";
        elsewhere { unit: Text } "{unit} is at {op}";
    }
}
