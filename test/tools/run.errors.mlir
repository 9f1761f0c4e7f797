// Every error on cube-run's command line is one message with a code. The exit code is 1 for an invalid input and 2 for
// wrong usage, and no output file is written.

// RUN: not cube-run %s --arg facter=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error[CUBE0608]: kernel scale has no parameter facter; choose one of x, y, factor; did you mean factor?
// UNKNOWN: cubec --explain CUBE0608

// RUN: not cube-run %s --arg x=zeros:4 --arg x=ones:4 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error[CUBE0608]: parameter x is given 2 times (zeros:4 and ones:4); keep one --arg x=VALUE

// RUN: not cube-run %s --arg x=zeros:4 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error[CUBE0608]: kernel scale needs a value for y, factor; add --arg y=zeros:LEN --arg factor=0.5

// RUN: not cube-run %s --arg x=3.5 2>&1 | FileCheck %s --check-prefix=NOBUFFER
// NOBUFFER: error[CUBE0608]: parameter x: '3.5' is not a content for a buffer; pass FILE.npy, FILE.png, zeros:LEN

// RUN: not cube-run %s --arg x=zerus:4 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: did you mean zeros?

// RUN: not cube-run %s --arg x=zeros:4q 2>&1 | FileCheck %s --check-prefix=LENGTH
// LENGTH: error[CUBE0608]: parameter x: 'zeros:4q' has a length that is not a number of elements

// RUN: not cube-run %s --arg x=random:4:z 2>&1 | FileCheck %s --check-prefix=SEED
// SEED: error[CUBE0608]: parameter x: 'random:4:z' has a seed that is not a whole number

// RUN: not cube-run %s --arg factor=zeros:1 2>&1 | FileCheck %s --check-prefix=NOSCALAR
// NOSCALAR: error[CUBE0608]: parameter factor: it is a scalar of type f32, but 'zeros:1' describes the content of a buffer; pass a number

// RUN: not cube-run %s --arg factor=fast 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error[CUBE0608]: parameter factor: 'fast' is not a value of type f32; write a number

// RUN: not cube-run %s --arg x=zeros:6 --arg y=zeros:8 --arg factor=1 2>&1 | FileCheck %s --check-prefix=LINES
// LINES: error[CUBE0608]: parameter x: 6 elements are not a whole number of lines with 4 elements; use a multiple of 4

// RUN: not cube-run %s --arg x=zeros:y --arg y=zeros:x --arg factor=1 2>&1 | FileCheck %s --check-prefix=LIKE
// LIKE: error[CUBE0608]: parameter x takes its length from y, but y has no length

// RUN: not cube-run %s --arg x=zeros:factor --arg y=zeros:4 --arg factor=1 2>&1 | FileCheck %s --check-prefix=LIKESCALAR
// LIKESCALAR: error[CUBE0608]: --arg x takes its length from factor: the parameter is a scalar of type f32

// RUN: not cube-run %s --arg x=zeros:9999999999999 --arg y=zeros:4 --arg factor=1 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error[CUBE0608]: parameter x: shape [9999999999999] of f32 exceeds half of this machine's

// Errors of input files.
// RUN: not cube-run %s --arg x=%t.absent.npy --arg y=zeros:4 --arg factor=1 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error[CUBE0930]: {{.*}}absent.npy: the file does not exist; check the path
// RUN: head -c 100 %S/inputs/grey.npy > %t.cut.npy
// RUN: not cube-run %s --arg x=%t.cut.npy --arg y=zeros:4 --arg factor=1 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error[CUBE0930]: {{.*}}cut.npy: {{.*}}truncated
// RUN: not cube-run %s --arg x=%S/inputs/grey.npy --arg y=zeros:4 --arg factor=1 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error[CUBE0930]: {{.*}}grey.npy: it has elements of type u8, but f32 is required; save array.astype(numpy.dtype('<f4'))
// RUN: printf 'no picture' > %t.bad.png
// RUN: not cube-run %s --arg x=%t.bad.png --arg y=zeros:4 --arg factor=1 2>&1 | FileCheck %s --check-prefix=BADPNG
// BADPNG: error[CUBE0930]: {{.*}}bad.png: it is not a valid PNG file
// RUN: cp %S/inputs/grey.npy %t.npy
// RUN: not cube-run %S/../run/types.mlir --kernel i64 --arg x=%t.png --arg y=zeros:1 2>&1 | FileCheck %s --check-prefix=PNGTYPE
// PNGTYPE: error[CUBE0608]: parameter x: a picture requires a buffer of u8 or f32, not of i64

