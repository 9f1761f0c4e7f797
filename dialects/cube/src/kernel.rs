//! The properties of a kernel that passes, backends and the artifact use.
use crate::{
    BufferKind, BufferType,
    attributes::{ACCESS, ALIGN, CUBE_COUNT, CUBES, DERIVED, HOST, LEN, PLANE_DIM},
    is_number, ops,
};
use cube_bridge::cubeComptimeAttrParts;
use cube_ir::{AttrExt, Attribute, AttributeLike, Block, Cx, Op, Type, Val};
use mlir_sys::{MlirAttribute, MlirStringRef, MlirType};
use std::ptr::null;

/// The properties in the attributes and the argument list of a kernel.
#[derive(Clone, Debug)]
pub struct KernelFacts<'p> {
    /// The operation `cube.kernel`.
    pub op: Op<'p>,
    /// The symbol of the kernel.
    pub name: &'p str,
    /// Units of a cube along x, y, z.
    pub cube_dim: [u32; 3],
    /// Whether accesses without a bounds attribute are checked.
    pub checked: bool,
    /// The expressions of [`cube.cube_count`](CUBE_COUNT), if the kernel has the attribute.
    pub cube_count: Option<[&'p str; 3]>,
    /// The arguments of the kernel.
    pub args: Vec<KernelArg<'p>>,
}

/// An argument of a kernel. The verifier refuses other kinds of arguments.
#[derive(Clone, Debug)]
pub enum KernelArg<'p> {
    Buffer(BufferArg<'p>),
    Scalar(ScalarArg<'p>),
}

/// A buffer argument with the values of its attributes.
#[derive(Clone, Debug)]
pub struct BufferArg<'p> {
    /// Name, or `arg{n}`.
    pub name: String,
    /// Element type and line size.
    pub ty: BufferType<'p>,
    /// The host type in the attribute `cube.host`, if the argument has this attribute.
    pub host: Option<&'p str>,
    /// `cube.align`, or 1.
    pub align: u32,
    /// The value of `cube.access`, if the argument has this attribute.
    pub access: Option<&'p str>,
    /// The SSA value in the kernel's body.
    pub value: Val<'p>,
}

/// A scalar argument with the values of its attributes.
#[derive(Clone, Debug)]
pub struct ScalarArg<'p> {
    /// Name, or `arg{n}`.
    pub name: String,
    /// Type in the IR, which has signless integers.
    pub ty: Type<'p>,
    /// The host type in the attribute `cube.host`, if the argument has this attribute.
    pub host: Option<&'p str>,
    /// The expression from which the runtime computes the argument, if the host does not pass it.
    pub derived: Option<&'p str>,
    /// The SSA value in the kernel's body.
    pub value: Val<'p>,
}

/// A comptime declaration of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Comptime<'p> {
    pub name: &'p str,
    /// Type of the value; `None` for a type parameter.
    pub ty: Option<Type<'p>>,
    pub default: Option<Attribute<'p>>,
}

impl<'p> Comptime<'p> {
    /// The parsed value: a type for a type parameter, `true` or `false` for an `i1`, otherwise a number of the
    /// declared type. `None` for any other text.
    pub fn value(&self, cx: Cx<'p>, text: &str) -> Option<Attribute<'p>> {
        let Some(ty) = self.ty else {
            return cx.parse_type(text).filter(|ty| is_number(*ty)).map(|ty| cx.type_attr(ty));
        };
        // The words `true` and `false` have no type suffix, and the text can already contain a type.
        let is_complete = text.contains(':') || matches!(text, "true" | "false");
        let text = if is_complete { text.to_string() } else { format!("{text} : {ty}") };
        cx.parse_attr(&text).filter(|value| value.value_type() == Some(ty))
    }
}

impl<'p> ops::Kernel<'p> {
    /// The symbol name.
    pub fn name(self) -> &'p str {
        self.sym_name().and_then(|a| a.as_str()).unwrap_or("")
    }

