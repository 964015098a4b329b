//! Searches of two-player games, generic over [`crate::core::game::Game`].
