//! A daemon whose units volunteers compute, who need no client here.

use crate::daemons::program::end;
use crate::daemons::*;
use crate::project::{Project, names, undisturbed};
use morpion::queue::boinc::package::UnitWords;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

fn hunt(seed: u64, runs: u64) -> Value {
    let settings =
        json!({ "strategy": "nrpa", "level": 2, "variant": "5D", "runs": runs, "seed": seed, "keep_from": 66 });
    json!({ "kind": "hunt", "settings": settings })
}

/// Hunts, one of which shares its search, a solution by units, and with the solver of linear programs a proof.
fn work() -> Vec<Value> {
    let shared = json!({ "strategy": "nrpa", "level": 3, "share": 2, "width": 2, "variant": "4D", "iterations": 12,
                         "runs": 1, "seed": 7 });
    let solved = json!({ "game": "reversi", "size": "4x4", "algorithm": "negascout", "unit_budget": 3000 });
    let mut work = vec![
        hunt(6, 8),
        json!({ "kind": "hunt", "settings": shared }),
        json!({ "kind": "solve", "settings": solved }),
    ];
    if cfg!(feature = "prove") {
        let proved = json!({ "moves": 85, "hull": grid_text("5D-82-rosin.txt") });
        work.push(json!({ "kind": "prove", "settings": proved }));
    }
    work
}

#[test]
fn what_volunteers_compute_is_what_threads_compute() {
    let directory = tempfile::tempdir().unwrap();
    let expected = undisturbed(directory.path(), &work());
    let project = Project::new(directory.path());
    let program = project.daemon(6);
    let ids: Vec<u64> = work().iter().map(|job| program.submit(job)).collect();
    let mut computed = BTreeSet::new();
    let are_over = || {
        ids.iter().all(|&id| ["finished", "failed"].contains(&program.job(id)["state"].as_str().unwrap_or_default()))
    };
    wait_until("all jobs are over", || {
        for workunit in project.make_work() {
            if computed.insert(workunit.clone()) {
                let file = project.compute(&workunit, 0);
                assert_eq!(project.validate(&[&file]), (Some(0), String::new()), "{workunit}");
                let (code, said) = project.assimilate(&workunit, &file);
                assert_eq!(code, Some(0), "{said}");
            }
        }
        are_over()
    });
    let found: Vec<Value> = ids.iter().map(|&id| end(&program, id)).collect();
    assert_eq!(found, expected);
    assert!(computed.len() > 10, "{} workunits", computed.len());
    wait_until("nothing waits any more", || names(&project.path("spool/units")).is_empty());
    // What comes late is judged, and changes nothing.
    let first = computed.first().unwrap();
    let late = project.compute(first, 1);
    assert_eq!(project.validate(&[&late]).0, Some(0));
    let (code, said) = project.assimilate(first, &late);
    assert!(code == Some(0) && said.contains("not needed any more"), "{said}");
    // Its workunit may also end while the result is put there.
    fs::copy(&late, project.path("spool/results").join(first)).unwrap();
    wait_until("no result is left", || names(&project.path("spool/results")).is_empty());
    program.stop();
}

#[test]
fn workunits_outlive_the_daemon_and_pauses() {
    let directory = tempfile::tempdir().unwrap();
    let expected = undisturbed(directory.path(), &[hunt(9, 3)]);
    let project = Project::new(directory.path());
    let program = project.daemon(3);
    let id = program.submit(&hunt(9, 3));
    wait_until("three units are offered", || project.make_work().len() == 3);
    let workunits = project.workunits();
    let [first, second, third] = &workunits[..] else { panic!("{workunits:?}") };
    // A result that comes while there is no daemon waits for it.
    program.kill();
    let file = project.compute(second, 0);
    assert_eq!(project.assimilate(second, &file).0, Some(0));
    let program = project.daemon(3);
    wait_until("the result is taken in", || program.job(id)["units_done"] == 1);
    assert_eq!(project.make_work(), workunits, "units are handed out anew that were on their way");
    // So does one that comes while its job is paused.
    program.order(&format!("/jobs/{id}/pause"));
    let file = project.compute(first, 0);
    assert_eq!(project.assimilate(first, &file).0, Some(0));
    program.order(&format!("/jobs/{id}/resume"));
    wait_until("the second result is taken in", || program.job(id)["units_done"] == 2);
    assert_eq!(project.make_work(), workunits);
    let file = project.compute(third, 0);
    assert_eq!(project.assimilate(third, &file).0, Some(0));
    assert_eq!([end(&program, id)], expected[..]);
    assert_eq!(project.make_work(), workunits);
    program.stop();
}