    pub fn block(self) -> Option<Block<'p>> {
        self.op().body()
    }

    /// The comptime parameters of the kernel.
    pub fn comptime_params(self) -> Vec<Comptime<'p>> {
        let decls = self.comptime().and_then(|a| a.as_array()).unwrap_or_default();
        decls.into_iter().filter_map(comptime_parts).collect()
    }

    /// The name of argument number `index`: the name in the source, or `arg{n}`.
    pub fn arg_name(self, index: usize) -> String {
        let name = self.arg_names().and_then(|a| a.item(index)).and_then(|n| n.as_str()).map(String::from);
        let name = name.unwrap_or_else(|| format!("{index}"));
        if name.starts_with(|c: char| c.is_ascii_digit()) { format!("arg{name}") } else { name }
    }

    /// The buffer that contains the number of cubes (`cube.cubes`).
    pub fn cubes(self) -> Option<Val<'p>> {
        let attrs = self.arg_attrs().and_then(|a| a.as_array()).unwrap_or_default();
        let number = attrs.iter().position(|attrs| attrs.entry(CUBES).is_some())?;
        self.block()?.args().nth(number)
    }

    /// Removes the attribute `cube.cubes` from all arguments.
    pub fn remove_cubes(self) {
        let cx = self.op().cx();
        let without = |attrs: Attribute<'p>| {
            let names = attrs.entry_names().into_iter().filter(|name| *name != CUBES);
            let entries: Vec<(&str, Attribute<'p>)> =
                names.filter_map(|name| Some((name, attrs.entry(name)?))).collect();
            cx.dictionary_attr(&entries)
        };
        let attrs = self.arg_attrs().and_then(|a| a.as_array()).unwrap_or_default();
        let all: Vec<Attribute<'p>> = attrs.into_iter().map(without).collect();
        self.op().set_attr("arg_attrs", cx.array_attr(&all));
    }

    /// Adds a scalar argument at the end. The runtime computes the argument with `expression`.
    pub fn add_derived(self, name: &str, expression: &str, ty: Type<'p>) -> Option<Val<'p>> {
        self.add_argument(name, ty, &[(DERIVED, self.op().cx().str_attr(expression))])
    }

    /// Adds an argument with these attributes at the end.
    pub fn add_argument(self, name: &str, ty: Type<'p>, attrs: &[(&str, Attribute<'p>)]) -> Option<Val<'p>> {
        let (op, block) = (self.op(), self.block()?);
        let cx = op.cx();
        let count = block.args().len();
        let mut names: Vec<String> = (0..count).map(|i| self.arg_name(i)).collect();
        let mut fresh = name.to_string();
        while names.contains(&fresh) {
            fresh.push('_');
        }
        names.push(fresh);
        let mut all = self.arg_attrs().and_then(|a| a.as_array()).unwrap_or_default();
        all.resize(count, cx.dictionary_attr(&[]));
        all.push(cx.dictionary_attr(attrs));
        let value = block.add_arg(ty, op.location());
        let names: Vec<Attribute<'p>> = names.iter().map(|name| cx.str_attr(name)).collect();
        op.set_attr("arg_names", cx.array_attr(&names));
        op.set_attr("arg_attrs", cx.array_attr(&all));
        let types: Vec<Type<'p>> = block.args().map(|a| a.ty()).collect();
        op.set_attr("function_type", cx.type_attr(cx.function(&types, &[])));
        Some(value)
    }

    /// Whether the length that a kernel reads from a buffer equals the length of the buffer's memory. The
    /// lengths are equal for arrays without `cube.len = "host"` and for tensors with `cube.len = "buffer"`.
    pub fn len_is_buffer_len(buffer: Val<'p>) -> bool {
        let Some(ty) = BufferType::of(buffer.ty()) else { return false };
        let kernel = buffer.block_arg().and_then(|(block, i)| Some((ops::Kernel::of(block.parent()?)?, i)));
        let attrs = kernel.and_then(|(kernel, i)| kernel.arg_attrs()?.item(i));
        match attrs.and_then(|d| d.entry(LEN)).and_then(|a| a.as_str()) {
            Some(word) => word == "buffer",
            None => ty.kind != BufferKind::Tensor,
        }
    }

    /// The plane width in the kernel's attribute `cube.plane_dim`.
    pub fn plane_dim(self) -> Option<u32> {
        self.op().attr(PLANE_DIM).and_then(|width| width.as_int()).and_then(|width| u32::try_from(width).ok())
    }

    /// The arguments and launch facts of the kernel. Arguments that are neither buffers nor scalars are omitted,
    /// because the verifier refuses them.
    pub fn facts(self) -> KernelFacts<'p> {
        let dim = self.cube_dim().and_then(|a| a.as_i32_array()).unwrap_or_default();
        let at = |i: usize| dim.get(i).copied().unwrap_or(1).max(1) as u32;
        let names = self.arg_names().and_then(|a| a.as_array()).unwrap_or_default();
        let attrs = self.arg_attrs().and_then(|a| a.as_array()).unwrap_or_default();
        let values: Vec<Val<'p>> = self.block().map(|b| b.args().collect()).unwrap_or_default();
        let args = values.into_iter().enumerate().map(|(i, value)| {
            let name = names.get(i).and_then(|n| n.as_str()).map_or_else(|| format!("arg{i}"), String::from);
            let name = if name.starts_with(|c: char| c.is_ascii_digit()) { format!("arg{name}") } else { name };
            let text = |key| attrs.get(i).and_then(|d| d.entry(key)).and_then(|a| a.as_str());
            let (host, access, derived) = (text(HOST), text(ACCESS), text(DERIVED));
            let align = attrs.get(i).and_then(|d| d.entry(ALIGN)).and_then(|a| a.as_int());
            let align = align.and_then(|n| u32::try_from(n).ok()).unwrap_or(1);
            match BufferType::of(value.ty()) {
                Some(ty) => KernelArg::Buffer(BufferArg { name, ty, host, align, access, value }),
                None => KernelArg::Scalar(ScalarArg { name, ty: value.ty(), host, derived, value }),
            }
        });
        KernelFacts {
            op: self.op(),
            name: self.name(),
            cube_dim: [at(0), at(1), at(2)],
            checked: self.unchecked().is_none(),
            cube_count: self.op().attr(CUBE_COUNT).and_then(|counts| {
                Some([counts.item(0)?.as_str()?, counts.item(1)?.as_str()?, counts.item(2)?.as_str()?])
            }),
            args: args.collect(),
        }
    }
}

fn comptime_parts(attr: Attribute<'_>) -> Option<Comptime<'_>> {
    let mut name = MlirStringRef { data: null(), length: 0 };
    let mut ty = MlirType { ptr: null() };
    let mut value = MlirAttribute { ptr: null() };
    // SAFETY: out-pointers are live; texts live as long as the context; a missing default is null.
    unsafe {
        cubeComptimeAttrParts(attr.to_raw(), &mut name, &mut ty, &mut value).then(|| Comptime {
            name: std::str::from_utf8_unchecked(std::slice::from_raw_parts(name.data.cast(), name.length)),
            ty: (!mlir_sys::mlirTypeIsANone(ty)).then(|| Type::from_raw(ty)),
            default: (!value.ptr.is_null()).then(|| Attribute::from_raw(value)),
        })
    }
}

/// The kernels of a module, in order.
pub fn kernels_of(module: Op<'_>) -> Vec<ops::Kernel<'_>> {
    let ops = module.body().map(|b| b.ops()).unwrap_or_default();
    ops.into_iter().filter_map(ops::Kernel::of).collect()
}
