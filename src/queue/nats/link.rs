//! The connection to the server, and the streams of a pool.

use super::message::{Names, is_user_name};
use super::{NatsError, NatsServer};
use async_nats::connection::State;
use async_nats::jetstream::{self, consumer, stream};
use async_nats::{Client, ConnectOptions, Event, RequestErrorKind, ServerAddr};
use percent_encoding::percent_decode_str;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::Notify;

/// Name of the consumer that the workers of a pool share.
pub const WORKERS: &str = "workers";
/// Name of the hub's consumer.
pub const HUB: &str = "hub";

/// Time after which the server gives a turn to another worker if the first one has not said that it is at it. Where a
/// connection has fallen silent, its worker may never have had it.
pub const ACK_WAIT: Duration = Duration::from_secs(15);

/// Time after which the server says a worker's word to the hub again if the hub has not said that it has heard it. It
/// says so at once.
const HEARD_WAIT: Duration = Duration::from_secs(10);

/// Time between two looks at whether there is a new connection.
const LOOK: Duration = Duration::from_millis(200);

/// Most bytes of a stream, where the server's disk is the pool's to fill.
const MOST_STREAM: i64 = 8 << 30;

/// Most messages of a subject that wait: words of a machine that the hub has not heard. Each of its workers waits
/// until the server has its word.
const MOST_WORDS: i64 = 10_000;

/// The user of the server that a client is admitted as, if it can have subjects of its own: the user in the address.
/// With a certificate, a name without a password says whose it is.
///
/// # Errors
/// An address that is none.
pub fn user(server: &NatsServer) -> Result<Option<String>, NatsError> {
    let addresses = addresses(server)?;
    let user = addresses.iter().find_map(|address| address.username()).map(plain);
    Ok(user.filter(|user| is_user_name(user)))
}

fn addresses(server: &NatsServer) -> Result<Vec<ServerAddr>, NatsError> {
    let addresses: Result<Vec<ServerAddr>, _> = server.url.split(',').map(|url| url.trim().parse()).collect();
    addresses.map_err(|error| NatsError::Connect { url: server.address(), what: error.to_string() })
}

