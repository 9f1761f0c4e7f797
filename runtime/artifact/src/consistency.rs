//! Checks the consistency of an artifact before a runtime uses it for a launch.
use crate::{Artifact, FirstCubes, InfoWord, OverwrittenBuffer, Param, ParamKind};

impl Artifact {
    /// Checks the properties of an artifact that its types do not enforce. For example, dimensions are at least 1,
    /// info words refer to buffers, and names are not empty.
    ///
    /// # Errors
    /// The error describes the first violation.
    pub fn check(&self) -> Result<(), String> {
        if self.entry.is_empty() {
            return Err("it names no entry symbol".into());
        }
        if self.code.is_empty() {
            return Err("it contains no code".into());
        }
        if !self.format.is_sound() {
            let (name, extension) = (self.format.name(), self.format.extension());
            return Err(format!(
                "the format {name:?} of its code, with the extension {extension:?}, must consist of lowercase letters"
            ));
        }
        if self.cube_dim.contains(&0) {
            return Err(format!("its cube dim {:?} has a zero", self.cube_dim));
        }
        if self.units_per_cube().is_none() {
            return Err(format!("its cube dim {:?} has more than 2^32 units", self.cube_dim));
        }
        for param in &self.params {
            if let ParamKind::Buffer { align, .. } = param.kind
                && !align.is_power_of_two()
            {
                return Err(format!("its parameter '{}' is aligned to {align} bytes", param.name));
            }
            if matches!(param.kind, ParamKind::Buffer { line: 0, .. }) {
                return Err(format!("its parameter '{}' has lines of 0 elements", param.name));
            }
        }
        for derived in &self.derived {
            let expression = crate::derived::Derived::parse(&derived.expression)
                .map_err(|why| format!("its derived argument '{}' is not an expression: {why}", derived.name))?;
            if let Some(name) = expression.names().into_iter().find(|n| !self.params.iter().any(|p| p.name == **n)) {
                return Err(format!(
                    "its derived argument '{}' refers to '{name}', which is not a parameter",
                    derived.name
                ));
            }
        }
        for (axis, text) in self.cube_count.iter().flatten().enumerate() {
            let expression = crate::derived::Derived::parse(text)
                .map_err(|why| format!("its cube count along axis {axis} is not an expression: {why}"))?;
            if let Some(name) = expression.names().into_iter().find(|n| !self.params.iter().any(|p| p.name == **n)) {
                return Err(format!("its cube count along axis {axis} refers to '{name}', which is not a parameter"));
            }
        }
        if let Some(FirstCubes { entry, derived }) = &self.first_cubes {
            if entry.is_empty() {
                return Err("it names no entry symbol of the first cubes".into());
            }
            if *derived as usize >= self.derived.len() {
                let count = self.derived.len();
                return Err(format!("its number of first cubes is derived argument {derived} of {count}"));
            }
        }
        for overwritten in &self.overwritten {
            let OverwrittenBuffer { param, expression } = overwritten;
            if !matches!(self.params.get(*param as usize), Some(Param { kind: ParamKind::Buffer { .. }, .. })) {
                return Err(format!("it overwrites parameter {param}, which is not a buffer"));
            }
            let expression = crate::derived::Derived::parse(expression)
                .map_err(|why| format!("the condition under which it overwrites parameter {param}: {why}"))?;
            if let Some(name) = expression.names().into_iter().find(|n| !self.params.iter().any(|p| p.name == **n)) {
                return Err(format!(
                    "it overwrites parameter {param}, depending on '{name}', which is not a parameter"
                ));
            }
        }
        for (word, info) in self.info.iter().enumerate() {
            let InfoWord::Length { param } = *info;
            match self.params.get(param as usize).map(|p| &p.kind) {
                Some(ParamKind::Buffer { .. }) => {}
                Some(ParamKind::Scalar { .. }) => {
                    return Err(format!("its info word {word} is the length of parameter {param}, which is a scalar"));
                }
                None => {
                    let count = self.params.len();
                    return Err(format!("its info word {word} refers to parameter {param} of {count}"));
                }
            }
        }
        Ok(())
    }

