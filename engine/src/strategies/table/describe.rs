//! The searches in words, as the files of grids name the method that found them. These texts are in many files: they
//! never change.

use crate::strategies::params::{Adapt, JumpsFrom, Params};

/// What a run begins with: this many grids, or what is named for none.
fn from(params: &Params, nothing: &str) -> String {
    match params.grids.len() {
        0 => nothing.to_owned(),
        1 => "a grid".to_owned(),
        n => format!("{n} grids"),
    }
}

pub(super) fn random(_: &Params) -> String {
    "random games".to_owned()
}

pub(super) fn dfs(params: &Params) -> String {
    let sort = crate::core::setting::show_name(&params.sort);
    let order_free = if params.order_free { "order-free dfs" } else { "dfs" };
    let from = match params.jumps_from {
        JumpsFrom::Unit => "",
        JumpsFrom::Hunt => " from the hunt's best",
    };
    format!("{order_free}, sort {sort}, jumps back {}{from}", params.jumps)
}

pub(super) fn nmcs(params: &Params) -> String {
    format!("nmcs level {}", params.level())
}

pub(super) fn nrpa(params: &Params) -> String {
    let adapt = match params.adapt {
        Adapt::Sequence => "sequence",
        Adapt::Layers => "layers",
    };
    let share = params.share.map_or(String::new(), |share| {
        format!(", calls of level {share} shared, width {}", params.width.unwrap_or(1))
    });
    let (iterations, Params { alpha, stabilize, .. }) = (params.iterations(), params);
    let every = if *stabilize > 1 { format!(" after {stabilize} playouts") } else { String::new() };
    format!("nrpa level {}, N {iterations}, alpha {alpha}, adapt {adapt}{every}{share}", params.level())
}

pub(super) fn perturb(params: &Params) -> String {
    let Params { operators, completion, .. } = params;
    let from = from(params, &format!("nrpa level {}", params.level()));
    format!("perturb from {from}, operators {operators}, completions of {completion} playouts")
}

pub(super) fn permute(params: &Params) -> String {
    let from = match params.level() {
        0 => from(params, "nothing"),
        level => from(params, &format!("nrpa level {level}")),
    };
    format!("permute from {from}, up to {} exchanges, pool {}", params.swaps(), params.pool())
}

pub(super) fn temper(params: &Params) -> String {
    let from = match params.grids.len() {
        0 => String::new(),
        _ => format!(" from {}", from(params, "")),
    };
    let Params { replicas, refiners, hot, cold, reach, .. } = params;
    format!("temper{from}, {replicas} replicas from {hot} to {cold}, {refiners} that refine, reach {reach}")
}

pub(super) fn relax(params: &Params) -> String {
    format!("relax from {}", from(params, "nothing"))
}

pub(super) fn regrow(params: &Params) -> String {
    let from = from(params, "temper");
    format!("regrow from {from}, by nrpa level {}, N {}", params.level(), params.iterations())
}

pub(super) fn reshape(params: &Params) -> String {
    format!("reshape from {}", from(params, "nothing"))
}
