//! Access tokens: secrets of 256 random bits, of which the daemon knows SHA-256 hashes only.
//!
//! The hash needs no salt and no slowness: nobody guesses 256 random bits. The tokens stand in a file of their own in the
//! state directory, so that one can be made before the daemon has ever run and taken back while it does; it is read again
//! for each question, and a damaged one lets nobody in.

use crate::notation::file::Existing;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};
use subtle::ConstantTimeEq;

/// Version of the file's format.
const VERSION: u32 = 1;

/// What every secret begins with, so that one that got lost is recognised.
const PREFIX: &str = "morpion_";

/// Longest name of a token, in characters.
const LONGEST_NAME: usize = 64;

/// Largest file that is read, in bytes: some ten thousand tokens.
const LARGEST: u64 = 4 << 20;

/// What the bearer of a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// See everything, change nothing.
    Read,
    /// Everything.
    Operate,
    /// What a worker on another machine needs: health, workers and units.
    Worker,
}

impl Role {
    /// The name used on the command line and in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Read => "read",
            Role::Operate => "operate",
            Role::Worker => "worker",
        }
    }
}

/// A token as the daemon knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// 8 hexadecimal digits that name it.
    pub id: String,
    /// A name for people.
    pub name: String,
    /// What its bearer may do.
    pub role: Role,
    /// When it was made, seconds since 1970.
    pub created: u64,
    /// SHA-256 of the secret, hexadecimal.
    pub hash: String,
}

/// Why tokens cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// The file is damaged or was written by a newer version; it is left alone.
    #[error("{path} is no file of tokens that this version reads: {reason}")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// A name that is none.
    #[error("the name of a token has 1 to {LONGEST_NAME} characters, none of them a control character")]
    Name,
    /// There is no such token.
    #[error("there is no token {0}: `morpion token list` shows them")]
    Unknown(String),
}

/// Where tokens are kept.
pub trait TokenStore: Send + Sync + 'static {
    /// All tokens.
    ///
    /// # Errors
    /// If they cannot be read.
    fn tokens(&self) -> Result<Vec<Token>, TokenError>;
}

/// The role of the token with this secret. Every token is compared, each in constant time.
pub fn role_of(tokens: &[Token], secret: &str) -> Option<Role> {
    let hash = hash(secret);
    let mut found = None;
    for token in tokens {
        if bool::from(token.hash.as_bytes().ct_eq(hash.as_bytes())) {
            found = Some(token.role);
        }
    }
    found
}

fn hash(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes a token with `random` bits: what the daemon keeps, and the secret, which nobody can make of it again.
///
/// # Errors
/// If the name is none.
pub fn make(
    name: &str,
    role: Role,
    random: ([u8; 4], [u8; 32]),
    created: u64,
) -> Result<(Token, String), TokenError> {
    let (id, bits) = random;
    if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(TokenError::Name);
    }
    let secret = format!("{PREFIX}{}", hex(&bits));
    Ok((Token { id: hex(&id), name: name.to_owned(), role, created, hash: hash(&secret) }, secret))
}

/// The file of tokens in a state directory.
#[derive(Debug, Clone)]
pub struct TokenFile {
    path: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenDocument {
    v: u32,
    tokens: Vec<Token>,
}

impl TokenFile {
    /// The file in a state directory; it need not exist.
    pub fn in_directory(state: &Path) -> TokenFile {
        TokenFile { path: state.join("tokens.json") }
    }

    /// Adds a token.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn add(&self, token: Token) -> Result<(), TokenError> {
        let mut tokens = self.tokens()?;
        tokens.push(token);
        self.write(tokens)
    }

    /// Takes a token away, by its id or its name, and returns it.
    ///
    /// # Errors
    /// If there is none, or several have that name, or the file cannot be read or written.
    pub fn remove(&self, id: &str) -> Result<Token, TokenError> {
        let mut tokens = self.tokens()?;
        let named = |token: &Token| token.name == id;
        let place = tokens.iter().position(|token| token.id == id).or_else(|| {
            let single = tokens.iter().filter(|token| named(token)).count() == 1;
            tokens.iter().position(named).filter(|_| single)
        });
        let token = tokens.remove(place.ok_or_else(|| TokenError::Unknown(id.to_owned()))?);
        self.write(tokens)?;
        Ok(token)
    }