// If one output cannot be written, none is.
// RUN: not cube-run %s --arg x=zeros:4 --arg y=zeros:4 --arg factor=1 --out x=%t.out.npy --out y=%t.no/out.npy 2>&1 | FileCheck %s --check-prefix=NOFOLDER
// RUN: test ! -e %t.out.npy
// NOFOLDER: error[CUBE0930]: {{.*}}out.npy: its folder does not exist; create it first
// RUN: not cube-run %s --arg x=zeros:4 --arg y=zeros:4 --arg factor=1 --out x=%t.out.npy --out y=%t.out.png 2>&1 | FileCheck %s --check-prefix=NOPICTURE
// RUN: test ! -e %t.out.npy
// NOPICTURE: error[CUBE0930]: {{.*}}out.png: shape [4] is not the shape of a picture
// RUN: not cube-run %s --out factor=%t.npy 2>&1 --arg x=zeros:4 --arg y=zeros:4 --arg factor=1 | FileCheck %s --check-prefix=OUTSCALAR
// OUTSCALAR: error[CUBE0608]: --out factor: the parameter is a scalar of type f32, which a kernel cannot change; name a buffer
// RUN: not cube-run %s --arg x=zeros:4 --arg y=zeros:4 --arg factor=1 --print z 2>&1 | FileCheck %s --check-prefix=PRINT
// PRINT: error[CUBE0608]: kernel scale has no parameter z

// Failed checks of results.
// RUN: not cube-run %s --arg x=iota:8 --arg y=zeros:8 --arg factor=2 --check y=%S/inputs/iota8.npy --ulp 3 > %t.txt 2>&1
// RUN: FileCheck %s --check-prefix=CHECK < %t.txt
// CHECK: check y: max {{[0-9]+}} ulp at [1]: 2, expected 1; 7 of 8 elements beyond 3 ulp
// CHECK: error[CUBE0609]: the values of y differ from the expected values by more than 3 ulp
// RUN: not cube-run %s --arg x=iota:4 --arg y=zeros:4 --arg factor=2 --check y=%S/inputs/iota8.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error[CUBE0609]: check y: the result has shape [4], but [8] is expected; reshape one of the two

// Unknown or missing backends and targets.
// No machine has this many GPUs; most machines do not even have a driver.
// RUN: not env CUBE_HIP_DEVICE=4096 cube-run %s --backend hip 2>&1 | FileCheck %s --check-prefix=HIP
// HIP: there is no HIP {{library|device 4096}}
// RUN: not env CUBE_CUDA_DEVICE=4096 cube-run %s --backend cuda 2>&1 | FileCheck %s --check-prefix=CUDA
// CUDA: error[CUBE0940]: there is no CUDA {{driver \(libcuda\) on this machine; install NVIDIA's driver, or run on another backend|device 4096, and the driver finds [0-9]+ devices; set CUBE_CUDA_DEVICE to a number below [0-9]+}}
// CUDA-NEXT: for more about this error: cubec --explain CUBE0940
// RUN: not env CUBE_CUDA_DEVICE=first cube-run %s --backend cuda 2>&1 | FileCheck %s --check-prefix=ORDINAL
// ORDINAL: error[CUBE0923]: CUBE_CUDA_DEVICE is 'first', which is not a number; set the variable to 0, 1, ...
// RUN: not cube-run %s --backend cpuu 2>&1 | FileCheck %s --check-prefix=BACKEND
// BACKEND: error[CUBE0610]: unknown backend cpuu; choose one of cpu, interp, cuda, hip, wgpu, wgpu-spirv; did you mean cpu?
// RUN: not cube-run %s --target nvptx:sm_90a 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error[CUBE0610]: this backend runs code for cpu, not for nvptx:sm_90a; print the code with cubec KERNEL.mlir --target nvptx:sm_90a -o -
// RUN: not cube-run %s --target cpu:x86-64-v9 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error[CUBE0501]: target cpu has no chip x86-64-v9
// RUN: not cube-run %S/inputs/wide.mlir --arg y=zeros:8 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error[CUBE0922]: kernel 'wide': its cube has 8192 units along x, but the device's limit is 4096
// RUN: not cube-run %s --arg x=zeros:4 --arg y=zeros:4 --arg factor=1 --cube-count 4294967295 2>&1 | FileCheck %s --check-prefix=UNITS
// UNITS: error[CUBE0922]: kernel 'scale': 4294967295 cubes of 4 units along x are 17179869180 units

// Errors of the kernel file and of the kernel's name.
// RUN: not cube-run %t.absent.mlir 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: error[CUBE0602]: cannot read {{.*}}absent.mlir
// RUN: not cube-run %s --kernel scala 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: error[CUBE0504]: unknown kernel scala; choose one of scale; did you mean scale?
// RUN: not cube-run %s --param N=8 2>&1 | FileCheck %s --check-prefix=PARAM
// PARAM: run.errors.mlir:[[#@LINE+51]]:1: error[CUBE0301]: kernel @scale has no comptime parameter N (declared: none)
// The source line is printed below the message.
// PARAM-NEXT: {{^}}cube.kernel @scale(%x: !cube.array<f32, 4>
// PARAM-NEXT: {{^\^$}}
// RUN: cubec %s --emit artifact -o %t.artifact && head -c 300 %t.artifact > %t.cut.artifact
// RUN: not cube-run %t.cut.artifact 2>&1 | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: error[CUBE0602]: {{.*}}cut.artifact: this artifact is truncated or damaged
// RUN: not cube-run %t.artifact --kernel other 2>&1 | FileCheck %s --check-prefix=HOLDS
// HOLDS: error[CUBE0608]: {{.*}}.artifact contains kernel scale, not other
// RUN: CUBE_COMPILER=/nowhere/cubec not cube-run %s --compiler serve 2>&1 | FileCheck %s --check-prefix=SERVE
// SERVE: error[CUBE0900]: CUBE_COMPILER is '/nowhere/cubec', which is not a program

