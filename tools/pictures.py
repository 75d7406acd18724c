"""Make the pictures in README.md: docs/screenshot.svg, and docs/report.png with Chromium.

The commands are those that README.md shows.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import screenshot

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "report.png"
INDEX = "examples/worked/orders.parquet.index"
COMMAND = ["report", INDEX, "--schema", "status STRING, region STRING", "-o"]
SIZE = 1100, 1520  # of the window: the whole page


def main() -> None:
    screenshot.main()
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("docs/report.png: no `chromium` on PATH")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "orders.html")
        command = [sys.executable, "-m", "paimon_ksy", *COMMAND, str(page)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += [f"--user-data-dir={folder}/profile", "--blink-settings=preferredColorScheme=1"]
        options += ["--window-size={},{}".format(*SIZE), f"--screenshot={PAGE}", page.as_uri()]
        subprocess.run([chromium, *options], check=True, capture_output=True)
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()
