use super::*;

fn all() -> Vec<Target> {
    let of = |backend| Target::chips(backend).into_iter().filter_map(move |chip| Target::known(backend, chip));
    Target::backends().into_iter().flat_map(of).collect()
}

#[test]
fn every_known_chip_is_consistent_and_round_trips_through_its_fields() {
    assert_eq!(all().len(), 5 + 12 + 15 + 19 + 6);
    for target in all() {
        assert_eq!(target.check(), Ok(()), "{}", target.name());
        assert_eq!(Target::from_fields(target.to_fields()), Ok(target.clone()), "{}", target.name());
    }
}

#[test]
fn a_minimal_description_agrees_with_itself() {
    let minimal = Target::minimal("toy", "generic");
    assert_eq!((minimal.check(), minimal.name()), (Ok(()), "toy:generic".to_string()));
    assert!(minimal.arithmetic(Element::F16).is_none() && !minimal.has_plane(PlaneOperation::Vote));
}

#[test]
fn widths_of_planes_are_those_of_the_manuals() {
    let widths = |backend, chip| Target::known(backend, chip).map(|t| (t.planes.widths, t.planes.width));
    assert_eq!(widths("nvptx", "sm_70"), Some((vec![32], 32)));
    assert_eq!(widths("amdgpu", "gfx942"), Some((vec![64], 64)));
    assert_eq!(widths("amdgpu", "gfx1100"), Some((vec![32, 64], 32)));
    assert_eq!(widths("amdgpu", "sm_70"), None);
    assert_eq!(widths("metal", "m1"), None);
}

#[test]
fn the_generic_description_promises_only_features_of_every_chip() {
    let generic = Target::generic();
    assert_eq!((generic.check(), generic.is_generic()), (Ok(()), true));
    assert_eq!(Target::known("generic", "any"), None);
    for target in all() {
        let (name, at_most) = (target.name(), |own: u32, of_chip: u32| own <= of_chip);
        assert!(
            !target.is_generic() && target.planes.widths.iter().all(|w| generic.planes.widths.contains(w)),
            "{name}"
        );
        assert!(
            target.index_bits <= generic.index_bits && target.planes.mask_bits <= generic.planes.mask_bits,
            "{name}"
        );
        for element in Element::ALL.iter().copied() {
            match generic.arithmetic(element) {
                Some(Support::Native) => assert_eq!(target.arithmetic(element), Some(Support::Native), "{name}"),
                Some(_) => assert!(target.arithmetic(element).is_some(), "{name}"),
                None => {}
            }
            for space in SpaceKind::ALL {
                let has = target.atomics_in(space, element);
                assert!(generic.atomics_in(space, element).iter().all(|one| has.contains(one)), "{name}");
            }
            for function in MathFunction::ieee().chain([MathFunction::Exp, MathFunction::Rsqrt]) {
                let exact = generic.math_accuracy(function, element) == Some(MathAccuracy::Exact);
                assert!(
                    !exact || target.math_accuracy(function, element) == Some(MathAccuracy::Exact),
                    "{name}: {function:?}"
                );
            }
            for function in IntegerFunction::ALL {
                assert!(!generic.has_integer(function, element) || target.has_integer(function, element), "{name}");
            }
            for to in Element::ALL.iter().copied() {
                assert!(!generic.converts(element, to) || target.converts(element, to), "{name}");
            }
        }
        assert!(PlaneOperation::ALL.iter().all(|one| !generic.has_plane(*one) || target.has_plane(*one)), "{name}");
        assert!(at_most(generic.limits.units_per_cube, target.limits.units_per_cube), "{name}");
        assert!((0..3).all(|axis| at_most(generic.limits.cube_dim[axis], target.limits.cube_dim[axis])), "{name}");
        assert!(at_most(generic.access_bits, target.access_bits), "{name}");
        assert!(
            (generic.coarsens.is_none() || generic.coarsens == target.coarsens)
                && (!generic.barriers || target.barriers),
            "{name}"
        );
        let bytes = |of: &Target| of.space(SpaceKind::Shared).and_then(|space| space.bytes);
        assert!(bytes(&target).is_none_or(|most| bytes(&generic).is_some_and(|own| own <= most)), "{name}");
    }
    // The generic description has the features that all chips have.
    assert_eq!(generic.arithmetic(Element::F32), Some(Support::Native));
    assert!(generic.arithmetic(Element::I64).is_none() && !generic.has_plane(PlaneOperation::Reduce));
}

