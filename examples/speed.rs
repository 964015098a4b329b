use morpion::core::ctl::{Ctl, Signal};
use morpion::core::search::Search;
use morpion::morpion::geometry::Move;
use morpion::strategies::{
    Unit,
    nrpa::{
        Nrpa,
        isa::{self, Level},
    },
    params::*,
};
use morpion::with_rules;
struct C(u64);
impl Ctl<Move> for C {
    fn poll(&mut self, it: u64, _b: u32) -> Signal {
        if it >= self.0 { Signal::Stop } else { Signal::Continue }
    }
    fn improved(&mut self, _m: &[Move], _i: u64) {}
}
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    s.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let variant = a[1].parse().unwrap();
    let level: u32 = a[2].parse().unwrap();
    let adapt = if a[3] == "layers" { Adapt::Layers } else { Adapt::Sequence };
    let n: u64 = a[4].parse().unwrap();
    let isa = match a.get(5).map(|s| s.as_str()) {
        Some("scalar") => Level::Scalar,
        Some("avx2") => Level::Avx2,
        _ => isa::detect(),
    };
    let seeds: u64 = a.get(6).map_or(3, |s| s.parse().unwrap());
    let p = Params { strategy: Strategy::Nrpa, level, adapt, ..Params::default() };
    for seed in 0..seeds {
        let u = Unit { prefix: vec![], candidates: None, seed, max_iterations: None };
        let t = cpu();
        let (i, b, h) = with_rules!(variant, R => { let mut s = Nrpa::<R>::with_isa(&p, &u, isa); s.run(&mut C(n)); (s.iterations(), s.best(), crc32fast::hash(&s.save())) });
        let t = cpu() - t;
        println!(
            "{} L{level} {adapt:?} seed {seed}: best {b} playouts {i} {:.0}/cpu-s  {h:08x} {:.2}s",
            a[1],
            i as f64 / t,
            t
        );
    }
}
