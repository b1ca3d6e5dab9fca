"""The files of the page as they are committed: no foreign addresses, nothing that CSP forbids."""

import re
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PAGE = PROJECT / "src" / "samrule" / "studio" / "page"


def test_the_bundle_is_a_few_files_with_fixed_names() -> None:
    names = {path.name for path in PAGE.iterdir()}
    scripts = {"page.js", "studio.js"}
    assert names == scripts | {"index.html", "studio.css", "icon.svg", "licenses.txt"}
    assert sum(path.stat().st_size for path in PAGE.iterdir()) < 200_000


def test_the_page_and_notebooks_share_one_module() -> None:
    page = (PAGE / "page.js").read_text("utf-8")
    assert len(page) < 1000
    assert re.findall(r'from"(.*?)"', page) == ["./studio.js"]
    # Notebooks load it alone, from a text: it imports nothing.
    shared = (PAGE / "studio.js").read_text("utf-8")
    assert re.search(r"\bexport\{[^}]*\bas default\b", shared)
    assert not re.search(r"\bimport\b", shared)


def test_the_bundle_names_no_address_but_those_of_namespaces() -> None:
    for name in ("index.html", "page.js", "studio.js", "studio.css", "icon.svg"):
        text = (PAGE / name).read_text("utf-8")
        found = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+", text))
        assert found <= {"http://www.w3.org"}, name


def test_the_page_has_no_script_or_style_within() -> None:
    html = (PAGE / "index.html").read_text("utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)", html) == []
    assert re.findall(r"<style|\bstyle=|\bon\w+=", html) == []
    for name in ("page.js", "studio.js"):
        script = (PAGE / name).read_text("utf-8")
        assert not re.search(r"\beval\(|new Function\(|document\.write\(", script)


def test_what_the_server_says_is_never_html() -> None:
    for path in (PROJECT / "studio" / "src").rglob("*.ts*"):
        assert not re.search(r"innerHTML|insertAdjacentHTML", path.read_text("utf-8"), re.I), path


def test_the_lock_of_packages_names_no_registry_and_checks_every_package() -> None:
    lock = (PROJECT / "studio" / "package-lock.json").read_text("utf-8")
    assert '"resolved"' not in lock
    # The project itself, and every package with its hash.
    assert lock.count('"integrity"') == lock.count('"node_modules/')
