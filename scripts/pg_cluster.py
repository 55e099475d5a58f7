"""A throw-away PostgreSQL 15 cluster: start it, talk to it with psql, take its files, throw it away.

Standard library only, so that the fixture generator, the live test lane and the perf lane can use it on a
fresh Debian 12 machine with the package postgresql-15:

    with pg_cluster.Cluster(checksums=True) as cluster:
        cluster.psql("CREATE TABLE t (k int4); CREATE INDEX i ON t (k)")
        print(cluster.psql("SELECT count(*) FROM t"))
        cluster.checkpoint()
        shutil.copy(cluster.relation_path("i"), "index")

The cluster listens on a Unix socket in its own folder and on nothing else. Leaving the `with` block stops the
server and removes the folder, also after an exception; SIGTERM and SIGHUP are turned into one (see
`exit_on_signals`). Server programs refuse to run as root, so as root they run as the user `postgres`.

Errors: `PgError` carries one line that says what failed and what to do; `SqlError` (a PgError) carries the
server's message.
"""

import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BIN_FOLDERS = ("/usr/lib/postgresql/15/bin",)
PROGRAMS = ("initdb", "pg_ctl", "postgres", "psql", "pg_waldump")
SERVER_USER = "postgres"

# Nothing may change pages behind the caller's back, and durability is of no use here.
BASE_CONF = {
    "listen_addresses": "",
    "fsync": "off",
    "autovacuum": "off",
    "jit": "off",
    "max_parallel_maintenance_workers": "0",
    "bgwriter_lru_maxpages": "0",
    "checkpoint_timeout": "1h",
    "max_wal_size": "4GB",
    "shared_buffers": "64MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "warning",
}


class PgError(Exception):
    """The environment failed: a program is missing, the server does not start, a file cannot be read."""


class SqlError(PgError):
    """The server refused a statement. `message` is its primary message without 'ERROR:'."""

    def __init__(self, message, stderr):
        super().__init__(message)
        self.message = message
        self.stderr = stderr


def find_bin_folder():
    """Returns the folder with PostgreSQL 15's server programs; PG_BINDIR overrides where to look."""
    folders = [os.environ["PG_BINDIR"]] if os.environ.get("PG_BINDIR") else BIN_FOLDERS
    for folder in folders:
        if all(os.access(os.path.join(folder, program), os.X_OK) for program in PROGRAMS):
            return folder
    raise PgError(
        f"PostgreSQL 15 server programs not found in {', '.join(folders)}: "
        "install the package postgresql-15, or set PG_BINDIR"
    )


def is_available():
    """True if a cluster can be started here; the live lane skips itself with a message otherwise."""
    try:
        find_bin_folder()
        _server_user()
    except PgError:
        return False
    return True


def exit_on_signals():
    """Turns SIGTERM and SIGHUP into SystemExit, so that clusters are removed on the way out."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, frame: sys.exit(128 + received))


def _server_user():
    """The passwd entry of the user that owns the server, or None if that is the caller."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(SERVER_USER)
    except KeyError:
        raise PgError(
            f"running as root and there is no user '{SERVER_USER}': install the package postgresql-15"
        ) from None


