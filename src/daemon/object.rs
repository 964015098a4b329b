//! JSON objects, read from objects only. serde also reads a structure from an array of its fields in order, which no
//! description of an API mentions.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// A value that is read from an object only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Object<T>(pub T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(PhantomData<T>);

        impl<'de, T: DeserializeOwned> Visitor<'de> for ObjectVisitor<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Object)
    }
}

/// Reads a field that is an object.
///
/// # Errors
/// If the value is something else, or is not valid.
pub fn one<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<T, D::Error> {
    Object::deserialize(deserializer).map(|Object(value)| value)
}

/// Reads a field that is an object or null.
///
/// # Errors
/// If the value is something else, or is not valid.
pub fn optional<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    let value = Option::<Object<T>>::deserialize(deserializer)?;
    Ok(value.map(|Object(value)| value))
}

/// Reads a field that is a list of objects.
///
/// # Errors
/// If the value is something else, or is not valid.
pub fn list<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let values = Vec::<Object<T>>::deserialize(deserializer)?;
    Ok(values.into_iter().map(|Object(value)| value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[serde(default)]
        a: Option<u32>,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Outer {
        #[serde(deserialize_with = "one")]
        one: Inner,
        #[serde(default, deserialize_with = "optional")]
        optional: Option<Inner>,
        #[serde(default, deserialize_with = "list")]
        list: Vec<Inner>,
    }

    #[test]
    fn arrays_are_no_objects() {
        let read = |text: &str| serde_json::from_str::<Object<Outer>>(text).map(|Object(value)| value);
        let inner = |a| Inner { a };
        let whole = read(r#"{"one": {"a": 1}, "optional": null, "list": [{}, {"a": 2}]}"#).unwrap();
        assert_eq!(whole, Outer { one: inner(Some(1)), optional: None, list: vec![inner(None), inner(Some(2))] });
        assert_eq!(read(r#"{"one": {}, "optional": {}}"#).unwrap().optional, Some(inner(None)));
        for (text, expected) in [
            (r#"[{"a": 1}]"#, "expected an object"),
            (r#"{"one": [1]}"#, "expected an object"),
            (r#"{"one": {}, "optional": [null]}"#, "expected an object"),
            (r#"{"one": {}, "list": [{}, [1]]}"#, "expected an object"),
            (r#"{"one": {"b": 1}}"#, "unknown field `b`"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
