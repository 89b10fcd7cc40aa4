#!/bin/sh
# lighteval scores a call that failed as a wrong answer, and keeps it: a later run with a healthy server asks it no more.
#
# Its client of endpoints (litellm) puts an empty text in the place of a call that failed in every attempt. The text is
# scored 0 and cached under ~/.cache/huggingface/lighteval. The run ends with exit code 0; table and results file count
# the item and name no failure, only the log on the screen does. Here a server is out of workers for 4 of 10 questions and
# says the right answer to the others: accuracy 0.6. With all workers back, the same command says 0.6 again, and asks
# nothing. Exits with 1 where a later version behaves otherwise.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check lighteval==0.13.0 'litellm[caching]<1.80' \
	'huggingface-hub<1' 'transformers<5' 'xxhash<3.7'
# Fetched when lighteval begins, for tasks that aren't asked here.
touch "$(echo "$place"/venv/lib/*/site-packages/lighteval/tasks/tasks)/tinyBenchmarks.pkl"
cd "$place"
mkdir data
cat >task.py <<'PYTHON'
from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc


def asked(line, task_name=None):
    return Doc(task_name=task_name, query=line["question"], choices=["A", "B"], gold_index=0)


TASKS_TABLE = [LightevalTaskConfig(
    name="ten", prompt_function=asked, hf_repo="data", hf_subset="default", hf_avail_splits=["train"],
    evaluation_splits=["train"], few_shots_split=None, few_shots_select=None, generation_size=8,
    metrics=[Metrics.exact_match], stop_sequence=None, version=0,
)]
PYTHON
HOME="$place" HF_HOME="$place" HF_HUB_OFFLINE=1 "$place/venv/bin/python" - <<'PYTHON'
import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path

questions = [f"Question {number}: A or B?" for number in range(10)]
Path("data/train.jsonl").write_text("".join(json.dumps({"question": text}) + "\n" for text in questions))
busy, calls = set(questions[:4]), []


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = next(text for text in questions if text in json.dumps(body["messages"]))
        calls.append(asked)
        message = {"role": "assistant", "content": "A"}
        answer = {"id": "x", "object": "chat.completion", "created": 0, "model": "m",
                  "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                  "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
        sent = json.dumps({"error": {"message": "no free worker"}} if asked in busy else answer).encode()
        self.send_response(503 if asked in busy else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
told = (f"model_name=openai/m,base_url=http://127.0.0.1:{server.server_port}/v1,api_key=none,api_max_retry=2,"
        "api_retry_sleep=0.1")
program = str(Path(sys.executable).with_name("lighteval"))
seen = []
for run in ("four calls fail", "none would fail"):
    calls.clear()
    done = subprocess.run([program, "endpoint", "litellm", told, "ten", "--custom-tasks", "task.py", "--output-dir", run],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    (file,) = Path(run).glob("results/openai/m/*.json")
    content = json.loads(file.read_text())
    seen.append((content["results"]["ten|0"]["em"], len(set(calls)), "no free worker" in file.read_text()))
    print(f"{run}: exit code {done.returncode}, em {seen[-1][0]}, {seen[-1][1]} of 10 questions were asked")
    busy.clear()
print("lighteval", version("lighteval"))
sys.exit(0 if seen == [(0.6, 10, False), (0.6, 0, False)] else 1)
PYTHON
