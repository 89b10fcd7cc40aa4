#!/bin/sh
# `inspect eval` exits with 0 when the evaluation failed and not one sample was completed.
#
# A shell script or CI job that goes on after `inspect eval … && …` takes such a run for a good one. The log has the status
# "error" and no results; with --log-format json it can be read from there. Here a server answers each request with HTTP 404
# (it has no such model). Exits with 1 where a later version behaves otherwise.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check inspect-ai==0.3.285 openai==3.57.0
cd "$place"
cat >task.py <<'PYTHON'
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate


@task
def four():
    samples = [Sample(input=f"Question {number}: A or B?", target="A") for number in range(4)]
    return Task(dataset=samples, solver=generate(), scorer=match())
PYTHON
HOME="$place" "$place/venv/bin/python" - <<'PYTHON'
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        sent = json.dumps({"error": {"message": "The model does not exist", "code": "model_not_found"}}).encode()
        self.send_response(404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
command = [str(Path(sys.executable).with_name("inspect")), "eval", "task.py", "--model", "openai/m", "--model-base-url",
           f"http://127.0.0.1:{server.server_port}/v1", "--display", "plain", "--log-format", "json"]
done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OPENAI_API_KEY": "none"})
(file,) = Path("logs").glob("*.json")
log = json.loads(file.read_text())
print("inspect-ai", version("inspect-ai"))
print(f"exit code {done.returncode}, status {log['status']}, results {log.get('results')}")
sys.exit(0 if (done.returncode, log["status"], log.get("results")) == (0, "error", None) else 1)
PYTHON
