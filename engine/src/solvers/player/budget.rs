//! The budget of a move, as what watches the searches for it.

use crate::core::game::Budget;
use crate::solvers::monitor::{Stopped, Watch};
use std::cell::{Cell, RefCell};
use std::fmt;

/// Most nodes between two looks at the budget.
const MOST_BETWEEN: u64 = 256;
/// A search looks at its budget at least so often.
const LOOKS: u64 = 16;

/// Counts the nodes of all searches for one move, and ends them when the budget is used up.
pub struct BudgetWatch<'b> {
    time: RefCell<&'b mut dyn FnMut() -> f64>,
    most: u64,
    nodes: Cell<u64>,
}

impl fmt::Debug for BudgetWatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BudgetWatch").field("nodes", &self.nodes).field("most", &self.most).finish_non_exhaustive()
    }
}

impl<'b> BudgetWatch<'b> {
    /// A watch over a budget of which nothing is used.
    pub fn new(budget: &'b mut Budget<'_>) -> BudgetWatch<'b> {
        BudgetWatch { time: RefCell::new(&mut *budget.time), most: budget.nodes, nodes: Cell::new(0) }
    }

    /// Nodes visited so far.
    pub fn nodes(&self) -> u64 {
        self.nodes.get()
    }

    /// Nodes that are left.
    pub fn left(&self) -> u64 {
        self.most.saturating_sub(self.nodes.get())
    }

    /// The part of the budget that is used, of nodes or time, whichever is more.
    pub fn part(&self) -> f64 {
        let of_time = (self.time.borrow_mut())();
        of_time.max(if self.most == 0 { 1.0 } else { self.nodes.get() as f64 / self.most as f64 })
    }
}

impl Watch for BudgetWatch<'_> {
    fn interval(&self) -> u64 {
        (self.most / LOOKS).clamp(1, MOST_BETWEEN)
    }

    fn report(&self, nodes: u64) -> Result<(), Stopped> {
        self.nodes.set(self.nodes.get().saturating_add(nodes));
        if self.part() >= 1.0 { Err(Stopped::Budget) } else { Ok(()) }
    }
}
