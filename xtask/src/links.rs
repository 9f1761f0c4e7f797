//! Creates links with the names of the tools beside the multi-call binary `cube`, which selects a tool by the
//! name of the link.

use crate::workspace::target_folder;
use std::path::Path;

/// The names of the links to `cube`.
pub const NAMES: [&str; 6] = ["cube-opt", "cubec", "cube-run", "cube-layout", "cube-reduce", "cube-lsp-server"];

/// Creates the missing links in the folder of each profile that contains `cube`. Returns the number of new
/// links.
pub fn make(root: &Path) -> Result<usize, String> {
    let target = target_folder(root);
    let profiles = ["debug", "release"].map(|profile| target.join(profile));
    profiles.iter().filter(|folder| folder.join("cube").is_file()).map(|folder| make_in(folder)).sum()
}

/// Creates the missing links in a folder that contains `cube`. The function does not change existing files and links.
/// Returns the number of new links.
pub fn make_in(folder: &Path) -> Result<usize, String> {
    let mut made = 0;
    for name in NAMES {
        let link = folder.join(name);
        if link.symlink_metadata().is_ok() {
            continue;
        }
        std::os::unix::fs::symlink("cube", &link)
            .map_err(|error| format!("cannot link {}: {error}", link.display()))?;
        made += 1;
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_made_once_and_lead_to_cube() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("cube"), "the tool").unwrap();
        assert_eq!(make_in(folder.path()), Ok(NAMES.len()));
        assert_eq!(make_in(folder.path()), Ok(0));
        assert_eq!(std::fs::read_to_string(folder.path().join("cubec")).unwrap(), "the tool");
    }
}
