//! Views as arguments of launches.
use super::layout::{Coordinates, Coords1d, Layout, VirtualLayoutExpand};
use super::view::{View, ViewExpand};
use super::view_storage::{Mapped, Marker, Memory};
use cube_frontend::__private::{CompileArg, Launch, Params, unexpanded};
use cube_frontend::prelude::*;
use std::any::TypeId;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::rc::Rc;

/// A view as a launch argument: memory and a layout of any type.
pub struct ViewArg<'a, C: Coordinates, R: Runtime> {
    buffer: ArrayArg<'a, R>,
    layout_arg: Box<dyn RegisterLayout + 'a>,
    layout: EnterLayout<C>,
}

/// A layout as an argument.
trait RegisterLayout {
    fn register_layout<'x>(&'x self, launch: &mut Launch<'x>) -> CompileArg;
}

struct LayoutArg<'a, L: LaunchArg, R: Runtime>(L::RuntimeArg<'a, R>);

impl<'a, L: LaunchArg, R: Runtime> RegisterLayout for LayoutArg<'a, L, R> {
    fn register_layout<'x>(&'x self, launch: &mut Launch<'x>) -> CompileArg {
        L::register::<R>(&self.0, launch)
    }
}

/// Function that creates the layout in a kernel. The type of the function is part of the kernel's key. The field
/// `name` appears in reports.
struct EnterLayout<C: Coordinates> {
    enter: fn(&CompileArg, &mut Params) -> VirtualLayoutExpand<C, Coords1d>,
    layout_type: TypeId,
    name: &'static str,
}

impl<C: Coordinates> Clone for EnterLayout<C> {
    fn clone(&self) -> Self {
        EnterLayout { ..*self }
    }
}

impl<C: Coordinates> PartialEq for EnterLayout<C> {
    fn eq(&self, other: &Self) -> bool {
        self.layout_type == other.layout_type
    }
}

impl<C: Coordinates> Eq for EnterLayout<C> {}

impl<C: Coordinates> Hash for EnterLayout<C> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.layout_type.hash(state);
    }
}

impl<C: Coordinates> std::fmt::Debug for EnterLayout<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name.rsplit("::").next().unwrap_or(self.name))
    }
}

fn enter<L: Layout<SourceCoordinates = Coords1d> + LaunchArg>(
    arg: &CompileArg,
    params: &mut Params,
) -> VirtualLayoutExpand<L::Coordinates, Coords1d> {
    VirtualLayoutExpand::of::<L>(L::enter(arg, params))
}

impl<'a, C: Coordinates, R: Runtime> ViewArg<'a, C, R> {
    /// A view of memory through a layout.
    pub fn new<L: Layout<Coordinates = C, SourceCoordinates = Coords1d> + LaunchArg>(
        buffer: ArrayArg<'a, R>,
        layout: L::RuntimeArg<'a, R>,
    ) -> Self {
        ViewArg {
            buffer,
            layout_arg: Box::new(LayoutArg::<'a, L, R>(layout)),
            layout: EnterLayout { enter: enter::<L>, layout_type: TypeId::of::<L>(), name: std::any::type_name::<L>() },
        }
    }
}

fn view<E: CubePrimitive, C: Coordinates, IO: SliceVisibility>(
    buffer: &CompileArg,
    params: &mut Params,
    layout: impl FnOnce(&mut Params) -> VirtualLayoutExpand<C, Coords1d>,
) -> ViewExpand<E, C, IO> {
    let mut memory = params.field("buffer");
    if IO::WRITABLE {
        memory = memory.written();
    }
    let memory = Array::<E>::enter(buffer, &mut memory);
    let layout = layout(&mut params.field("layout"));
    ViewExpand::new(Rc::new(Mapped { source: Rc::new(Memory(memory.mem)), layout }))
}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> LaunchArg for View<E, C, IO> {
    type RuntimeArg<'a, R: Runtime> = ViewArg<'a, C, R>;

    fn register<'a: 'x, 'x, R: Runtime>(arg: &'x ViewArg<'a, C, R>, launch: &mut Launch<'x>) -> CompileArg {
        let buffer = Array::<E>::register::<R>(&arg.buffer, launch);
        let layout = arg.layout_arg.register_layout(launch);
        CompileArg::Node(vec![buffer, layout, CompileArg::host("layout", &arg.layout)])
    }

    fn enter(arg: &CompileArg, params: &mut Params) -> ViewExpand<E, C, IO> {
        let layout = arg.part(2).to_host::<EnterLayout<C>>();
        view(arg.part(0), params, |params| (layout.enter)(arg.part(1), params))
    }
}

/// A view with a static layout type.
pub struct TypedView<E: CubePrimitive, L: Layout, IO: SliceVisibility = ReadOnly> {
    of: Marker<(E, L, IO)>,
}

impl<E: CubePrimitive, L: Layout, IO: SliceVisibility> Clone for TypedView<E, L, IO> {
    fn clone(&self) -> Self {
        TypedView { of: PhantomData }
    }
}

impl<E: CubePrimitive, L: Layout, IO: SliceVisibility> CubeType for TypedView<E, L, IO> {
    type ExpandType = ViewExpand<E, L::Coordinates, IO>;
}

impl<E: CubePrimitive, L: Layout, IO: SliceVisibility> std::ops::Deref for TypedView<E, L, IO> {
    type Target = View<E, L::Coordinates, IO>;
    fn deref(&self) -> &Self::Target {
        unexpanded()
    }
}

impl<E: CubePrimitive, L: Layout> std::ops::DerefMut for TypedView<E, L, ReadWrite> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        unexpanded()
    }
}

/// A [`TypedView`] as a launch argument.
pub struct TypedViewLaunch<'a, L: LaunchArg, R: Runtime> {
    buffer: ArrayArg<'a, R>,
    layout: L::RuntimeArg<'a, R>,
}

impl<'a, L: LaunchArg, R: Runtime> TypedViewLaunch<'a, L, R> {
    /// A view of memory through a layout.
    pub fn new(buffer: ArrayArg<'a, R>, layout: L::RuntimeArg<'a, R>) -> Self {
        TypedViewLaunch { buffer, layout }
    }
}

impl<E: CubePrimitive, L: Layout<SourceCoordinates = Coords1d> + LaunchArg, IO: SliceVisibility> LaunchArg
    for TypedView<E, L, IO>
{
    type RuntimeArg<'a, R: Runtime> = TypedViewLaunch<'a, L, R>;

    fn register<'a: 'x, 'x, R: Runtime>(arg: &'x Self::RuntimeArg<'a, R>, launch: &mut Launch<'x>) -> CompileArg {
        let buffer = Array::<E>::register::<R>(&arg.buffer, launch);
        CompileArg::Node(vec![buffer, L::register::<R>(&arg.layout, launch)])
    }

    fn enter(arg: &CompileArg, params: &mut Params) -> Self::ExpandType {
        view(arg.part(0), params, |params| enter::<L>(arg.part(1), params))
    }
}
