"""Hosted CI as far as it can be checked here: workflows are YAML, and what they run is there."""

import re
from pathlib import Path

import pytest
import yaml

PROJECT = Path(__file__).parents[1]
WORKFLOWS = sorted((PROJECT / ".github" / "workflows").glob("*.yml"))

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="an sdist has no workflows")


def jobs(path: Path) -> dict[str, dict[str, object]]:
    # YAML 1.1 reads the key `on` as true.
    workflow = yaml.safe_load(path.read_text())
    assert {"name", True, "permissions", "jobs"} <= set(workflow), "least rights, by name"
    return dict(workflow["jobs"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_job_has_steps_of_known_versions(path: Path) -> None:
    for name, job in jobs(path).items():
        if "uses" in job:  # another workflow of ours
            assert (PROJECT / str(job["uses"])).is_file(), name
            continue
        steps = job["steps"]
        assert isinstance(steps, list), name
        for step in steps:
            assert ("run" in step) != ("uses" in step), (name, step)
            assert "run" in step or "@" in step["uses"], (name, step)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_jobs_wait_for_jobs_that_exist(path: Path) -> None:
    named = jobs(path)
    for job in named.values():
        needs = job.get("needs", [])
        assert set([needs] if isinstance(needs, str) else needs) <= set(named)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_make_has_the_targets_that_workflows_ask_for(path: Path) -> None:
    makefile = (PROJECT / "Makefile").read_text().replace("$(VENV)", ".venv")
    for line in re.findall(r"run: make ([^\n\"]+)", path.read_text()):
        for target in re.findall(r"(?<!\S)[\w./-]+(?!\S*=)", line):
            assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_programs_that_workflows_start_are_there(path: Path) -> None:
    for name in re.findall(
        r"(?:python|--preserve-env=PATH) ((?:tools|\.ci)/\S+)", path.read_text()
    ):
        assert (PROJECT / name).is_file(), name


def test_the_nightly_fuzz_knows_every_target() -> None:
    from tests.fuzz.targets import TARGETS

    nightly = next(path for path in WORKFLOWS if path.stem == "nightly")
    fuzz = yaml.safe_load(nightly.read_text())["jobs"]["fuzz"]
    assert set(fuzz["strategy"]["matrix"]["what"]) == set(TARGETS)


def test_wheels_are_made_and_tested_for_every_python_that_the_package_names() -> None:
    import tomllib

    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    named = re.findall(r"Python :: 3\.(\d+)", str(project["project"]["classifiers"]))
    api = project["tool"]["scikit-build"]["wheel"]["py-api"]  # one wheel for it and all later ones
    built = {re.sub(r"\D", "", one)[1:] for one in project["tool"]["cibuildwheel"]["build"]}
    assert api.removeprefix("cp3") in built
    assert set(named) <= built
