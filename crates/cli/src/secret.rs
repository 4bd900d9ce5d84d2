//! The secrets that are configured, or generated once in the data directory of the private database: the one that signs tokens, and
//! the key of push messages. Also the token that this program sends to a service.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, Result, bail};
use finance_adapters_delivery::PushKey;

use crate::configuration::Configuration;

/// A secret that is kept in the data directory.
struct Kept {
    file: &'static str,
    /// What errors call it.
    what: &'static str,
    /// Makes a new one, as text.
    make: fn() -> Result<String>,
}

const TOKEN_SECRET: Kept =
    Kept { file: "jwt_secret", what: "the token secret in the data directory", make: random_secret };
const PUSH_KEY: Kept =
    Kept { file: "push_key", what: "the push key in the data directory", make: || Ok(PushKey::generate()?) };
/// Random bytes of a generated secret: twice what HS256 requires.
const RANDOM_BYTES: usize = 64;
/// The maximum number of bytes that are read of a token.
const TOKEN_BYTES_MAX: u64 = 4096;

/// The configured secret. None with the private database, which uses the [`kept`] one.
pub(crate) fn configured(configuration: &Configuration) -> Result<Option<Vec<u8>>> {
    match (&configuration.jwt_secret, &configuration.database_url) {
        (Some(secret), _) => Ok(Some(secret.clone().into_bytes())),
        (None, Some(_)) => bail!("JWT_SECRET is required with DATABASE_URL: at least 32 bytes"),
        (None, None) => Ok(None),
    }
}

/// The secret in the data directory. Generated the first time.
pub(crate) fn kept(data_dir: &Path) -> Result<Vec<u8>> {
    TOKEN_SECRET.read_or_make(data_dir)
}

/// The key of push messages: the configured one, or that of the private database, which is made the first time. None with a database
/// of one's own and no setting.
pub(crate) fn push_key(configuration: &Configuration) -> Result<Option<PushKey>> {
    let text = match (&configuration.push_key, &configuration.database_url) {
        (Some(key), _) => key.clone(),
        (None, Some(_)) => return Ok(None),
        (None, None) => String::from_utf8(PUSH_KEY.read_or_make(&configuration.data_dir)?).context(PUSH_KEY.what)?,
    };
    PushKey::parse(&text)
        .map(Some)
        .with_context(|| format!("{} is not one that `finance push-key` makes", PUSH_KEY.what))
}

fn random_secret() -> Result<String> {
    let mut random = [0; RANDOM_BYTES];
    getrandom::fill(&mut random)?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Kept {
    /// The content of its file.
    fn read_or_make(&self, data_dir: &Path) -> Result<Vec<u8>> {
        let path = data_dir.join(self.file);
        match fs::read(&path) {
            Ok(secret) => {
                let mode = fs::metadata(&path)?.permissions().mode() & 0o777;
                if mode & 0o077 != 0 {
                    bail!("{} is readable by others (mode {mode:o}); delete it, or chmod 600", path.display());
                }
                Ok(secret)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => self.generate(data_dir, &path).context(self.what),
            Err(error) => Err(error).context(self.what),
        }
    }

    /// Writes a new secret atomically. If two processes start together, both use the first one's.
    fn generate(&self, data_dir: &Path, path: &Path) -> Result<Vec<u8>> {
        let secret = (self.make)()?;
        let draft = data_dir.join(format!("{}.{}", self.file, std::process::id()));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        file.write_all(secret.as_bytes())?;
        file.sync_all()?;
        let linked = fs::hard_link(&draft, path);
        fs::remove_file(&draft)?;
        match linked {
            Ok(()) => Ok(secret.into_bytes()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(fs::read(path)?),
            Err(error) => Err(error.into()),
        }
    }
}

/// The token that this program sends to a service: `FINANCE_TOKEN`, or the content of `FINANCE_TOKEN_FILE`. It is never an
/// argument, because other users of the machine could see it.
pub(crate) fn token(configuration: &Configuration) -> Result<Option<String>> {
    let token = match (&configuration.token, &configuration.token_file) {
        (Some(token), _) => token.clone(),
        (None, Some(path)) => {
            let what = || format!("FINANCE_TOKEN_FILE {}", path.display());
            let mode = fs::metadata(path).with_context(what)?.permissions().mode() & 0o777;
            // The bits of the group may represent an access control list, as on the credentials of a systemd unit.
            if mode & 0o007 != 0 {
                bail!("{} is readable by others (mode {mode:o}); chmod 600", what());
            }
            let mut text = String::new();
            File::open(path)?.take(TOKEN_BYTES_MAX).read_to_string(&mut text).with_context(what)?;
            text.trim().to_string()
        }
        (None, None) => return Ok(None),
    };
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        bail!("the token in FINANCE_TOKEN or FINANCE_TOKEN_FILE is not one: it must be visible ASCII characters");
    }
    Ok(Some(token))
}
