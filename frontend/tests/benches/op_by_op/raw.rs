//! The operations of `op_by_op` by calls of CUDA's driver, with kernels in PTX.
use cudarc::driver::sys;
use std::cell::Cell;
use std::ffi::{CString, c_void};
use std::ptr::{from_mut, null_mut};

const UNITS: u32 = 256;

/// The kernels: name, second parameter, and the code of an element from `%f1` and `%f2` to `%f3`.
const KERNELS: [(&str, Second, &str); 5] = [
    ("mul", Second::Buffer, "mul.rn.f32 %f3, %f1, %f2;"),
    ("add", Second::Buffer, "add.rn.f32 %f3, %f1, %f2;"),
    ("scale", Second::Number, "mul.rn.f32 %f3, %f1, %f2;"),
    ("shift", Second::Number, "add.rn.f32 %f3, %f1, %f2;"),
    // tanh(x) = 1 - 2 / (exp(2 x) + 1)
    (
        "tanh",
        Second::Nothing,
        "mul.rn.f32 %f4, %f1, 0f4038AA3B; ex2.approx.f32 %f4, %f4; add.rn.f32 %f4, %f4, 0f3F800000; \
         rcp.rn.f32 %f4, %f4; fma.rn.f32 %f3, %f4, 0fC0000000, 0f3F800000;",
    ),
];

#[derive(Clone, Copy, PartialEq)]
enum Second {
    Buffer,
    Number,
    Nothing,
}

fn check(call: &str, code: sys::CUresult) -> Result<(), String> {
    if code == sys::CUresult::CUDA_SUCCESS { Ok(()) } else { Err(format!("{call}: {code:?}")) }
}

/// The text of all kernels. The parameters are `x`, the second parameter, the output, and the number of elements.
fn ptx() -> String {
    let mut text = String::from(".version 7.0\n.target sm_70\n.address_size 64\n");
    for (name, second, code) in KERNELS {
        let (declared, loaded) = match second {
            Second::Buffer => {
                (".param .u64 y, ", "ld.param.u64 %rd2, [y]; add.u64 %rd2, %rd2, %rd4; ld.global.f32 %f2, [%rd2];")
            }
            Second::Number => (".param .f32 y, ", "ld.param.f32 %f2, [y];"),
            Second::Nothing => ("", ""),
        };
        text += &format!(
            ".visible .entry {name}(.param .u64 x, {declared}.param .u64 out, .param .u32 n)
{{ .reg .b64 %rd<5>; .reg .b32 %r<5>; .reg .f32 %f<5>; .reg .pred %p;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, {UNITS}, %r2; ld.param.u32 %r4, [n];
  setp.ge.u32 %p, %r3, %r4; @%p bra END; mul.wide.u32 %rd4, %r3, 4;
  ld.param.u64 %rd1, [x]; add.u64 %rd1, %rd1, %rd4; ld.global.f32 %f1, [%rd1]; {loaded}
  {code}
  ld.param.u64 %rd3, [out]; add.u64 %rd3, %rd3, %rd4; st.global.f32 [%rd3], %f3;
END: ret; }}\n"
        );
    }
    text
}

/// The primary context with a stream, the kernels, the inputs and one buffer for each result.
pub struct Raw {
    stream: sys::CUstream,
    functions: [sys::CUfunction; 5],
    n: usize,
    inputs: [u64; 3],
    buffers: [u64; 10],
    /// The buffer of the last result, if the driver has allocated it.
    last: Cell<u64>,
}

