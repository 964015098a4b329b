//! The open connections, and which of them has to go when there is no place for another one.
//!
//! A connection is *waiting* while its client has not sent a whole request, *at work* until the answer has been
//! handed over, and *blocked* while its client does not read. When places run out, the connection goes that has been
//! waiting or blocked for longest: a client that means well is either for some milliseconds. What counts is the time
//! since the last whole request or the last progress of an answer, so a client that sends one byte a second gains
//! nothing.
//!
//! One address takes a part of the places at most, and then only its own connections go. An address is an IPv4
//! address or an IPv6 network of 64 bits, which is what one customer gets. Loopback addresses and the proxies that
//! are named to the daemon take as many as there are: they carry the requests of many clients.

use super::options::ServerLimits;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::Notify;

/// Where clients come from, as far as they are counted together; `None` if they are not counted.
pub type Origin = Option<IpAddr>;

/// What connections of an address are counted under. `many` are addresses that are not counted.
pub fn origin_of(address: IpAddr, many: &[IpAddr]) -> Origin {
    let address = address.to_canonical();
    if address.is_loopback() || many.iter().any(|known| known.to_canonical() == address) {
        return None;
    }
    Some(match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(whole) => IpAddr::V6(Ipv6Addr::from_bits(whole.to_bits() & !u128::from(u64::MAX))),
    })
}

/// The open connections.
pub struct Connections {
    /// Most of all, and most of one address.
    most: usize,
    most_of_one: usize,
    streams_of_one: usize,
    open: Mutex<OpenConnections>,
    /// One has closed, or can be closed.
    changed: Notify,
}

#[derive(Default)]
struct OpenConnections {
    next: u64,
    all: HashMap<u64, Arc<Connection>>,
}

/// An open connection. It may be closed at any time before its request has arrived.
pub struct Connection {
    pub origin: Origin,
    standing: Mutex<Standing>,
    /// It carries a stream of events.
    streams: AtomicBool,
    /// Has to go.
    pub dropped: Notify,
}

/// How a connection stands.
#[derive(Debug, Clone, Copy)]
struct Standing {
    at_work: bool,
    /// When the last answer was handed over, or the connection began.
    rests_since: Instant,
    /// Since when its client has not read.
    blocked_since: Option<Instant>,
}