    /// The number of units of one cube; `None` if it exceeds `u32`.
    pub fn units_per_cube(&self) -> Option<u32> {
        let [x, y, z] = self.cube_dim;
        x.checked_mul(y)?.checked_mul(z)
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::sample;
    use crate::{Artifact, ElemType, FirstCubes, InfoWord, OverwrittenBuffer, Param, ParamKind};

    fn broken(change: impl FnOnce(&mut Artifact)) -> String {
        let mut artifact = sample();
        change(&mut artifact);
        artifact.check().expect_err("the change breaks a rule")
    }

    #[test]
    fn a_sound_artifact_passes_and_each_broken_rule_is_named() {
        assert_eq!(sample().check(), Ok(()));
        assert_eq!(broken(|a| a.entry.clear()), "it names no entry symbol");
        assert_eq!(broken(|a| a.code.clear()), "it contains no code");
        // The constructor of a format refuses invalid names, but deserialisation can produce them.
        let bytes = postcard::to_stdvec(&("elf-object", "../../x")).unwrap();
        assert_eq!(
            broken(|a| a.format = postcard::from_bytes(&bytes).unwrap()),
            "the format \"elf-object\" of its code, with the extension \"../../x\", must consist of lowercase letters"
        );
        assert_eq!(broken(|a| a.cube_dim = [4, 0, 1]), "its cube dim [4, 0, 1] has a zero");
        let huge = [1 << 16, 1 << 16, 1];
        assert_eq!(broken(|a| a.cube_dim = huge), "its cube dim [65536, 65536, 1] has more than 2^32 units");
        let first =
            |entry: &str, derived| broken(|a| a.first_cubes = Some(FirstCubes { entry: entry.into(), derived }));
        assert_eq!(first("", 0), "it names no entry symbol of the first cubes");
        assert_eq!(first("wide", 9), "its number of first cubes is derived argument 9 of 0");
        let overwritten = |param, expression: &str| {
            broken(|a| a.overwritten = vec![OverwrittenBuffer { param, expression: expression.into() }])
        };
        assert_eq!(overwritten(9, "1"), "it overwrites parameter 9, which is not a buffer");
        assert_eq!(overwritten(2, "1"), "it overwrites parameter 2, which is not a buffer");
        assert!(
            overwritten(0, "sqrt(1)").starts_with("the condition under which it overwrites parameter 0: no function")
        );
        assert_eq!(overwritten(0, "z"), "it overwrites parameter 0, depending on 'z', which is not a parameter");
        assert_eq!(
            broken(|a| a.info = vec![InfoWord::Length { param: 9 }]),
            "its info word 0 refers to parameter 9 of 3"
        );
        assert_eq!(
            broken(|a| a.info = vec![InfoWord::Length { param: 2 }]),
            "its info word 0 is the length of parameter 2, which is a scalar"
        );
        let derived = |text: &str| {
            let (name, elem) = ("d".to_string(), ElemType::U32);
            let one = crate::DerivedParam { name, elem, expression: text.into() };
            broken(|a| a.derived.push(one))
        };
        assert_eq!(
            derived("len(y"),
            "its derived argument 'd' is not an expression: expected ')' at byte 5, found the end"
        );
        let counts = |text: &str| {
            let text = text.to_string();
            broken(|a| a.cube_count = Some([text, "cubes(1)".into(), "cubes(2)".into()]))
        };
        assert_eq!(counts("cubes(x)"), "its cube count along axis 0 is not an expression: expected a number at byte 6");
        assert_eq!(counts("len(nothing)"), "its cube count along axis 0 refers to 'nothing', which is not a parameter");
        assert_eq!(derived("len(nothing)"), "its derived argument 'd' refers to 'nothing', which is not a parameter");
        let access = crate::BufferAccess::Read;
        let line =
            Param { name: "v".into(), kind: ParamKind::Buffer { elem: ElemType::F32, line: 0, align: 1, access } };
        assert_eq!(broken(|a| a.params.push(line)), "its parameter 'v' has lines of 0 elements");
    }
}