#[test]
fn planes_and_indices_have_a_largest_width() {
    let mut wide = Target::minimal("toy", "generic");
    (wide.planes.widths, wide.planes.mask_bits) = (vec![wide.planes.width, 256], 256);
    assert_eq!(wide.check().unwrap_err().to_string(), "planes.widths has 256, and a plane has 128 lanes at most");
    let mut far = Target::minimal("toy", "generic");
    far.index_bits = 128;
    assert_eq!(far.check().unwrap_err().to_string(), "index_bits 128 is more than 64");
}

#[test]
fn names_of_elements_are_unique_and_read_back() {
    for element in Element::ALL {
        assert_eq!(Element::from_ir(element.ir()), Some(*element));
    }
    assert_eq!(Element::from_ir("f31"), None);
}

#[test]
fn numbers_with_arithmetic_have_the_same_form_in_memory() {
    use Element::{BF16, F16, F32, F64, I8, I16, I32, I64};
    let same: Vec<Element> = Element::ALL.iter().copied().filter(|element| element.is_same_in_memory()).collect();
    assert_eq!(same, [I8, I16, F16, BF16, I32, F32, I64, F64]);
    for element in Element::ALL {
        let kept = element.is_computed() && element.class() != Class::Bool;
        assert_eq!(element.is_same_in_memory(), kept, "{}", element.ir());
        assert_eq!(element.size(), element.holder().unwrap_or(*element).size());
    }
    assert_eq!([1, 8, 19, 33, 64].map(bytes_of), [1, 1, 4, 8, 8]);
    assert_eq!(
        [Element::F16, BF16, Element::TF32, Element::F8E4M3, I16].map(Element::llvm),
        ["half", "bfloat", "float", "i8", "i16"]
    );
}

/// The result of [`Target::check`] after a change of one field of a valid description.
fn broken(change: impl FnOnce(&mut Target)) -> String {
    let mut target = Target::known("nvptx", "sm_90a").expect("a chip of the table");
    change(&mut target);
    target.check().expect_err("the change contradicts another field").0
}

#[test]
fn fields_that_contradict_each_other_are_refused_by_name() {
    assert_eq!(broken(|t| t.version = 7), format!("version 7 is not {VERSION}"));
    assert_eq!(broken(|t| t.chip.clear()), "backend and chip need names");
    assert_eq!(broken(|t| t.planes.widths.clear()), "planes.widths is empty");
    assert_eq!(broken(|t| t.planes.widths = vec![24]), "planes.widths has 24, which is not a power of two");
    assert_eq!(broken(|t| t.planes.widths = vec![64, 32]), "planes.widths [64, 32] is not in ascending order");
    assert_eq!(broken(|t| t.planes.width = 64), "planes.width 64 is not one of planes.widths [32]");
    assert!(broken(|t| t.planes.widths = vec![32, 64]).starts_with("planes.mask_bits 32 has no bit for each of 64"));
    assert!(broken(|t| t.planes.operations.push(PlaneOperation::Vote)).contains("lists Vote twice"));
    assert!(broken(|t| t.planes.operations = vec![PlaneOperation::Scan]).contains("scan without shuffle"));
    let add_twice = vec![AtomicOperation::Add; 2];
    assert!(broken(|t| _ = t.atomics.insert(Element::F32, add_twice)).contains("atomics lists Add of f32 twice"));
    assert!(broken(|t| t.elements.clear()).contains("which elements does not compute with"));
    assert!(broken(|t| _ = t.spaces.remove(&SpaceKind::Local)).contains("no Local space"));
    let shared = |change: fn(&mut Space)| broken(|t| change(t.spaces.get_mut(&SpaceKind::Shared).expect("listed")));
    assert!(shared(|space| space.static_bytes = Some(1 << 20)).contains("reserves more bytes than it has"));
    assert!(shared(|space| space.address_bits = 48).contains("have 48 bits"));
    assert!(broken(|t| t.access_bits = 100).contains("access_bits 100"));
    assert!(broken(|t| t.index_bits = 16).contains("index_bits 16"));
    assert_eq!(broken(|t| t.limits.cube_count[1] = 0), "limits start at 1");
    assert_eq!(broken(|t| t.limits.units_per_cube = 512), "cube_dim allows 1024, units_per_cube only 512");
}

