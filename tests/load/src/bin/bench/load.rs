//! Load on the service, sent by `wrk`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use finance_tests::ScratchDir;
use serde_json::Value;

use crate::data::Household;
use crate::stage::find;

/// The number of concurrent connections.
pub(crate) const CONNECTIONS: u32 = 16;

/// The script of `wrk`. It reads a token and ids from each line, sends each request for a random household, and prints the result
/// as JSON.
const SCRIPT: &str = r#"
local households = {}
local seed = 0
function setup(thread) thread:set("number", seed); seed = seed + 1 end
function init(args)
  math.randomseed(os.time() + number * 7919)
  for line in io.lines(args[1]) do
    local token, account, category = line:match("(%S+) (%S+) (%S+)")
    households[#households + 1] = { token, account, category }
  end
end
function request()
  local h = households[math.random(#households)]
  local headers = { ["Authorization"] = "Bearer " .. h[1] }
  REQUEST
end
function done(summary, latency, requests)
  local failed = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout
  io.write(string.format('\n{"requests":%d,"seconds":%f,"failed":%d,"p50":%f,"p99":%f,"max":%f}\n',
    summary.requests, summary.duration / 1e6, failed,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
"#;

/// A request that `wrk` repeats, each time for a random household.
pub(crate) enum Ask {
    /// `GET` of a path.
    Get(String),
    /// `GET` of a path, by who has the answer with this entity tag.
    GetIfChanged(String, String),
    /// `POST` of a path with a body. The body is a Lua expression that may use `h` (token, account, category).
    Post(String, String),
}

/// The result of one round: requests per second, and times in milliseconds.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    pub(crate) rate: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

/// A load that can be repeated.
pub(crate) struct Load {
    script: PathBuf,
    households: PathBuf,
    _scratch: ScratchDir,
}

impl Load {
    pub(crate) fn new(ask: &Ask, households: &[Household]) -> Self {
        let scratch = ScratchDir::new();
        std::fs::create_dir_all(scratch.path()).unwrap();
        let request = match ask {
            Ask::Get(path) => format!("return wrk.format('GET', '{path}', headers)"),
            Ask::GetIfChanged(path, tag) => {
                format!("headers['If-None-Match'] = '{tag}'\n  return wrk.format('GET', '{path}', headers)")
            }
            Ask::Post(path, body) => format!(
                "headers['Content-Type'] = 'application/json'\n  return wrk.format('POST', '{path}', headers, {body})"
            ),
        };
        let file = |name: &str, text: String| {
            let path = scratch.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let lines = households.iter().map(|h| format!("{} {} {}\n", h.token, h.account, h.category)).collect();
        Load {
            script: file("load.lua", SCRIPT.replace("REQUEST", &request)),
            households: file("households", lines),
            _scratch: scratch,
        }
    }

    /// Runs the load on a service for the given time.
    pub(crate) fn run(&self, url: &str, duration: Duration) -> Turn {
        let wrk = find("wrk").unwrap();
        let output = Command::new(wrk)
            .args(["-t1", &format!("-c{CONNECTIONS}"), &format!("-d{}s", duration.as_secs()), "--timeout=20s"])
            .arg("-s")
            .args([Path::new(&self.script), Path::new(url), Path::new("--"), &self.households])
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        let line = printed.lines().rev().find(|line| line.starts_with('{'));
        let line = line.unwrap_or_else(|| panic!("wrk: {printed}{}", String::from_utf8_lossy(&output.stderr)));
        let figures: Value = serde_json::from_str(line).unwrap();
        assert_eq!(figures["failed"], 0, "requests failed: {printed}");
        let figure = |name: &str| figures[name].as_f64().unwrap();
        Turn {
            rate: figure("requests") / figure("seconds"),
            p50: figure("p50"),
            p99: figure("p99"),
            max: figure("max"),
        }
    }
}
