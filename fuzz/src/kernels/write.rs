//! The outer part of a kernel: the arguments, a function that the kernel calls, and the final stores.
use super::{Gen, Val};

const HELPERS: [&str; 2] = [
    "cube.func @first_above(%from: i32, %limit: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %six = arith.constant 6 : i32
  %none = arith.constant -1 : i32
  cube.for %k = %zero to %six step %one : i32 {
    %p = arith.muli %k, %from : i32
    %above = arith.cmpi sgt, %p, %limit : i32
    cube.if %above {
      cube.return %k : i32
    }
    %odd = arith.trunci %p : i32 to i1
    cube.if %odd {
      cube.continue
    }
    %big = arith.cmpi ugt, %p, %limit : i32
    cube.if %big {
      cube.break
    }
  }
  cube.return %none : i32
}
",
    "cube.func @halves(%from: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = cube.alloc : !cube.local<1 x i32>
  %iterations = cube.alloc : !cube.local<1 x i32>
  cube.store %from, %n[%zero] : i32, !cube.local<1 x i32>
  cube.store %zero, %iterations[%zero] : i32, !cube.local<1 x i32>
  cube.loop {
    %v = cube.load %n[%zero] : !cube.local<1 x i32> -> i32
    %done = arith.cmpi eq, %v, %zero : i32
    cube.if %done {
      %r = cube.load %iterations[%zero] : !cube.local<1 x i32> -> i32
      cube.return %r : i32
    }
    %h = cube.shrui %v, %one : i32
    cube.store %h, %n[%zero] : i32, !cube.local<1 x i32>
    %t = cube.load %iterations[%zero] : !cube.local<1 x i32> -> i32
    %u = arith.addi %t, %one : i32
    cube.store %u, %iterations[%zero] : i32, !cube.local<1 x i32>
  }
  cube.return %zero : i32
}
",
];

impl Gen {
    pub(super) fn kernel(&mut self) -> String {
        let mut params: Vec<String> = Vec::new();
        for ty in self.scope.ints.iter().chain(self.scope.floats) {
            params.push(format!("%x_{ty}: !cube.array<{ty}>"));
        }
        for ty in self.scope.ints.iter().chain(self.scope.floats) {
            params.push(format!("%y_{ty}: !cube.array<{ty}>"));
        }
        params.push("%sums: !cube.array<i32>".into());
        params.push("%grid: !cube.tensor<i32>".into());
        params.push("%small: i32".into());
        params.push("%wide: i32".into());
        for (name, uniform) in [("%small", true), ("%wide", true)] {
            self.values.push(Val { name: name.into(), ty: "i32", uniform });
        }
        for (word, uniform) in [
            ("absolute_pos", false),
            ("unit_pos", false),
            ("cube_pos", true),
            ("cube_dim", true),
            ("unit_pos_plane", false),
            ("unit_pos_x", false),
            ("unit_pos_y", false),
            ("absolute_pos_x", false),
            ("plane_pos", false),
        ] {
            let name = format!("%{word}");
            self.line(&format!("{name} = cube.topology {word}"));
            self.values.push(Val { name, ty: "i32", uniform });
        }
        self.line("%c0 = arith.constant 0 : i32");
        self.line("%c1 = arith.constant 1 : i32");
        self.line("%param = cube.constant <@P> : i32");
        self.values.push(Val { name: "%param".into(), ty: "i32", uniform: true });
        while self.budget > 0 {
            self.statement();
        }
        // In the following statements, single units can return early.
        self.may_return = true;
        self.units_together = false;
        self.budget = 4;
        while self.budget > 0 {
            self.statement();
        }
        for ty in self.scope.ints.iter().chain(self.scope.floats).copied() {
            let value = self.any(ty, false).name;
            self.line(&format!("cube.store {value}, %y_{ty}[%absolute_pos] : {ty}, !cube.array<{ty}>"));
        }
        let parameter = self.below(5);
        format!(
            "{}{}cube.kernel @k comptime(@P : i32 = {parameter})({}) cube_dim({}, {}) {{\n{}  cube.return\n}}\n",
            HELPERS[0],
            HELPERS[1],
            params.join(", "),
            self.dim[0],
            self.dim[1],
            self.out
        )
    }
}
