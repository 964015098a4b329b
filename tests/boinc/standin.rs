//! The web server of a project, as far as a client needs it: the page with the address of the scheduler, the scheduler,
//! the files of workunits, and the place where results go.

use crate::project::{names, result_file};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What the server knows.
#[derive(Debug, Default)]
pub struct Known {
    /// Workunits that were handed out.
    pub sent: Vec<String>,
    /// Results that the client has reported, with their exit status and what the application said.
    pub reported: BTreeMap<String, (String, String)>,
}

/// The server. Its directory has `work`, `download`, `templates` and `upload`.
pub struct Standin {
    pub url: String,
    pub known: Arc<Mutex<Known>>,
}

/// The text between two others.
pub fn between<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    Some(text.split_once(begin)?.1.split_once(end)?.0)
}

impl Standin {
    pub fn start(directory: &Path, platform: &str) -> Standin {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let known: Arc<Mutex<Known>> = Arc::default();
        fs::create_dir_all(directory.join("upload")).unwrap();
        let serving = Serving {
            directory: directory.to_owned(),
            url: url.clone(),
            known: Arc::clone(&known),
            platform: platform.to_owned(),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that goes away in the middle is no failure of the test.
                let _ = serving.answer(stream);
            }
        });
        Standin { url, known }
    }
}

struct Serving {
    directory: PathBuf,
    url: String,
    known: Arc<Mutex<Known>>,
    platform: String,
}

impl Serving {
    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let (mut first, mut length) = (String::new(), 0);
        reader.read_line(&mut first)?;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            match line.trim().to_ascii_lowercase().split_once(':') {
                Some(("content-length", value)) => length = value.trim().parse().unwrap_or(0),
                Some(("expect", _)) => stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let path = first.split_whitespace().nth(1).unwrap_or_default();
        let answer = match (path, path.strip_prefix("/download/")) {
            ("/", _) => {
                Some(format!("<html><!--\n<scheduler>{}scheduler</scheduler>\n--></html>\n", self.url).into())
            }
            ("/scheduler", _) => Some(self.schedule(&String::from_utf8_lossy(&body)).into_bytes()),
            ("/file_upload_handler", _) => Some(self.upload(&body)),
            (_, Some(name)) => fs::read(self.directory.join("download").join(name)).ok(),
            _ => None,
        };
        let status = if answer.is_some() { "200 OK" } else { "404 Not Found" };
        let answer = answer.unwrap_or_default();
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.len())?;
        stream.write_all(&answer)
    }

    /// Hands out all workunits that are there, and takes note of results.
    fn schedule(&self, request: &str) -> String {
        let mut known = self.known.lock().unwrap();
        let mut reply = format!(
            "<scheduler_reply>\n<scheduler_version>716</scheduler_version>\n<master_url>{}</master_url>\n\
             <request_delay>1</request_delay>\n<project_name>stand-in</project_name>\n<hostid>1</hostid>\n",
            self.url
        );
        // The results that are done are elements by themselves; those in hand are listed elsewhere.
        for part in request.split("<result>").skip(1) {
            let part = part.split("</result>").next().unwrap();
            if let (Some(name), Some(status)) =
                (between(part, "<name>", "</name>"), between(part, "<exit_status>", "</exit_status>"))
            {
                let said = between(part, "<stderr_txt>", "</stderr_txt>").unwrap_or_default();
                known.reported.insert(name.to_owned(), (status.to_owned(), said.to_owned()));
                reply += &format!("<result_ack>\n<name>{name}</name>\n</result_ack>\n");
            }
        }
        let wants = between(request, "<work_req_seconds>", "</work_req_seconds>");
        if wants.and_then(|seconds| seconds.parse::<f64>().ok()).is_some_and(|seconds| seconds > 0.0) {
            reply += "<app>\n<name>morpion</name>\n<user_friendly_name>Morpion</user_friendly_name>\n</app>\n";
            for name in names(&self.directory.join("work")) {
                if !known.sent.contains(&name) {
                    reply += &self.workunit(&name);
                    known.sent.push(name);
                }
            }
        }
        reply + "</scheduler_reply>\n"
    }

    /// A workunit as the templates of the project describe it.
    fn workunit(&self, name: &str) -> String {
        let template = |end: &str| {
            let path = self.directory.join("templates").join(format!("morpion_{end}"));
            fs::read_to_string(path).unwrap()
        };
        let (input, output) = (template("in"), template("out"));
        let file = result_file(name, 0);
        let bytes = fs::metadata(self.directory.join("download").join(name)).unwrap().len();
        let workunit = between(&input, "<workunit>", "</workunit>").unwrap();
        let workunit = workunit.replace("<file_number>0</file_number>", &format!("<file_name>{name}</file_name>"));
        let output = output.replace("<OUTFILE_0/>", &file);
        let described = between(&output, "<file_info>", "</file_info>").unwrap();
        let described = described.replace("<UPLOAD_URL/>", &format!("{}file_upload_handler", self.url));
        let deadline = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + 86_400;
        format!(
            "<file_info>\n<name>{name}</name>\n<url>{}download/{name}</url>\n<nbytes>{bytes}</nbytes>\n</file_info>\n\
             <file_info>{described}</file_info>\n\
             <workunit>\n<name>{name}</name>\n<app_name>morpion</app_name>{workunit}</workunit>\n\
             <result>\n<name>{name}_0</name>\n<wu_name>{name}</wu_name>\n<report_deadline>{deadline}</report_deadline>\n\
             <platform>{}</platform>\n<version_num>100</version_num>{}</result>\n",
            self.url,
            self.platform,
            between(&output, "<result>", "</result>").unwrap(),
        )
    }

    /// Takes a result.
    fn upload(&self, body: &[u8]) -> Vec<u8> {
        const DATA: &[u8] = b"<data>\n";
        let at = body.windows(DATA.len()).position(|window| window == DATA);
        if let Some(at) = at {
            let head = String::from_utf8_lossy(&body[..at]);
            let name = between(&head, "<name>", "</name>").expect("a name");
            let bytes: usize = between(&head, "<nbytes>", "</nbytes>").expect("a length").parse().expect("a number");
            let data = &body[at + DATA.len()..];
            fs::write(self.directory.join("upload").join(name), &data[..bytes.min(data.len())]).unwrap();
        }
        b"<data_server_reply>\n<status>0</status>\n<file_size>0</file_size>\n</data_server_reply>\n".to_vec()
    }
}
