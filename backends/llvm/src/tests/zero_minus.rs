//! Tests of the workaround in `zero_minus_workaround.rs`: the intrinsic `llvm.arithmetic.fence` hides a constant zero.
use super::*;
use inkwell::memory_buffer::MemoryBuffer;

/// The module with a function of `body`, after the workaround.
fn with_workaround(body: &str) -> String {
    let context = Context::create();
    let declared =
        "declare float @llvm.fma.f32(float, float, float)\ndeclare half @llvm.fmuladd.f16(half, half, half)\n";
    let text = format!(
        "{declared}define void @k(ptr %p, float %x, half %h, <2 x float> %v, i1 %c) {{\n{body}\nret void\n}}\n"
    );
    let module =
        context.create_module_from_ir(MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "k")).unwrap();
    hide(&context, &module).unwrap();
    module.verify().unwrap();
    module.print_to_string().to_string()
}

fn has_fence(body: &str) -> bool {
    with_workaround(body).contains("@llvm.arithmetic.fence")
}

#[test]
fn zero_minus_value_gets_arithmetic_fence() {
    let text = with_workaround("%d = fsub float 0.0, %x\nstore float %d, ptr %p");
    assert!(text.contains("%zero = call float @llvm.arithmetic.fence.f32(float 0.000000e+00)"), "{text}");
    assert!(text.contains("%d = fsub float %zero, %x"), "{text}");
    for body in [
        "%d = fsub half 0.0, %h",
        "%d = fsub <2 x float> zeroinitializer, %v",
        "%d = fsub <2 x float> <float 0.0, float 1.0>, %v",
        "%d = fsub <2 x float> <float 0.0, float poison>, %v",
        "%n = fneg float %x\n%d = fadd float %n, 0.0",
        "%n = fneg float %x\n%d = fadd float 0.0, %n",
        "%n = fmul float %x, -1.0\n%d = fadd float %n, 0.0",
        "%d = call float @llvm.fma.f32(float %x, float -1.0, float 0.0)",
        "%d = call half @llvm.fmuladd.f16(half -1.0, half %h, half 0.0)",
    ] {
        assert!(has_fence(body), "{body}");
    }
}

#[test]
fn other_operations_get_no_arithmetic_fence() {
    for body in [
        "%d = fsub float -0.0, %x",
        "%d = fsub nsz float 0.0, %x",
        "%d = fsub float %x, 0.0",
        "%d = fsub float 1.0, %x",
        "%d = fadd float %x, 0.0",
        "%n = fneg float %x\n%d = fadd float %n, 1.0",
        "%n = fmul float %x, -2.0\n%d = fadd float %n, 0.0",
        "%d = call float @llvm.fma.f32(float %x, float 2.0, float 0.0)",
        "%d = call float @llvm.fma.f32(float %x, float -1.0, float 1.0)",
        "%d = call float @llvm.fma.f32(float %x, float %x, float 0.0)",
    ] {
        assert!(!has_fence(body), "{body}");
    }
}
