use morpion::core::game::Game;
use morpion::games::reversi::{board::Board, notation::parse_obf, position::*};
use morpion::solvers::{monitor::Monitor, reversi::engine::ReversiEngine, search::Stats, solve::*, table::Table};
fn cpu() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 / 1e9
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let list: Vec<Position> = if a[1] == "obf" {
        parse_obf(Board::FULL, &std::fs::read_to_string(&a[2]).unwrap())
            .unwrap()
            .into_iter()
            .map(|p| p.position.with_empties(Empties::ToWinner))
            .collect()
    } else {
        let (w, h) = a[1].split_once('x').unwrap();
        vec![Position::new(
            Board::new(w.parse().unwrap(), h.parse().unwrap()).unwrap(),
            if a.len() > 2 && a[2] == "alt" { Start::Alternative } else { Start::Standard },
        )]
    };
    let mb: u64 = std::env::var("MB").ok().map_or(512, |s| s.parse().unwrap());
    let monitor = Monitor::default();
    let table = Table::new(mb << 20).unwrap();
    let (mut tot, mut nodes) = (0.0, 0);
    for p in list {
        let mut e = ReversiEngine { table: &table, busy: None, monitor: &monitor, stats: Stats::default() };
        table.next_generation();
        let t = cpu();
        let s = solve(&mut e, &p, Goal::Exact, 0, false, 100, &mut |p| {
            if std::env::var("V").is_ok() {
                eprintln!("{:.2} {:?}", cpu() - t, p)
            }
        })
        .unwrap();
        let t = cpu() - t;
        tot += t;
        nodes += s.value_stats.nodes;
        println!(
            "{} empties {}: nodes {} time {:.2} {:.1} M/s",
            s.bounds.lower / Position::POINT,
            p.empty().count_ones(),
            s.value_stats.nodes,
            t,
            s.value_stats.nodes as f64 / t / 1e6
        );
    }
    println!("total nodes {} time {:.2}", nodes, tot);
}
