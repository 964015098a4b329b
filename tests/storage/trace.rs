//! What a power cut leaves: the operations that the shim wrote down, applied as far as a file system guarantees them.
//!
//! A file's bytes are safe once the file is flushed, its name once its directory is flushed. Of what came later each
//! part may be there or not: parts of a write by sectors, names in the order of the operations on their directory.
//! Real file systems promise more.

use rand::{Rng, RngExt};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

/// An operation below the directory that is watched. Paths are relative to it.
enum Operation {
    Create { path: String, inode: u64 },
    Write { inode: u64, offset: usize, bytes: Vec<u8> },
    Truncate { inode: u64, size: usize },
    Sync { inode: u64 },
    Rename { from: String, to: String },
    Unlink { path: String },
    MakeDirectory { path: String },
    RemoveDirectory { path: String },
    SyncDirectory { path: String },
    Link { from: String, to: String },
}

/// All operations of a process, each with the length of the trace after it.
pub struct Trace(Vec<(u64, Operation)>);

impl Trace {
    /// Reads what the shim wrote. A record that was cut off by the death of the process is left out.
    pub fn read(file: &Path) -> Trace {
        let bytes = fs::read(file).expect("a trace");
        let (mut operations, mut at) = (Vec::new(), 0);
        while let Some(head) = bytes.get(at..at + 25) {
            let long = |from: usize| u64::from_le_bytes(head[from..from + 8].try_into().unwrap());
            let length = |from: usize| u32::from_le_bytes(head[from..from + 4].try_into().unwrap()) as usize;
            let (inode, offset) = (long(1), long(9) as usize);
            let middle = at + 25 + length(17);
            let end = middle + length(21);
            let (Some(first), Some(second)) = (bytes.get(at + 25..middle), bytes.get(middle..end)) else { break };
            let path = || String::from_utf8(first.to_vec()).expect("names of files are UTF-8");
            let other = || String::from_utf8(second.to_vec()).expect("names of files are UTF-8");
            let operation = match head[0] {
                1 => Operation::Create { path: path(), inode },
                2 => Operation::Write { inode, offset, bytes: first.to_vec() },
                3 => Operation::Truncate { inode, size: offset },
                4 => Operation::Sync { inode },
                5 => Operation::Rename { from: path(), to: other() },
                6 => Operation::Unlink { path: path() },
                7 => Operation::MakeDirectory { path: path() },
                8 => Operation::RemoveDirectory { path: path() },
                9 => Operation::SyncDirectory { path: path() },
                10 => Operation::Link { from: path(), to: other() },
                other => panic!("record of kind {other}"),
            };
            at = end;
            operations.push((at as u64, operation));
        }
        Trace(operations)
    }

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Length of the trace after so many operations.
    pub fn position(&self, operations: usize) -> u64 {
        operations.checked_sub(1).map_or(0, |last| self.0[last].0)
    }

    /// Makes a directory as a power cut after the first `operations` may leave it.
    pub fn cut(&self, operations: usize, directory: &Path, rng: &mut impl Rng) {
        let mut disk = Disk::default();
        for (_, operation) in &self.0[..operations] {
            disk.carry_out(operation);
        }
        disk.lose(rng);
        disk.write(directory);
    }
}

/// A change of a file's bytes that is not flushed.
enum Change {
    Write(usize, Vec<u8>),
    Truncate(usize),
}

#[derive(Default)]
struct File {
    safe: Vec<u8>,
    pending: Vec<Change>,
}

impl File {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::Write(offset, bytes) => {
                let end = offset + bytes.len();
                if self.safe.len() < end {
                    self.safe.resize(end, 0);
                }
                self.safe[*offset..end].copy_from_slice(bytes);
            }
            Change::Truncate(size) => self.safe.resize(*size, 0),
        }
    }

    fn flush(&mut self) {
        for change in std::mem::take(&mut self.pending) {
            self.apply(&change);
        }
    }

    /// Keeps some sectors of what is not flushed. The file may have become longer without the bytes.
    fn lose(&mut self, rng: &mut impl Rng) {
        let sector = if rng.random_bool(0.5) { 512 } else { 4096 };
        let kept = [0.0, 0.5, 1.0][rng.random_range(0..3)];
        let grown = rng.random_bool(0.5);
        for change in std::mem::take(&mut self.pending) {
            let Change::Write(offset, bytes) = &change else {
                if rng.random_bool(kept) {
                    self.apply(&change);
                }
                continue;
            };
            let mut from = 0;
            while from < bytes.len() {
                let to = bytes.len().min(from + sector - (offset + from) % sector);
                if rng.random_bool(kept) {
                    self.apply(&Change::Write(offset + from, bytes[from..to].to_vec()));
                }
                from = to;
            }
            if grown && self.safe.len() < offset + bytes.len() {
                self.safe.resize(offset + bytes.len(), 0);
            }
        }
    }
}