// Environment variables.
// RUN: CUBE_CPU_TIME_LIMIT=abc not cube-run %s 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: error[CUBE0923]: CUBE_CPU_TIME_LIMIT is 'abc', which is not a time
// RUN: CUBE_CPU_THREADS=0 not cube-run %s 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error[CUBE0923]: CUBE_CPU_THREADS is '0'
// RUN: CUBE_CPU_GUARD=yes not cube-run %s 2>&1 | FileCheck %s --check-prefix=GUARD
// GUARD: error[CUBE0923]: CUBE_CPU_GUARD is 'yes'
// Environment variables for programs have no effect in a tool, and a note names the tool's option.
// RUN: CUBE_TRACE=%t.trace cube-run %s --describe 2>&1 | FileCheck %s --check-prefix=TRACE
// TRACE: note: CUBE_TRACE applies to programs that launch kernels, and has no effect here: cubec KERNEL.mlir --dump-tree
// RUN: CUBE_EXPLAIN=1 cube-run %s --describe 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: note: CUBE_EXPLAIN applies to programs that launch kernels

// Numbers outside of the range of their type, and values of comptime parameters.
// RUN: not cube-run %s --arg x=zeros:4 --arg y=zeros:4 --arg factor=1e999 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: error[CUBE0608]: parameter factor: '1e999' exceeds the largest f32; write a smaller number, or inf for infinity

// Wrong usage gives exit code 2.
// RUN: cube-run %s --find races 2> %t.txt || test $? = 2 && FileCheck %s --check-prefix=UNUSED < %t.txt
// UNUSED: error[CUBE0604]: --find has no effect here: the option requires --backend interp or --bisect; omit --find, or change the run
// RUN: cube-run %s --cube-count -1 2> %t.txt || test $? = 2 && FileCheck %s --check-prefix=MINUS < %t.txt
// MINUS: error[CUBE0604]: --cube-count -1 is not one to three whole numbers below 2^32
// RUN: cube-run %s --ulp -1 2> %t.txt || test $? = 2 && FileCheck %s --check-prefix=ULP < %t.txt
// ULP: error[CUBE0604]: invalid value '-1' for '--ulp <N>': write a whole number from 0 to 2^64-1
// RUN: cube-run %s --arg x 2> %t.txt || test $? = 2 && FileCheck %s --check-prefix=PAIR < %t.txt
// PAIR: error[CUBE0604]: --arg x is not NAME=VALUE
// RUN: cube-run %s --cube-count 1,2,3,4 2> %t.txt || test $? = 2 && FileCheck %s --check-prefix=COUNT < %t.txt
// COUNT: error[CUBE0604]: --cube-count 1,2,3,4 is not one to three whole numbers below 2^32, as in 16 or 16,8
// RUN: cube-run 2> %t.txt || test $? = 2 && FileCheck %s --check-prefix=NOINPUT < %t.txt
// NOINPUT: error[CUBE0604]: name a kernel
// RUN: cube-run %s --chek y=f.npy 2> %t.txt || test $? = 2 && FileCheck %s --check-prefix=OPTION < %t.txt
// OPTION: error[CUBE0604]: unexpected argument '--chek' found
// RUN: cube-run %t.artifact --param N=8 2> %t.txt || test $? = 2 && FileCheck %s --check-prefix=READY < %t.txt
// READY: error[CUBE0604]: {{.*}}.artifact is already compiled, so --param has no effect; omit it
// RUN: cube-run %s --arg x=zeros:4 --arg y=zeros:4 --arg factor=1 --out y=f.txt 2> %t.txt || test $? = 2 && FileCheck %s --check-prefix=ENDING < %t.txt
// ENDING: error[CUBE0604]: --out y=f.txt does not end in .npy or .png
// RUN: cube-run %s --arg x=zeros:4 --arg y=zeros:4 --arg factor=1 --out y=f.npy --out x=f.npy 2> %t.txt || test $? = 2 && FileCheck %s --check-prefix=SAME < %t.txt
// SAME: error[CUBE0604]: two --out options write to f.npy; name a different file for each option

cube.kernel @scale(%x: !cube.array<f32, 4>, %y: !cube.array<f32>, %factor: f32) cube_dim(4) {
  %0 = arith.constant 0 : i32
  %i = cube.topology absolute_pos
  %four = cube.load %x[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %n = cube.len %y : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = arith.uitofp %i : i32 to f32
    %r = arith.mulf %v, %factor : f32
    cube.store %r, %y[%i] : f32, !cube.array<f32>
  }
  cube.return
}