    fn write(&self, tokens: Vec<Token>) -> Result<(), TokenError> {
        let document = TokenDocument { v: VERSION, tokens };
        let mut bytes = serde_json::to_vec_pretty(&document).map_err(|error| self.damaged(&error))?;
        bytes.push(b'\n');
        let file = |error| TokenError::Io { path: self.path.display().to_string(), error };
        if !self.path.exists() {
            private(&self.path).map_err(file)?;
        }
        // The new file takes the permissions of the old one.
        crate::notation::file::save(&self.path, &bytes, Existing::Replace).map_err(file)
    }

    fn damaged(&self, reason: &dyn std::fmt::Display) -> TokenError {
        TokenError::Damaged { path: self.path.display().to_string(), reason: reason.to_string() }
    }
}

/// An empty file that only its owner may read.
fn private(path: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

impl TokenStore for TokenFile {
    fn tokens(&self) -> Result<Vec<Token>, TokenError> {
        use std::io::Read;
        let mut text = String::new();
        let read = std::fs::File::open(&self.path).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text));
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(TokenError::Io { path: self.path.display().to_string(), error }),
            Ok(_) => {}
        }
        // A crash between the two steps of the first writing leaves it empty.
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let document: TokenDocument = serde_json::from_str(&text).map_err(|error| self.damaged(&error))?;
        if document.v != VERSION {
            return Err(self.damaged(&format!("it is of version {}, and {VERSION} is expected", document.v)));
        }
        Ok(document.tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_opens_for_its_own_token() {
        let (reader, secret) = make("laptop", Role::Read, ([1; 4], [2; 32]), 7).unwrap();
        let (operator, other) = make("desk", Role::Operate, ([2; 4], [3; 32]), 8).unwrap();
        assert!(!reader.hash.contains(&secret[8..]) && reader.hash.len() == 64);
        let all = [reader, operator];
        assert_eq!(role_of(&all, &secret), Some(Role::Read));
        assert_eq!(role_of(&all, &other), Some(Role::Operate));
        for wrong in ["", "morpion_", &secret[1..], &secret.to_uppercase(), &all[0].hash] {
            assert_eq!(role_of(&all, wrong), None, "{wrong}");
        }
        assert!(make("", Role::Read, ([0; 4], [0; 32]), 0).is_err());
        assert!(make("a\nb", Role::Read, ([0; 4], [0; 32]), 0).is_err());
    }

    #[test]
    fn the_file_keeps_tokens_for_its_owner() {
        let directory = tempfile::tempdir().unwrap();
        let file = TokenFile::in_directory(directory.path());
        assert_eq!(file.tokens().unwrap(), []);
        let token = |n: u8, name| make(name, Role::Worker, ([n; 4], [n; 32]), 0).unwrap().0;
        file.add(token(1, "a")).unwrap();
        file.add(token(2, "b")).unwrap();
        file.add(token(3, "b")).unwrap();
        assert_eq!(file.tokens().unwrap().len(), 3);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&file.path).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{mode:o}");
        }
        assert!(matches!(file.remove("b"), Err(TokenError::Unknown(_))), "two have that name");
        assert_eq!(file.remove("a").unwrap().id, "01010101");
        file.remove("02020202").unwrap();
        file.remove("b").unwrap();
        assert_eq!(file.tokens().unwrap(), []);
        for damaged in ["{", "{\"v\":2,\"tokens\":[]}", "[]", "{\"v\":1,\"tokens\":[],\"more\":1}"] {
            std::fs::write(&file.path, damaged).unwrap();
            assert!(matches!(file.tokens(), Err(TokenError::Damaged { .. })), "{damaged}");
            assert!(file.add(token(1, "a")).is_err());
            assert_eq!(std::fs::read_to_string(&file.path).unwrap(), damaged, "it is left alone");
        }
    }
}