def _clean_environment(**extra):
    """The caller's environment without PG* settings, which would change what psql prints or where it goes."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    kept.update({"LC_ALL": "C.UTF-8", "TZ": "UTC"})
    kept.update({name: value for name, value in extra.items() if value})
    return kept


class Cluster:
    """One cluster in one temporary folder.

    checksums    initdb -k or not.
    extra_conf   settings beyond BASE_CONF, name -> value.
    locale_path  folder for LOCPATH, for libc locales that the machine does not have.
    data_from    data folder of a stopped cluster to copy instead of running initdb.
    recovery     settings under which the first start recovers from another cluster's log, such as
                 restore_command and recovery_target_lsn; needs data_from.
    initdb       more options of initdb, such as --wal-segsize=1.

    `database` is the one that psql() and session() connect to.
    """

    def __init__(self, checksums=False, extra_conf=None, locale_path=None, data_from=None,
                 recovery=None, initdb=()):
        self.bin_folder = find_bin_folder()
        self.checksums = checksums
        self.locale_path = locale_path
        self._conf = {**BASE_CONF, **(extra_conf or {})}
        self._data_from = data_from
        self._recovery = recovery
        self._initdb = tuple(initdb)
        self._user = _server_user()
        self.folder = None
        self.running = False
        self.database = "postgres"

    # --- life -----------------------------------------------------------------------------------------

    def __enter__(self):
        # In /tmp and not in TMPDIR, since a socket path must stay below 108 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tornleaf-pg-", dir="/tmp"))
        try:
            if self._user:
                os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
            self._create_data_folder()
            self.configure(**(self._recovery or {}))
            if self._recovery:
                (self.data_dir / "recovery.signal").touch()
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, kind, value, traceback):
        self.remove()

    @property
    def data_dir(self):
        return self.folder / "data"

    @property
    def log_path(self):
        return self.folder / "server.log"

    def _create_data_folder(self):
        if self._data_from:
            self.run_as_server(["cp", "-a", str(self._data_from), str(self.data_dir)])
            (self.data_dir / "postmaster.pid").unlink(missing_ok=True)
            return
        checksums = ["--data-checksums"] if self.checksums else []
        self.run_program(
            "initdb", "--no-sync", "--encoding=UTF8", "--locale=C", "--auth=trust",
            f"--username={SERVER_USER}", f"--pgdata={self.data_dir}", *checksums,
            *self._initdb,
        )

    def configure(self, **settings):
        """Adds or changes settings; they hold from the next start (or reload) on."""
        self._conf.update(settings)
        conf = {**self._conf, "unix_socket_directories": str(self.folder)}
        lines = [f"{name} = '{value}'\n" for name, value in sorted(conf.items())]
        path = self.data_dir / "postgresql.auto.conf"
        path.write_text("".join(lines), encoding="utf-8")

    def start(self):
        """Starts the server and returns when it answers; a standby answers once it is consistent."""
        try:
            self.run_program(
                "pg_ctl", "start", "--wait", "--silent", "--timeout=60",
                f"--pgdata={self.data_dir}", f"--log={self.log_path}",
            )
        except PgError:
            with contextlib.suppress(PgError):
                self._stop("immediate")
            raise PgError(f"the server does not start; its log ends: {self._log_tail()}") from None
        self.running = True

    def stop(self):
        """Clean shutdown: a shutdown checkpoint leaves every page in its file."""
        self._stop("fast")

    def stop_immediate(self):
        """Stops as a crash would: nothing is flushed, the next start() runs recovery."""
        self._stop("immediate")

    def _stop(self, mode):
        self.running = False
        self.run_program(
            "pg_ctl", "stop", "--wait", "--silent", f"--mode={mode}", f"--pgdata={self.data_dir}"
        )

    def restart(self):
        self.stop()
        self.start()

    def remove(self):
        """Stops the server if it runs and removes the folder. May be called more than once."""
        if self.folder is None:
            return
        if (self.data_dir / "postmaster.pid").exists():
            with contextlib.suppress(PgError):
                self._stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder = None

    def _log_tail(self):
        try:
            lines = self.log_path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return "(no log)"
        return " | ".join(lines[-4:])

    # --- programs -------------------------------------------------------------------------------------

    def run_program(self, name, *arguments):
        """Runs a server program as the owner of the cluster and returns its standard output."""
        return self.run_as_server([os.path.join(self.bin_folder, name), *arguments])

    def run_as_server(self, command):
        prefix = ["runuser", "-u", SERVER_USER, "--"] if self._user else []
        # The server inherits the descriptors, so they must not be pipes that a reader waits on.
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                prefix + command, cwd="/", env=_clean_environment(LOCPATH=self.locale_path),
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False,
            )
            output.seek(0)
            text = output.read().decode("utf-8", "replace")
        if done.returncode != 0:
            last = text.strip().splitlines()[-1:] or ["no message"]
            raise PgError(f"{os.path.basename(command[0])} failed ({done.returncode}): {last[0]}")
        return text

    def run_client(self, name, *arguments):
        """Runs a client program other than psql against the cluster; returns (exit code, everything it wrote)."""
        done = subprocess.run(
            [os.path.join(self.bin_folder, name), "-h", str(self.folder), "-U", SERVER_USER, "-d", self.database,
             *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace",
            env=_clean_environment(), check=False,
        )
        return done.returncode, done.stdout

    def _psql_command(self, options):
        return [
            os.path.join(self.bin_folder, "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1",
            "-h", str(self.folder), "-U", SERVER_USER, "-d", self.database, *options,
        ]

    def psql(self, sql, options=("-At",), settings=None):
        """Runs a psql script (statements and backslash commands) and returns its standard output.

        Statements run one by one, each in its own transaction, all in one session. `settings` are server
        settings of the session, name -> value. Raises SqlError at the first statement that fails.
        """
        pgoptions = " ".join(f"-c {name}={value}" for name, value in (settings or {}).items())
        done = subprocess.run(
            self._psql_command(options), input=sql, capture_output=True, text=True,
            encoding="utf-8", check=False,
            env=_clean_environment(PGOPTIONS=pgoptions, PGCLIENTENCODING="UTF8"),
        )
        if done.returncode != 0:
            raise SqlError(_primary_message(done.stderr), done.stderr)
        return done.stdout

    def copy(self, query, path, settings=None):
        """Writes COPY (query) TO STDOUT, text format, to a file of the caller."""
        self.psql(f"\\o '{path}'\nCOPY ({query}) TO STDOUT;\n", settings=settings)

    def session(self, settings=None):
        """A session that stays open, for transactions that must outlast other statements."""
        return Session(self, settings)

    # --- files ----------------------------------------------------------------------------------------

    def checkpoint(self):
        self.psql("CHECKPOINT")

    def relation_path(self, name, fork="main", settings=None):
        """Path of the first segment of a relation's fork; call checkpoint() or stop() before reading it."""
        suffix = "" if fork == "main" else f"_{fork}"
        relative = self.psql(f"SELECT pg_relation_filepath('{name}')", settings=settings).strip()
        return self.data_dir / (relative + suffix)

    def copy_data_folder(self, target, with_log=True):
        """Copies the data folder of the stopped server, for Cluster(data_from=target).

        Without its log the copy can only start with `recovery` settings that say where the log is.
        """
        assert not self.running, "the server must be stopped"
        self.run_as_server(["cp", "-a", str(self.data_dir), str(target)])
        if not with_log:
            for segment in pathlib.Path(target, "pg_wal").glob("0*"):
                segment.unlink()

    def replace_files(self, pairs):
        """Puts the bytes of each (path, source) in place of a relation's file, with the server stopped meanwhile.

        `path` is what relation_path() answered before.
        """
        self.stop()
        for path, source in pairs:
            # Truncated and written in place: owner and mode stay as the server wants them.
            with open(source, "rb") as new, open(path, "wb") as file:
                shutil.copyfileobj(new, file)
        self.start()


