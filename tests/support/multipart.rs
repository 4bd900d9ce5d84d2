//! Multipart forms.

const BOUNDARY: &str = "finance-tests-boundary-7f3a";

/// A form to send.
#[derive(Default)]
pub struct Form {
    body: Vec<u8>,
}

impl Form {
    /// An empty form.
    pub fn new() -> Self {
        Form::default()
    }

    /// Adds the file to preview.
    #[must_use]
    pub fn file(mut self, name: &str, bytes: &[u8]) -> Self {
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        );
        self.body.extend_from_slice(head.as_bytes());
        self.body.extend_from_slice(bytes);
        self.body.extend_from_slice(b"\r\n");
        self
    }

    /// Adds a text field.
    #[must_use]
    pub fn text(mut self, name: &str, value: &str) -> Self {
        let part = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        self.body.extend_from_slice(part.as_bytes());
        self
    }

    /// The content type, with the boundary, and the body.
    pub fn build(mut self) -> (String, Vec<u8>) {
        self.body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        (format!("multipart/form-data; boundary={BOUNDARY}"), self.body)
    }
}