#[test]
fn units_that_the_elements_do_not_allow_are_refused() {
    let matrix = Matrix::of([16, 8, 16], Element::F16, Element::F32);
    let with = |matrix: Matrix| broken(|t| t.matrices = vec![matrix]);
    assert!(with(Matrix { k: 0, ..matrix }).contains("a size of 0"));
    assert!(with(Matrix { c: Element::TF32, ..matrix }).contains("adds tf32, which elements does not compute with"));
    assert!(broken(|t| _ = t.elements.remove(&Element::F8E4M3)).contains("elements that elements does not list"));
    assert!(broken(|t| t.matrices = vec![matrix; 2]).contains("twice"));
    assert!(broken(|t| t.copies = vec![CopyEngine::Bulk; 2]).contains("copies lists Bulk twice"));
    let one_lane = |t: &mut Target| (t.planes.widths, t.planes.width) = (vec![1], 1);
    assert!(broken(one_lane).contains("which a plane computes, and planes have one lane"));
    let none = Space { llvm: 3, address_bits: 32, bytes: Some(0), static_bytes: None };
    let no_shared = broken(|t| _ = t.spaces.insert(SpaceKind::Shared, none));
    assert_eq!(no_shared, "copies go to shared memory, which has no bytes");
    assert!(
        broken(|t| _ = t.costs.remove(&CostClass::Convert))
            .contains("estimated_costs lists Convert, which costs does not")
    );
    assert!(broken(|t| t.estimated_costs = vec![CostClass::MulInt; 2]).contains("estimated_costs lists MulInt twice"));
    let unknown = broken(|t| _ = t.latencies.remove(&CostClass::MulInt));
    assert!(unknown.contains("estimated_latencies lists MulInt, which latencies does not"), "{unknown}");
    assert!(broken(|t| t.registers = Some(0)).contains("registers must be at least 1"));
    assert!(broken(|t| t.capabilities = vec!["f16".into(); 2]).contains("capabilities lists f16 twice"));
    let storage = (Element::TF32, vec![AtomicOperation::Add]);
    assert!(broken(|t| t.shared_atomics = Some([storage].into())).contains("atomics lists tf32"));
}

#[test]
fn shared_memory_is_that_of_the_documents() {
    let shared = |backend, chip| {
        let target = Target::known(backend, chip).expect("a chip of the table");
        target.space(SpaceKind::Shared).and_then(|space| space.bytes).map(|bytes| bytes >> 10)
    };
    // CUDA C++ Programming Guide 13, table "Memory Information per Compute Capability".
    let rows =
        [("sm_75", 64), ("sm_80", 163), ("sm_86", 99), ("sm_87", 163), ("sm_89", 99), ("sm_90", 227), ("sm_120", 99)];
    for (chip, kib) in rows {
        assert_eq!(shared("nvptx", chip), Some(kib), "{chip}");
    }
    // LLVM's AMDGPU.td, FeatureAddressableLocalMemorySize.
    assert_eq!([shared("amdgpu", "gfx942"), shared("amdgpu", "gfx950")], [Some(64), Some(160)]);
    // Required limits of Vulkan, default limits of WebGPU.
    assert_eq!([shared("spirv", "vulkan1.1"), shared("wgsl", "core")], [Some(16), Some(16)]);
}

