//! Network namespaces for machines. Each hangs on a bridge of this computer by a link of its own, which can be cut
//! and slowed. That takes root's rights, and `ip` and `tc`.

use std::net::Ipv4Addr;
use std::process::{Command, Stdio};

/// Whether tests use namespaces: where it is `required`, it is a failure that they cannot be made.
pub const NAMESPACES: &str = "MORPION_TEST_NAMESPACES";

/// What a test does about namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// It does without.
    No,
    /// It uses them.
    Yes,
    /// It was to use them, and cannot. It has said so.
    InVain,
}

/// Whether a test is to use namespaces, and can.
pub fn wanted(test: &str) -> Wanted {
    let asked = std::env::var(NAMESPACES).unwrap_or_default();
    if asked.is_empty() || asked == "0" {
        return Wanted::No;
    }
    let name = format!("mp{}-try", std::process::id());
    let made = run("ip", &["netns", "add", &name]).and_then(|()| run("ip", &["netns", "del", &name]));
    match made.and_then(|()| run("tc", &["-V"])) {
        Ok(()) => Wanted::Yes,
        Err(error) => {
            assert!(asked != "required", "{test} needs network namespaces: {error}");
            eprintln!("{test}: NOT TESTED, there are no network namespaces (they need root, ip and tc): {error}");
            Wanted::InVain
        }
    }
}

/// Runs a command, which says nothing when all is well.
fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{program} {}: {}", arguments.join(" "), said.trim()))
}

fn ip(arguments: &str) {
    run("ip", &arguments.split(' ').collect::<Vec<_>>()).unwrap();
}

fn tc(arguments: &str) {
    run("tc", &arguments.split(' ').collect::<Vec<_>>()).unwrap();
}

/// A namespace and its link: two interfaces that are connected, the outer one on the bridge.
struct Link {
    namespace: String,
    outer: String,
    inner: String,
}

/// Namespaces on a bridge. Dropping it removes all of them.
pub struct Network {
    bridge: String,
    /// Address of this computer on the bridge.
    pub address: Ipv4Addr,
    links: Vec<Link>,
}

impl Network {
    /// Makes one with so many namespaces, at most 200.
    pub fn new(places: usize) -> Network {
        let process = std::process::id();
        let bridge = format!("mp{process}");
        // Another run has another bridge, and may have these addresses.
        let taken = Command::new("ip").args(["-o", "-4", "address"]).output().unwrap().stdout;
        let taken = String::from_utf8_lossy(&taken).into_owned();
        let nets = (0..=u16::MAX).map(|more| (process as u16).wrapping_add(more).to_be_bytes());
        let mut free = nets.filter(|[high, low]| !taken.contains(&format!(" 10.{}.{low}.", 64 + high % 128)));
        let [high, low] = free.next().expect("a net that is free");
        let at = |last: u8| Ipv4Addr::new(10, 64 + high % 128, low, last);
        // Before anything is made: what there is is removed also after a failure.
        let mut network = Network { bridge: bridge.clone(), address: at(254), links: Vec::new() };
        ip(&format!("link add {bridge} type bridge"));
        ip(&format!("address add {}/24 dev {bridge}", network.address));
        ip(&format!("link set {bridge} up"));
        for place in 0..places {
            let name = |kind: &str| format!("mp{process}{kind}{place}");
            network.links.push(Link { namespace: name("n"), outer: name("o"), inner: name("i") });
            let Link { namespace, outer, inner } = &network.links[place];
            ip(&format!("netns add {namespace}"));
            ip(&format!("link add {outer} type veth peer name {inner} netns {namespace}"));
            ip(&format!("link set {outer} master {bridge} up"));
            ip(&format!("-n {namespace} address add {}/24 dev {inner}", at(place as u8 + 1)));
            ip(&format!("-n {namespace} link set {inner} up"));
        }
        network
    }

    /// A command that runs a program in a namespace; its process is that of the program.
    pub fn command(&self, place: usize, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.links[place].namespace, program]);
        command
    }

    /// Cuts a link: neither side is told.
    pub fn cut(&self, place: usize) {
        ip(&format!("link set {} down", self.links[place].outer));
    }

    /// Ends that.
    pub fn mend(&self, place: usize) {
        ip(&format!("link set {} up", self.links[place].outer));
    }

    /// Lets so many thousand bits a second pass in each direction.
    pub fn slow(&self, place: usize, kilobits: u32) {
        let Link { namespace, outer, inner } = &self.links[place];
        let shape = format!("root tbf rate {kilobits}kbit burst 4kb latency 500ms");
        tc(&format!("qdisc replace dev {outer} {shape}"));
        tc(&format!("-n {namespace} qdisc replace dev {inner} {shape}"));
    }

    /// Ends that.
    pub fn quicken(&self, place: usize) {
        let Link { namespace, outer, inner } = &self.links[place];
        tc(&format!("qdisc delete dev {outer} root"));
        tc(&format!("-n {namespace} qdisc delete dev {inner} root"));
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // What was not made cannot be removed.
        for Link { namespace, outer, .. } in &self.links {
            let _ = run("ip", &["link", "delete", outer]);
            let _ = run("ip", &["netns", "delete", namespace]);
        }
        let _ = run("ip", &["link", "delete", &self.bridge]);
    }
}
