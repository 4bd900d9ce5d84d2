"""Static checks of the files in deploy/, without a container engine and without a build.

Prints the problems, one per line, and exits with 1 if there are any.
"""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
# Keys that are not the service's own: PostgreSQL's image reads them, and compose.yaml puts one into DATABASE_URL.
FOREIGN_KEYS = {"POSTGRES_PASSWORD", "POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD_FILE", "CARGO_TERM_COLOR", "JEMALLOC_SYS_WITH_LG_PAGE"}
problems = []


def skip(what):
    """Says what is not checked. In CI nobody would read it, so there it is a problem."""
    print(f"skipped: {what}", file=sys.stderr)
    expect(not os.environ.get("CI"), what)


def expect(holds, problem):
    if not holds:
        problems.append(problem)


def settings():
    """All settings. The shipped file names each, which a test of the program checks."""
    return set(re.findall(r"^# ([A-Z_]+) = ", (ROOT / "config/finance.toml").read_text(), re.MULTILINE))


def context():
    """The files of the repository that .dockerignore lets into the build."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    files = set()
    for file in listed.stdout.splitlines():
        parents = [file, *map(str, Path(file).parents)]
        ignored = False
        for rule in rules:
            pattern = rule.removeprefix("!").rstrip("/")
            # A rule matches a path and everything below it; its stars stop at a slash.
            if any(path.count("/") == pattern.count("/") and fnmatch.fnmatch(path, pattern) for path in parents if path != "."):
                ignored = not rule.startswith("!")
        if not ignored:
            files.add(file)
    return files


def dockerfile(keys):
    text = re.sub(r"\\\n", " ", (DEPLOY / "Dockerfile").read_text())
    steps = [line.split(None, 1) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    files = context()
    expect(files, "Dockerfile: nothing is in the context")
    secrets = [file for file in files if ".env" in file or file.startswith((".git", "target", "deploy"))]
    expect(not secrets, f".dockerignore does not exclude {secrets}")
    stages = [index for index, (name, _) in enumerate(steps) if name == "FROM"]
    for name, rest in steps:
        if name == "FROM":
            expect(re.match(r"^[\w./-]+:[\w.-]+", rest) and ":latest" not in rest, f"Dockerfile: FROM {rest} names no version")
        if name == "COPY" and not rest.startswith("--from="):
            for source in rest.split()[:-1]:
                there = any(file == source or file.startswith(source.rstrip("/") + "/") for file in files)
                expect(there, f"Dockerfile: COPY {source}: not in the context")
        if name == "ENV":
            for key in re.findall(r"([A-Z_]+)=", rest):
                expect(key in keys | FOREIGN_KEYS, f"Dockerfile: {key} is not a setting")
    # What the program embeds has to be copied too.
    copied = [source for name, rest in steps if name == "COPY" for source in rest.split()[:-1]]
    for source in (ROOT / "crates").rglob("src/**/*.rs"):
        for embedded in re.findall(r'(?:include_str|include_bytes|embed_migrations)!\(\s*"([^"]+)"', source.read_text()):
            base = source.parent if "include" in source.read_text() and not embedded.endswith("migrations") else ROOT / Path(*source.relative_to(ROOT).parts[:2])
            path = os.path.relpath(os.path.normpath(base / embedded), ROOT)
            expect(any(path == part or path.startswith(part + "/") for part in copied), f"Dockerfile: {source.relative_to(ROOT)} embeds {path}, which is not copied")
    named = {str(path.relative_to(ROOT)) for path in [*ROOT.glob("crates/*/Cargo.toml"), *ROOT.glob("tests/**/Cargo.toml")]}
    expect(named <= set(copied), f"Dockerfile: COPY of {sorted(named - set(copied))} is missing")
    last = steps[stages[-1] :]
    users = [rest.split(":")[0] for name, rest in last if name == "USER"]
    expect(users and users[-1] not in {"0", "root"}, "Dockerfile: it runs as root")
    expect(any(name == "HEALTHCHECK" and '"health"' in rest for name, rest in last), "Dockerfile: no HEALTHCHECK")
    expect(len(stages) > 1, "Dockerfile: one stage only")


def manifests(_):
    """Cargo accepts the manifests at each of the Dockerfile's builds, with the files that are copied by then."""
    if not shutil.which("cargo"):
        skip("cargo is not installed; the layers of the Dockerfile are not checked with it")
        return
    text = re.sub(r"\\\n", " ", (DEPLOY / "Dockerfile").read_text())
    compiling = re.split(r"^FROM ", text, flags=re.MULTILINE)[1]
    files = context()
    with tempfile.TemporaryDirectory() as scratch:
        for line in compiling.splitlines():
            name, _, rest = line.partition(" ")
            if name == "COPY":
                *sources, target = rest.split()
                for file in files:
                    for source in sources:
                        if file != source and not file.startswith(source + "/"):
                            continue
                        to = Path(scratch, target, os.path.relpath(file, source if file != source else Path(source).parent))
                        to.parent.mkdir(parents=True, exist_ok=True)
                        shutil.copy(ROOT / file, to)
            elif name == "RUN" and "cargo build" in rest:
                subprocess.run(rest.split("&& cargo build")[0], shell=True, cwd=scratch, check=True)
                read = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
                told = subprocess.run(read, cwd=scratch, capture_output=True, text=True)
                expect(told.returncode == 0, f"Dockerfile: {told.stderr.strip()}")


