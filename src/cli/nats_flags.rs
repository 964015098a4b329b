//! The flags that say which NATS server is used, and how to be admitted to it.

use crate::queue::nats::{NatsServer, POOL};
use std::path::PathBuf;

/// The flags of the server.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "NATS server")]
pub struct NatsFlags {
    /// Address of the NATS server by which the daemon and the workers of other machines reach each other, such as
    /// nats://192.168.1.10:4222, or tls://... for an encrypted connection. Several addresses of one cluster have
    /// commas between them. A user and password may be part of it; they are safer in the environment.
    #[arg(long, value_name = "URL", env = "MORPION_NATS", hide_env_values = true)]
    pub nats: Option<String>,
    /// Name of the pool of workers. A server can have several pools; each belongs to one daemon.
    #[arg(long, value_name = "NAME", default_value = POOL)]
    pub pool: String,
    /// File with the certificate of the authority that the server's certificate comes from; asks for an encrypted
    /// connection.
    #[arg(long, value_name = "FILE")]
    pub nats_ca: Option<PathBuf>,
    /// File with a certificate for this program.
    #[arg(long, value_name = "FILE", requires = "nats_key")]
    pub nats_certificate: Option<PathBuf>,
    /// File with the key of that certificate.
    #[arg(long, value_name = "FILE", requires = "nats_certificate")]
    pub nats_key: Option<PathBuf>,
}

impl NatsFlags {
    /// The server, if one is named.
    pub fn server(&self) -> Option<NatsServer> {
        Some(NatsServer {
            url: self.nats.clone()?,
            pool: self.pool.clone(),
            authority: self.nats_ca.clone(),
            certificate: self.nats_certificate.clone().zip(self.nats_key.clone()),
        })
    }
}
