"""A PostgreSQL server of the tests' own, in a folder of its own, on a socket and no port."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

_PROGRAMS = Path("/usr/lib/postgresql")
# It refuses to run as root; then an account without rights runs it.
_STAND_INS = ("postgres", "nobody")


def programs() -> Path | None:
    """Return the folder of the server's programs, None where there are none."""
    found = sorted(_PROGRAMS.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


class Server:
    """A cluster that can be stopped and started; ``url`` is its database."""

    def __init__(self, bin_: Path) -> None:
        self._bin = bin_
        # A short path: that of a socket has some hundred characters at most.
        self.folder = Path(tempfile.mkdtemp(prefix="gk-pg-"))
        self._user = None if os.geteuid() else _stand_in()
        if self._user is not None:
            shutil.chown(self.folder, self._user)
        self._run("initdb", "-D", self._data, "-U", "gate", "--auth=trust", "--no-sync")
        self.url = f"postgresql://gate@/postgres?host={self.folder}"

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def start(self) -> None:
        """Start and wait until it answers."""
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", self._data, "-w", "-l", log, "-o", options, "start")

    def stop(self) -> None:
        """Stop at once, whatever is connected."""
        self._run("pg_ctl", "-D", self._data, "-w", "-m", "immediate", "stop")

    def remove(self) -> None:
        """Stop and take the folder away."""
        self._run("pg_ctl", "-D", self._data, "-w", "-m", "immediate", "stop", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str, check: bool = True) -> None:
        subprocess.run(
            [str(self._bin / program), *arguments],
            check=check,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=self._user,
            cwd="/",
        )


def _stand_in() -> str:
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in _STAND_INS if name in known)
