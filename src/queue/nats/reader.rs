//! Reading a stream, message after message.
//!
//! The server tells a reader about its reading by messages with a status, such as 409 for a consumer that was
//! deleted. Whoever may publish in a stream can store messages with such a status there, too. So what tells them
//! apart here is not the status: a stored message asks for an acknowledgement, and no client may publish one that
//! seems to.

use super::link::{connected_again, connections};
use async_nats::jetstream::{self, consumer};
use async_nats::{Client, Message, StatusCode, Subscriber};
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Time for which the server keeps a request. Then it is asked anew.
const EXPIRES: Duration = Duration::from_secs(20);
/// Time after that in which it says so.
const LATE: Duration = Duration::from_secs(5);
/// Time after which what the server refuses is asked for again.
const AGAIN: Duration = Duration::from_millis(500);
/// Time after which reading has failed that the server refuses all the time.
const REFUSED: Duration = Duration::from_secs(3);

/// A reader of a consumer's messages.
pub struct StreamReader {
    client: Client,
    context: jetstream::Context,
    consumer: consumer::PullConsumer,
    /// Most messages that are asked for at once.
    batch: usize,
    inbox: String,
    subscriber: Subscriber,
    /// Number of requests so far. What the server says of earlier ones is of no interest.
    requests: u64,
    /// Messages that the last one is still good for.
    left: usize,
    /// When the next one is made, if nothing comes.
    next: Instant,
    /// Number of connections when the last one was made.
    connections: u64,
    /// Since when the server has refused all requests.
    refused: Option<Instant>,
}

impl StreamReader {
    /// A reader that asks for so many messages at once.
    ///
    /// # Errors
    /// The connection has been closed.
    pub async fn open(
        client: &Client,
        consumer: consumer::PullConsumer,
        batch: usize,
    ) -> Result<StreamReader, async_nats::Error> {
        let inbox = client.new_inbox();
        let subscriber = client.subscribe(format!("{inbox}.*")).await?;
        Ok(StreamReader {
            client: client.clone(),
            context: jetstream::new(client.clone()),
            consumer,
            batch,
            inbox,
            subscriber,
            requests: 0,
            left: 0,
            next: Instant::now(),
            connections: 0,
            refused: None,
        })
    }

    /// The next message. Nothing is lost if it is not waited for to the end.
    ///
    /// # Errors
    /// What the server says if there is nothing to read from any more.
    pub async fn next(&mut self) -> Result<jetstream::Message, String> {
        loop {
            if self.next <= Instant::now() {
                self.ask().await?;
            }
            tokio::select! {
                biased;
                message = self.subscriber.next() => {
                    let message = message.ok_or("the connection is closed")?;
                    if message.reply.as_ref().is_some_and(|reply| reply.starts_with("$JS.ACK.")) {
                        self.refused = None;
                        self.left = self.left.saturating_sub(1);
                        if self.left == 0 {
                            self.next = Instant::now();
                        }
                        return Ok(jetstream::Message { message, context: self.context.clone() });
                    }
                    self.hear_status(&message)?;
                }
                () = connected_again(&self.client, self.connections) => self.next = Instant::now(),
                () = sleep_until(self.next) => {}
            }
        }
    }

    async fn ask(&mut self) -> Result<(), String> {
        self.requests += 1;
        self.left = self.batch;
        // If this is not waited for to the end, it is done once more.
        self.next = Instant::now() + AGAIN;
        self.connections = connections(&self.client);
        let reply = format!("{}.{}", self.inbox, self.requests);
        let config = consumer::pull::BatchConfig { batch: self.batch, expires: Some(EXPIRES), ..Default::default() };
        self.consumer.request_batch(config, reply.into()).await.map_err(|error| error.to_string())?;
        self.next = Instant::now() + EXPIRES + LATE;
        Ok(())
    }

    /// What the server says of a request.
    fn hear_status(&mut self, message: &Message) -> Result<(), String> {
        if *message.subject != *format!("{}.{}", self.inbox, self.requests) {
            return Ok(());
        }
        let description = message.description.as_deref().unwrap_or("it gives no reason");
        match message.status {
            Some(StatusCode::IDLE_HEARTBEAT) => {}
            Some(StatusCode::TIMEOUT) => {
                self.refused = None;
                self.next = Instant::now();
            }
            _ => {
                let since = *self.refused.get_or_insert_with(Instant::now);
                if description.ends_with("Deleted") || since.elapsed() >= REFUSED {
                    return Err(description.to_owned());
                }
                self.next = Instant::now() + AGAIN;
            }
        }
        Ok(())
    }
}
