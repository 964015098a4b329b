//! Access tokens: secrets of 256 random bits. The daemon keeps only their SHA-256 hashes.
//!
//! The hash needs no salt and need not be slow, since nobody can guess 256 random bits. The tokens are kept in a file
//! of their own in the state directory. So a token can be made before the daemon runs for the first time, and revoked
//! while it runs: the file is read again for each request. If the file is damaged, every request is refused.

use crate::notation::file::Existing;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};
use subtle::ConstantTimeEq;

/// Version of the file's format.
const VERSION: u32 = 1;

/// The beginning of every secret, so that a lost secret can be recognised.
const PREFIX: &str = "morpion_";

/// Name of the file in a state directory.
pub const FILE: &str = "tokens.json";

/// Most characters of a token's name.
const LONGEST_NAME: usize = 64;

/// Size of the largest file that is read, in bytes: about ten thousand tokens.
const LARGEST: u64 = 4 << 20;

/// What the holder of a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Read everything, change nothing.
    Read,
    /// Read and change everything.
    Operate,
    /// Read what a worker on another machine needs: health, workers and units.
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
    /// 8 hexadecimal digits that identify it.
    pub id: String,
    /// A name for people.
    pub name: String,
    /// What its holder may do.
    pub role: Role,
    /// When it was made, in seconds since 1970.
    pub created: u64,
    /// SHA-256 hash of the secret, in hexadecimal digits.
    pub hash: String,
}

/// Why tokens cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The path of the file.
        path: String,
        /// What the system reported.
        error: io::Error,
    },
    /// The file is damaged or was written by a newer version. It is not changed.
    #[error("{path} is not a file of tokens that this version can read: {reason}")]
    Damaged {
        /// The path of the file.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// The name is not valid.
    #[error("the name is not valid: expected 1 to {LONGEST_NAME} characters without control characters")]
    Name,
    /// There is no such token.
    #[error("there is no token {0}: `morpion token list` shows all tokens")]
    Unknown(String),
}

/// A source of tokens.
pub trait TokenStore: Send + Sync + 'static {
    /// All tokens of the source.
    ///
    /// # Errors
    /// If they cannot be read.
    fn tokens(&self) -> Result<Vec<Token>, TokenError>;
}

/// The token with this secret. All tokens are compared, each in constant time.
pub fn token_of<'a>(tokens: &'a [Token], secret: &str) -> Option<&'a Token> {
    let hash = hash(secret);
    let mut found = None;
    for token in tokens {
        if bool::from(token.hash.as_bytes().ct_eq(hash.as_bytes())) {
            found = Some(token);
        }
    }
    found
}

/// The role of the token with this secret.
pub fn role_of(tokens: &[Token], secret: &str) -> Option<Role> {
    token_of(tokens, secret).map(|token| token.role)
}

fn hash(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes a token from random bits: what the daemon keeps, and the secret, which cannot be computed from it.
///
/// # Errors
/// If the name is not valid.
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
        TokenFile { path: state.join(FILE) }
    }

    /// Adds a token.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn add(&self, token: Token) -> Result<(), TokenError> {
        let _lock = self.lock()?;
        let mut tokens = self.tokens()?;
        tokens.push(token);
        self.write(tokens)
    }

    /// Removes a token by its id or its name, and returns it.
    ///
    /// # Errors
    /// If there is no such token, several have that name, or the file cannot be read or written.
    pub fn remove(&self, id: &str) -> Result<Token, TokenError> {
        let _lock = self.lock()?;
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

    /// Waits until no other process changes the file. The lock ends with the value. It is on a file of its own, since
    /// a change puts a new file into the place of the old one.
    fn lock(&self) -> Result<std::fs::File, TokenError> {
        let path = self.path.with_extension("lock");
        let file = private(&path, false).and_then(|file| file.lock().map(|()| file));
        file.map_err(|error| TokenError::Io { path: path.display().to_string(), error })
    }

    fn write(&self, tokens: Vec<Token>) -> Result<(), TokenError> {
        let document = TokenDocument { v: VERSION, tokens };
        let mut bytes = serde_json::to_vec_pretty(&document).map_err(|error| self.damaged(&error))?;
        bytes.push(b'\n');
        let file = |error| TokenError::Io { path: self.path.display().to_string(), error };
        if !self.path.exists() {
            private(&self.path, true).map_err(file)?;
        }
        // The new file gets the permissions of the old one.
        crate::notation::file::save(&self.path, &bytes, Existing::Replace).map_err(file)
    }

    fn damaged(&self, reason: &dyn std::fmt::Display) -> TokenError {
        TokenError::Damaged { path: self.path.display().to_string(), reason: reason.to_string() }
    }
}

/// An empty file that only its owner may read. If there is one already, it is opened, unless it must be new.
fn private(path: &Path, new: bool) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).create_new(new).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
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
        // A crash between the two steps of the first write leaves the file empty.
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let document: TokenDocument = serde_json::from_str(&text).map_err(|error| self.damaged(&error))?;
        if document.v != VERSION {
            return Err(self.damaged(&format!("its version is {}: expected {VERSION}", document.v)));
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
