"""The grammars, models and the schema are where the code looks for them, however mcm is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SHIPPED = (
    "grammar/litmus.lark",
    "grammar/cat.lark",
    "lalr/cat.json",
    "lalr/litmus.json",
    "report/explanation-schema.json",
    "report/lines-schema.json",
    "report/run-schema.json",
    "report/schema.json",
    "catalogue/opencl-3.0.cat",
    "py.typed",
)

TEST = """OPENCL MP
{ }
P0@wg 0 (global int* x, global atomic_int* y) { *x = 1; atomic_store(y, 1); }
P1@wg 1 (global int* x, global atomic_int* y) { int r0 = atomic_load(y); int r1 = 1; if (r0 == 1) { r1 = *x; } }
exists (1:r0=1 /\\ 1:r1=0)
"""


def copy_of_the_source(target: Path) -> Path:
    """The files that a clean clone has, so that what lies about in this tree cannot help."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = listed.stdout.split("\0") if listed.returncode == 0 else [str(p.relative_to(ROOT)) for p in ROOT.rglob("*")]
    for name in names:
        source = ROOT / name
        if (
            name
            and source.is_file()
            and name.split("/")[0] in {"mcm", "grammar", "pyproject.toml", "README.md", "LICENSE"}
        ):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target / name)
    return target


def environment(folder: Path) -> Path:
    """A virtual environment that sees the packages of this one, and its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ours = [path for path in sys.path if path.endswith("site-packages")]
    (site,) = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\n")[:1]
    # Plain paths in a .pth file bring in the packages, and not the editable install of mcm that may be among them.
    Path(site, "borrowed.pth").write_text("\n".join(ours), encoding="utf-8")
    return python


def install(source: Path, folder: Path, *options: str) -> Path:
    python = environment(folder)
    site = next(folder.rglob("site-packages"))
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            python,
            "install",
            "--quiet",
            "--no-build-isolation",
            "--no-deps",
            "--ignore-installed",
            *options,
            str(source),
        ],
        check=True,
        cwd=folder,
    )
    assert site.is_dir()
    return python


def check_with(python: Path, folder: Path) -> tuple[str, str]:
    """Where that Python finds mcm, and what it says of a test, in a folder that is not the source tree."""
    test = folder / "MP.litmus"
    test.write_text(TEST, encoding="utf-8")
    where = subprocess.run(
        [python, "-c", "import mcm; print(mcm.__file__)"], cwd=folder, check=True, capture_output=True, text=True
    )
    answer = subprocess.run(
        [python.parent / "mcm", "check", test], cwd=folder, check=True, capture_output=True, text=True
    )
    return where.stdout.strip(), answer.stdout


def test_a_wheel_holds_everything_and_works(tmp_path: Path) -> None:
    source = copy_of_the_source(tmp_path / "source")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "-w", tmp_path, source],
        check=True,
    )
    (wheel,) = tmp_path.glob("mcm-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    modules = {str(path.relative_to(source)) for path in (source / "mcm").rglob("*.py")}

    assert {f"mcm/{name}" for name in SHIPPED} <= names
    data = [*(ROOT / "mcm/catalogue").glob("*.cat"), *(ROOT / "mcm").rglob("*.json")]
    assert {str(path.relative_to(ROOT)) for path in data} <= names
    assert modules <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)

    where, answer = check_with(install(wheel, tmp_path / "environment"), tmp_path)

    assert where.startswith(str(tmp_path / "environment"))
    assert answer.startswith("MP under opencl-3.0: forbidden\n")


def test_a_source_distribution_holds_everything(tmp_path: Path) -> None:
    source = copy_of_the_source(tmp_path / "source")
    program = f"from setuptools.build_meta import build_sdist; build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", program], cwd=source, check=True, capture_output=True)
    (archive,) = tmp_path.glob("mcm-*.tar.gz")
    with tarfile.open(archive) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    ours = {
        str(path.relative_to(source)) for path in source.rglob("*") if path.suffix in {".py", ".json", ".cat", ".lark"}
    }

    assert ours <= names


def test_an_editable_install_works(tmp_path: Path) -> None:
    source = copy_of_the_source(tmp_path / "source")

    where, answer = check_with(install(source, tmp_path / "environment", "--editable"), tmp_path)

    assert where == str(source / "mcm/__init__.py")
    assert answer.startswith("MP under opencl-3.0: forbidden\n")


def test_every_package_is_listed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    packages = {".".join(path.parent.relative_to(ROOT).parts) for path in (ROOT / "mcm").rglob("__init__.py")} | {
        "mcm.grammar"
    }

    assert set(settings["packages"]) == packages


@pytest.mark.parametrize("folder", ["mcm", "grammar"])
def test_every_folder_of_code_is_a_package(folder: str) -> None:
    folders = {path.parent for path in (ROOT / folder).rglob("*.py")}

    assert {path for path in folders if not (path / "__init__.py").is_file()} == set()
