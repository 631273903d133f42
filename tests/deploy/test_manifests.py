"""Every file in deploy/ is what its program takes, and runs a command line that we take."""

from __future__ import annotations

import configparser
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from diagnose.cli.watch import app
from diagnose.incidents.place import VARIABLE
from diagnose.watch.discovery import Discovery
from diagnose.watch.tail.system import OsFiles
from diagnose.watch.wiring import ALERTS, POLLING
from tests.watch.kit import Rig, blocks, told

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
COMPOSE = DEPLOY / "compose" / "compose.yaml"
KUBERNETES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
OURS = {VARIABLE, ALERTS, POLLING, "RBLN_DIAGNOSE_LANG", "RBLN_DIAGNOSE_KB"}


def parse(words: list[str]) -> Any:
    """The command line as our parser understands it; raises for one that it does not."""
    assert words[0] == "watch"
    return typer.main.get_command(app).main(args=words[1:], prog_name="watch", standalone_mode=False)


class Unit(configparser.RawConfigParser):
    """A unit file: names keep their case; a name may come twice."""

    def __init__(self, path: Path) -> None:
        super().__init__(strict=False, interpolation=None, comment_prefixes=("#", ";"), delimiters=("=",))
        self.optionxform = str  # type: ignore[assignment,method-assign]
        self.read(path, encoding="utf-8")


@pytest.mark.parametrize("path", UNITS, ids=lambda p: p.name)
def test_a_unit_runs_a_command_we_take_under_a_user_without_rights(path: Path) -> None:
    unit = Unit(path)
    service = unit["Service"]
    command = service["ExecStart"]
    words = shlex.split(command)
    if words[0] == "/bin/sh":
        words = shlex.split(words[2].rpartition("| exec ")[2])
    parse(words[words.index("watch") :])
    assert service["DynamicUser"] == "yes"
    assert service["NoNewPrivileges"] == "yes"
    assert service["Environment"].partition("=")[0] in OURS
    assert unit["Install"]["WantedBy"] == "multi-user.target"
    if service["Type"] == "notify":
        assert int(service["WatchdogSec"]) >= 30


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
@pytest.mark.parametrize("path", UNITS, ids=lambda p: p.name)
def test_systemd_understands_every_setting(path: Path, tmp_path: Path) -> None:
    # The program need not be installed to check the unit.
    text = path.read_text(encoding="utf-8").replace("/usr/local/bin/rbln-diagnose", "/bin/true")
    unit = tmp_path / path.name.replace("@", "@x")
    unit.write_text(text, encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if path.name.partition("@")[0] in line]
    assert not [line for line in said if "Unknown" in line or "ignoring" in line or "Failed to parse" in line], said


SERVICE_KEYS = {
    "image", "command", "devices", "ports", "volumes", "restart", "environment", "env_file", "healthcheck", "user",
    "read_only", "tmpfs", "cap_drop", "security_opt", "mem_limit", "cpus", "stop_grace_period",
}  # fmt: skip
"""Keys of the Compose specification that are used here."""


def test_the_compose_file_mounts_what_the_command_reads_and_writes() -> None:
    made = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
    assert set(made) == {"services", "volumes"}
    for service in made["services"].values():
        assert set(service) <= SERVICE_KEYS
    ours, server = made["services"]["rbln-diagnose"], made["services"]["vllm"]
    parse(ours["command"])
    assert set(ours["environment"]) <= OURS
    log = ours["command"][-1]
    mounts = dict(v.split(":")[:2] for v in ours["volumes"])
    assert mounts["vllm-log"] == str(Path(log).parent)
    assert dict(v.split(":")[:2] for v in server["volumes"])["vllm-log"] == mounts["vllm-log"]
    assert log in server["command"][-1]
    assert ours["environment"][VARIABLE].startswith(mounts["rbln-diagnose"])
    assert {v.partition(":")[0] for v in ours["volumes"]} == set(made["volumes"])


@pytest.mark.skipif(shutil.which("docker") is None, reason="docker is not here")
def test_docker_compose_takes_the_file() -> None:
    done = subprocess.run(
        ["docker", "compose", "-f", str(COMPOSE), "config", "--quiet"], capture_output=True, text=True, check=False
    )
    if "is not a docker command" in done.stderr or "unknown" in done.stderr or done.returncode in (125, 127):
        pytest.skip("docker compose is not here")
    assert done.returncode == 0, done.stderr


def documents() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in KUBERNETES:
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            yield f"{path.name}:{document['kind']}", document


@pytest.mark.parametrize(("name", "document"), list(documents()), ids=lambda x: x if isinstance(x, str) else "")
def test_a_manifest_is_valid_for_its_kind(name: str, document: dict[str, Any]) -> None:
    validate = pytest.importorskip("kubernetes_validate")
    validate.validate(document, "1.30", strict=True)


WORKLOADS = [(n, d) for n, d in documents() if d["kind"] in ("Deployment", "DaemonSet")]


@pytest.mark.parametrize(("name", "document"), WORKLOADS, ids=lambda x: x if isinstance(x, str) else "")
def test_a_workload_mounts_what_the_command_reads_and_writes(name: str, document: dict[str, Any]) -> None:
    labels = document["spec"]["template"]["metadata"]["labels"]
    assert document["spec"]["selector"]["matchLabels"].items() <= labels.items()
    pod = document["spec"]["template"]["spec"]
    ours = next(c for c in pod["containers"] if c["name"] == "rbln-diagnose")
    parse(ours["args"])
    assert {e["name"] for e in ours["env"]} <= OURS
    mounts = {m["mountPath"]: m for m in ours["volumeMounts"]}
    assert {m["name"] for m in mounts.values()} <= {v["name"] for v in pod["volumes"]}
    log = next(m for m in mounts if ours["args"][-1].startswith(m + "/"))
    assert mounts[log]["readOnly"]
    place = next(e["value"] for e in ours["env"] if e["name"] == VARIABLE)
    assert str(Path(place).parent) in mounts
    ports = {p["name"] for p in ours["ports"]}
    assert ours["livenessProbe"]["httpGet"]["port"] in ports
    security = ours["securityContext"]
    assert security["readOnlyRootFilesystem"]
    assert not security["allowPrivilegeEscalation"]
    assert security["capabilities"]["drop"] == ["ALL"]


def test_the_daemonset_finds_the_container_logs_and_reads_their_format(tmp_path: Path) -> None:
    pod = tmp_path / "default_vllm-0_1234" / "vllm"
    pod.mkdir(parents=True)
    for name in ("0.log", "0.log.20261129-143105", "0.log.20261129-143105.gz", "1.log"):
        (pod / name).touch()
    found = Discovery([str(tmp_path / "*" / "vllm" / "*.log")], OsFiles()).found()
    assert [Path(f.path).name for f in found] == ["0.log", "1.log"]

    rig = Rig([tmp_path / "*" / "vllm" / "*.log"])
    rig.daemon.step()
    stamp = "2026-11-29T14:31:05.123456789Z stderr"
    with (pod / "1.log").open("a") as out:
        out.write(f"{stamp} P {blocks()[:30]}\n{stamp} F {blocks()[30:]}{stamp} F INFO going on\n")
    rig.go()
    rig.settle()
    assert told(rig.sink.events) == [("opened", "kv-cache.below-minimum", 1)]
    rig.close()