#[test]
fn shading_language_targets_guarantee_common_features_only() {
    let known = |backend, chip| Target::known(backend, chip).expect("a chip of the table");
    for target in Target::chips("spirv").into_iter().map(|chip| known("spirv", chip)) {
        let full = target.chip.contains("-full");
        assert!((13..=16).contains(&target.language.expect("a version")), "{}", target.chip);
        for (element, capability) in [(Element::F16, "Float16"), (Element::F64, "Float64"), (Element::I64, "Int64")] {
            assert_eq!(target.arithmetic(element).is_some(), full, "{} {capability}", target.chip);
            assert_eq!(target.capabilities.iter().any(|c| c == capability), full, "{} {capability}", target.chip);
        }
        assert_eq!(target.has_plane(PlaneOperation::Shuffle), full || target.planes.emulated);
        assert_eq!((target.index_bits, target.limits.units_per_cube), (32, 128));
    }
    for target in Target::chips("wgsl").into_iter().map(|chip| known("wgsl", chip)) {
        let enabled = |feature: &str| target.capabilities.iter().any(|c| c == feature);
        assert_eq!(target.arithmetic(Element::F16).is_some(), enabled("f16"), "{}", target.chip);
        let has_planes = enabled("subgroups") || target.planes.emulated;
        assert_eq!(target.has_plane(PlaneOperation::Reduce), has_planes, "{}", target.chip);
        assert_eq!((target.arithmetic(Element::I8), target.arithmetic(Element::I64)), (None, None));
        // The atomics are compare-exchange loops on the bits.
        assert!(target.atomics_in(SpaceKind::Shared, Element::F32).contains(&AtomicOperation::Add));
        assert!(target.atomics_in(SpaceKind::Shared, Element::F16).is_empty());
    }
}

#[test]
fn atomics_differ_by_memory_and_generation() {
    let has = |chip, space, element| {
        Target::known("amdgpu", chip).expect("a chip").atomics_in(space, element).contains(&AtomicOperation::Add)
    };
    assert!(has("gfx900", SpaceKind::Shared, Element::F32) && !has("gfx900", SpaceKind::Global, Element::F32));
    assert!(has("gfx90a", SpaceKind::Global, Element::F64) && !has("gfx1100", SpaceKind::Shared, Element::F64));
    assert!(has("gfx1201", SpaceKind::Global, Element::F32));
    assert!(has("gfx90a", SpaceKind::Shared, Element::F32) && !has("gfx90a", SpaceKind::Global, Element::F32));
}

#[test]
fn planes_of_rdna_run_with_both_widths() {
    let width = |chip, width| Target::known("amdgpu", chip).expect("a chip").with_plane_width(width);
    assert_eq!(width("gfx1100", 64).map(|target| (target.planes.width, target.check())), Some((64, Ok(()))));
    assert_eq!(width("gfx942", 32), None);
    // The units of a plane share the local memory of the plane.
    let local = |target: Option<Target>| target.and_then(|target| target.space(SpaceKind::Local)?.bytes);
    assert_eq!(local(width("gfx1100", 32)), Some(262_136));
    assert_eq!(local(width("gfx1100", 64)), Some(131_068));
    assert_eq!(local(Target::known("amdgpu", "gfx1100-wave64")), Some(131_068));
    assert_eq!(local(Target::known("amdgpu", "gfx90a")), Some(131_056));
    assert_eq!(local(Target::known("amdgpu", "gfx1200")), Some(2_097_144));
    // The name of a chip can contain the plane width.
    let named =
        |chip| Target::known("amdgpu", chip).map(|target| (target.chip.clone(), target.planes.width, target.check()));
    assert_eq!(named("gfx1100-wave64"), Some(("gfx1100-wave64".to_string(), 64, Ok(()))));
    assert_eq!(named("gfx1100-wave32").map(|target| target.1), Some(32));
    for chip in ["gfx942-wave32", "gfx1100-wave16", "gfx1100-", "gfx999-wave64"] {
        assert_eq!(named(chip), None, "{chip}");
    }
}

