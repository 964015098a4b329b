//! Who speaks to the hub.
//!
//! Where each machine has a user of the server for itself, the server lets it publish on subjects with the user's
//! name alone. So nobody says anything in the name of another one, with one exception: a client can ask the server,
//! and the hub, to reply on any subject. What comes so is told from what a machine says by its headers and by the
//! subject that the reply is to go to.

use super::{MOST_MACHINES, PoolService};
use crate::core::encoding::decode;
use crate::queue::Unit;
use crate::queue::nats::machine::KnownMachine;
use crate::queue::nats::message::{PART, PartRequest, Speaker};
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::{Message, jetstream};
use std::sync::atomic::Ordering;

/// Machines of one user of the server.
const MOST_OF_USER: usize = MOST_MACHINES / 4;

/// Who has said a word; `None` if no machine has.
pub(super) fn speaker_of(message: &jetstream::Message) -> Option<Speaker> {
    // Workers give each word a name. The server's own replies have none, on whatever subject they come.
    let is_named = message.headers.as_ref().is_some_and(|headers| headers.get(NATS_MESSAGE_ID).is_some());
    Speaker::of(&message.subject).filter(|_| is_named)
}

impl<U: Unit> PoolService<'_, U> {
    /// A machine, which may be new; `None` if there are too many.
    pub(super) fn know(&mut self, speaker: &Speaker) -> Option<&mut KnownMachine> {
        let id = speaker.place();
        if !self.machines.contains_key(&id) {
            let of_user = self.machines.values().filter(|machine| machine.speaker.user == speaker.user).count();
            if self.machines.len() >= MOST_MACHINES || (speaker.user.is_some() && of_user >= MOST_OF_USER) {
                return None;
            }
            if speaker.user.is_none() && !self.common.is_shared.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    "a machine has no user of its own on the NATS server: whoever is admitted there can speak in its \
                     name (see docs/scale-out.md, Many machines)"
                );
            }
            self.machines.insert(id.clone(), KnownMachine::new(speaker.clone()));
        }
        self.machines.get_mut(&id)
    }

    /// Notes that something that a machine said is refused.
    pub(super) fn refuse(&mut self, id: &str, what: String) {
        if let Some(machine) = self.machines.get_mut(id) {
            machine.refuse(what);
        }
    }

    /// The same for who may not be known: a user who speaks as a machine that it does not have, such as that of
    /// another user, does so as each that it has.
    pub(super) fn refuse_speaker(&mut self, speaker: &Speaker, what: &str) {
        let place = speaker.place();
        if speaker.user.is_none() || self.machines.contains_key(&place) {
            return self.refuse(&place, what.to_owned());
        }
        let theirs = self.machines.values_mut().filter(|machine| machine.speaker.user == speaker.user);
        theirs.for_each(|machine| machine.refuse(what.to_owned()));
    }

    /// Notes a word of a turn that the machine does not have. Some come late; where they are very many, it is
    /// refused.
    pub(super) fn note_stray(&mut self, speaker: &Speaker) {
        if let Some(machine) = self.know(speaker).filter(|machine| !machine.is_distrusted())
            && machine.strays()
        {
            machine.refuse("it speaks again and again of turns that it does not have".to_owned());
        }
    }

    /// A worker asks for a part of a unit. It is sent to nobody but who asks.
    pub(super) async fn part(&self, message: Message) {
        let Some(reply) = message.reply else { return };
        let user = message.subject.strip_prefix(&format!("{}.", self.names.parts()));
        if !reply.starts_with(&format!("{}.", self.names.inbox(user))) {
            return;
        }
        let Some(PartRequest { turn, number }) = decode(&message.payload) else { return };
        let Some(turn) = self.turns.get(&turn) else { return };
        let from = (number as usize).saturating_mul(PART).min(turn.packed.len());
        let to = from.saturating_add(PART).min(turn.packed.len());
        let _ = self.client.publish(reply, turn.packed[from..to].to_vec().into()).await;
    }
}