impl Raw {
    pub fn new(n: usize, inputs: &[Vec<f32>; 3]) -> Result<Self, String> {
        let (mut device, mut context, mut module) = (0, null_mut(), null_mut());
        let (functions, last) = ([null_mut(); 5], Cell::new(0));
        let mut raw = Raw { stream: null_mut(), functions, n, inputs: [0; 3], buffers: [0; 10], last };
        let text = CString::new(ptx()).map_err(|error| error.to_string())?;
        // SAFETY: the driver writes one handle in each call, and the texts end in a zero.
        unsafe {
            check("cuInit", sys::cuInit(0))?;
            check("cuDeviceGet", sys::cuDeviceGet(&mut device, 0))?;
            check("cuDevicePrimaryCtxRetain", sys::cuDevicePrimaryCtxRetain(&mut context, device))?;
            check("cuCtxSetCurrent", sys::cuCtxSetCurrent(context))?;
            let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
            check("cuStreamCreate", sys::cuStreamCreate(&mut raw.stream, flags))?;
            check("cuModuleLoadData", sys::cuModuleLoadData(&mut module, text.as_ptr().cast()))?;
            // Without this limit, the driver returns the memory to the system at each synchronisation.
            let (mut pool, mut kept) = (null_mut(), u64::MAX);
            let limit = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            check("cuDeviceGetDefaultMemPool", sys::cuDeviceGetDefaultMemPool(&mut pool, device))?;
            check("cuMemPoolSetAttribute", sys::cuMemPoolSetAttribute(pool, limit, from_mut(&mut kept).cast()))?;
        }
        for (function, (name, ..)) in raw.functions.iter_mut().zip(KERNELS) {
            let name = CString::new(name).map_err(|error| error.to_string())?;
            // SAFETY: the driver writes one handle; the name ends in a zero.
            check("cuModuleGetFunction", unsafe { sys::cuModuleGetFunction(function, module, name.as_ptr()) })?;
        }
        for (address, values) in raw.inputs.iter_mut().zip(inputs) {
            // SAFETY: the driver writes one address, and then reads the bytes of the vector.
            unsafe {
                check("cuMemAlloc", sys::cuMemAlloc_v2(address, 4 * n))?;
                check("cuMemcpyHtoD", sys::cuMemcpyHtoD_v2(*address, values.as_ptr().cast(), 4 * n))?;
            }
        }
        for address in &mut raw.buffers {
            // SAFETY: the driver writes one address.
            check("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(address, 4 * n) })?;
        }
        Ok(raw)
    }

    fn launch(&self, kernel: usize, mut x: u64, mut y: u64, mut number: f32, mut out: u64) -> Result<(), String> {
        let mut n = self.n as u32;
        let (first, to, last) = (from_mut(&mut x).cast::<c_void>(), from_mut(&mut out).cast(), from_mut(&mut n).cast());
        let mut params = match KERNELS[kernel].1 {
            Second::Buffer => [first, from_mut(&mut y).cast(), to, last],
            Second::Number => [first, from_mut(&mut number).cast(), to, last],
            Second::Nothing => [first, to, last, null_mut()],
        };
        let (cubes, params) = (n.div_ceil(UNITS), params.as_mut_ptr());
        let function = self.functions[kernel];
        // SAFETY: the parameters are those of the kernel's text. The driver copies them before it returns.
        check("cuLaunchKernel", unsafe {
            sys::cuLaunchKernel(function, cubes, 1, 1, UNITS, 1, 1, 0, self.stream, params, null_mut())
        })
    }

    /// One repetition: 10 operations. If `allocates` is true, the driver allocates the output of each operation, and frees it
    /// after its last use.
    pub fn gelu_of_sum(&self, allocates: bool) -> Result<(), String> {
        let [x, w, b] = self.inputs;
        let mut next = self.buffers.iter();
        let mut new = || -> Result<u64, String> {
            if !allocates {
                return Ok(*next.next().expect("ten results"));
            }
            let mut address = 0;
            // SAFETY: the driver writes one address.
            check("cuMemAllocAsync", unsafe { sys::cuMemAllocAsync(&mut address, 4 * self.n, self.stream) })?;
            Ok(address)
        };
        let free = |address: u64| match allocates {
            // SAFETY: the last command that uses the memory precedes this call in the stream.
            true => check("cuMemFreeAsync", unsafe { sys::cuMemFreeAsync(address, self.stream) }),
            false => Ok(()),
        };
        let mut op = |kernel, x, y, number| -> Result<u64, String> {
            let out = new()?;
            self.launch(kernel, x, y, number, out).map(|()| out)
        };
        let product = op(0, x, w, 0.0)?;
        let v = op(1, product, b, 0.0)?;
        free(product)?;
        let square = op(0, v, v, 0.0)?;
        let cube = op(0, square, v, 0.0)?;
        free(square)?;
        let cubic = op(2, cube, 0, 0.044715)?;
        free(cube)?;
        let sum = op(1, v, cubic, 0.0)?;
        free(cubic)?;
        let scaled = op(2, sum, 0, 0.797_884_6)?;
        free(sum)?;
        let tanh = op(4, scaled, 0, 0.0)?;
        free(scaled)?;
        let shifted = op(3, tanh, 0, 1.0)?;
        free(tanh)?;
        let result = op(0, v, shifted, 0.0)?;
        free(shifted)?;
        free(v)?;
        let earlier = self.last.replace(if allocates { result } else { 0 });
        if earlier == 0 { Ok(()) } else { free(earlier) }
    }

    pub fn sync(&self) -> Result<(), String> {
        // SAFETY: the stream is alive.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.stream) })
    }

    /// The values of the last result.
    pub fn result(&self) -> Result<Vec<f32>, String> {
        self.sync()?;
        let (mut values, last) = (vec![0f32; self.n], self.last.get());
        let from = if last == 0 { self.buffers[9] } else { last };
        // SAFETY: the vector has as many bytes as the buffer.
        check("cuMemcpyDtoH", unsafe { sys::cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), from, 4 * self.n) })?;
        Ok(values)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        for address in self.inputs.into_iter().chain(self.buffers).chain([self.last.get()]).filter(|a| *a != 0) {
            // SAFETY: nothing runs after the last result, and no other code has these addresses.
            let _ = unsafe { sys::cuMemFree_v2(address) };
        }
    }
}