#[test]
fn undescribed_features_are_not_guaranteed() {
    assert_eq!(Target::promised("cpu", None).chip, "native");
    assert_eq!(Target::promised("nvptx", Some("sm_80")), Target::known("nvptx", "sm_80").expect("a chip"));
    let unknown = Target::promised("nvptx", Some("sm_999"));
    assert!(unknown.planes.operations.is_empty() && unknown.arithmetic(Element::F16).is_none());
    assert!(unknown.atomics_in(SpaceKind::Global, Element::I32).is_empty());
    assert_eq!(Target::promised("metal", None).chip, "unknown");
}

#[test]
fn fields_of_another_shape_are_refused_by_name() {
    let fields = Target::known("cpu", "native").expect("a chip of the table").to_fields();
    let changed = |change: fn(&mut serde_json::Map<String, serde_json::Value>)| {
        let mut fields = fields.clone();
        change(fields.as_object_mut().expect("a struct"));
        Target::from_fields(fields).expect_err("the change is not a description").0
    };
    assert!(
        changed(|f| _ = f.insert("version".into(), 1.into()))
            .contains(&format!("of version 1, this compiler reads version {VERSION}"))
    );
    assert!(changed(|f| _ = f.insert("lanes".into(), 2.into())).starts_with("unknown field `lanes`"));
    assert!(changed(|f| _ = f.remove("planes")).starts_with("missing field `planes`"));
    assert!(changed(|f| _ = f.insert("index_bits".into(), "64".into())).contains("invalid type: string"));
}

/// Artifacts store the codes of host types, so a moved row would change the meaning of existing artifacts.
#[test]
fn codes_of_host_types_are_stable() {
    let names: Vec<&str> = HostType::ALL.into_iter().map(HostType::name).collect();
    let expected = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"];
    assert_eq!(names, expected);
    for (code, host) in HostType::ALL.into_iter().enumerate() {
        assert_eq!((host as usize, HostType::from_name(host.name())), (code, Some(host)));
        assert_eq!(host.c_name(), format!("{}\0", host.name()));
        let digit = host.numpy().as_bytes()[2] - b'0';
        assert_eq!(usize::from(digit), host.size(), "{host}: numpy's name ends in the bytes");
    }
}

