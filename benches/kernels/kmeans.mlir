// An iteration of k-means: points are lines, centres are in shared memory, and atomics sum the members of each cluster.
// The front end generated this kernel from examples/rust/kmeans.rs for 16 centres.
cube.kernel @assign(%points: !cube.array<f32, 4> {cube.host = "f32", cube.access = "read"}, %centres: !cube.array<f32, 4> {cube.host = "f32", cube.access = "read"}, %labels: !cube.array<i32> {cube.host = "u32"}, %sums: !cube.array<f32> {cube.host = "f32"}, %counts: !cube.array<i32> {cube.host = "u32"}) cube_dim(256) {
  %10 = arith.constant 32 : i32
  %15 = arith.constant 128 : i32
  %17 = arith.constant 0.0 : f32
  %20 = arith.constant 16 : i32
  %22 = arith.constant 0 : i32
  %28 = arith.constant 1.0e30 : f32
  %29 = arith.constant 1 : i32
  %32 = arith.constant 2 : i32
  %76 = arith.constant 8 : i32
  %97 = arith.constant 3 : i32
  %106 = arith.constant 4 : i32
  %5 = cube.alloc : !cube.shared<32 x f32, 4>
  %6 = cube.alloc : !cube.shared<128 x f32>
  %7 = cube.alloc : !cube.shared<16 x i32>
  %8 = cube.topology unit_pos
  %9 = cube.topology cube_dim
  cube.for unsigned %11 = %8 to %10 step %9 : i32 {
    %12 = cube.load %centres[%11] : !cube.array<f32, 4> -> vector<4xf32>
    cube.store %12, %5[%11] : vector<4xf32>, !cube.shared<32 x f32, 4>
  }
  %13 = cube.topology unit_pos
  %14 = cube.topology cube_dim
  cube.for unsigned %16 = %13 to %15 step %14 : i32 {
    cube.atomic_store %17, %6[%16] : f32, !cube.shared<128 x f32>
  }
  %18 = cube.topology unit_pos
  %19 = cube.topology cube_dim
  cube.for unsigned %21 = %18 to %20 step %19 : i32 {
    cube.atomic_store %22, %7[%21] : i32, !cube.shared<16 x i32>
  }
  cube.sync cube
  %23 = cube.topology absolute_pos
  %24 = cube.len %labels : !cube.array<i32>
  %25 = arith.cmpi ult, %23, %24 : i32
  cube.if %25 {
    %26 = cube.alloc : !cube.local<1 x i32>
    cube.store %22, %26[%22] inbounds : i32, !cube.local<1 x i32>
    %27 = cube.alloc : !cube.local<1 x f32>
    cube.store %28, %27[%22] inbounds : f32, !cube.local<1 x f32>
    cube.for unsigned %30 = %22 to %20 step %29 : i32 {
      %31 = cube.alloc : !cube.local<1 x f32>
      cube.store %17, %31[%22] inbounds : f32, !cube.local<1 x f32>
      %33 = arith.muli %23, %32 : i32
      %34 = arith.addi %33, %22 : i32
      %35 = cube.load %points[%34] : !cube.array<f32, 4> -> vector<4xf32>
      %36 = arith.muli %30, %32 : i32
      %37 = arith.addi %36, %22 : i32
      %38 = cube.load %5[%37] : !cube.shared<32 x f32, 4> -> vector<4xf32>
      %39 = arith.subf %35, %38 : vector<4xf32>
      %40 = arith.mulf %39, %39 : vector<4xf32>
      %41 = vector.extract %40[0] : f32 from vector<4xf32>
      %42 = vector.extract %40[1] : f32 from vector<4xf32>
      %43 = arith.addf %41, %42 : f32
      %44 = vector.extract %40[2] : f32 from vector<4xf32>
      %45 = arith.addf %43, %44 : f32
      %46 = vector.extract %40[3] : f32 from vector<4xf32>
      %47 = arith.addf %45, %46 : f32
      %48 = cube.load %31[%22] inbounds : !cube.local<1 x f32> -> f32
      %49 = arith.addf %48, %47 : f32
      cube.store %49, %31[%22] inbounds : f32, !cube.local<1 x f32>
      %50 = arith.muli %23, %32 : i32
      %51 = arith.addi %50, %29 : i32
      %52 = cube.load %points[%51] : !cube.array<f32, 4> -> vector<4xf32>
      %53 = arith.muli %30, %32 : i32
      %54 = arith.addi %53, %29 : i32
      %55 = cube.load %5[%54] : !cube.shared<32 x f32, 4> -> vector<4xf32>
      %56 = arith.subf %52, %55 : vector<4xf32>
      %57 = arith.mulf %56, %56 : vector<4xf32>
      %58 = vector.extract %57[0] : f32 from vector<4xf32>
      %59 = vector.extract %57[1] : f32 from vector<4xf32>
      %60 = arith.addf %58, %59 : f32
      %61 = vector.extract %57[2] : f32 from vector<4xf32>
      %62 = arith.addf %60, %61 : f32
      %63 = vector.extract %57[3] : f32 from vector<4xf32>
      %64 = arith.addf %62, %63 : f32
      %65 = cube.load %31[%22] inbounds : !cube.local<1 x f32> -> f32
      %66 = arith.addf %65, %64 : f32
      cube.store %66, %31[%22] inbounds : f32, !cube.local<1 x f32>
      %67 = cube.load %31[%22] inbounds : !cube.local<1 x f32> -> f32
      %68 = cube.load %27[%22] inbounds : !cube.local<1 x f32> -> f32
      %69 = arith.cmpf olt, %67, %68 : f32
      cube.if %69 {
        %70 = cube.load %31[%22] inbounds : !cube.local<1 x f32> -> f32
        cube.store %70, %27[%22] inbounds : f32, !cube.local<1 x f32>
        cube.store %30, %26[%22] inbounds : i32, !cube.local<1 x i32>
      }
    }
    %71 = cube.load %26[%22] inbounds : !cube.local<1 x i32> -> i32
    cube.store %71, %labels[%23] : i32, !cube.array<i32>
    %72 = arith.muli %23, %32 : i32
    %73 = arith.addi %72, %22 : i32
    %74 = cube.load %points[%73] : !cube.array<f32, 4> -> vector<4xf32>
    %75 = cube.load %26[%22] inbounds : !cube.local<1 x i32> -> i32
    %77 = arith.muli %75, %76 : i32
    %78 = arith.addi %77, %22 : i32
    %79 = arith.addi %78, %22 : i32
    %80 = vector.extract %74[0] : f32 from vector<4xf32>
    %81 = cube.atomic_rmw addf %80, %6[%79] : f32, !cube.shared<128 x f32>
    %82 = cube.load %26[%22] inbounds : !cube.local<1 x i32> -> i32
    %83 = arith.muli %82, %76 : i32
    %84 = arith.addi %83, %22 : i32
    %85 = arith.addi %84, %29 : i32
    %86 = vector.extract %74[1] : f32 from vector<4xf32>
    %87 = cube.atomic_rmw addf %86, %6[%85] : f32, !cube.shared<128 x f32>
    %88 = cube.load %26[%22] inbounds : !cube.local<1 x i32> -> i32
    %89 = arith.muli %88, %76 : i32
    %90 = arith.addi %89, %22 : i32
    %91 = arith.addi %90, %32 : i32
    %92 = vector.extract %74[2] : f32 from vector<4xf32>
    %93 = cube.atomic_rmw addf %92, %6[%91] : f32, !cube.shared<128 x f32>
    %94 = cube.load %26[%22] inbounds : !cube.local<1 x i32> -> i32
    %95 = arith.muli %94, %76 : i32
    %96 = arith.addi %95, %22 : i32
    %98 = arith.addi %96, %97 : i32
    %99 = vector.extract %74[3] : f32 from vector<4xf32>
    %100 = cube.atomic_rmw addf %99, %6[%98] : f32, !cube.shared<128 x f32>
    %101 = arith.muli %23, %32 : i32
    %102 = arith.addi %101, %29 : i32
    %103 = cube.load %points[%102] : !cube.array<f32, 4> -> vector<4xf32>
    %104 = cube.load %26[%22] inbounds : !cube.local<1 x i32> -> i32
    %105 = arith.muli %104, %76 : i32
    %107 = arith.addi %105, %106 : i32
    %108 = arith.addi %107, %22 : i32
    %109 = vector.extract %103[0] : f32 from vector<4xf32>
    %110 = cube.atomic_rmw addf %109, %6[%108] : f32, !cube.shared<128 x f32>
    %111 = cube.load %26[%22] inbounds : !cube.local<1 x i32> -> i32
    %112 = arith.muli %111, %76 : i32
    %113 = arith.addi %112, %106 : i32
    %114 = arith.addi %113, %29 : i32
    %115 = vector.extract %103[1] : f32 from vector<4xf32>
    %116 = cube.atomic_rmw addf %115, %6[%114] : f32, !cube.shared<128 x f32>
    %117 = cube.load %26[%22] inbounds : !cube.local<1 x i32> -> i32
    %118 = arith.muli %117, %76 : i32
    %119 = arith.addi %118, %106 : i32
    %120 = arith.addi %119, %32 : i32
    %121 = vector.extract %103[2] : f32 from vector<4xf32>
    %122 = cube.atomic_rmw addf %121, %6[%120] : f32, !cube.shared<128 x f32>
    %123 = cube.load %26[%22] inbounds : !cube.local<1 x i32> -> i32
    %124 = arith.muli %123, %76 : i32
    %125 = arith.addi %124, %106 : i32
    %126 = arith.addi %125, %97 : i32
    %127 = vector.extract %103[3] : f32 from vector<4xf32>
    %128 = cube.atomic_rmw addf %127, %6[%126] : f32, !cube.shared<128 x f32>
    %129 = cube.load %26[%22] inbounds : !cube.local<1 x i32> -> i32
    %130 = cube.atomic_rmw addi %29, %7[%129] : i32, !cube.shared<16 x i32>
  }
  cube.sync cube
  %131 = cube.topology unit_pos
  %132 = cube.topology cube_dim
  cube.for unsigned %133 = %131 to %15 step %132 : i32 {
    %134 = cube.atomic_load %6[%133] : !cube.shared<128 x f32> -> f32
    %135 = cube.atomic_rmw addf %134, %sums[%133] : f32, !cube.array<f32>
  }
  %136 = cube.topology unit_pos
  %137 = cube.topology cube_dim
  cube.for unsigned %138 = %136 to %20 step %137 : i32 {
    %139 = cube.atomic_load %7[%138] : !cube.shared<16 x i32> -> i32
    %140 = cube.atomic_rmw addi %139, %counts[%138] : i32, !cube.array<i32>
  }
  cube.return
}
