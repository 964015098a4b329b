//! Archives that are cut, damaged, forged and appended to.

use super::*;
use crate::morpion::canonical::canonical_key;
use crate::morpion::referee;
use crate::notation::records::known;
use proptest::prelude::*;

fn origin(variant: Variant) -> ArchiveOrigin {
    ArchiveOrigin {
        variant,
        start: Start::CROSS,
        method: "nrpa level 4".to_owned(),
        seed: u64::MAX,
        producer: "morpion".to_owned(),
    }
}

fn finds(variant: Variant) -> Vec<KeptFind> {
    let grids = known().unwrap().into_iter().map(|known| known.grid).filter(|grid| grid.variant == variant);
    let find = |(unit, moves): (u64, Vec<Move>)| KeptFind {
        key: canonical_key(variant, &moves),
        find: Find {
            moves,
            unit,
            unit_seed: u64::MAX - unit,
            worker: 2,
            iterations: 1 << 40,
            seconds: 1.5,
            time: 1e9 + unit as f64,
        },
    };
    (0..).zip(grids.map(|grid| grid.moves)).map(find).collect()
}

/// An archive of the known records of a variant, and its bytes.
fn filled(variant: Variant) -> (tempfile::TempDir, PathBuf, Vec<KeptFind>) {
    let dir = tempfile::tempdir().unwrap();
    let finds = finds(variant);
    let mut archive = Archive::open(dir.path(), &origin(variant), |_| panic!("it is new")).unwrap();
    finds.iter().for_each(|find| archive.append(find).unwrap());
    archive.flush().unwrap();
    let path = path_in(dir.path());
    (dir, path, finds)
}

fn read(path: &Path) -> Result<Vec<KeptFind>, ArchiveError> {
    Reader::open(path)?.collect()
}

#[test]
fn grids_come_back_as_they_were_in_every_variant() {
    for variant in Variant::ALL {
        let (dir, path, mut finds) = filled(variant);
        assert_eq!(read(&path).unwrap(), finds);
        assert!(Reader::recognises(&path));
        finds.iter().for_each(|find| drop(referee::replay(variant, &find.find.moves).unwrap()));
        let mut seen = Vec::new();
        let mut archive = Archive::open(dir.path(), &origin(variant), |find| seen.push(find.clone())).unwrap();
        assert_eq!(seen, finds);
        archive.append(&seen[0]).unwrap();
        finds.push(seen[0].clone());
        assert_eq!(read(&path).unwrap(), finds);
        let other = Variant::ALL.into_iter().find(|&other| other != variant).unwrap();
        let error = Archive::open(dir.path(), &origin(other), |_| ()).unwrap_err();
        assert!(matches!(error, ArchiveError::OtherVariant { .. }), "{error}");
    }
}

#[test]
fn a_file_cut_anywhere_yields_the_grids_before_the_cut_and_goes_on() {
    let (dir, path, finds) = filled(Variant::D4);
    let whole = fs::read(&path).unwrap();
    let head = whole.len() - finds.iter().map(|find| record(find).unwrap().len()).sum::<usize>();
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        if cut < head {
            let error = Archive::open(dir.path(), &origin(Variant::D4), |_| ()).unwrap_err();
            assert!(matches!(error, ArchiveError::Damaged { .. }), "cut at {cut}: {error}");
            assert_eq!(fs::read(&path).unwrap(), whole[..cut], "a header is never cut by a crash");
            continue;
        }
        let before = read(&path).unwrap();
        assert_eq!(before, finds[..before.len()], "cut at {cut}");
        assert!(before.len() < finds.len(), "cut at {cut}");
        let mut archive = Archive::open(dir.path(), &origin(Variant::D4), |_| ()).unwrap();
        archive.append(&finds[0]).unwrap();
        assert_eq!(read(&path).unwrap().last(), Some(&finds[0]), "cut at {cut}");
    }
    fs::write(&path, [&whole[..], &[0; 5000]].concat()).unwrap();
    assert_eq!(read(&path).unwrap().len(), finds.len(), "room that a power cut left unwritten");
}

