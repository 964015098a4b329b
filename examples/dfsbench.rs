use morpion::core::ctl::KeepBest;
use morpion::morpion::variant::Variant;
use morpion::strategies::{self, Unit, params::*};
fn main() {
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    if n == 0 {
        return other();
    }
    let sorts = std::env::args().nth(2);
    for variant in Variant::ALL {
        let mut params = Params { stall: StallTable(vec![]), ..Params::default() };
        if let Some(s) = &sorts {
            params.sort = <Sort as clap::ValueEnum>::from_str(s, true).unwrap();
        }
        let unit = Unit { prefix: vec![], candidates: None, seed: 1, max_iterations: Some(n) };
        let mut s = strategies::start(variant, &params, &unit);
        let mut ctl = KeepBest { best: vec![], iterations: 0, limit: None };
        let t = cpu();
        let end = s.run(&mut ctl);
        let dt = (cpu() - t);
        println!(
            "{variant} {end:?} best {} iterations {} {:.1} M/s",
            s.best(),
            s.iterations(),
            s.iterations() as f64 / dt / 1e6
        );
        if std::env::args().nth(3).is_some() {
            break;
        }
    }
}

fn other() {
    use morpion::core::search::Search;
    use morpion::strategies::*;
    for variant in Variant::ALL {
        morpion::with_rules!(variant, R => {
            let unit = Unit { prefix: vec![], candidates: None, seed: 1, max_iterations: Some(1_000_000) };
            let mut s = random::Random::<R>::new(&unit);
            let t = cpu();
            s.run(&mut KeepBest { best: vec![], iterations: 0, limit: None });
            println!("{variant} random mean {} best {} {:.0}/s", s.mean(), s.best(), 1e6 / (cpu() - t));
        })
    }
    for variant in [Variant::T5, Variant::D5] {
        for level in 1..=2 {
            let k = if level == 1 { 100 } else { 20 };
            let mut sum = 0;
            for seed in 0..k {
                let unit = Unit { prefix: vec![], candidates: None, seed, max_iterations: None };
                let p = Params { strategy: Strategy::Nmcs, level, ..Params::default() };
                let mut s = start(variant, &p, &unit);
                s.run(&mut KeepBest { best: vec![], iterations: 0, limit: None });
                sum += s.best();
            }
            println!("{variant} nmcs {level} mean {}", sum as f64 / k as f64);
        }
    }
}

fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    s.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}
