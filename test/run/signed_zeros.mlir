// Every float minimum and maximum orders -0 below +0, for any order of operands and lanes. Each bit of the result is
// the sign of a zero. A Python model computed the expected values.
// SKIP: wgpu@F=f16 it has no atomic accesses of f16 in global memory
// SKIP: wgpu@F=bf16,F=f64 it has neither bf16 nor f64
// SKIP: wgpu-spirv@F=f16 it has no atomic accesses of f16 in global memory
// SKIP: wgpu-spirv@F=bf16 it has no bf16
// RUN-ARGS: --param F=f16 --arg z=0.0 --arg n=-0.0 --arg a=zeros:5 --arg y=zeros:20 --cube-count 1 --check y=%S/data/signed_zeros.y.npy
// RUN-ARGS: --param F=bf16 --arg z=0.0 --arg n=-0.0 --arg a=zeros:5 --arg y=zeros:20 --cube-count 1 --check y=%S/data/signed_zeros.y.npy
// RUN-ARGS: --param F=f32 --arg z=0.0 --arg n=-0.0 --arg a=zeros:5 --arg y=zeros:20 --cube-count 1 --check y=%S/data/signed_zeros.y.npy
// RUN-ARGS: --param F=f64 --arg z=0.0 --arg n=-0.0 --arg a=zeros:5 --arg y=zeros:20 --cube-count 1 --check y=%S/data/signed_zeros.y.npy
cube.func @push(%bits: i32, %zero: !cube.param<@F>) -> i32 {
  %one = arith.constant 1.0 : !cube.param<@F>
  %none = arith.constant 0.0 : !cube.param<@F>
  %1 = arith.constant 1 : i32
  %infinity = arith.divf %one, %zero : !cube.param<@F>
  %negative = arith.cmpf olt, %infinity, %none : !cube.param<@F>
  %sign = arith.extui %negative : i1 to i32
  %twice = cube.shl %bits, %1 : i32
  %all = arith.ori %twice, %sign : i32
  cube.return %all : i32
}

