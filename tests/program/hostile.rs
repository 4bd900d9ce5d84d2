//! Malicious clients: the memory and the open files of the process, and whether others are answered.

use std::io::{Cursor, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use finance_tests::{Method, PASSWORD, Program, ScratchDir, notice};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The most memory that four bodies of a million rows may add, in kB.
const BODY_KILOBYTES_MAX: u64 = 64 * 1024;
/// The most memory, in kB, that two spreadsheets may add that have as many cells and texts as the service reads. One
/// profile has no more than two at once.
const SPREADSHEET_KILOBYTES_MAX: u64 = 2 * 96 * 1024;
/// The number of requests that are sent while bodies are parsed.
const PROBES: usize = 40;
/// A limit of open files below the number of connections.
const OPEN_FILES: u32 = 256;

/// A value in kilobytes of the process's `/proc` status.
fn kilobytes(program: &Program, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').split_whitespace().next().unwrap().parse().unwrap()
}

/// Sets a flag when it is dropped, also if the test panics.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Whether memory can be measured here.
fn has_proc() -> bool {
    if !cfg!(target_os = "linux") {
        notice("this is not Linux: the memory of the process is not measured");
    }
    cfg!(target_os = "linux")
}

#[test]
fn bodies_of_countless_tiny_rows_take_little_memory_and_keep_nobody_waiting() {
    if !has_proc() {
        return;
    }
    let scratch = ScratchDir::with_user();
    let program = Program::serve(scratch.path());
    let ana = program.login("ana", PASSWORD);
    let body = format!("{{\"rows\":[{}0]}}", "0,".repeat(1024 * 1024)).into_bytes();
    let send = || {
        ana.send(Method::POST, "/api/import/confirm", Some("application/json"), body.clone())
            .problem(422, "ErrValidation");
    };
    let before = kilobytes(&program, "VmHWM");
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(send))));
    let added = kilobytes(&program, "VmHWM") - before;
    println!("four bodies added {added} kB");
    assert!(added <= BODY_KILOBYTES_MAX, "{added} kB");

    // Four clients send such bodies without a pause. If others waited for the bodies, one would be answered during each probe.
    let (bodies, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let undelayed = std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    send();
                    bodies.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        let probe = |_: &usize| {
            let answered = bodies.load(Ordering::SeqCst);
            program.client().get("/healthz").ok();
            bodies.load(Ordering::SeqCst) == answered
        };
        let _ends_the_clients = SetOnDrop(&is_over);
        (0..PROBES).filter(probe).count()
    });
    println!("{undelayed} of {PROBES} requests were answered before the next of {} bodies", bodies.into_inner());
    // On a busy machine a body is answered now and then during a probe, by chance.
    assert!(undelayed > PROBES / 4, "{undelayed} of {PROBES}");
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
    if !has_proc() {
        return;
    }
    let scratch = ScratchDir::with_user();
    let program = Program::serve(scratch.path());
    let ana = program.login("ana", PASSWORD);
    let file = workbook();
    assert!(file.len() < 4 * 1024 * 1024, "{} bytes", file.len());
    let before = kilobytes(&program, "VmHWM");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| ana.preview(&file).problem(413, "ErrTooLarge"));
        }
    });
    let added = kilobytes(&program, "VmHWM") - before;
    println!("two spreadsheets of {} bytes added {added} kB", file.len());
    assert!(added <= SPREADSHEET_KILOBYTES_MAX, "{added} kB");
}

#[test]
fn connections_beyond_the_limit_of_open_files_leave_the_service_ready() {
    let scratch = ScratchDir::migrated();
    let program = Program::start(&mut Program::command_after(&format!("ulimit -Sn {OPEN_FILES}"), scratch.path()));
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
