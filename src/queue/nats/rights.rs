//! What the users of a server may do: a configuration with the daemon and a user for each machine.
//!
//! A machine may publish on subjects with its user's name alone, and hears replies on subjects that no other machine
//! may listen to. So it can neither speak in the name of another one nor overhear it.

use super::link::WORKERS;
use super::message::{Names, is_user_name};

/// The user of the daemon.
pub const DAEMON: &str = "daemon";
/// What comes after the last user.
const END: &str = "  ]\n}\n";

/// Why a user cannot be added to a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RightsError {
    /// The name cannot be that of a machine's user.
    #[error("'{0}' cannot be the user of a machine: give 1 to 64 letters, digits, '-' and '_', and not '{DAEMON}'")]
    Name(String),
    /// The directory cannot be named in a configuration.
    #[error("'{0}' cannot be the directory of the streams: it may have no '\"', '\\' and control characters")]
    Store(String),
    /// There is a user of this name.
    #[error("there is a user '{0}' already")]
    Taken(String),
    /// The configuration does not end as one of this program does.
    #[error("it does not end with the users of machines, as a file of `morpion nats-users` does")]
    NotOurs,
    /// The configuration is that of another pool.
    #[error("it is not for the pool '{0}'")]
    OtherPool(String),
}

/// A configuration with the daemon of a pool and no machine. `store` is the directory of the server's streams;
/// without one the server's flags are to name it.
///
/// # Errors
/// A directory whose name cannot be part of the file.
pub fn configuration(names: &Names, store: Option<&str>, password: &str) -> Result<String, RightsError> {
    let streams = match store {
        Some(store) if store.is_empty() || store.contains(|c: char| c.is_control() || c == '"' || c == '\\') => {
            return Err(RightsError::Store(store.to_owned()));
        }
        Some(store) => format!("jetstream {{ store_dir: \"{store}\" }}\n"),
        None => String::new(),
    };
    let all = names.all();
    Ok(format!(
        "# The users of a NATS server: a daemon and its machines. `morpion nats-users` adds machines.\n\
         {streams}\
         authorization {{\n  users = [\n    \
         {{ user: \"{DAEMON}\", password: \"{password}\", permissions: {{\n        \
         publish: [ \"{all}\", \"$JS.>\" ]\n        \
         subscribe: [ \"{all}\" ] }} }}\n{END}"
    ))
}

/// A configuration with a machine more.
///
/// # Errors
/// A name that cannot be used or is taken, and a text that is no such configuration.
pub fn with_machine(configuration: &str, names: &Names, user: &str, password: &str) -> Result<String, RightsError> {
    if !is_user_name(user) || user == DAEMON {
        return Err(RightsError::Name(user.to_owned()));
    }
    let before = configuration.strip_suffix(END).ok_or(RightsError::NotOurs)?;
    if !before.contains(&format!("\"{}\"", names.all())) {
        return Err(RightsError::OtherPool(names.pool().to_owned()));
    }
    if before.contains(&format!("{{ user: \"{user}\",")) {
        return Err(RightsError::Taken(user.to_owned()));
    }
    let (said, beat, orders) = (names.said(user), names.beat(user), names.orders(user));
    let (parts, inbox, jobs) = (names.parts_of(user), names.inbox(Some(user)), names.jobs_stream());
    Ok(format!(
        "{before}    {{ user: \"{user}\", password: \"{password}\", permissions: {{\n        \
         publish: [\n          \
         \"{said}.*\", \"{beat}.*\", \"{parts}\",\n          \
         \"$JS.API.CONSUMER.INFO.{jobs}.{WORKERS}\",\n          \
         \"$JS.API.CONSUMER.MSG.NEXT.{jobs}.{WORKERS}\",\n          \
         \"$JS.ACK.{jobs}.{WORKERS}.>\"\n        \
         ]\n        \
         subscribe: [ \"{orders}.*\", \"{inbox}.>\" ] }} }}\n{END}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_added_to_a_configuration_once() {
        let names = Names::new("lab").unwrap();
        let empty = configuration(&names, Some("data"), "p").unwrap();
        assert!(matches!(configuration(&names, Some("a\"b"), "p"), Err(RightsError::Store(_))));
        let one = with_machine(&empty, &names, "box-1", "q").unwrap();
        let two = with_machine(&one, &names, "box", "r").unwrap();
        for rights in ["mp.lab.said.box-1.*", "mp.lab.inbox.box.>", "MP_lab_JOBS"] {
            assert!(two.contains(rights), "{rights}: {two}");
        }
        let wrong = |user: &str| with_machine(&two, &names, user, "x").unwrap_err();
        assert_eq!(wrong("box"), RightsError::Taken("box".to_owned()));
        for name in ["", "a.b", "*", DAEMON, "a\"b"] {
            assert_eq!(wrong(name), RightsError::Name(name.to_owned()));
        }
        let other = Names::new("other").unwrap();
        assert_eq!(with_machine(&two, &other, "c", "x"), Err(RightsError::OtherPool("other".to_owned())));
        assert_eq!(with_machine("port: 4222\n", &names, "c", "x"), Err(RightsError::NotOurs));
    }
}