#[test]
fn float_fields_fill_their_types_and_match_published_limits() {
    for element in Element::ALL {
        assert_eq!(element.format().is_some(), element.class() == Class::Float);
        let Some(format) = element.format() else { continue };
        assert_eq!(format.width() + format.unused, element.bits(), "{}", element.ir());
        assert!(format.most() < format.beyond() && format.beyond() <= format.sign() && format.nan() < format.sign());
        assert!(
            format.nan() >= format.overflow() && (format.nan() >= format.beyond() || format.nan() == format.most())
        );
        if let Some(holder) = element.holder() {
            assert_eq!((holder.size(), holder.is_computed()), (element.size(), true));
        }
    }
    let format = |ir| Element::from_ir(ir).and_then(Element::format).expect("a float");
    // IEEE 754-2019; OCP 8-bit Floating Point Specification 1.0, table 1.
    assert_eq!(format("f32").largest(), f64::from(f32::MAX));
    assert_eq!(format("f64").largest(), f64::MAX);
    assert_eq!(format("f64").step(), 5e-324);
    assert_eq!(format("f16").largest(), 65504.0);
    assert_eq!(format("bf16").largest(), f64::from(f32::from_bits(0x7f7f_0000)));
    assert_eq!((format("f8E4M3FN").largest(), format("f8E4M3FN").step()), (448.0, 2f64.powi(-9)));
    assert_eq!((format("f8E5M2").largest(), format("f8E5M2").step()), (57344.0, 2f64.powi(-16)));
    assert_eq!((format("f8E4M3FN").nan(), format("f8E4M3FN").infinity()), (0x7f, None));
    assert_eq!((format("f8E5M2").nan(), format("f8E5M2").infinity()), (0x7e, Some(0x7c)));
    // OCP Microscaling Formats Specification 1.0, section 5.3 and 5.4.1.
    let limits = |ir| (format(ir).largest(), format(ir).smallest_normal(), format(ir).step(), format(ir).overflow());
    assert_eq!(limits("f4E2M1FN"), (6.0, 1.0, 0.5, 7));
    assert_eq!(limits("f6E2M3FN"), (7.5, 1.0, 0.125, 31));
    assert_eq!(limits("f6E3M2FN"), (28.0, 0.25, 0.0625, 31));
    let scale = format("f8E8M0FNU");
    assert_eq!((scale.largest(), scale.smallest_normal(), scale.nan()), (2f64.powi(127), 2f64.powi(-127), 0xff));
    assert_eq!((format("tf32").nan() << 13, format("f32").nan()), (0x7fc0_0000, 0x7fc0_0000));
}

#[test]
fn numbers_of_narrow_formats_round_trip_and_encode_to_the_nearest() {
    for ir in ["f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU", "f8E4M3FN", "f8E5M2"] {
        let format = Element::from_ir(ir).and_then(Element::format).expect("a float");
        let codes: Vec<u64> = (0..1 << format.width()).filter(|code| format.decode(*code).is_finite()).collect();
        for code in &codes {
            let x = format.decode(*code);
            assert_eq!((format.encode(x), format.convert(x)), (*code, *code), "{ir} {code:#x}");
            for x in [x * 1.1, x * 0.9, x + 0.01, x - 0.01].into_iter().filter(|x| x.abs() <= format.largest()) {
                let chosen = (format.decode(format.encode(x)) - x).abs();
                let least = codes.iter().map(|code| (format.decode(*code) - x).abs()).fold(f64::MAX, f64::min);
                assert_eq!(chosen, least, "{ir}: {x}");
            }
        }
        assert_eq!(format.least(), format.encode(codes.iter().map(|code| format.decode(*code)).fold(0.0, f64::min)));
    }
    let scale = Element::F8E8M0.format().expect("a float");
    let converted = [1.5, 3.0, 57312.0, 0.0, -4.0, f64::INFINITY, f64::MAX, f64::NAN].map(|x| scale.convert(x));
    assert_eq!(converted, [0x80, 0x81, 0x8f, 0, 0, 0xfe, 0xfe, 0xff]);
    assert_eq!([1.25, 1.5, f64::INFINITY].map(|x| scale.encode(x)), [0x7f, 0x80, 0xff]);
}

#[test]
fn numbers_of_the_language_have_the_bits_of_their_element_and_host() {
    for (number, name) in Number::ALL.iter().zip(Number::NAMES) {
        assert_eq!((number.name(), Number::from_name(name)), (*name, Some(*number)));
        assert_eq!(number.host().size() as u32, number.element().size(), "{name}");
    }
    assert_eq!(HostType::storing("e4m3"), Some(HostType::U8));
    assert_eq!(HostType::storing("f8E5M2"), Some(HostType::U8));
    assert_eq!(HostType::storing("e2m1"), Some(HostType::U8));
    assert_eq!(HostType::storing("tf32"), Some(HostType::F32));
    assert_eq!(HostType::storing("i1"), Some(HostType::Bool));
    assert_eq!(HostType::storing("i32"), Some(HostType::I32));
    assert_eq!(HostType::storing("f31"), None);
}

