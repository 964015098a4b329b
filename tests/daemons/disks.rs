//! Places on disk that refuse to be written when a test says so.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file system of its own in memory, if this process may make one.
pub struct Small(pub PathBuf);

impl Small {
    pub fn make(path: PathBuf, size: &str) -> Option<Small> {
        fs::create_dir(&path).unwrap();
        let options = format!("size={size}");
        let made = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&path).output();
        made.is_ok_and(|output| output.status.success()).then_some(Small(path))
    }

    pub fn remount(&self, how: &str) {
        let output = Command::new("mount").args(["-o", &format!("remount,{how}")]).arg(&self.0).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// A directory that can be made immutable, with all files in it, also those that are open: what a file system that
/// becomes read-only does to a running program.
pub struct Immutable {
    path: PathBuf,
    _mounted: Option<Small>,
}

impl Immutable {
    /// A directory below `parent`, if the file system there knows the attribute and refuses to write to open files,
    /// or else in an ext4 file system of its own; nothing if neither can be had.
    pub fn make(parent: &Path) -> Option<Immutable> {
        let here = parent.join("immutable");
        fs::create_dir(&here).unwrap();
        if works(&here) {
            return Some(Immutable { path: here, _mounted: None });
        }
        let (image, mounted) = (parent.join("image"), parent.join("ext4"));
        File::create(&image).and_then(|file| file.set_len(48 << 20)).unwrap();
        let made = Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&image).output();
        if !made.is_ok_and(|output| output.status.success()) {
            return None;
        }
        fs::create_dir(&mounted).unwrap();
        let done = Command::new("mount").args(["-o", "loop"]).args([&image, &mounted]).output();
        if !done.is_ok_and(|output| output.status.success()) {
            return None;
        }
        let mount = Small(mounted);
        let path = mount.0.join("immutable");
        fs::create_dir(&path).unwrap();
        works(&path).then_some(Immutable { path, _mounted: Some(mount) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Nothing can be written any more.
    pub fn freeze(&self) {
        assert!(attribute("+i", &self.path), "chattr +i");
    }

    /// Everything can be written again.
    pub fn thaw(&self) {
        assert!(attribute("-i", &self.path), "chattr -i");
    }
}

impl Drop for Immutable {
    fn drop(&mut self) {
        attribute("-i", &self.path);
    }
}

/// Sets an attribute of all that lies in a directory. What goes away meanwhile is no failure, so it is done twice.
fn attribute(how: &str, path: &Path) -> bool {
    let set =
        || Command::new("chattr").args(["-R", how]).arg(path).output().is_ok_and(|output| output.status.success());
    let first = set();
    set() || first
}

fn works(directory: &Path) -> bool {
    let name = directory.join("probe");
    let mut file = OpenOptions::new().create(true).append(true).open(&name).unwrap();
    let set = attribute("+i", directory);
    let refused = file.write_all(b"x").is_err() && File::create(directory.join("another")).is_err();
    attribute("-i", directory);
    let again = file.write_all(b"x").is_ok();
    let _ = fs::remove_file(&name);
    set && refused && again
}