#[test]
fn bad_results_and_lost_workunits_are_computed_again() {
    let directory = tempfile::tempdir().unwrap();
    let expected = undisturbed(directory.path(), &[hunt(4, 1)]);
    let project = Project::new(directory.path());
    let program = project.daemon(1);
    let id = program.submit(&hunt(4, 1));
    let next = |known: usize| {
        wait_until("there is another workunit", || project.make_work().len() == known);
        let last = names(&project.path("spool/units"));
        assert_eq!(last.len(), 1, "{last:?}");
        last[0].clone()
    };
    let workunit = next(1);
    let good = project.compute(&workunit, 0);
    let result = UnitWords::from_file(&fs::read(&good).unwrap()).unwrap();
    assert!(result.words.len() > 1, "it reports grids");
    let lie = |change: &dyn Fn(&mut UnitWords)| {
        let mut lie = result.clone();
        change(&mut lie);
        let file = project.path("project").join(format!("{workunit}_1_r5_0"));
        fs::write(&file, lie.to_file()).unwrap();
        file
    };
    let is_refused = |file: &std::path::Path, why: &str| {
        let (code, said) = project.validate(&[file]);
        assert!(code == Some(1) && said.contains(why), "{why}: {code:?} {said}");
    };
    is_refused(&lie(&|lie| _ = lie.words.pop()), "no outcome");
    // A better score than its grids have.
    is_refused(&lie(&|lie| lie.words = vec![lie.words.last().unwrap().clone()]), "shows no such grid");
    is_refused(&lie(&|lie| lie.words[0].truncate(9)), "cannot be read");
    is_refused(&lie(&|lie| lie.words.push(Vec::new())), "after its outcome");
    let foreign = project.path("project").join("someone_else_0");
    fs::copy(&good, &foreign).unwrap();
    is_refused(&foreign, "does not begin with that of a workunit");
    // Two results that agree, and two that differ.
    let same = project.path("project").join(format!("{workunit}_2_r5_0"));
    fs::copy(&good, &same).unwrap();
    assert_eq!(project.validate(&[&good, &same]), (Some(0), String::new()));
    is_refused(&lie(&|lie| _ = lie.words.pop()), "no outcome");
    // The assimilator trusts no validator, and the unit gets another workunit.
    let (code, said) = project.assimilate(&workunit, &lie(&|lie| _ = lie.words.pop()));
    assert!(code == Some(1) && said.contains("no outcome"), "{said}");
    let second = next(2);
    assert_ne!(second, workunit);
    assert_eq!(project.assimilate(&workunit, &good).0, Some(0), "it is over");
    assert_eq!(program.job(id)["units_done"], 0);
    // The server gives the second one up.
    project.give_up(&second);
    let third = next(3);
    // Interrupted between the server's answer and the note of it, the work generator finds out.
    fs::write(project.path("spool/made").join(&third), "begun\n").unwrap();
    assert_eq!(project.make_work().len(), 3);
    assert_eq!(fs::read_to_string(project.path("spool/made").join(&third)).unwrap(), "yes\n");
    let file = project.compute(&third, 0);
    assert_eq!(project.assimilate(&third, &file).0, Some(0));
    assert_eq!([end(&program, id)], expected[..]);
    program.stop();
}
