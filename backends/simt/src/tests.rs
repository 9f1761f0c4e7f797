//! Masks of the active lanes under control flow of each kind.
use crate::{Lanes, active_mask::ActiveMasks};
use cube_dialect::{kernels_of, ops};
use cube_ir::ops::arith;
use cube_ir::{Builder, Session, Val};
use cube_passes::analysis::uniformity::{CubeGeometry, Uniformity};

/// The lanes of these tests: an implementation of [`Lanes`] that supports only the ballot.
struct Ballots;

impl Lanes for Ballots {
    fn count(&self) -> u32 {
        32
    }

    fn mask_bits(&self) -> u32 {
        32
    }

    fn lane<'p>(&self, b: Builder<'p>) -> Val<'p> {
        b.int(b.cx().int(32), 0)
    }

    fn unit<'p>(&self, b: Builder<'p>) -> [Val<'p>; 3] {
        [0; 3].map(|zero| b.int(b.cx().int(32), zero))
    }

    fn cube_barrier(&self, _: Builder<'_>) {}

    fn plane_barrier<'p>(&self, _: Builder<'p>, _: Option<Val<'p>>) {}

    fn ballot<'p>(&self, b: Builder<'p>, _: Option<Val<'p>>, value: Val<'p>) -> Val<'p> {
        b.cast(arith::EXTUI, value, b.cx().int(32))
    }

    fn shuffle<'p>(&self, _: Builder<'p>, _: Option<Val<'p>>, word: Val<'p>, _: Val<'p>) -> Val<'p> {
        word
    }
}

/// Whether the plane operation of a kernel has a mask. The result is an error if the lowering reports an error.
fn mask(ops: &str) -> Result<bool, ()> {
    cube_passes::register();
    let session = Session::new();
    session.context().load_all_available_dialects();
    let text = format!(
        "cube.kernel @k(%n: i32) cube_dim(64) {{\n%u = cube.topology unit_pos\n%c = arith.cmpi ult, %u, %n : i32\n\
         %to = arith.index_castui %u : i32 to index\n{ops}\ncube.return\n}}"
    );
    let module = session.parse(text.as_bytes(), "k.mlir").unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let kernel = kernels_of(module.op())[0].op();
    let geometry = CubeGeometry { dim: [64, 1, 1], plane: 32 };
    let mut masks = ActiveMasks::new(&Ballots, kernel, Uniformity::with_geometry(kernel, geometry));
    let op = kernel.walk().into_iter().find(|op| ops::PlaneElect::of(*op).is_some()).expect("a plane operation");
    masks.of(op).map(|mask| mask.is_some()).map_err(|_| ())
}

#[test]
fn divergent_control_flow_of_a_known_kind_has_a_mask_and_any_other_is_refused() {
    let elect = "%e = cube.plane_elect";
    assert_eq!(mask(elect), Ok(false));
    assert_eq!(mask(&format!("scf.if %c {{\n{elect}\n}}")), Ok(true));
    assert_eq!(mask(&format!("scf.for %i = %n to %u step %n : i32 {{\n{elect}\n}}")), Ok(true));
    assert_eq!(mask(&format!("scf.index_switch %to\ncase 0 {{\n{elect}\nscf.yield\n}}\ndefault {{\n}}")), Ok(true));
    assert_eq!(mask(&format!("scf.index_switch %to\ndefault {{\n{elect}\nscf.yield\n}}")), Ok(true));
    assert_eq!(mask(&format!("scf.execute_region {{\n{elect}\nscf.yield\n}}")), Err(()));
    assert_eq!(mask(&format!("scf.if %c {{\nscf.execute_region {{\n{elect}\nscf.yield\n}}\n}}")), Err(()));
}
