//! A headless Chromium, driven by its DevTools protocol through two pipes: no driver program, no socket, no crate.
//!
//! Chromium reads commands from file descriptor 3 and writes answers and events to 4, each a JSON text that a zero
//! byte ends; a shell connects these two with the pipes that the standard library makes. It ends when the pipe is
//! closed, so it never outlives the tests. Nothing here waits for a fixed time: [`Page::wait`] asks again until what
//! it waits for is there.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Longest time that anything is waited for; generous, since the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(240);

/// Names that Chromium goes by, its shell without windows first: that one takes half of the time of the processors.
const NAMES: [&str; 6] =
    ["chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"];

/// The browser's program, if there is one.
pub fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|file| file.is_file())
}

#[derive(Default)]
struct Mail {
    /// Who waits for the answer to a command.
    answers: HashMap<u64, Sender<Value>>,
    /// Events by session.
    events: HashMap<String, Vec<Value>>,
}

/// A running browser.
pub struct Browser {
    commands: Mutex<ChildStdin>,
    mail: Arc<Mutex<Mail>>,
    next: AtomicU64,
    /// Kept so that the browser is not left as a zombie while the tests run.
    _child: Child,
}

impl Browser {
    /// Starts a browser with a profile of its own in the empty directory `profile`.
    pub fn start(program: &Path, profile: &Path) -> Browser {
        let mut child = Command::new("sh")
            .arg("-c")
            .arg("exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1")
            .arg("sh")
            .arg(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run"])
            .args(["--hide-scrollbars", "--disable-dev-shm-usage", "--disable-background-networking", "--mute-audio"])
            .args(["--disable-component-update", "--disable-extensions", "--no-default-browser-check"])
            // A process that waits for the next page costs as much as one that shows a page.
            .arg("--disable-features=SpareRendererForSitePerProcess")
            // The page is in English, whoever runs the tests.
            .args(["--lang=en-US", "--accept-lang=en-US"])
            .env("LC_ALL", "C")
            .env_remove("LANGUAGE")
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let commands = Mutex::new(child.stdin.take().unwrap());
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        let mail = Arc::new(Mutex::new(Mail::default()));
        let sorted = Arc::clone(&mail);
        std::thread::spawn(move || {
            let mut text = Vec::new();
            while answers.read_until(0, &mut text).is_ok_and(|n| n > 0) {
                let message: Value = serde_json::from_slice(text.strip_suffix(b"\0").unwrap_or(&text)).unwrap();
                text.clear();
                let mut mail = sorted.lock().unwrap();
                if let Some(id) = message["id"].as_u64() {
                    if let Some(asker) = mail.answers.remove(&id) {
                        let _ = asker.send(message);
                    }
                } else if let Some(session) = message["sessionId"].as_str() {
                    mail.events.entry(session.to_owned()).or_default().push(message);
                }
            }
        });
        Browser { commands, mail, next: AtomicU64::new(1), _child: child }
    }

    fn send(&self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.try_send(session, method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// # Errors
    /// What the browser answers instead of a result, such as that the page was left meanwhile.
    fn try_send(&self, session: Option<&str>, method: &str, params: Value) -> Result<Value, String> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (asker, answer) = channel();
        self.mail.lock().unwrap().answers.insert(id, asker);
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        {
            let mut commands = self.commands.lock().unwrap();
            commands.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
            commands.flush().unwrap();
        }
        let mut answer = answer.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{method}: no answer"));
        if answer["error"].is_null() { Ok(answer["result"].take()) } else { Err(answer["error"].to_string()) }
    }

    /// A new tab, which shares nothing with the others: an incognito window of its own.
    pub fn page(&self, width: u32, height: u32, dark: bool) -> Page<'_> {
        let context = self.send(None, "Target.createBrowserContext", json!({}));
        let target = json!({ "url": "about:blank", "browserContextId": context["browserContextId"] });
        let target = self.send(None, "Target.createTarget", target);
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.send(None, "Target.attachToTarget", attach)["sessionId"].as_str().unwrap().to_owned();
        let context = context["browserContextId"].as_str().unwrap().to_owned();
        let page = Page { browser: self, session, context };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.send(&format!("{domain}.enable"), json!({}));
        }
        page.resize(width, height);
        let scheme = if dark { "dark" } else { "light" };
        // An animation would be drawn sixty times a second.
        let features = [("prefers-color-scheme", scheme), ("prefers-reduced-motion", "reduce")];
        let features = features.map(|(name, value)| json!({ "name": name, "value": value }));
        page.send("Emulation.setEmulatedMedia", json!({ "features": features }));
        page
    }
}