/// A part of an address as it was before it was encoded.
fn plain(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// What went wrong with a connection. The client says no more of some causes than what kind they are.
fn explained(text: &str) -> String {
    if text.ends_with("IO error") {
        return format!("{text} (nobody answers there, or the certificate of the server is not trusted)");
    }
    text.to_owned()
}

/// Options for a connection to a server by which everything can be checked before there is one. Replies come on
/// subjects that begin with `inbox`. `trouble` is told what goes wrong with the connection.
///
/// # Errors
/// Files that cannot be used, an address that is none.
pub fn options(
    server: &NatsServer,
    name: &str,
    inbox: &str,
    trouble: impl Fn(String) + Send + Sync + 'static,
) -> Result<(Vec<ServerAddr>, ConnectOptions), NatsError> {
    let addresses = addresses(server)?;
    let mut options = ConnectOptions::new()
        .name(name)
        .custom_inbox_prefix(inbox)
        .retry_on_initial_connect()
        .connection_timeout(Duration::from_secs(5))
        .request_timeout(Some(Duration::from_secs(10)))
        .ping_interval(Duration::from_secs(5))
        .subscription_capacity(1 << 16)
        .reconnect_delay_callback(|tries| Duration::from_millis((100 << tries.min(6)) as u64))
        .event_callback(move |event| {
            match event {
                Event::ServerError(error) => trouble(error.to_string()),
                Event::ClientError(error) => trouble(explained(&error.to_string())),
                _ => {}
            }
            std::future::ready(())
        });
    if let Some((user, password)) = addresses.iter().find_map(|address| address.username().zip(address.password())) {
        options = options.user_and_password(plain(user), plain(password));
    }
    let readable = |path: &Path| match std::fs::File::open(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(NatsError::Certificate { path: path.to_owned(), what: error.to_string() }),
    };
    if let Some(path) = &server.authority {
        readable(path)?;
        options = options.add_root_certificates(path.clone()).require_tls(true);
    }
    if let Some((certificate, key)) = &server.certificate {
        readable(certificate)?;
        readable(key)?;
        options = options.add_client_certificate(certificate.clone(), key.clone()).require_tls(true);
    }
    Ok((addresses, options))
}

/// Makes a pool's streams and consumers, or takes those that are there, and forgets the turns of before: their units
/// are handed out again.
///
/// # Errors
/// What the server refuses.
pub async fn prepare(client: &Client, names: &Names) -> Result<Streams, NatsError> {
    let context = jetstream::new(client.clone());
    let (jobs, _) = stream_and_consumer(&context, names.jobs_stream(), names.jobs(">"), WORKERS, ACK_WAIT).await?;
    let (_, hub) = stream_and_consumer(&context, names.said_stream(), names.said(">"), HUB, HEARD_WAIT).await?;
    Ok(Streams { context, jobs, hub })
}

/// An empty stream of one subject, and its only consumer.
async fn stream_and_consumer(
    context: &jetstream::Context,
    name: String,
    subject: String,
    consumer: &str,
    ack_wait: Duration,
) -> Result<(stream::Stream, consumer::PullConsumer), NatsError> {
    let refused = || NatsError::refused(format!("the stream {name}"));
    let config = stream::Config {
        name: name.clone(),
        subjects: vec![subject],
        retention: stream::RetentionPolicy::WorkQueue,
        storage: stream::StorageType::File,
        max_bytes: MOST_STREAM,
        // What is not heard yet stays; whoever has said too much waits and says it again.
        max_messages_per_subject: MOST_WORDS,
        discard: stream::DiscardPolicy::New,
        discard_new_per_subject: true,
        max_age: Duration::from_secs(7 * 24 * 3600),
        ..stream::Config::default()
    };
    let stream = context.get_or_create_stream(&config).await.map_err(|error| refused()(error.into()))?;
    let made = &stream.cached_info().config;
    if (made.discard, made.max_messages_per_subject) != (config.discard, config.max_messages_per_subject)
        && let Err(error) = context.update_stream(&config).await
    {
        // A version without these limits has made it.
        tracing::warn!("the stream {name} keeps its limits, by which what machines say can be lost: {error}");
    }
    stream.purge().await.map_err(|error| refused()(error.into()))?;
    let config = consumer::pull::Config {
        durable_name: Some(consumer.to_owned()),
        ack_policy: consumer::AckPolicy::Explicit,
        ack_wait,
        max_waiting: 1 << 16,
        max_ack_pending: 1 << 16,
        ..consumer::pull::Config::default()
    };
    let made = stream.get_or_create_consumer(consumer, config).await.map_err(|error| refused()(error.into()))?;
    Ok((stream, made))
}

/// A pool's streams as its hub uses them.
pub struct Streams {
    /// The context that publishes turns.
    pub context: jetstream::Context,
    /// The stream of turns.
    pub jobs: stream::Stream,
    /// The hub's consumer of what workers say.
    pub hub: consumer::PullConsumer,
}

/// The consumer of turns that the workers share; `None` while no daemon has made it.
pub async fn turns(client: &Client, names: &Names) -> Option<consumer::PullConsumer> {
    let context = jetstream::new(client.clone());
    context.get_consumer_from_stream(WORKERS, names.jobs_stream()).await.ok()
}

/// Whether the server lets replies reach a client whose user is to have subjects of its own; returns when it is
/// connected. `denied` is notified when the server does not.
pub async fn hears_replies(client: &Client, names: &Names, denied: &Notify) -> bool {
    let question = format!("$JS.API.CONSUMER.INFO.{}.{WORKERS}", names.jobs_stream());
    loop {
        let answer = tokio::select! {
            biased;
            () = denied.notified() => return false,
            answer = client.request(question.clone(), Vec::new().into()) => answer,
        };
        match answer {
            Ok(_) => return true,
            Err(error) if error.kind() == RequestErrorKind::NoResponders => return true,
            // A server without streams may leave it at that; it would have denied them at once.
            Err(_) if client.connection_state() == State::Connected => return true,
            Err(_) => tokio::time::sleep(LOOK).await,
        }
    }
}

/// How often the client has been connected so far.
pub fn connections(client: &Client) -> u64 {
    client.statistics().connects.load(Ordering::Relaxed)
}

/// Returns when the client has been connected more often than that.
pub async fn connected_again(client: &Client, before: u64) {
    while connections(client) == before {
        tokio::time::sleep(LOOK).await;
    }
}
