//! Game trees in SGF (FF\[4\]): read leniently, edited, and written strictly.
//!
//! A file is a [`collection::SgfCollection`] of games, each a tree of nodes with properties. Reading ([`mod@read`])
//! mends what real files have and says so; writing ([`mod@write`]) gives what the standard asks for. Properties that
//! nothing here knows are kept, and values are kept as they are written, so a file that is read and written holds the
//! same trees. A [`cursor::SgfCursor`] moves through a tree and changes it. [`symmetry`] turns the points of a tree.
//!
//! Nothing here is recursive: a file may be as deep as it is long. Source: the SGF user guide of Arno Hollosi
//! (`red-bean.com/sgf`).

pub mod collection;
pub mod cursor;
pub mod point;
pub mod read;
pub mod symmetry;
pub mod write;