/// A tab. It is closed at the end: it would go on drawing what its daemon does.
pub struct Page<'a> {
    browser: &'a Browser,
    session: String,
    context: String,
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        // After a test that failed the browser may be gone.
        if !std::thread::panicking() {
            self.browser.send(None, "Target.disposeBrowserContext", json!({ "browserContextId": self.context }));
        }
    }
}

impl Page<'_> {
    fn send(&self, method: &str, params: Value) -> Value {
        self.browser.send(Some(&self.session), method, params)
    }

    /// Makes the window as large as this; a narrow one is a phone's.
    pub fn resize(&self, width: u32, height: u32) {
        let phone = width < 600;
        let screen = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone });
        self.send("Emulation.setDeviceMetricsOverride", screen);
    }

    /// From the next address on, the browser asks for this language.
    pub fn prefers(&self, language: &str) {
        let agent = json!({ "userAgent": self.eval("navigator.userAgent"), "acceptLanguage": language });
        self.send("Emulation.setUserAgentOverride", agent);
    }

    /// Every document that is opened from now on begins with this script.
    pub fn begins_with(&self, script: &str) {
        self.send("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script }));
    }

    fn events(&self, method: &str) -> Vec<Value> {
        let mail = self.browser.mail.lock().unwrap();
        let events = mail.events.get(&self.session).map_or(&[][..], Vec::as_slice);
        events.iter().filter(|event| event["method"] == method).map(|event| event["params"].clone()).collect()
    }

    /// Opens an address, also if it differs from the present one only behind `#`. Then the document is loaded again
    /// where it is: a process of its own for each document took half of the time.
    pub fn open(&self, url: &str) {
        let here = self.try_eval(&format!(
            "(() => {{ const [here, there] = [location.href, {0}].map((url) => url.split('#')[0]); \
             if (here === there) history.replaceState(null, '', {0}); return here === there ? 'same' : here; }})()",
            json!(url)
        ));
        if here == Ok(json!("same")) {
            return self.reload();
        }
        if here != Ok(json!("about:blank")) {
            self.send("Page.navigate", json!({ "url": "about:blank" }));
        }
        let answer = self.send("Page.navigate", json!({ "url": url }));
        assert!(answer["errorText"].is_null(), "{url}: {}", answer["errorText"]);
    }

    /// Goes to another view of the document that is open, as a link does. The view is in place when this
    /// returns.
    pub fn follow(&self, view: &str) {
        let hash = json!(format!("#{view}"));
        self.eval(&format!(
            "new Promise((done) => {{ if ((location.hash || '#/') === {hash}) return done(); \
             addEventListener('hashchange', done, {{ once: true }}); location.hash = {hash}; }})"
        ));
    }

    /// Loads the page again.
    pub fn reload(&self) {
        self.eval("window.before = true");
        self.send("Page.reload", json!({}));
        self.wait("!window.before && document.readyState === 'complete'");
    }

    /// The value of an expression; a promise is waited for.
    pub fn eval(&self, expression: &str) -> Value {
        self.try_eval(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn try_eval(&self, expression: &str) -> Result<Value, String> {
        let asked = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.browser.try_send(Some(&self.session), "Runtime.evaluate", asked)?;
        if answer["exceptionDetails"].is_null() {
            Ok(answer["result"]["value"].take())
        } else {
            Err(answer["exceptionDetails"]["exception"]["description"].to_string())
        }
    }

    /// Waits until an expression is true, or something. One that fails, for what it asks for is not there yet, is
    /// not.
    pub fn wait(&self, expression: &str) {
        let began = Instant::now();
        loop {
            let last = self.try_eval(&format!("Boolean({expression})"));
            if last.as_ref().is_ok_and(|value| value == true) {
                return;
            }
            if began.elapsed() > PATIENCE {
                let text = self.try_eval("document.body.innerText.slice(0, 1500)");
                panic!(
                    "never true: {expression} (last: {last:?})\nproblems: {:?}\nthe page: {text:?}",
                    self.problems()
                );
            }
            std::thread::sleep(Duration::from_millis(40));
        }
    }

    /// Waits for an element and clicks on its middle as a mouse does. What is drawn meanwhile may have moved it: then
    /// it is clicked on once more.
    pub fn click(&self, selector: &str) {
        let (find, selector) = (format!("document.querySelector({})", json!(selector)), json!(selector));
        for _ in 0..20 {
            self.wait(&format!("{find}?.checkVisibility() && !{find}.disabled"));
            let place = self.try_eval(&format!(
                "(() => {{ window.clicks?.abort(); window.clicks = new AbortController(); window.wasHit = false; \
                 document.addEventListener('click', (event) => {{ window.wasHit ||= !!event.target.closest({selector}); }}, \
                 {{ capture: true, signal: window.clicks.signal }}); \
                 const e = {find}; e.scrollIntoView({{ block: 'center' }}); const r = e.getBoundingClientRect(); \
                 return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
            ));
            let Ok(place) = place else { continue };
            self.click_at(place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
            // A click that leaves the page was a hit too.
            if self.try_eval("window.wasHit") != Ok(json!(false)) {
                return;
            }
        }
        panic!("no click reaches {selector}");
    }

    /// Makes timers of so many milliseconds so many times as long: much longer, so that they end nothing on a machine
    /// that stands still, or 0, as if the machine stood still until they end.
    pub fn scale_timers(&self, milliseconds: u32, times: u32) {
        self.eval(&format!(
            "(() => {{ const real = window.setTimeout; window.setTimeout = (act, ms, ...rest) => \
             real(act, ms === {milliseconds} ? {times} * ms : ms, ...rest); }})()"
        ));
    }

    /// Clicks at a place of the window.
    pub fn click_at(&self, x: f64, y: f64) {
        for (kind, button, count) in
            [("mouseMoved", "none", 0), ("mousePressed", "left", 1), ("mouseReleased", "left", 1)]
        {
            let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": count });
            self.send("Input.dispatchMouseEvent", event);
        }
    }

    /// Draws from one element to another with the mouse, or with a finger.
    pub fn drag(&self, from: &str, to: &str, by_finger: bool) {
        let place = self.eval(&format!(
            "(() => {{ const [a, b] = [{}, {}].map((one) => document.querySelector(one)); a.scrollIntoView({{ block: 'center' }}); \
             return [a, b].flatMap((one) => {{ const r = one.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }}); }})()",
            json!(from),
            json!(to)
        ));
        let [x, y, to_x, to_y] = [0, 1, 2, 3].map(|n: usize| place[n].as_f64().unwrap());
        let mouse = |kind: &str, x: f64, y: f64| {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
            self.send("Input.dispatchMouseEvent", event);
        };
        let finger = |kind: &str, points: Value| {
            self.send("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
        };
        let at = |x: f64, y: f64| json!([{ "x": x, "y": y }]);
        let way = (0..=8).map(|n| (x + (to_x - x) * f64::from(n) / 8.0, y + (to_y - y) * f64::from(n) / 8.0));
        for (n, (x, y)) in way.enumerate() {
            match (by_finger, n) {
                (true, 0) => finger("touchStart", at(x, y)),
                (true, _) => finger("touchMove", at(x, y)),
                (false, 0) => mouse("mousePressed", x, y),
                (false, _) => mouse("mouseMoved", x, y),
            }
        }
        if by_finger { finger("touchEnd", json!([])) } else { mouse("mouseReleased", to_x, to_y) }
    }

    /// Presses a key: a letter, or `Enter`, `Tab`, `ArrowLeft`, ...
    pub fn key(&self, key: &str) {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Delete" => 46,
            letter => u32::from(letter.to_ascii_uppercase().as_bytes()[0]),
        };
        let text = match key {
            "Enter" => "\r",
            letter if letter.len() == 1 => letter,
            _ => "",
        };
        let down = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
        for kind in [down, "keyUp"] {
            let text = if kind == "keyUp" { "" } else { text };
            let event = json!({ "type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code });
            self.send("Input.dispatchKeyEvent", event);
        }
    }

    /// Waits for a field and puts a text into it, as typing does.
    pub fn fill(&self, selector: &str, text: &str) {
        let find = format!("document.querySelector({})", json!(selector));
        self.wait(&format!("{find}?.checkVisibility()"));
        let filled = self.try_eval(&format!(
            "(() => {{ const e = {find}; e.focus(); e.value = {}; e.dispatchEvent(new Event('input', {{ bubbles: true }})); \
             e.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()",
            json!(text)
        ));
        // What was filled in may make the page load itself again, such as its language.
        assert!(filled.as_ref().map_or_else(|error| error.contains("navigated"), |_| true), "{selector}: {filled:?}");
    }

    /// What went wrong in the page: exceptions, errors in the console, what the policy refused.
    pub fn problems(&self) -> Vec<String> {
        let thrown =
            self.events("Runtime.exceptionThrown").into_iter().map(|event| event["exceptionDetails"].to_string());
        let logged = self
            .events("Log.entryAdded")
            .into_iter()
            .filter(|event| event["entry"]["level"] == "error")
            .map(|event| format!("{} {}", event["entry"]["text"], event["entry"]["url"]));
        let said = self
            .events("Runtime.consoleAPICalled")
            .into_iter()
            .filter(|event| event["type"] == "error")
            .map(|event| event["args"].to_string());
        thrown.chain(logged).chain(said).collect()
    }

    /// The addresses that the page has asked for.
    pub fn requests(&self) -> Vec<String> {
        let sent = self.events("Network.requestWillBeSent");
        sent.iter().map(|event| event["request"]["url"].as_str().unwrap().to_owned()).collect()
    }
}
