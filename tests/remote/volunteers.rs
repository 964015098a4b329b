//! Threads, machines and volunteers serve one daemon.

use crate::daemons::program::end;
use crate::daemons::*;
use crate::installation::Installation;
use crate::machines::{expected, work};
use crate::project::Project;
use crate::server::{self, Server};
use serde_json::Value;
use std::collections::BTreeSet;

/// Units that a user has credit for.
fn units_of(credit: &Value, user: &str) -> u64 {
    let users = credit["users"].as_array().unwrap();
    users.iter().find(|of| of["name"] == user).and_then(|of| of["units"].as_u64()).unwrap_or(0)
}

#[test]
fn threads_machines_and_volunteers_serve_one_daemon() {
    if !server::is_there("threads_machines_and_volunteers_serve_one_daemon") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let expected = expected();
    let (server, project) = (Server::start(directory.path()), Project::new(directory.path()));
    let url = server.url();
    let flags = ["--threads", "1", "--boinc", &project.spool(), "--boinc-units", "2"];
    let site = Installation::on(directory, server, url, &flags);
    let machine = site.machine("one");
    wait_until("the machine is there", || !site.machines().is_empty());
    assert_eq!(site.get("/health")["workers"], 4);
    let ids: Vec<u64> = work().iter().map(|job| site.submit(job)).collect();
    let mut computed = BTreeSet::new();
    wait_until("all jobs are over", || {
        for workunit in project.make_work() {
            if computed.insert(workunit.clone()) {
                let file = project.compute(&workunit, 0);
                let (code, said) = project.assimilate(&workunit, &file);
                assert_eq!(code, Some(0), "{said}");
            }
        }
        ids.iter().all(|&id| ["finished", "failed"].contains(&site.job(id)["state"].as_str().unwrap()))
    });
    let found: Vec<Value> = ids.iter().map(|&id| end(&site, id)).collect();
    assert_eq!(found, *expected);
    // Each unit of a hunt counts once, and each of the three has done some.
    let jobs: Vec<Value> = ids.iter().map(|&id| site.job(id)).collect();
    let of_hunts = jobs.iter().filter(|job| job["kind"] == "hunt").map(|job| job["units_done"].as_u64().unwrap());
    let of_hunts: u64 = of_hunts.sum();
    let mut credit = Value::Null;
    wait_until("all units of hunts have their credit", || {
        credit = site.get("/credit");
        credit["total"]["units_hunt"].as_u64() >= Some(of_hunts)
    });
    assert_eq!(credit["total"]["units_hunt"].as_u64(), Some(of_hunts), "{credit}");
    let shares = ["daemon", "one", "boinc"].map(|user| units_of(&credit, user));
    assert!(shares.iter().all(|&units| units > 0), "{credit}");
    assert_eq!(Some(shares.iter().sum()), credit["total"]["units"].as_u64(), "{credit}");
    // Volunteers have the time that their results tell.
    let boinc = site.get("/credit/users/boinc");
    let of = |what: &str| boinc["total"][what].as_f64().unwrap();
    assert!(of("seconds") > 0.0 && (of("credit") - of("seconds") / 864.0).abs() < 1e-9, "{boinc}");
    println!("units of the thread, the machine and the volunteers: {shares:?}; {} workunits", computed.len());
    site.stop([machine]);
}