#[test]
fn a_repair_keeps_all_but_the_damaged_record_and_the_file_as_it_was() {
    let (dir, path, finds) = filled(Variant::T5);
    let good = fs::read(&path).unwrap();
    assert_eq!(repair::repair(dir.path(), &origin(Variant::T5)).unwrap(), None, "nothing is wrong");
    let head = good.len() - finds.iter().map(|find| record(find).unwrap().len()).sum::<usize>();
    let mut place = head;
    for (number, find) in (0..).zip(&finds) {
        let length = record(find).unwrap().len();
        let mut bytes = good.clone();
        bytes[place + length / 2] ^= 4;
        place += length;
        fs::write(&path, &bytes).unwrap();
        let told = repair::repair(dir.path(), &origin(Variant::T5)).unwrap().unwrap();
        assert!(told.contains(&format!("{} grids of it are kept", finds.len() - 1)), "{told}");
        let mut left = finds.clone();
        left.remove(number);
        assert_eq!(read(&path).unwrap(), left, "record {number}");
        let kept = path.with_file_name(format!("{FILE}.damaged-{}", number + 1));
        assert_eq!(fs::read(kept).unwrap(), bytes);
        fs::write(&path, &good).unwrap();
    }
    // Without its header, the referee says which grids are of the variant.
    let mut bytes = good;
    bytes[30] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let told = repair::repair(dir.path(), &origin(Variant::T5)).unwrap().unwrap();
    assert!(told.contains("checksum of its header"), "{told}");
    assert_eq!(read(&path).unwrap(), finds);
}

#[test]
fn what_is_no_archive_or_a_newer_one_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    fs::write(&path, "all work and no play").unwrap();
    assert!(read(&path).unwrap_err().to_string().contains("it is not an archive of grids"));
    let mut newer = header(&origin(Variant::T5)).unwrap();
    newer[8] = 9;
    fs::write(&path, newer).unwrap();
    assert!(read(&path).unwrap_err().to_string().contains("has format version 9"));
    assert!(read(dir.path()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn changed_bytes_are_noticed_and_left_alone(at in 0usize..100_000, bit in 0u8..8, tail in prop::collection::vec(any::<u8>(), 0..60)) {
        let (dir, path, finds) = filled(Variant::T5);
        let good = fs::read(&path).unwrap();
        let mut bytes = good.clone();
        let at = at % bytes.len();
        bytes[at] ^= 1 << bit;
        fs::write(&path, &bytes).unwrap();
        prop_assert!(read(&path).is_err(), "byte {} bit {}", at, bit);
        prop_assert!(Archive::open(dir.path(), &origin(Variant::T5), |_| ()).is_err());
        prop_assert_eq!(fs::read(&path).unwrap(), bytes);
        // Anything may follow a cut; nothing panics, and what comes before the cut is read.
        let mut bytes = good[..at].to_vec();
        bytes.extend(&tail);
        fs::write(&path, &bytes).unwrap();
        if let Ok(read) = read(&path) {
            prop_assert!(read.len() <= finds.len() + 1);
        }
    }

    /// Forged records with matching sums are read as some moves or refused.
    #[test]
    fn forged_records_never_panic(payload in prop::collection::vec(any::<u8>(), 0..200)) {
        let (_dir, path, _) = filled(Variant::D4);
        let mut bytes = fs::read(&path).unwrap();
        let length = payload.len() as u16;
        bytes.extend(length.to_le_bytes());
        bytes.extend((!length).to_le_bytes());
        bytes.extend(crc32fast::hash(&payload).to_le_bytes());
        bytes.extend(&payload);
        fs::write(&path, &bytes).unwrap();
        if let Ok(finds) = read(&path) {
            for find in finds {
                let _ = referee::replay(Variant::D4, &find.find.moves);
            }
        }
    }
}