#[test]
fn functions_are_listed_with_their_errors() {
    let known = |backend, chip| Target::known(backend, chip).expect("a chip of the table");
    let form = |backend, chip, function| known(backend, chip).math_accuracy(function, Element::F32);
    assert_eq!(form("cpu", "native", MathFunction::Fma), Some(MathAccuracy::Exact), "the host's processor decides");
    assert_eq!([form("cpu", "x86-64", MathFunction::Floor), form("cpu", "x86-64-v2", MathFunction::Fma)], [None; 2]);
    assert_eq!(form("wgsl", "core", MathFunction::Rsqrt), Some(MathAccuracy::Ulp(2)));
    assert_eq!(form("amdgpu", "gfx942", MathFunction::Exp2), Some(MathAccuracy::Normal(1)));
    assert_eq!(form("amdgpu", "gfx1100", MathFunction::Sin), Some(MathAccuracy::Approximate));
    assert_eq!(form("wgsl", "core", MathFunction::Fma), Some(MathAccuracy::Approximate));
    // Emulated arithmetic is computed in f32.
    assert_eq!(known("cpu", "native").math_accuracy(MathFunction::Sqrt, Element::BF16), Some(MathAccuracy::Exact));
    // In semantics/tables/ulp.toml, rsqrt has the bound 2. Functions without a bound are rounded correctly.
    let kept = |form: MathAccuracy| (form.satisfies(Some(2.0)), form.satisfies(Some(1.5)), form.satisfies(None));
    assert_eq!(kept(MathAccuracy::Ulp(2)), (true, false, false));
    assert_eq!(
        (kept(MathAccuracy::Exact), kept(MathAccuracy::Approximate)),
        ((true, true, true), (false, false, false))
    );
}

/// Vulkan and WGSL permit an error of 2.5 ULP, which the descriptions round up.
#[test]
fn every_description_bounds_the_error_of_quotients() {
    let error = |backend, chip, element| {
        let target = Target::known(backend, chip).expect("a chip of the table");
        target.math_accuracy(MathFunction::Div, element).and_then(MathAccuracy::units)
    };
    for (backend, chip) in [("cpu", "x86-64"), ("nvptx", "sm_70"), ("amdgpu", "gfx1100")] {
        assert_eq!([Element::F32, Element::F64, Element::BF16].map(|e| error(backend, chip, e)), [Some(0.5); 3]);
    }
    assert_eq!([Element::F16, Element::F32].map(|e| error("wgsl", "core-f16", e)), [Some(3.0); 2]);
    assert_eq!([Element::F16, Element::F64].map(|e| error("spirv", "vulkan1.3-full", e)), [Some(3.0); 2]);
    let text = "math has no error bound for div of f32, which is a native type";
    assert_eq!(broken(|t| _ = t.math.get_mut(&MathFunction::Div).map(|forms| forms.remove(&Element::F32))), text);
    let approximate = [(Element::F32, MathAccuracy::Approximate)];
    assert_eq!(broken(|t| t.math.entry(MathFunction::Div).or_default().extend(approximate)), text);
}

