//! Messages about targets, their backends, and bugs of Cube itself.

super::table::messages! {
    CUBE0320 {
        other { pass: Text, own: Text, other: Text } "{pass} reads registers of {own}, and the module is for {other}; compile it for {own}";
    }
    CUBE0321 {
        shared { bytes: Number, chip: Text, limit: Number }
            "the kernel takes {bytes} bytes of shared memory, and a cube of {chip} has {limit}: use less, or compile for a chip with more";
    }
    CUBE0322 {
        length { ty: Type } "memory of type {ty} has no static length: write !cube.shared<N x T> or !cube.local<N x T>";
    }
    CUBE0340 {
        divergent { barrier: Name, around: Noun }
            "{barrier} is not reached by all units of a cube: the {around} around it diverges; move the barrier out, or make the condition uniform for the cube";
    }
    CUBE0341 {
        around "{op} cannot enclose a barrier or plane operation: use scf.if, scf.index_switch, scf.for or scf.while";
    }
    CUBE0342 {
        lanes { lanes: Number } "planes of {lanes} lanes are not possible on the CPU: choose 8, 16, 32 or 64";
    }
    CUBE0343 {
        size "shared and local memory requires a static size: memref<16xf32>, for example";
        local "local memory requires a static size: memref<16xf32>, for example";
        use_of "{op} cannot use local memory in a kernel with barriers or plane operations";
    }
    CUBE0344 {
        step "a loop whose bounds differ between units requires step 1: run normalize-loops before";
        atomic "{op} of this kind has no instruction; run expand-atomics before";
    }
    CUBE0350 {
        other { known: Text, difference: Text, asked: Text, attribute: Text }
            "the module is described for {known}{difference}, but {asked} is requested: compile for {known}, or remove {attribute} if no pass has run yet";
    }
    CUBE0351 {
        unknown { name: Symbol, known: Text } "attach-target knows no target '{name}': choose one of {known}";
    }
    CUBE0352 {
        needed { pass: Text, attribute: Text }
            "{pass} requires the description of a chip, and the module has no {attribute}: run attach-target{{target=BACKEND:CHIP}} before it";
    }
    CUBE0353 {
        widths { chip: Text, widths: Text, lanes: Number }
            "planes of {lanes} lanes are not possible here: the planes of {chip} have {widths} lanes; choose one of these";
    }
    CUBE0398 {
        failed { what: Text } "{what}";
        no_flat_phase "the pipeline has no phase that produces level flat; add one";
        no_phase { level: Symbol } "no phase produces level {level}; add one";
        differs "{op} takes a divergent value where a uniform one is required: please report this kernel";
        together "{op} cannot be vectorised over units: please report this kernel";
        in_use { pass: Text }
            "pass {pass} erased an operation that is still in use, a bug of the pass: please report it with this kernel";
    }
    CUBE0402 {
        gave_up { reason: Text }
            "LLVM gave up: {reason}; this kernel uses an operation that the target does not support";
    }
    CUBE0399 {
        library "the library panicked: please report it with this program";
        verifier { panic: Text } "the verifier of {op} panicked: {panic}; please report it with this kernel";
        attribute { name: Symbol, panic: Text }
            "the verifier of #{name} panicked: {panic}; please report it with this text";
        pass { pass: Text, panic: Text }
            "pass {pass} panicked: {panic}; this is a bug of the pass, not of the kernel: please report it with this kernel";
    }
    CUBE0400 {
        refused { why: Text } "LLVM: {why}";
    }
    CUBE0401 {
        object { error: Text } "LLVM emitted an unreadable object: {error}";
    }
    CUBE0410 {
        refused { target: Symbol, why: Text } "{op} is not supported on target {target}: {why}";
        no_code { short: Symbol, target: Symbol }
            "'{short}' is not supported on target {target}: write it with operations that the target has, or compile for another target";
    }
    CUBE0411 {
        integers { function: Symbol, float: Symbol, chip: Symbol, integer: Symbol }
            "{op} needs {function} of {float}, but {chip} has neither an accurate instruction nor {integer} for an expansion; choose a chip that has one of them";
        library { functions: Text }
            "the kernel needs {functions} from a library, which kernels do not have on the CPU: choose a chip that has the instruction, or write it with other operations";
    }
    CUBE0412 {
        no_code { target: Symbol, why: Text } "{op} is not supported on target {target}: {why}; compile for another target";
        lacks { chip: Symbol, ty: Type }
            "{op} is not supported on target {chip}: it lacks {ty}; use another element type, or compile for a chip that has {ty}";
    }
    CUBE0413 {
        moved { kernel: Symbol }
            "LLVM's optimiser moved a barrier or plane operation of {kernel} under a divergent branch, which can deadlock; please report the kernel, and rewrite it meanwhile";
    }
    CUBE0414 {
        unsound { why: Text } "the PTX is invalid: {why}; this is a bug of Cube, please report it with the kernel";
    }
    CUBE0415 {
        operation { other: Op, why: Text } "{other} is not an operation of kernels: {why}";
    }
    CUBE0416 {
        shape { ty: Type }
            "{ty} is not a type of kernels: vectors have one dimension of a fixed size; use one vector for each row, or keep the elements in !cube.local";
    }
    CUBE0417 {
        no_zero { ty: Type }
            "a value of type {ty} cannot be undefined: the type has no zero; use a parameter of the kernel or cube.alloc";
    }
    CUBE0418 {
        invalid { why: Text }
            "the WGSL of the kernel is not valid: {why}; this is a bug of Cube, please report it with the kernel";
    }
    CUBE0702 {
        steps { max: Number } "the launch takes more than {max} steps at {op}; use a smaller launch, or raise --max-steps";
    }
    CUBE0710 {
        found { why: Text, location: Text, times: Text } "bounds: {op} {why}, {location}{times}";
    }
    CUBE0711 {
        found { why: Text, location: Text, times: Text } "races: {op} {why}, {location}{times}";
        unordered { unit: Text } "{op} of {unit} is not ordered with it";
    }
    CUBE0712 {
        found { why: Text, location: Text, times: Text } "uninit: {op} {why}, {location}{times}";
        source "the value comes from {op}";
    }
    CUBE0713 {
        found { why: Text, location: Text, times: Text } "ub: {op} {why}, {location}{times}";
    }
    CUBE0714 {
        found { why: Text, location: Text, times: Text } "barriers: {op} {why}, {location}{times}";
        elsewhere { unit: Text } "{unit} is at {op}";
    }
}
