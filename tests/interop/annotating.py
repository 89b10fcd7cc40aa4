"""Label Studio imports a project, and exports it again; runs in an environment that has label-studio.

    python annotating.py FOLDER OUT

FOLDER holds `config.xml` and `tasks.json`. Label Studio's own database is made in OUT. Its REST views are called in this
process, and its SDK looks at the files. Prints JSON: what the SDK finds wrong, the answer to the import, the export.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def checked(config: str, tasks: list[dict[str, Any]]) -> list[str]:
    """What the SDK finds wrong."""
    from label_studio_sdk.label_interface import LabelInterface

    interface = LabelInterface(config)
    interface.validate()
    wrong = [
        error
        for task in tasks
        for one in (*task["annotations"], *task.get("predictions", []))
        for error in interface.validate_prediction(one, return_errors=True)
    ]
    bare = [{"data": task["data"]} for task in tasks]
    return wrong + [f"task {number}" for number, task in enumerate(bare, 1) if not interface.validate_task(task)]


def through_the_server(config: str, tasks: list[dict[str, Any]], out: Path) -> dict[str, Any]:
    """The answer to an import, and the export."""
    os.environ |= {
        "LABEL_STUDIO_BASE_DATA_DIR": str(out), "DJANGO_DB": "sqlite", "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "core.settings.label_studio", "collect_analytics": "false",
        "LATEST_VERSION_CHECK": "false", "SENTRY_DSN": "", "FRONTEND_SENTRY_DSN": "", "FEATURE_FLAGS_OFFLINE": "true",
    }  # fmt: skip
    import label_studio

    sys.path.insert(0, str(Path(label_studio.__file__).parent))
    import django

    django.setup()
    from django.core.management import call_command
    from organizations.models import Organization
    from rest_framework.test import APIClient
    from users.models import User

    call_command("migrate", "--no-color", verbosity=0)
    user = User.objects.create_user("owner@localhost", "a password of tests")
    user.active_organization = Organization.create_organization(created_by=user, title="Tests")
    user.save()
    client = APIClient(HTTP_HOST="localhost")
    client.force_authenticate(user)
    made = client.post("/api/projects/", {"title": "Marks", "label_config": config}, format="json")
    assert made.status_code == 201, made.content
    number = made.json()["id"]
    taken = client.post(f"/api/projects/{number}/import", tasks, format="json")
    assert taken.status_code == 201, taken.content
    exported = client.get(f"/api/projects/{number}/export?exportType=JSON&download_all_tasks=true")
    assert exported.status_code == 200, exported.content
    content = b"".join(exported.streaming_content) if exported.streaming else exported.content
    return {"taken": taken.json(), "exported": json.loads(content)}


def run() -> None:
    """Read the files, and print what became of them."""
    folder, out = map(Path, sys.argv[1:])
    config = (folder / "config.xml").read_text(encoding="utf-8")
    tasks = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    print(json.dumps({"wrong": checked(config, tasks), **through_the_server(config, tasks, out)}))


if __name__ == "__main__":
    run()
