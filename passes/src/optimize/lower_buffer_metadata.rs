//! Replaces queries of tensor properties by scalar arguments, which the runtime computes.
//!
//! ```mlir
//! cube.kernel @k(%t: !cube.tensor<f32>)        cube.kernel @k(%t: !cube.tensor<f32>,
//!                                                              %t_shape_0: i32 {cube.derived = "shape(t, 0)"})
//!   %s = cube.shape %t, %c0                      // %s is %t_shape_0
//!   %c = cube.coordinate %t, %i, %c0             %c = cube.remui (cube.divui %i, %t_stride_0), %t_shape_0
//! ```
//!
//! If a dimension number is known only at run time, the kernel selects among the values of all 8 dimensions. A
//! dimension number above 7 gives the value zero. The pass keeps a `cube.len` of the buffer's memory, because every
//! target passes this length to the kernel. Invariant: no operation queries the rank, the shape, the strides or a
//! derived length of a tensor. Cost: linear. Only properties that the kernel uses add arguments.
use crate::analysis::constants::int_of;
use cube_dialect::{BufferKind, BufferType, ops};
use cube_ir::{Builder, Failed, Op, PassResult, Run, Val, pass, upstream::IntCmp};
use std::collections::HashMap;

pass! {
    name: "lower-buffer-metadata",
    summary: "turns lengths, shapes and strides into arguments that the runtime computes",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["cube", "arith"],
    statistics: ["arguments added"],
    run: run,
}

/// Maximum number of dimensions of a tensor.
const MAX_RANK: i64 = 8;

struct Derive<'p> {
    kernel: ops::Kernel<'p>,
    known: HashMap<String, Val<'p>>,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    let mut derive = Derive { kernel, known: HashMap::new() };
    for op in run.root().walk() {
        let b = run.before(op);
        let value = match op.kind() {
            ops::Len::KIND if !ops::Kernel::len_is_buffer_len(op.operand(0)) => derive.argument(op, "len", None)?,
            ops::Rank::KIND => derive.argument(op, "rank", None)?,
            ops::Shape::KIND => derive.dimension(b, op, "shape", op.operand(1))?,
            ops::Stride::KIND => derive.dimension(b, op, "stride", op.operand(1))?,
            ops::Coordinate::KIND => {
                let shape = derive.dimension(b, op, "shape", op.operand(2))?;
                let stride = derive.dimension(b, op, "stride", op.operand(2))?;
                let total = |name, x: Val<'p>, y| b.op(name).operands(&[x, y]).result(x.ty()).value();
                total(ops::Remui::KIND, total(ops::Divui::KIND, op.operand(1), stride), shape)
            }
            _ => continue,
        };
        run.replace(op, &[value]);
    }
    run.count("arguments added", derive.known.len() as u64);
    Ok(())
}

impl<'p> Derive<'p> {
    fn argument(&mut self, op: Op<'p>, what: &str, dimension: Option<i64>) -> Result<Val<'p>, Failed> {
        let buffer = op.operand(0);
        let Some((_, index)) = buffer.block_arg().filter(|(block, _)| block.parent() == Some(self.kernel.op())) else {
            op.error(cube_ir::diagnostic!(CUBE0313.chosen { ty: buffer.ty() }));
            return Err(Failed);
        };
        if BufferType::of(buffer.ty()).is_some_and(|b| !b.is_global() || b.kind == BufferKind::Slice) {
            op.error(cube_ir::diagnostic!(CUBE0313.unknown { ty: buffer.ty() }));
            return Err(Failed);
        }
        let name = self.kernel.arg_name(index);
        let (expression, short) = match dimension {
            Some(d) => (format!("{what}({name}, {d})"), format!("{name}_{what}_{d}")),
            None => (format!("{what}({name})"), format!("{name}_{what}")),
        };
        if let Some(value) = self.known.get(&expression) {
            return Ok(*value);
        }
        let added = self.kernel.add_derived(&short, &expression, op.cx().int(32)).ok_or(Failed)?;
        self.known.insert(expression, added);
        Ok(added)
    }

    fn dimension(&mut self, b: Builder<'p>, op: Op<'p>, what: &str, d: Val<'p>) -> Result<Val<'p>, Failed> {
        let zero = |b: Builder<'p>| b.int(b.cx().int(32), 0);
        match int_of(d) {
            Some(d) if (0..MAX_RANK).contains(&d) => self.argument(op, what, Some(d)),
            Some(_) => Ok(zero(b)),
            None => {
                let mut value = zero(b);
                for i in (0..MAX_RANK).rev() {
                    let this = b.cmpi(IntCmp::Eq, d, b.int(d.ty(), i));
                    value = b.select(this, self.argument(op, what, Some(i))?, value);
                }
                Ok(value)
            }
        }
    }
}
