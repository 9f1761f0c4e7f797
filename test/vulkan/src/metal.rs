//! Translates WGSL to Metal's language in the way of wgpu on Apple's systems.
use naga::back::msl;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// The text in Metal's language for an entry point of a WGSL text. No driver of Metal checks the text.
///
/// # Errors
/// naga does not parse, validate or translate the text.
pub fn metal(text: &str, entry: &str) -> Result<String, String> {
    // naga 30 supports subgroups, but refuses this line.
    let text = text.replacen("enable subgroups;", "", 1);
    let module = naga::front::wgsl::parse_str(&text).map_err(|error| error.emit_to_string(&text))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| error.emit_to_string(&text))?;
    let options = msl::Options {
        // The first version with all subgroup operations.
        lang_version: (3, 0),
        zero_initialize_workgroup_memory: false,
        force_loop_bounding: false,
        ..msl::Options::default()
    };
    let of = msl::PipelineOptions {
        entry_point: Some((naga::ShaderStage::Compute, entry.into())),
        ..msl::PipelineOptions::default()
    };
    let (code, translated) = msl::write_string(&module, &info, &options, &of).map_err(|error| error.to_string())?;
    let names: Vec<&String> = translated.entry_point_names.iter().filter_map(|name| name.as_ref().ok()).collect();
    match names.as_slice() {
        [name] if code.contains(&format!("kernel void {name}(")) => Ok(code),
        _ => Err(format!("the text for Metal has the entry points {names:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] = x[id.x] / 3u; }";

    #[test]
    fn an_entry_point_is_a_kernel_of_metal() {
        // `main` is a reserved name of Metal's language.
        let code = metal(TEXT, "main").unwrap();
        assert!(code.contains("kernel void main_(") && code.contains("device type_1& x"), "{code}");
    }

    #[test]
    fn a_text_without_the_entry_point_is_refused() {
        assert!(metal(TEXT, "other").unwrap_err().contains("other"));
        assert!(metal("fn main( {", "main").unwrap_err().contains("expected"));
    }
}