class Session:
    """One psql process kept open; run() sends a script and waits until it has been carried out."""

    _MARK = "tornleaf-done"

    def __init__(self, cluster, settings=None):
        pgoptions = " ".join(f"-c {name}={value}" for name, value in (settings or {}).items())
        self._process = subprocess.Popen(
            cluster._psql_command(("-At",)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, encoding="utf-8",
            env=_clean_environment(PGOPTIONS=pgoptions, PGCLIENTENCODING="UTF8"),
        )

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.close()

    def run(self, sql):
        """Runs the script; returns its output. Raises SqlError if psql gave up on a statement."""
        self.send(sql)
        return self.wait()

    def send(self, sql):
        """Starts the script and returns at once; wait() must follow before the next one."""
        self._process.stdin.write(f"{sql}\n;\n\\echo {self._MARK}\n")
        self._process.stdin.flush()

    def wait(self):
        """Waits for what send() started and returns its output, or raises SqlError."""
        lines = []
        for line in self._process.stdout:
            if line.rstrip("\n") == self._MARK:
                return "".join(lines)
            lines.append(line)
        text = "".join(lines)
        raise SqlError(_primary_message(text), text)

    def close(self):
        """Ends the session; an open transaction is rolled back."""
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def wait_until(cluster, query, answer, seconds=30):
    """Asks until the query gives the answer; PgError when it has not come in time."""
    deadline = time.monotonic() + seconds
    while cluster.psql(query).strip() != answer:
        if time.monotonic() > deadline:
            raise PgError(f"waited {seconds} s in vain for '{answer}' from: {query}")
        time.sleep(0.05)


def _primary_message(stderr):
    """The text after the first 'ERROR:' in psql's output, else its last line."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    for line in lines:
        _, found, message = line.partition("ERROR:  ")
        if found:
            return message
    return lines[-1] if lines else "psql failed without a message"


def make_libc_locale(folder, name="en_US.UTF-8"):
    """Compiles a libc locale into `folder`, for Cluster(locale_path=folder). Returns False if it cannot."""
    language, _, charmap = name.partition(".")
    done = subprocess.run(
        ["localedef", "--no-archive", "-i", language, "-f", charmap, os.path.join(folder, name)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
    ) if shutil.which("localedef") else None
    # localedef answers 1 when it only had warnings.
    return done is not None and done.returncode in (0, 1) and os.path.isdir(os.path.join(folder, name))
