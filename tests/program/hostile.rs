//! Malicious clients: the memory and the open files of the process.

use std::io::{Cursor, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use finance_tests::{Client, Method, PASSWORD, Program, ScratchDir, finance_binary};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The most memory that four bodies of a million rows may add, in kB.
const BODY_KILOBYTES_MAX: u64 = 64 * 1024;
/// The most memory, in kB, that two spreadsheets may add that have as many cells and texts as the service reads. One
/// profile has no more than two at once.
const SPREADSHEET_KILOBYTES_MAX: u64 = 2 * 96 * 1024;
/// A limit of open files below the number of connections.
const OPEN_FILES: u32 = 256;

/// A value in kilobytes of the process's `/proc` status.
fn kilobytes(program: &Program, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').split_whitespace().next().unwrap().parse().unwrap()
}

fn user(scratch: &ScratchDir, program: &Program) -> Client {
    let created = Program::run(scratch.path(), &["create-user", "--name", "ana", "--password", PASSWORD]);
    assert!(created.status.success(), "{created:?}");
    program.login("ana", PASSWORD)
}

#[test]
fn bodies_of_countless_tiny_rows_take_little_memory_and_keep_nobody_waiting() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let scratch = ScratchDir::new();
    let program = Program::serve(scratch.path());
    let ana = user(&scratch, &program);
    let body = format!("{{\"rows\":[{}0]}}", "0,".repeat(1024 * 1024)).into_bytes();
    let before = kilobytes(&program, "VmHWM");
    let slowest = std::thread::scope(|scope| {
        let senders: Vec<_> = (0..4)
            .map(|_| {
                let (ana, body) = (ana.clone(), body.clone());
                scope.spawn(move || {
                    ana.send(Method::POST, "/api/import/confirm", Some("application/json"), body)
                        .problem(422, "ErrValidation");
                })
            })
            .collect();
        let mut slowest = Duration::ZERO;
        while senders.iter().any(|sender| !sender.is_finished()) {
            let asked = Instant::now();
            program.client().get("/healthz").ok();
            slowest = slowest.max(asked.elapsed());
            std::thread::sleep(Duration::from_millis(5));
        }
        slowest
    });
    let added = kilobytes(&program, "VmHWM") - before;
    println!("four bodies added {added} kB; the slowest answer meanwhile took {slowest:?}");
    assert!(added <= BODY_KILOBYTES_MAX, "{added} kB");
}

/// A workbook of 600 kB with 16 MB of shared texts and 300,000 rows that use them: 45 MB of XML.
fn workbook() -> Vec<u8> {
    const RELATIONS: &str = "<Relationships><Relationship Id='a' Type='x/worksheet' Target='s.xml'/>\
        <Relationship Id='b' Type='x/sharedStrings' Target='t.xml'/></Relationships>";
    let texts = format!("<si><t>{}</t></si>", "x".repeat(4096)).repeat(4000);
    let header = "<row><c t='s'><v>0</v></c><c t='s'><v>1</v></c><c t='s'><v>2</v></c></row>";
    let row = "<row><c t='s'><v>3</v></c><c t='s'><v>4</v></c><c><v>-12.34</v></c></row>".repeat(300_000);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in [
        ("xl/workbook.xml", "<workbook><sheet name='a' r:id='a'/></workbook>".to_string()),
        ("xl/_rels/workbook.xml.rels", RELATIONS.to_string()),
        (
            "xl/t.xml",
            format!(
                "<sst>{}{texts}</sst>",
                ["Data", "Descrição", "Valor", "31/01/2026", "PADARIA E CONFEITARIA"]
                    .map(|text| format!("<si><t>{text}</t></si>"))
                    .concat()
            ),
        ),
        ("xl/s.xml", format!("<worksheet><sheetData>{header}{row}</sheetData></worksheet>")),
    ] {
        writer.start_file(path, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn a_spreadsheet_of_which_far_more_comes_out_than_was_sent_takes_little_memory() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let scratch = ScratchDir::new();
    let program = Program::serve(scratch.path());
    let ana = user(&scratch, &program);
    let file = workbook();
    assert!(file.len() < 4 * 1024 * 1024, "{} bytes", file.len());
    let before = kilobytes(&program, "VmHWM");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| ana.preview(&file).invalid(&["file"]));
        }
    });
    let added = kilobytes(&program, "VmHWM") - before;
    println!("two spreadsheets of {} bytes added {added} kB", file.len());
    assert!(added <= SPREADSHEET_KILOBYTES_MAX, "{added} kB");
}

#[test]
fn connections_beyond_the_limit_of_open_files_leave_the_service_ready() {
    let scratch = ScratchDir::new();
    let shell = Program::command(scratch.path());
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -Sn {OPEN_FILES}; exec \"$0\"")).arg(finance_binary());
    command.current_dir(std::env::temp_dir());
    for (key, value) in shell.get_envs() {
        match value {
            Some(value) => command.env(key, value),
            None => command.env_remove(key),
        };
    }
    let program = Program::start(&mut command);
    let held: Vec<TcpStream> = (0..OPEN_FILES + 100)
        .map(|_| {
            let mut stream = TcpStream::connect(program.address()).unwrap();
            stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ").unwrap();
            stream
        })
        .collect();
    program.client().get("/readyz").ok();
    assert!(!program.log().contains("had died"), "{}", program.log());
    drop(held);
}
