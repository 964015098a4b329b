//! Messages as bytes, in the encoding of `postcard`.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message as bytes.
///
/// # Panics
/// If the type is one that the encoding does not have, such as a sequence of unknown length.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(message).expect("a message has nothing that cannot be encoded")
}

/// A message, if the bytes are one, to their end.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::take_from_bytes(bytes).ok().filter(|(_, rest)| rest.is_empty()).map(|(message, _)| message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_with_bytes_behind_it_is_none() {
        let message = (7u64, "seven".to_owned());
        let mut bytes = encode(&message);
        assert_eq!(decode(&bytes), Some(message));
        bytes.push(0);
        assert_eq!(decode::<(u64, String)>(&bytes), None);
        assert_eq!(decode::<(u64, String)>(&bytes[..3]), None);
        assert_eq!(decode::<(u64, String)>(&[]), None);
    }
}
