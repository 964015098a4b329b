//! The memory that the jobs of a daemon may take together.
//!
//! A job says what it needs before it begins ([`MemoryNeed`]), and is granted a part of the budget or waits. By
//! default the budget is a share of what the machine has, or of what its control groups leave to this process; the
//! rest is for the store, the API and the system.

use std::fs;
use std::path::{Path, PathBuf};

/// The budget if nothing else is said, in percent of the memory that there is.
pub const SHARE: u64 = 55;
/// The budget where the system does not say how much memory there is.
const UNKNOWN: u64 = 1 << 30;

/// What a job needs, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryNeed {
    /// With less it cannot run.
    pub least: u64,
    /// With more it would run no faster.
    pub wanted: u64,
}

/// The budget of a daemon on this machine, if nothing else is said.
pub fn default_budget() -> u64 {
    available(Path::new("/")).map_or(UNKNOWN, |bytes| bytes / 100 * SHARE)
}

/// Memory of the machine, or what the control groups of this process allow, whichever is less. `root` is the root of
/// the file system.
pub fn available(root: &Path) -> Option<u64> {
    let machine = fs::read_to_string(root.join("proc/meminfo")).ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    });
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let limits = groups.lines().flat_map(|line| limit_files(root, line)).filter_map(|file| {
        // `max` in version 2, and a number near 2^63 in version 1, mean that there is no limit.
        fs::read_to_string(file).ok()?.trim().parse::<u64>().ok()
    });
    machine.into_iter().chain(limits).filter(|&bytes| bytes > 0).min()
}

/// The files that may hold a limit for a line of `/proc/self/cgroup`: of the group, and of those above it.
fn limit_files(root: &Path, line: &str) -> Vec<PathBuf> {
    let mut parts = line.splitn(3, ':');
    let (Some(_), Some(controllers), Some(group)) = (parts.next(), parts.next(), parts.next()) else {
        return Vec::new();
    };
    let (mounts, name): (&[&str], &str) = if controllers.is_empty() {
        (&["sys/fs/cgroup", "sys/fs/cgroup/unified"], "memory.max")
    } else if controllers.split(',').any(|controller| controller == "memory") {
        (&["sys/fs/cgroup/memory"], "memory.limit_in_bytes")
    } else {
        return Vec::new();
    };
    let group = Path::new(group.trim_start_matches('/'));
    let above = |mount: &&str| -> Vec<PathBuf> {
        // In a container the path is that of the host, and the mount is the group itself.
        group.ancestors().map(|group| root.join(mount).join(group).join(name)).collect()
    };
    mounts.iter().flat_map(above).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(files: &[(&str, &str)]) -> Option<u64> {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        available(dir.path())
    }

    #[test]
    fn the_least_limit_counts() {
        let total = ("proc/meminfo", "MemTotal:        8000 kB\nMemFree:          100 kB\n");
        assert_eq!(machine(&[]), None);
        assert_eq!(machine(&[total]), Some(8_192_000));
        let version2 = ("proc/self/cgroup", "0::/a.slice/b.service\n");
        let at = |name, text| [total, version2, (name, text)];
        assert_eq!(machine(&at("sys/fs/cgroup/a.slice/b.service/memory.max", "700000\n")), Some(700_000));
        assert_eq!(machine(&at("sys/fs/cgroup/a.slice/memory.max", "600000\n")), Some(600_000));
        assert_eq!(machine(&at("sys/fs/cgroup/memory.max", "500000\n")), Some(500_000));
        assert_eq!(machine(&at("sys/fs/cgroup/a.slice/b.service/memory.max", "max\n")), Some(8_192_000));
        assert_eq!(machine(&at("sys/fs/cgroup/c.slice/memory.max", "1\n")), Some(8_192_000), "another group");
        let version1 = ("proc/self/cgroup", "5:devices:/x\n4:memory:/group/1\n0::/\n");
        let at = |name, text| [total, version1, (name, text)];
        assert_eq!(machine(&at("sys/fs/cgroup/memory/group/memory.limit_in_bytes", "900000\n")), Some(900_000));
        let unlimited = at("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(machine(&unlimited), Some(8_192_000));
    }
}