impl Connection {
    fn new(origin: Origin) -> Connection {
        let standing = Standing { at_work: false, rests_since: Instant::now(), blocked_since: None };
        Connection { origin, standing: Mutex::new(standing), streams: AtomicBool::new(false), dropped: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A whole request has arrived.
    pub fn works(&self) {
        self.lock().at_work = true;
    }

    /// The answer has been handed over.
    pub fn rests(&self) {
        let mut standing = self.lock();
        (standing.at_work, standing.rests_since) = (false, Instant::now());
        self.streams.store(false, Ordering::Relaxed);
    }

    /// Notes whether an answer waits for its client to read.
    pub fn blocked(&self, is_blocked: bool) {
        let mut standing = self.lock();
        if is_blocked {
            standing.blocked_since.get_or_insert_with(Instant::now);
        } else {
            standing.blocked_since = None;
        }
    }

    /// Since when nothing comes from its client; `None` if it is the daemon's turn.
    fn idle_since(&self) -> Option<Instant> {
        let standing = *self.lock();
        let waiting = (!standing.at_work).then_some(standing.rests_since);
        standing.blocked_since.or(waiting)
    }
}

/// The place of a connection. It is free again with the value.
pub struct ConnectionPlace {
    id: u64,
    pub connection: Arc<Connection>,
    among: Arc<Connections>,
}

impl ConnectionPlace {
    /// Notes that the connection carries a stream of events from now on; false if its address has as many as it may.
    pub fn begin_stream(&self) -> bool {
        let open = self.among.lock();
        let streams = |one: &&Arc<Connection>| one.streams.load(Ordering::Relaxed);
        let origin = self.connection.origin;
        if origin.is_some() {
            let count = open.all.values().filter(|one| one.origin == origin).filter(streams).count();
            if count >= self.among.streams_of_one {
                return false;
            }
        }
        self.connection.streams.store(true, Ordering::Relaxed);
        true
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.among.lock().all.remove(&self.id);
        self.among.changed.notify_one();
    }
}

impl Connections {
    /// A table without connections.
    pub fn new(limits: &ServerLimits) -> Connections {
        Connections {
            most: limits.connections.max(1),
            most_of_one: limits.connections_of_one.max(1),
            streams_of_one: limits.streams_of_one,
            open: Mutex::default(),
            changed: Notify::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the one that has been idle for longest, of all or of an address; whether there was one.
    fn close_idlest(open: &mut OpenConnections, of: Origin) -> bool {
        let among = open.all.iter().filter(|(_, one)| of.is_none() || one.origin == of);
        let idle = among.filter_map(|(&id, one)| Some((one.idle_since()?, id)));
        let Some((_, id)) = idle.min() else { return false };
        if let Some(connection) = open.all.remove(&id) {
            connection.dropped.notify_one();
        }
        true
    }

    /// Closes the connection that has been idle for longest, to free what it takes.
    pub fn make_room(&self) -> bool {
        Connections::close_idlest(&mut self.lock(), None)
    }

    /// A place for a connection. Another one may lose its place. `None` if all connections of its address, or all
    /// that there may be, are at work.
    pub fn admit(self: &Arc<Self>, origin: Origin) -> Option<ConnectionPlace> {
        let mut open = self.lock();
        if origin.is_some() && open.all.values().filter(|one| one.origin == origin).count() >= self.most_of_one {
            Connections::close_idlest(&mut open, origin).then_some(())?;
        }
        if open.all.len() >= self.most {
            Connections::close_idlest(&mut open, None).then_some(())?;
        }
        let (id, connection) = (open.next, Arc::new(Connection::new(origin)));
        open.next += 1;
        open.all.insert(id, Arc::clone(&connection));
        Some(ConnectionPlace { id, connection, among: Arc::clone(self) })
    }

    /// Whether there is a place for a connection, or can be made.
    pub fn has_room(&self) -> bool {
        let open = self.lock();
        open.all.len() < self.most || open.all.values().any(|one| one.idle_since().is_some())
    }

    /// Returns when a connection has closed since the last call.
    pub async fn closed(&self) {
        self.changed.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const MANY: usize = 6;

    fn connections() -> Arc<Connections> {
        let limits =
            ServerLimits { connections: MANY, connections_of_one: 3, streams_of_one: 1, ..Default::default() };
        Arc::new(Connections::new(&limits))
    }

    fn from(n: u8) -> Origin {
        origin_of(IpAddr::from([192, 0, 2, n]), &[])
    }

    /// The values that are still open.
    fn open(of: &Connections) -> Vec<u64> {
        let mut ids: Vec<u64> = of.lock().all.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// So that no two connections are of the same age.
    fn later() {
        std::thread::sleep(Duration::from_millis(2));
    }

    #[test]
    fn addresses_are_counted_by_network_and_proxies_are_not() {
        let of = |text: &str| origin_of(text.parse().unwrap(), &["192.0.2.7".parse().unwrap()]);
        for many in ["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1", "192.0.2.7", "::ffff:192.0.2.7"] {
            assert_eq!(of(many), None, "{many}");
        }
        assert_eq!(of("::ffff:192.0.2.8"), of("192.0.2.8"));
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert!(of("192.0.2.8").is_some() && of("192.0.2.8") != of("192.0.2.9"));
    }

    #[test]
    fn the_idlest_goes_and_none_at_work() {
        let connections = connections();
        let mut places = Vec::new();
        for _ in 0..MANY {
            places.push(connections.admit(None).unwrap());
            later();
        }
        // The first is at work, the second has just had an answer, the third waits longest.
        places[0].connection.works();
        places[1].connection.works();
        places[1].connection.rests();
        later();
        let newest = connections.admit(None).unwrap();
        assert_eq!(open(&connections), [0, 1, 3, 4, 5, 6]);
        // A connection at work goes if its client does not read.
        places[3].connection.works();
        places[4].connection.works();
        places[5].connection.works();
        newest.connection.works();
        places[1].connection.works();
        assert!(!connections.has_room() && connections.admit(None).is_none());
        places[4].connection.blocked(true);
        assert!(connections.has_room());
        places[4].connection.blocked(false);
        assert!(!connections.has_room());
        places[4].connection.blocked(true);
        let _last = connections.admit(None).unwrap();
        assert_eq!(open(&connections), [0, 1, 3, 5, 6, 7]);
        // Its end does not free the place of another one.
        places.remove(4);
        assert_eq!(open(&connections).len(), MANY);
        places.remove(0);
        assert_eq!(open(&connections).len(), MANY - 1);
    }

    #[test]
    fn an_address_at_its_bound_loses_its_own_connections_only() {
        let connections = connections();
        let _other = connections.admit(from(9)).unwrap();
        later();
        let one: Vec<_> = (0..3).map(|_| connections.admit(from(1)).unwrap()).collect();
        later();
        let _fourth = connections.admit(from(1)).unwrap();
        assert!(open(&connections).contains(&0) && open(&connections).len() == 4, "{:?}", open(&connections));
        for place in one.iter().chain([&_fourth]) {
            place.connection.works();
        }
        assert!(connections.admit(from(1)).is_none(), "all of the address are at work");
        assert!(connections.admit(from(2)).is_some());
        let (first, second) = (&one[2], &_fourth);
        assert!(first.begin_stream() && !second.begin_stream());
        first.connection.rests();
        assert!(second.begin_stream());
        let many: Vec<_> = (0..2).map(|_| connections.admit(None).unwrap()).collect();
        assert!(many.iter().all(ConnectionPlace::begin_stream), "a proxy has many streams");
    }
}
