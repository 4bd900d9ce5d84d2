//! `finance health`, the health check of containers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Output;

use finance_tests::{Program, ScratchDir};

fn health(scratch: &ScratchDir, bind: &str) -> Output {
    let mut command = Program::command(scratch.path());
    command.arg("health").env("FINANCE_BIND", bind).output().expect("the program runs")
}

#[track_caller]
fn unhealthy(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(errors.starts_with("finance: ") && errors.lines().count() == 1, "{errors:?}");
    errors
}

#[test]
fn health_tells_whether_the_service_can_answer() {
    let scratch = ScratchDir::migrated();
    let mut service = Program::serve(scratch.path());
    let address = service.url().replace("http://", "");
    let output = health(&scratch, &address);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{address} is ready\n"));
    let port = address.rsplit(':').next().unwrap();
    assert!(health(&scratch, &format!("0.0.0.0:{port}")).status.success());
    service.signal("TERM");
    assert!(service.wait());
    assert!(unhealthy(&health(&scratch, &address)).contains(&format!("no answer from {address}")));
}

#[test]
fn strangers_who_ask_too_do_not_make_the_service_unhealthy() {
    let scratch = ScratchDir::new();
    let service = Program::serve(scratch.path());
    let mut strangers: Vec<TcpStream> = (0..400).map(|_| TcpStream::connect(service.address()).unwrap()).collect();
    // Half of them send nothing. The others send several requests each, so that at any time as many wait for an answer. They are
    // no more than a busy machine answers well within the time that the check waits.
    for stream in strangers.iter_mut().take(200) {
        stream.write_all("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(8).as_bytes()).unwrap();
    }
    for _ in 0..3 {
        let output = health(&scratch, &service.address().to_string());
        assert!(output.status.success(), "{output:?}");
    }
    for stream in strangers.iter_mut().take(200) {
        let mut answers = [0; 4096];
        let length = stream.read(&mut answers).unwrap();
        let answers = String::from_utf8_lossy(&answers[..length]);
        assert!(answers.starts_with("HTTP/1.1 200 ") && !answers.contains("HTTP/1.1 503"), "{answers}");
    }
}

#[test]
fn a_service_that_cannot_answer_is_not_healthy() {
    let scratch = ScratchDir::new();
    for (answer, expected) in [
        ("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", "is not ready: status 503"),
        ("SSH-2.0-something\r\n", "no answer from"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address").to_string();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a caller");
            let mut head = BufReader::new(stream.try_clone().expect("a second handle")).lines();
            assert_eq!(head.next().unwrap().unwrap(), "GET /readyz HTTP/1.1");
            assert!(head.any(|line| line.unwrap().is_empty()), "the end of the head");
            stream.write_all(answer.as_bytes()).expect("written");
        });
        assert!(unhealthy(&health(&scratch, &address)).contains(expected));
        server.join().unwrap();
    }
}