cube.kernel @signed_zeros comptime(@F : type = f32)
    (%z: !cube.param<@F>, %n: !cube.param<@F>, %a: !cube.array<!cube.param<@F>>, %y: !cube.array<i32>) cube_dim(5) {
  %c0 = arith.constant 0 : i32
  %cz = arith.constant 0.0 : !cube.param<@F>
  %cn = arith.constant -0.0 : !cube.param<@F>
  %u = cube.topology unit_pos
  // Two values in both orders, and constants, which fold separately.
  %v1 = arith.minnumf %z, %n : !cube.param<@F>
  %v2 = cube.call @push(%c0, %v1) : (i32, !cube.param<@F>) -> i32
  %v3 = arith.minnumf %n, %z : !cube.param<@F>
  %v4 = cube.call @push(%v2, %v3) : (i32, !cube.param<@F>) -> i32
  %v5 = arith.minnumf %z, %cn : !cube.param<@F>
  %v6 = cube.call @push(%v4, %v5) : (i32, !cube.param<@F>) -> i32
  %v7 = arith.minnumf %cn, %z : !cube.param<@F>
  %v8 = cube.call @push(%v6, %v7) : (i32, !cube.param<@F>) -> i32
  %v9 = arith.minnumf %n, %cz : !cube.param<@F>
  %v10 = cube.call @push(%v8, %v9) : (i32, !cube.param<@F>) -> i32
  %v11 = arith.minnumf %cz, %n : !cube.param<@F>
  %v12 = cube.call @push(%v10, %v11) : (i32, !cube.param<@F>) -> i32
  %v13 = arith.maxnumf %z, %n : !cube.param<@F>
  %v14 = cube.call @push(%v12, %v13) : (i32, !cube.param<@F>) -> i32
  %v15 = arith.maxnumf %n, %z : !cube.param<@F>
  %v16 = cube.call @push(%v14, %v15) : (i32, !cube.param<@F>) -> i32
  %v17 = arith.maxnumf %z, %cn : !cube.param<@F>
  %v18 = cube.call @push(%v16, %v17) : (i32, !cube.param<@F>) -> i32
  %v19 = arith.maxnumf %cn, %z : !cube.param<@F>
  %v20 = cube.call @push(%v18, %v19) : (i32, !cube.param<@F>) -> i32
  %v21 = arith.maxnumf %n, %cz : !cube.param<@F>
  %v22 = cube.call @push(%v20, %v21) : (i32, !cube.param<@F>) -> i32
  %v23 = arith.maxnumf %cz, %n : !cube.param<@F>
  %v24 = cube.call @push(%v22, %v23) : (i32, !cube.param<@F>) -> i32
  %v25 = arith.minimumf %z, %n : !cube.param<@F>
  %v26 = cube.call @push(%v24, %v25) : (i32, !cube.param<@F>) -> i32
  %v27 = arith.minimumf %n, %z : !cube.param<@F>
  %v28 = cube.call @push(%v26, %v27) : (i32, !cube.param<@F>) -> i32
  %v29 = arith.minimumf %z, %cn : !cube.param<@F>
  %v30 = cube.call @push(%v28, %v29) : (i32, !cube.param<@F>) -> i32
  %v31 = arith.minimumf %cn, %z : !cube.param<@F>
  %v32 = cube.call @push(%v30, %v31) : (i32, !cube.param<@F>) -> i32
  %v33 = arith.minimumf %n, %cz : !cube.param<@F>
  %v34 = cube.call @push(%v32, %v33) : (i32, !cube.param<@F>) -> i32
  %v35 = arith.minimumf %cz, %n : !cube.param<@F>
  %v36 = cube.call @push(%v34, %v35) : (i32, !cube.param<@F>) -> i32
  %v37 = arith.maximumf %z, %n : !cube.param<@F>
  %v38 = cube.call @push(%v36, %v37) : (i32, !cube.param<@F>) -> i32
  %v39 = arith.maximumf %n, %z : !cube.param<@F>
  %v40 = cube.call @push(%v38, %v39) : (i32, !cube.param<@F>) -> i32
  %v41 = arith.maximumf %z, %cn : !cube.param<@F>
  %v42 = cube.call @push(%v40, %v41) : (i32, !cube.param<@F>) -> i32
  %v43 = arith.maximumf %cn, %z : !cube.param<@F>
  %v44 = cube.call @push(%v42, %v43) : (i32, !cube.param<@F>) -> i32
  %v45 = arith.maximumf %n, %cz : !cube.param<@F>
  %v46 = cube.call @push(%v44, %v45) : (i32, !cube.param<@F>) -> i32
  %v47 = arith.maximumf %cz, %n : !cube.param<@F>
  %v48 = cube.call @push(%v46, %v47) : (i32, !cube.param<@F>) -> i32
  %v49 = arith.constant 0 : i32
  %v50 = arith.addi %u, %v49 : i32
  cube.store %v48, %y[%v50] : i32, !cube.array<i32>
  // Plane operations: the first or the last lane has a zero of the opposite sign.
  %v51 = arith.constant 0 : i32
  %v52 = arith.cmpi eq, %u, %v51 : i32
  %v53 = arith.select %v52, %n, %z : !cube.param<@F>
  %v54 = cube.plane_reduce minf %v53 : !cube.param<@F>
  %v55 = cube.call @push(%c0, %v54) : (i32, !cube.param<@F>) -> i32
  %v56 = cube.plane_scan inclusive minf %v53 : !cube.param<@F>
  %v57 = cube.call @push(%v55, %v56) : (i32, !cube.param<@F>) -> i32
  %v58 = cube.plane_reduce maxf %v53 : !cube.param<@F>
  %v59 = cube.call @push(%v57, %v58) : (i32, !cube.param<@F>) -> i32
  %v60 = cube.plane_scan inclusive maxf %v53 : !cube.param<@F>
  %v61 = cube.call @push(%v59, %v60) : (i32, !cube.param<@F>) -> i32
  %v62 = arith.constant 0 : i32
  %v63 = arith.cmpi eq, %u, %v62 : i32
  %v64 = arith.select %v63, %z, %n : !cube.param<@F>
  %v65 = cube.plane_reduce minf %v64 : !cube.param<@F>
  %v66 = cube.call @push(%v61, %v65) : (i32, !cube.param<@F>) -> i32
  %v67 = cube.plane_scan inclusive minf %v64 : !cube.param<@F>
  %v68 = cube.call @push(%v66, %v67) : (i32, !cube.param<@F>) -> i32
  %v69 = cube.plane_reduce maxf %v64 : !cube.param<@F>
  %v70 = cube.call @push(%v68, %v69) : (i32, !cube.param<@F>) -> i32
  %v71 = cube.plane_scan inclusive maxf %v64 : !cube.param<@F>
  %v72 = cube.call @push(%v70, %v71) : (i32, !cube.param<@F>) -> i32
  %v73 = arith.constant 4 : i32
  %v74 = arith.cmpi eq, %u, %v73 : i32
  %v75 = arith.select %v74, %n, %z : !cube.param<@F>
  %v76 = cube.plane_reduce minf %v75 : !cube.param<@F>
  %v77 = cube.call @push(%v72, %v76) : (i32, !cube.param<@F>) -> i32
  %v78 = cube.plane_scan inclusive minf %v75 : !cube.param<@F>
  %v79 = cube.call @push(%v77, %v78) : (i32, !cube.param<@F>) -> i32
  %v80 = cube.plane_reduce maxf %v75 : !cube.param<@F>
  %v81 = cube.call @push(%v79, %v80) : (i32, !cube.param<@F>) -> i32
  %v82 = cube.plane_scan inclusive maxf %v75 : !cube.param<@F>
  %v83 = cube.call @push(%v81, %v82) : (i32, !cube.param<@F>) -> i32
  %v84 = arith.constant 4 : i32
  %v85 = arith.cmpi eq, %u, %v84 : i32
  %v86 = arith.select %v85, %z, %n : !cube.param<@F>
  %v87 = cube.plane_reduce minf %v86 : !cube.param<@F>
  %v88 = cube.call @push(%v83, %v87) : (i32, !cube.param<@F>) -> i32
  %v89 = cube.plane_scan inclusive minf %v86 : !cube.param<@F>
  %v90 = cube.call @push(%v88, %v89) : (i32, !cube.param<@F>) -> i32
  %v91 = cube.plane_reduce maxf %v86 : !cube.param<@F>
  %v92 = cube.call @push(%v90, %v91) : (i32, !cube.param<@F>) -> i32
  %v93 = cube.plane_scan inclusive maxf %v86 : !cube.param<@F>
  %v94 = cube.call @push(%v92, %v93) : (i32, !cube.param<@F>) -> i32
  %v95 = arith.constant 5 : i32
  %v96 = arith.addi %u, %v95 : i32
  cube.store %v94, %y[%v96] : i32, !cube.array<i32>
  // Reductions of a line, with and without a start value.
  %v97 = vector.from_elements %z, %n, %z : vector<3x!cube.param<@F>>
  %v98 = vector.reduction <minnumf>, %v97 : vector<3x!cube.param<@F>> into !cube.param<@F>
  %v99 = cube.call @push(%c0, %v98) : (i32, !cube.param<@F>) -> i32
  %v100 = vector.reduction <minnumf>, %v97, %n : vector<3x!cube.param<@F>> into !cube.param<@F>
  %v101 = cube.call @push(%v99, %v100) : (i32, !cube.param<@F>) -> i32
  %v102 = vector.reduction <maxnumf>, %v97 : vector<3x!cube.param<@F>> into !cube.param<@F>
  %v103 = cube.call @push(%v101, %v102) : (i32, !cube.param<@F>) -> i32
  %v104 = vector.reduction <maxnumf>, %v97, %n : vector<3x!cube.param<@F>> into !cube.param<@F>
  %v105 = cube.call @push(%v103, %v104) : (i32, !cube.param<@F>) -> i32
  %v106 = vector.from_elements %n, %z, %n : vector<3x!cube.param<@F>>
  %v107 = vector.reduction <minnumf>, %v106 : vector<3x!cube.param<@F>> into !cube.param<@F>
  %v108 = cube.call @push(%v105, %v107) : (i32, !cube.param<@F>) -> i32
  %v109 = vector.reduction <minnumf>, %v106, %z : vector<3x!cube.param<@F>> into !cube.param<@F>
  %v110 = cube.call @push(%v108, %v109) : (i32, !cube.param<@F>) -> i32
  %v111 = vector.reduction <maxnumf>, %v106 : vector<3x!cube.param<@F>> into !cube.param<@F>
  %v112 = cube.call @push(%v110, %v111) : (i32, !cube.param<@F>) -> i32
  %v113 = vector.reduction <maxnumf>, %v106, %z : vector<3x!cube.param<@F>> into !cube.param<@F>
  %v114 = cube.call @push(%v112, %v113) : (i32, !cube.param<@F>) -> i32
  %v115 = arith.constant 10 : i32
  %v116 = arith.addi %u, %v115 : i32
  cube.store %v114, %y[%v116] : i32, !cube.array<i32>
  // Atomic minimum and maximum of memory and a value.
  cube.atomic_store %z, %a[%u] : !cube.param<@F>, !cube.array<!cube.param<@F>>
  %v117 = cube.atomic_rmw minf %n, %a[%u] : !cube.param<@F>, !cube.array<!cube.param<@F>>
  %v118 = cube.atomic_load %a[%u] : !cube.array<!cube.param<@F>> -> !cube.param<@F>
  %v119 = cube.call @push(%c0, %v118) : (i32, !cube.param<@F>) -> i32
  cube.atomic_store %z, %a[%u] : !cube.param<@F>, !cube.array<!cube.param<@F>>
  %v120 = cube.atomic_rmw maxf %n, %a[%u] : !cube.param<@F>, !cube.array<!cube.param<@F>>
  %v121 = cube.atomic_load %a[%u] : !cube.array<!cube.param<@F>> -> !cube.param<@F>
  %v122 = cube.call @push(%v119, %v121) : (i32, !cube.param<@F>) -> i32
  cube.atomic_store %n, %a[%u] : !cube.param<@F>, !cube.array<!cube.param<@F>>
  %v123 = cube.atomic_rmw minf %z, %a[%u] : !cube.param<@F>, !cube.array<!cube.param<@F>>
  %v124 = cube.atomic_load %a[%u] : !cube.array<!cube.param<@F>> -> !cube.param<@F>
  %v125 = cube.call @push(%v122, %v124) : (i32, !cube.param<@F>) -> i32
  cube.atomic_store %n, %a[%u] : !cube.param<@F>, !cube.array<!cube.param<@F>>
  %v126 = cube.atomic_rmw maxf %z, %a[%u] : !cube.param<@F>, !cube.array<!cube.param<@F>>
  %v127 = cube.atomic_load %a[%u] : !cube.array<!cube.param<@F>> -> !cube.param<@F>
  %v128 = cube.call @push(%v125, %v127) : (i32, !cube.param<@F>) -> i32
  %v129 = arith.constant 15 : i32
  %v130 = arith.addi %u, %v129 : i32
  cube.store %v128, %y[%v130] : i32, !cube.array<i32>
  cube.return
}