#[test]
fn integers_and_conversions_are_those_of_the_documents() {
    let known = |backend, chip| Target::known(backend, chip).expect("a chip of the table");
    let wide = |backend, chip| known(backend, chip).has_integer(IntegerFunction::MulWide, Element::I32);
    assert_eq!([wide("cpu", "x86-64"), wide("spirv", "vulkan1.1"), wide("wgsl", "core")], [true, true, false]);
    assert!(known("wgsl", "core").has_integer(IntegerFunction::TotalDivision, Element::I32));
    assert!(!known("nvptx", "sm_90").has_integer(IntegerFunction::TotalShift, Element::I32));
    let to_bf16 = |chip| known("nvptx", chip).converts(Element::I32, Element::BF16);
    assert_eq!([to_bf16("sm_89"), to_bf16("sm_90")], [false, true]);
    let narrow = |chip| {
        let chip = known("amdgpu", chip);
        let pairs = [(Element::F32, Element::F8E4M3), (Element::F8E5M2, Element::F32)];
        pairs.map(|(from, to)| chip.converts(from, to))
    };
    // gfx942 converts to formats of 8 bits that are not element types.
    assert_eq!(["gfx942", "gfx1151"].map(narrow), [[false; 2]; 2]);
    assert_eq!(["gfx950", "gfx1200", "gfx1201"].map(narrow), [[true; 2]; 3]);
}

#[test]
fn f64_costs_distinguish_data_center_chips() {
    let double = |backend, chip| {
        Target::known(backend, chip).expect("a chip of the table").cost(CostClass::FmaF64) / CostClass::UNIT
    };
    assert_eq!(
        ["sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_120"].map(|c| double("nvptx", c)),
        [2, 32, 2, 64, 2, 64]
    );
    assert_eq!(["gfx900", "gfx906", "gfx942", "gfx1100"].map(|c| double("amdgpu", c)), [16, 2, 1, 32]);
    // WGSL has the estimated costs of GPUs of every vendor.
    assert_eq!(double("wgsl", "core"), 16);
}

#[test]
fn each_cost_and_latency_has_a_source() {
    let mut numbers = 0;
    for (backend, chip) in
        Target::backends().into_iter().flat_map(|b| Target::chips(b).into_iter().map(move |c| (b, c)))
    {
        let target = Target::known(backend, chip).expect("a chip of the table");
        for class in CostClass::ALL {
            for (number, source, estimates) in [
                (target.costs.get(&class), target.source_of_cost(class), &target.estimated_costs),
                (target.latencies.get(&class), target.source_of_latency(class), &target.estimated_latencies),
            ] {
                assert_eq!(number.is_some(), source.is_some(), "{chip}: {class:?}");
                let Some(source) = source else { continue };
                assert!(source.text().len() >= 10, "{chip}: {class:?} has the source '{}'", source.text());
                assert_eq!(source.is_estimate(), estimates.contains(&class), "{chip}: {class:?}");
                // A stated number names a document, a program or a measurement.
                let names = ["Guide", "LLVM", "OpenXLA", "Microbenchmarking", "measured", "guide"];
                let is_named = names.iter().any(|name| source.text().contains(name));
                assert!(source.is_estimate() || is_named, "{chip}: {class:?} has the source '{}'", source.text());
                numbers += 1;
            }
        }
    }
    assert!(numbers > 500, "{numbers}");
    assert_eq!(Target::generic().source_of_cost(CostClass::FmaF32), None);
}

#[test]
fn functions_of_types_that_the_chip_lacks_are_refused() {
    let of_int = [(Element::I32, MathAccuracy::Exact)];
    assert!(
        broken(|t| _ = t.math.insert(MathFunction::Exp, of_int.into())).contains("a function of i32, which is not a")
    );
    let counts =
        |elements: &[Element]| broken(|t| _ = t.integers.insert(IntegerFunction::CountOnes, elements.to_vec()));
    assert!(counts(&[Element::F32]).contains("CountOnes of f32, which is not an integer"));
    assert!(counts(&[Element::I32; 2]).contains("an element of CountOnes twice"));
    assert!(
        broken(|t| _ = t.conversions.insert(Element::I32, vec![Element::I8])).contains("conversions lists i32 to i8")
    );
    let without_division = |t: &mut Target| t.integers.retain(|function, _| *function != IntegerFunction::Division);
    assert!(broken(without_division).contains("integers has no Division of i"));
    assert_eq!(broken(|t| _ = t.costs.insert(CostClass::MulInt, 0)), "costs has the cost 0 for MulInt");
}
