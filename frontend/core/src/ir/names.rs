//! Names of variables for debuggers, if `CUBE_DEBUG` or `#[cube(debug)]` requests the names. A `let`, a parameter or a
//! loop gives a name to a value. The builder stores each named value in memory that no pass removes (`cube.alloc
//! {cube.debug}`). The location of the store contains the value's name and type.
use super::builder::Builder;
use super::{MemKind, MemTy, Raw, Ty};
use cube_artifact::CompileOptions;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::OnceLock;

/// Debug information of a kernel.
#[derive(Default)]
pub struct Debug {
    /// Whether names are requested for the kernel.
    pub(super) requested: bool,
    /// Maps the name and type of a value to its debug memory.
    slots: HashMap<(String, Ty), u32>,
    /// Names of the cells whose stores are recorded.
    cells: HashMap<u32, String>,
}

/// Whether `CUBE_DEBUG` requests names. An invalid value of `CUBE_DEBUG` is reported when the kernel is
/// compiled.
fn requested() -> bool {
    static REQUESTED: OnceLock<bool> = OnceLock::new();
    *REQUESTED.get_or_init(|| CompileOptions::debug_of(crate::host::variables::variables()).unwrap_or_default())
}

/// Whether a requested report shows names of the kernel's allocations.
fn reported() -> bool {
    static REPORTED: OnceLock<bool> = OnceLock::new();
    *REPORTED
        .get_or_init(|| crate::host::reports::ReportRequests::of_variables(crate::host::variables::variables()).explain)
}

impl Builder {
    /// Gives an allocation a name. The first name of an allocation becomes part of its location, so that `CUBE_EXPLAIN`
    /// can report it.
    pub fn name_allocation(&mut self, id: u32, name: &str) {
        if !reported() || name.starts_with('_') {
            return;
        }
        let head = format!("%{id} = cube.alloc :");
        for frame in self.frames.iter_mut().rev() {
            let Some(at) = frame.text.rfind(&head) else { continue };
            let end = frame.text[at..].find('\n').map_or(frame.text.len(), |length| at + length);
            let line = &frame.text[at..end];
            if let Some((op, location)) = line.rsplit_once(" loc(")
                && location.matches('(').count() == 0
            {
                let named = format!("{op} loc({name:?}({location})");
                frame.text.replace_range(at..end, &named);
            }
            return;
        }
    }

    /// Records `name` as the name of a value for the debugger; without debug information, it has no effect.
    pub fn name_value(&mut self, raw: Raw, name: &str) {
        if !(self.debug.requested || requested()) || name.starts_with('_') || self.dead() {
            return;
        }
        let frame = self.frames.len() - 1;
        match raw {
            Raw::Cell(cell, ty) => {
                self.debug.cells.insert(cell, name.to_string());
                let (value, _) = self.id(raw);
                self.stored(frame, cell, ty, value);
            }
            Raw::Ssa(..) | Raw::Const(..) => {
                let (value, ty) = self.id(raw);
                self.store_for_debugger(frame, name, ty, value);
            }
            Raw::Unset(_) => {}
        }
    }

    /// Records a store to a cell, if the cell has a name.
    pub(super) fn stored(&mut self, frame: usize, cell: u32, ty: Ty, value: u32) {
        if let Some(name) = self.debug.cells.get(&cell).cloned() {
            self.store_for_debugger(frame, &name, ty, value);
        }
    }

    fn store_for_debugger(&mut self, frame: usize, name: &str, ty: Ty, value: u32) {
        let memory = MemTy { kind: MemKind::Local(1), ty };
        let key = (name.to_string(), ty);
        let slot = match self.debug.slots.get(&key) {
            Some(slot) => *slot,
            None => {
                let slot = self.fresh();
                let _ = writeln!(self.constants, "  %{slot} = cube.alloc {{cube.debug}} : {memory}");
                self.debug.slots.insert(key, slot);
                slot
            }
        };
        let zero = self.constant(super::Lit::Int(0), Ty::scalar(super::Elem::U32));
        let elem = ty.elem.name();
        let shown = if ty.line == 1 { elem.to_string() } else { format!("vector<{}x{elem}>", ty.line) };
        let location = self.loc();
        let location = location.trim_start_matches(" loc(").trim_end_matches(')');
        let label = format!("{name}: {shown}");
        let text =
            format!("cube.store %{value}, %{slot}[%{zero}] inbounds : {ty}, {memory} loc({label:?}({location}))");
        self.write_at(frame, &text, false);
    }
}
