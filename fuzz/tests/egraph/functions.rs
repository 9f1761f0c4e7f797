//! The functions of docs/reference/fast-math.md, and the words of the code that fast-math flags enable.

/// Words that code contains, and words that it does not contain.
pub type Form = (&'static [&'static str], &'static [&'static str]);

/// A function of the table: the name and the operations, in which `FL` represents the flags and the type of operands is f32.
pub struct Function {
    pub name: &'static str,
    pub body: &'static str,
    /// For each of the GPU columns, words that identify the fast instruction sequence: words that the sequence contains,
    /// and words that it does not contain. An empty list means that flags do not change the code of the target.
    pub gpu: [Form; 4],
    /// For each of the CPU columns, words that identify the fast instruction sequence, as in `gpu`.
    pub cpu: [Form; 4],
}

impl Function {
    /// The forms of all columns, first of the GPUs, then of the CPUs.
    pub fn forms(&self) -> impl Iterator<Item = &Form> {
        self.gpu.iter().chain(&self.cpu)
    }
}

/// The columns: backend, chip, and type of the operands.
pub const COLUMNS: [(&str, &str, &str); 8] = [
    ("nvptx", "sm_90a", "f32"),
    ("amdgpu", "gfx942", "f32"),
    ("spirv", "vulkan1.2", "f32"),
    ("wgsl", "core", "f32"),
    ("cpu", "x86-64-v3", "f32"),
    ("cpu", "x86-64-v3", "f64"),
    ("cpu", "x86-64-v3", "f16"),
    ("cpu", "x86-64-v3", "bf16"),
];

pub const NONE: Form = (&[], &[]);

pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "a / b",
        body: "%r = arith.divf %v, %w FL : f32",
        gpu: [(&["div.approx.f32"], &[]), (&["v_rcp_f32"], &["v_div_scale_f32"]), NONE, NONE],
        cpu: [(&["vrcpps"], &["vdivps"]), NONE, (&["vrcpps"], &["vdivps"]), (&["vrcpps"], &["vdivps"])],
    },
    Function {
        name: "recip(a)",
        body: "%one = arith.constant 1.0 : f32\n  %r = arith.divf %one, %v FL : f32",
        gpu: [(&["rcp.approx"], &[]), (&["v_rcp_f32"], &["v_div_scale_f32"]), NONE, NONE],
        cpu: [(&["vrcpps"], &["vdivps"]), NONE, (&["vrcpps"], &["vdivps"]), (&["vrcpps"], &["vdivps"])],
    },
    Function {
        name: "a / 3",
        body: "%three = arith.constant 3.0 : f32\n  %r = arith.divf %v, %three FL : f32",
        gpu: [
            (&["mul."], &["div.", "rcp."]),
            (&["v_mul_f32"], &["v_rcp_f32", "v_div_scale_f32"]),
            (&["OpFMul"], &["OpFDiv"]),
            (&[" * "], &[" / "]),
        ],
        cpu: [(&["vmulps"], &["vdiv"]), (&["vmulpd"], &["vdiv"]), (&["vmulps"], &["vdiv"]), (&["vmulps"], &["vdiv"])],
    },
    Function {
        name: "sqrt(a)",
        body: "%r = math.sqrt %v FL : f32",
        gpu: [(&["sqrt.approx"], &[]), (&["v_sqrt_f32"], &["v_fma_f32"]), NONE, NONE],
        cpu: [(&["vrsqrtps"], &["vsqrtps"]), NONE, (&["vrsqrtps"], &["vsqrtps"]), (&["vrsqrtps"], &["vsqrtps"])],
    },
    Function {
        name: "inverse_sqrt(a)",
        body: "%r = math.rsqrt %v FL : f32",
        gpu: [(&["rsqrt.approx"], &[]), (&["v_rsq_f32"], &["v_rcp_f32", "v_div_scale_f32"]), NONE, NONE],
        cpu: [NONE; 4],
    },
    Function {
        name: "1 / sqrt(a)",
        body: "%one = arith.constant 1.0 : f32\n  %s = math.sqrt %v FL : f32\n  %r = arith.divf %one, %s FL : f32",
        gpu: [
            (&["rsqrt.approx"], &[]),
            (&["v_rsq_f32"], &["v_rcp_f32", "v_div_scale_f32"]),
            (&["InverseSqrt"], &[]),
            (&["inverseSqrt("], &[]),
        ],
        cpu: [
            (&["vrsqrtps"], &["vsqrtps", "vdivps"]),
            NONE,
            (&["vrsqrtps", "vrcpps"], &["vsqrtps"]),
            (&["vrsqrtps", "vrcpps"], &["vsqrtps"]),
        ],
    },
    Function {
        name: "exp(a)",
        body: "%r = math.exp %v FL : f32",
        gpu: [(&["ex2.approx"], &[]), (&["v_exp_f32"], &[]), (&["Exp"], &[]), (&["exp("], &[])],
        cpu: [(&["vsubps"], &["vfmsub213ps"]), (&["vsubpd"], &["vfmsub213pd"]), NONE, NONE],
    },
    Function {
        name: "exp2(a)",
        body: "%r = math.exp2 %v FL : f32",
        gpu: [(&["ex2.approx"], &[]), (&["v_exp_f32"], &[]), (&["Exp2"], &[]), (&["exp2("], &[])],
        cpu: [NONE; 4],
    },
    Function {
        name: "log(a)",
        body: "%r = math.log %v FL : f32",
        gpu: [(&["lg2.approx"], &[]), (&["v_log_f32"], &[]), (&[" Log "], &[]), (&["log("], &[])],
        cpu: [(&["vfmadd213ps"], &["vfmadd231ps"]), (&["vfmadd213pd"], &["vfmadd231pd"]), NONE, NONE],
    },
    Function {
        name: "log2(a)",
        body: "%r = math.log2 %v FL : f32",
        gpu: [(&["lg2.approx"], &[]), (&["v_log_f32"], &[]), (&["Log2"], &[]), (&["log2("], &[])],
        cpu: [NONE; 4],
    },
    Function {
        name: "sin(a)",
        body: "%r = math.sin %v FL : f32",
        gpu: [(&["sin.approx"], &[]), (&["v_sin_f32"], &[]), (&["Sin"], &[]), (&["sin("], &[])],
        cpu: [NONE; 4],
    },
    Function {
        name: "cos(a)",
        body: "%r = math.cos %v FL : f32",
        gpu: [(&["cos.approx"], &[]), (&["v_cos_f32"], &[]), (&["Cos"], &[]), (&["cos("], &[])],
        cpu: [NONE; 4],
    },
    Function {
        name: "tan(a)",
        body: "%r = math.tan %v FL : f32",
        gpu: [
            (&["sin.approx", "cos.approx"], &[]),
            (&["v_sin_f32", "v_cos_f32"], &[]),
            (&["Tan"], &[]),
            (&["tan("], &[]),
        ],
        cpu: [NONE; 4],
    },
    Function {
        name: "tanh(a)",
        body: "%r = math.tanh %v FL : f32",
        gpu: [(&["tanh.approx"], &[]), NONE, (&["Tanh"], &[]), (&["tanh("], &[])],
        cpu: [NONE; 4],
    },
    Function {
        name: "powf(a, b)",
        body: "%r = math.powf %v, %w FL : f32",
        gpu: [
            (&["lg2.approx", "ex2.approx"], &[]),
            (&["v_log_f32", "v_exp_f32"], &[]),
            (&["Log2", "Exp2"], &[]),
            (&["log2(", "exp2("], &[]),
        ],
        cpu: [(&["vroundps"], &["vdivps"]), (&["vroundpd"], &["vdivpd"]), NONE, NONE],
    },
    Function {
        name: "powf(a, 2)",
        body: "%two = arith.constant 2.0 : f32\n  %r = math.powf %v, %two FL : f32",
        gpu: [
            (&["mul."], &["fma.", "rcp."]),
            (&["v_mul_f32"], &["v_fma", "v_rcp"]),
            (&["OpFMul"], &["OpFDiv"]),
            (&[" * "], &[" / "]),
        ],
        cpu: [
            (&["vmulps"], &["vdivps"]),
            (&["vmulpd"], &["vdivpd"]),
            (&["vmulps"], &["vdivps"]),
            (&["vmulps"], &["vdivps"]),
        ],
    },
    Function {
        name: "a * b + c",
        body: "%m = arith.mulf %v, %w FL : f32\n  %r = arith.addf %m, %u FL : f32",
        gpu: [(&["fma.rn.f32"], &[]), (&["v_fma"], &["v_add_f32"]), (&["OpFAdd"], &["NoContraction"]), NONE],
        cpu: [(&["vfmadd213ps"], &["vaddps"]), (&["vfmadd213pd"], &["vaddpd"]), NONE, (&["vaddps"], &["vcmpunordps"])],
    },
    Function {
        name: "(a + b) - b",
        body: "%s = arith.addf %v, %w FL : f32\n  %r = arith.subf %s, %w FL : f32",
        gpu: [
            (&["st.global"], &["add.rn.f32", "sub.rn.f32", "add.f32", "sub.f32"]),
            (&["global_store"], &["v_add_f32", "v_sub_f32"]),
            (&["OpStore"], &["OpFAdd", "OpFSub"]),
            (&[], &["+ -v", "- v"]),
        ],
        cpu: [
            (&[], &["vaddps", "vsubps"]),
            (&[], &["vaddpd", "vsubpd"]),
            (&[], &["vaddps", "vsubps"]),
            (&[], &["vaddps", "vsubps"]),
        ],
    },
    Function {
        name: "(a + 1) * b",
        body: "%one = arith.constant 1.0 : f32\n  %s = arith.addf %v, %one FL : f32\n  %r = arith.mulf %s, %w FL : f32",
        gpu: [(&["fma.rn.f32"], &[]), (&["v_fma"], &["v_add_f32"]), NONE, NONE],
        cpu: [(&["vfmadd132ps"], &["vaddps"]), (&["vfmadd132pd"], &["vaddpd"]), NONE, (&["vmulps"], &["vcmpunordps"])],
    },
    Function {
        name: "magnitude(a)",
        body: "%e = vector.from_elements %v, %w, %u, %w : vector<4xf32>\n  %q = arith.mulf %e, %e FL : vector<4xf32>\n  %d = vector.reduction <add>, %q : vector<4xf32> into f32\n  %r = math.sqrt %d FL : f32",
        gpu: [(&["sqrt.approx"], &[]), (&["v_sqrt_f32"], &["v_fma_f32"]), NONE, NONE],
        cpu: [NONE, NONE, NONE, (&["vsqrtss"], &["vcmpunordps"])],
    },
    Function {
        name: "normalize(a)",
        body: "%e = vector.from_elements %v, %w, %u, %w : vector<4xf32>\n  %q = arith.mulf %e, %e FL : vector<4xf32>\n  %d = vector.reduction <add>, %q : vector<4xf32> into f32\n  %m = math.sqrt %d FL : f32\n  %l = vector.broadcast %m : f32 to vector<4xf32>\n  %n = arith.divf %e, %l FL : vector<4xf32>\n  %r = vector.extract %n[0] : f32 from vector<4xf32>",
        gpu: [(&["sqrt.approx", "div.approx"], &[]), (&["v_rsq_f32"], &["v_div_scale_f32"]), NONE, NONE],
        cpu: [(&["vrsqrtss"], &["vdivss"]), NONE, (&["vrsqrtss"], &["vdivss"]), (&["vrcpps"], &["vdivps"])],
    },
    Function {
        name: "a + 0.0",
        body: "%o = arith.constant 0.0 : f32\n  %r = arith.addf %v, %o FL : f32",
        gpu: [
            (&["st.global"], &["add.rn.f32", "add.f32"]),
            (&["global_store"], &["v_add_f32"]),
            (&["OpStore"], &["OpFAdd"]),
            (&[], &["unit_index >>"]),
        ],
        cpu: [
            (&[], &["vaddps", "vaddss"]),
            (&[], &["vaddpd", "vaddsd"]),
            (&[], &["vaddps", "vaddss"]),
            (&[], &["vaddps", "vaddss"]),
        ],
    },
    Function {
        name: "a - a",
        body: "%r = arith.subf %v, %v FL : f32",
        gpu: [
            (&["st.global"], &["sub.rn.f32", "sub.f32"]),
            (&["global_store"], &["v_sub_f32"]),
            (&["OpStore"], &["OpFSub", "OpFNegate"]),
            (&[], &["+ -v"]),
        ],
        cpu: [
            (&[], &["vsubps", "vsubss"]),
            (&[], &["vsubpd", "vsubsd"]),
            (&[], &["vsubps", "vsubss"]),
            (&[], &["vsubps", "vsubss"]),
        ],
    },
    Function {
        name: "a * 0.0",
        body: "%o = arith.constant 0.0 : f32\n  %r = arith.mulf %v, %o FL : f32",
        gpu: [
            (&["st.global"], &["mul.rn.f32", "mul.f32", "copysign.f32"]),
            (&["global_store"], &["v_mul_f32", "v_and_b32", "v_bfi_b32"]),
            (&["OpStore"], &["OpFMul"]),
            (&[], &["unit_index >>"]),
        ],
        cpu: [
            (&[], &["vmulps", "vmulss"]),
            (&[], &["vmulpd", "vmulsd"]),
            (&[], &["vmulps", "vmulss"]),
            (&[], &["vmulps", "vmulss"]),
        ],
    },
];
