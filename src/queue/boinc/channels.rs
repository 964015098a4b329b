//! What the BOINC client and an application tell each other: eight channels of 1024 bytes in a file that both have in
//! memory. The first byte of a channel says that it holds a message; who reads the message clears it, and nobody
//! writes before. The message is a line or more of text that ends with a zero.
//!
//! The client maps the file into its memory. Here it is read and written as a file: on Linux, as on other systems
//! that have one cache for files and mappings, that is the same memory.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes of a channel.
pub const CHANNEL: usize = 1024;
/// Name of the file in the slot directory.
pub const FILE: &str = "boinc_mmap_file";

/// The channels in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// From the client: suspend, resume, quit, abort.
    ControlRequest,
    /// Nobody uses it.
    ControlReply,
    /// From the client, about pictures.
    GraphicsRequest,
    /// To the client, about pictures.
    GraphicsReply,
    /// From the client, once a second.
    Heartbeat,
    /// To the client: times and how much is done.
    AppStatus,
    /// To the client: there is a message for the project.
    TrickleUp,
    /// From the client: there is a message from the project.
    TrickleDown,
}

/// How many channels there are.
pub const CHANNELS: usize = 8;

/// The file with the channels.
#[derive(Debug)]
pub struct ChannelFile(File);

impl ChannelFile {
    /// Opens the file.
    ///
    /// # Errors
    /// If it is not there, too short, or may not be used.
    pub fn open(path: &Path) -> io::Result<ChannelFile> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        if file.metadata()?.len() < (CHANNEL * CHANNELS) as u64 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is shorter than eight channels"));
        }
        Ok(ChannelFile(file))
    }

    /// Takes a message out of a channel, if there is one.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn receive(&self, channel: Channel) -> io::Result<Option<String>> {
        let at = (channel as usize * CHANNEL) as u64;
        let mut bytes = [0; CHANNEL];
        self.0.read_exact_at(&mut bytes, at)?;
        let [full, text @ ..] = &bytes;
        if *full == 0 {
            return Ok(None);
        }
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        let text = String::from_utf8_lossy(&text[..end]).into_owned();
        self.0.write_all_at(&[0], at)?;
        Ok(Some(text))
    }

    /// Puts a message into a channel, unless one is there that has not been read; whether it did. What is too long
    /// for the channel is cut off.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn send(&self, channel: Channel, text: &str) -> io::Result<bool> {
        if self.is_full(channel)? {
            return Ok(false);
        }
        let at = (channel as usize * CHANNEL) as u64;
        let mut bytes: Vec<u8> = text.bytes().take(CHANNEL - 2).collect();
        bytes.push(0);
        // The message is whole before it is said to be there.
        self.0.write_all_at(&bytes, at + 1)?;
        self.0.write_all_at(&[1], at)?;
        Ok(true)
    }

    /// Whether a channel holds a message that has not been read.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn is_full(&self, channel: Channel) -> io::Result<bool> {
        let mut full = [0];
        self.0.read_exact_at(&mut full, (channel as usize * CHANNEL) as u64)?;
        Ok(full != [0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_holds_one_message_until_it_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        std::fs::write(&path, vec![0; CHANNEL * CHANNELS - 1]).unwrap();
        assert!(ChannelFile::open(&path).unwrap_err().to_string().contains("shorter"));
        std::fs::write(&path, vec![0; CHANNEL * CHANNELS]).unwrap();
        let file = ChannelFile::open(&path).unwrap();
        assert_eq!(file.receive(Channel::Heartbeat).unwrap(), None);
        assert!(file.send(Channel::AppStatus, "one").unwrap());
        assert!(!file.send(Channel::AppStatus, "two").unwrap(), "it overwrites what nobody has read");
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(&bytes[5 * CHANNEL..][..5], b"\x01one\0");
        assert_eq!(bytes.iter().filter(|&&byte| byte != 0).count(), 4);
        assert_eq!(file.receive(Channel::AppStatus).unwrap().as_deref(), Some("one"));
        assert_eq!(file.receive(Channel::AppStatus).unwrap(), None);
        // What is shorter leaves nothing of what was longer, and what is too long stays in its channel.
        assert!(file.send(Channel::TrickleUp, "a").unwrap());
        assert!(file.send(Channel::GraphicsReply, &"x".repeat(5000)).unwrap());
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len(), CHANNEL * CHANNELS);
        assert_eq!((bytes[3 * CHANNEL + 1022], bytes[3 * CHANNEL + 1023], bytes[4 * CHANNEL]), (b'x', 0, 0));
        assert_eq!(file.receive(Channel::GraphicsReply).unwrap().map(|text| text.len()), Some(1022));
    }

    #[test]
    fn it_is_the_memory_of_a_process_that_has_the_file_mapped() {
        use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        std::fs::write(&path, vec![0; CHANNEL * CHANNELS]).unwrap();
        let file = ChannelFile::open(&path).unwrap();
        let mapped = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        // SAFETY: the mapping is of a file of this length that nobody cuts off, and is used by volatile accesses
        // within that length only, until it is taken away.
        unsafe {
            let length = CHANNEL * CHANNELS;
            let place =
                mmap(std::ptr::null_mut(), length, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, &mapped, 0);
            let place = place.expect("a mapping").cast::<u8>();
            let at = place.add(4 * CHANNEL);
            for (offset, byte) in b"\x01<heartbeat/>\0".iter().enumerate().rev() {
                at.add(offset).write_volatile(*byte);
            }
            assert_eq!(file.receive(Channel::Heartbeat).unwrap().as_deref(), Some("<heartbeat/>"));
            assert_eq!(at.read_volatile(), 0);
            file.send(Channel::AppStatus, "here").unwrap();
            let at = place.add(5 * CHANNEL);
            assert_eq!((at.read_volatile(), at.add(1).read_volatile()), (1, b'h'));
            munmap(place.cast(), length).expect("it is taken away");
        }
    }
}
