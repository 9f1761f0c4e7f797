//! Backends that do not go through LLVM: the level that they say they take is the one that they get.

use super::*;
use crate::compile::{has_form, run_phases};
use crate::open::open;
use crate::watch::Unwatched;
use cube_backend::{Emitted, Form};
use cube_ir::{Session, TextModule};

/// A backend without steps of its own.
struct Plain {
    leaves: Level,
}

impl Backend for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn summary(&self) -> &'static str {
        "for tests"
    }

    fn chips(&self) -> Vec<String> {
        vec![self.default_chip()]
    }

    fn default_chip(&self) -> String {
        "generic".into()
    }

    fn target(&self, chip: &str) -> Option<cube_target::Target> {
        Some(cube_target::Target::minimal(self.name(), chip))
    }

    fn lower(&self, _: &cube_target::Target) -> &'static [Step] {
        &[]
    }

    fn leaves(&self) -> Level {
        self.leaves
    }

    fn emit(&self, _: &TextModule<'_>, _: &str, _: Form) -> Result<Emitted, SessionError> {
        Err(SessionError::new("CUBE0410", "no code"))
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Code]
    }
}

const KERNEL: &[u8] = b"cube.kernel @k(%x: !cube.array<i32>) cube_dim(4) {
  %i = cube.topology absolute_pos
  cube.store %i, %x[%i] : i32, !cube.array<i32>
  cube.return
}";

fn lowered(backend: &'static Plain) -> Result<String, SessionError> {
    crate::register();
    let (session, options) = (Session::new(), CompileOptions::default());
    let pipeline = Pipeline::of(backend, cube_target::Target::minimal("plain", "generic"));
    let mut prepared = open(&session, KERNEL, &pipeline, &options)?;
    run_phases(&session, &mut prepared, &pipeline, &options, &mut Unwatched)?;
    Ok(prepared.module.print())
}

#[test]
fn a_backend_of_level_legal_gets_the_kernel_with_its_structure() {
    let text = lowered(&Plain { leaves: Level::Legal }).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(text.contains("cube.kernel @k") && text.contains("scf.if") && text.contains("memref.store"), "{text}");
}

#[test]
fn a_backend_that_leaves_another_level_than_it_says_is_refused() {
    let error = lowered(&Plain { leaves: Level::Lowered }).unwrap_err();
    assert_eq!(error.diagnostics[0].code.as_deref(), Some("CUBE0331"), "{error:?}");
}

#[test]
fn a_form_that_a_backend_lacks_is_refused_before_it_is_asked_for() {
    let backend = Plain { leaves: Level::Legal };
    assert!(has_form(&backend, Form::Code).is_ok());
    let error = has_form(&backend, Form::Llvm).unwrap_err();
    assert_eq!(error.diagnostics[0].code.as_deref(), Some("CUBE0508"));
    assert_eq!(error.diagnostics[0].message, "target plain has no form llvm of its code; it has code");
}