#[derive(Clone)]
enum Entry {
    Directory,
    File(usize),
}

/// A change of names that is not flushed.
#[derive(Clone)]
enum Naming {
    Put(String, Entry),
    Remove(String),
    Rename(String, String),
}

impl Naming {
    /// The directory that has to be flushed.
    fn directory(&self) -> &str {
        let (Naming::Put(path, _) | Naming::Remove(path) | Naming::Rename(_, path)) = self;
        path.rsplit_once('/').map_or("", |(directory, _)| directory)
    }
}

#[derive(Default)]
struct Disk {
    files: Vec<File>,
    /// The file that an inode is now.
    inodes: HashMap<u64, usize>,
    /// Names as the process sees them.
    seen: BTreeMap<String, Entry>,
    /// Names that are safe.
    safe: BTreeMap<String, Entry>,
    pending: Vec<Naming>,
}

fn below<'a>(names: &'a BTreeMap<String, Entry>, path: &str) -> Vec<&'a String> {
    let start = format!("{path}/");
    names.keys().filter(|name| name.starts_with(&start)).collect()
}

fn apply(names: &mut BTreeMap<String, Entry>, naming: &Naming) {
    let directory = naming.directory();
    if !directory.is_empty() && !names.contains_key(directory) {
        return;
    }
    match naming {
        Naming::Put(path, entry) => {
            names.insert(path.clone(), entry.clone());
        }
        Naming::Remove(path) => {
            for name in below(names, path).into_iter().cloned().collect::<Vec<_>>() {
                names.remove(&name);
            }
            names.remove(path);
        }
        Naming::Rename(from, to) => {
            for name in below(names, from).into_iter().cloned().collect::<Vec<_>>() {
                let entry = names.remove(&name).expect("it was listed");
                names.insert(format!("{to}{}", &name[from.len()..]), entry);
            }
            if let Some(entry) = names.remove(from) {
                names.insert(to.clone(), entry);
            }
        }
    }
}

impl Disk {
    fn carry_out(&mut self, operation: &Operation) {
        match operation {
            Operation::Create { path, inode } => {
                self.files.push(File::default());
                let file = self.files.len() - 1;
                self.inodes.insert(*inode, file);
                self.name(Naming::Put(path.clone(), Entry::File(file)));
            }
            Operation::Write { inode, offset, bytes } => {
                self.file(*inode).pending.push(Change::Write(*offset, bytes.clone()));
            }
            Operation::Truncate { inode, size } => self.file(*inode).pending.push(Change::Truncate(*size)),
            Operation::Sync { inode } => self.file(*inode).flush(),
            Operation::Rename { from, to } => self.name(Naming::Rename(from.clone(), to.clone())),
            Operation::Unlink { path } | Operation::RemoveDirectory { path } => {
                self.name(Naming::Remove(path.clone()));
            }
            Operation::MakeDirectory { path } => self.name(Naming::Put(path.clone(), Entry::Directory)),
            Operation::Link { from, to } => {
                let entry = self.seen[from].clone();
                self.name(Naming::Put(to.clone(), entry));
            }
            Operation::SyncDirectory { path } => {
                for naming in std::mem::take(&mut self.pending) {
                    if naming.directory() == path {
                        apply(&mut self.safe, &naming);
                    } else {
                        self.pending.push(naming);
                    }
                }
            }
        }
    }

    fn name(&mut self, naming: Naming) {
        // The directory itself is there before anything is written into it.
        if let Naming::Put(path, Entry::Directory) = &naming
            && path.is_empty()
        {
            return;
        }
        apply(&mut self.seen, &naming);
        self.pending.push(naming);
    }

    fn file(&mut self, inode: u64) -> &mut File {
        &mut self.files[self.inodes[&inode]]
    }

    fn lose(&mut self, rng: &mut impl Rng) {
        for file in &mut self.files {
            file.lose(rng);
        }
        let mut left: HashMap<String, usize> = HashMap::new();
        for naming in &self.pending {
            *left.entry(naming.directory().to_owned()).or_default() += 1;
        }
        let mut directories: Vec<_> = left.iter_mut().collect();
        directories.sort();
        for (_, number) in directories {
            *number = match rng.random_range(0..3) {
                0 => 0,
                1 => *number,
                _ => rng.random_range(0..=*number),
            };
        }
        for naming in std::mem::take(&mut self.pending) {
            let left = left.get_mut(naming.directory()).expect("it was counted");
            if *left > 0 {
                *left -= 1;
                apply(&mut self.safe, &naming);
            }
        }
    }

    fn write(&self, directory: &Path) {
        fs::create_dir_all(directory).unwrap();
        for (path, entry) in &self.safe {
            let path = directory.join(path);
            match entry {
                Entry::Directory => fs::create_dir_all(path).unwrap(),
                Entry::File(file) => fs::write(path, &self.files[*file].safe).unwrap(),
            }
        }
    }
}
