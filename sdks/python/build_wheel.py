"""Builds the package for pip (PEP 517): ``pip install ./sdks/python`` or from the address at which a Herald serves it."""

import base64
import hashlib
import re
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
VERSION = re.search('"(.+)"', (HERE / "herald/version.py").read_text("utf-8")).group(1)
INFO = f"herald-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: herald
Version: {VERSION}
Summary: The Python client of Herald, an open push-notification platform.
License: Apache-2.0
Requires-Python: >=3.9
Description-Content-Type: text/markdown

"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into a directory and gives the name of its file."""
    files = {f"herald/{file.name}": file.read_bytes() for file in sorted((HERE / "herald").iterdir()) if file.suffix in (".py", ".typed")}
    files[f"{INFO}/METADATA"] = METADATA.encode() + (HERE / "README.md").read_bytes()
    files[f"{INFO}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: herald\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{INFO}/RECORD"] = f"{record}{INFO}/RECORD,,\n".encode()
    name = f"herald-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as wheel:
        for path, content in files.items():
            # Without a time of its own the same sources give the same bytes.
            wheel.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED)
    return name


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