def compose(keys):
    try:
        import yaml
    except ImportError:
        skip("PyYAML is not installed; compose.yaml is not checked")
        return
    text = (DEPLOY / "compose.yaml").read_text()
    document = yaml.safe_load(text)
    services = document["services"]
    for name, service in services.items():
        what = f"compose.yaml: {name}"
        for other, how in service.get("depends_on", {}).items():
            expect(other in services, f"{what} depends on {other}, which is not there")
            expect(how.get("condition") == "service_healthy", f"{what} does not wait for {other}'s health")
            expect("healthcheck" in services.get(other, {}), f"{what}: {other} has no health check")
        for key in service.get("environment", {}):
            expect(key in (keys if "build" in service else FOREIGN_KEYS), f"{what}: {key} is not a setting")
        for kind in ("networks", "secrets"):
            for used in service.get(kind, []):
                expect(used in document.get(kind, {}), f"{what}: {used} is not under {kind}")
        for volume in service.get("volumes", []):
            expect(volume.split(":")[0] in document["volumes"], f"{what}: {volume} is not under volumes")
        for port in service.get("ports", []):
            expect(str(port).startswith("127.0.0.1:"), f"{what}: port {port} is open to the world")
        expect("restart" in service, f"{what} is not restarted")
        expect(service.get("ulimits", {}).get("core") == 0, f"{what} may dump core")
        expect("no-new-privileges:true" in service.get("security_opt", []), f"{what} may gain privileges")
        if "build" in service:
            base = DEPLOY / service["build"]["context"]
            expect((base / service["build"]["dockerfile"]).is_file(), f"{what}: its Dockerfile is not there")
    example = (DEPLOY / "env.example").read_text()
    for key, _ in re.findall(r"\$\{([A-Z_]+)(:[^}]*)?\}", text) + re.findall(r"environment: ([A-Z_]+)()$", text, re.MULTILINE):
        expect(re.search(rf"^#?{key}=", example, re.MULTILINE), f"env.example does not name {key}")


def unit(keys):
    text = (DEPLOY / "finance.service").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    for key in re.findall(r"^Environment=([A-Z_]+)=", text, re.MULTILINE):
        expect(key in keys, f"finance.service: {key} is not a setting")
    for line in ["LimitCORE=0", "NoNewPrivileges=yes", "ProtectSystem=strict", "KillMode=mixed"]:
        expect(line in lines, f"finance.service: {line} is missing")
    expect(not any(line.startswith("User=root") for line in lines), "finance.service: it runs as root")


def environment(keys):
    for name in ["env.example", "debian/finance.env"]:
        for key in re.findall(r"^#?([A-Z_]+)=", (DEPLOY / name).read_text(), re.MULTILINE):
            expect(key in keys | FOREIGN_KEYS, f"{name}: {key} is not a setting")


known = settings()
expect("DATABASE_URL" in known, "config/finance.toml names no settings")
for check in (dockerfile, manifests, compose, unit, environment):
    check(known)
for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
