//! What the file of a solution by units costs: the tree of Reversi is made breadth-first, and each store that the
//! program was built with writes and reads it.
//!
//!     cargo run --release --features sqlite --example tree_store -- 8 9 400000 /tmp/stores
//!
//! The arguments are the rows and columns of the board, the plies of the tree, the number of nodes at which it ends
//! sooner, and a directory, which must not exist.

use morpion::games::reversi::board::ReversiBoard;
use morpion::games::reversi::position::{ReversiPosition, Start};
use morpion::jobs::tree::settings::{StoreKind, TreeSettings};
use morpion::jobs::tree::state::TreeState;
use morpion::runner::tree::file;
use morpion::runner::tree::store::{TreeStore, backend};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// Bytes of the disk that nodes are counted for.
const DISK: f64 = 500e9;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [size, plies, nodes, directory] = &arguments[..] else { return Err("expected SIZE PLIES NODES DIR".into()) };
    let (size, plies, most): (u8, u32, usize) = (size.parse()?, plies.parse()?, nodes.parse()?);
    let directory = Path::new(directory);
    std::fs::create_dir(directory)?;
    let root = ReversiPosition::new(ReversiBoard::new(size, size)?, Start::Standard);
    for kind in StoreKind::ALL.into_iter().filter(|&kind| backend(kind).is_some()) {
        let path = directory.join(file::name(kind));
        let mut state = TreeState::new(root, TreeSettings { look_ahead: 1, ..TreeSettings::default() })?;
        let grow = |state: &mut TreeState<ReversiPosition>, most: usize| {
            let began = Instant::now();
            state.grow(plies, most, &mut || false, &mut Vec::new())?;
            Ok::<f64, Box<dyn Error>>(state.nodes().len() as f64 / began.elapsed().as_secs_f64())
        };
        // Half of it in the first checkpoint, and half in the second.
        let made = grow(&mut state, most / 2)?;
        let half = state.nodes().len();
        let began = Instant::now();
        let mut store = TreeStore::create(kind, &path, "job", &mut state)?;
        let create = began.elapsed().as_secs_f64();
        let first = store.size()?;
        grow(&mut state, most)?;
        let nodes = state.nodes().len();
        let began = Instant::now();
        store.checkpoint(&mut state, 0.0)?;
        let checkpoint = began.elapsed().as_secs_f64();
        let bytes = store.size()?;
        drop(store);
        let closed = std::fs::metadata(&path)?.len();
        let began = Instant::now();
        let (store, stored) = TreeStore::open(kind, &path)?;
        let open = began.elapsed().as_secs_f64();
        drop(store);
        if stored.state(root)?.parts() != state.parts() {
            return Err("what is read is not what was written".into());
        }
        let rows = state.nodes().iter().map(|node| postcard::to_stdvec(node).map(|row| row.len() as f64));
        let rows: f64 = rows.sum::<Result<f64, _>>()?;
        let (count, each) = (nodes as f64, closed as f64 / nodes as f64);
        let leaves = state.nodes().iter().filter(|node| node.is_leaf()).count();
        println!("{}: {nodes} nodes, {leaves} of them leaves, {made:.0} made per second", path.display());
        println!("  content of a row    {:.1} bytes", rows / count);
        println!("  bytes of a node     {each:.1} closed, {:.1} while it was open", bytes as f64 / count);
        println!(
            "  first half          {:.1} bytes, {:.0} nodes per second",
            first as f64 / half as f64,
            half as f64 / create
        );
        println!("  second half         {:.0} nodes per second", (nodes - half) as f64 / checkpoint);
        println!("  opening             {:.0} nodes per second", count / open);
        println!("  500 GB hold         {:.2e} nodes", DISK / each);
    }
    Ok(())
}
