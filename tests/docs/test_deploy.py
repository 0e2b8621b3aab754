"""What lies in ``deploy/`` refers to what there is; no container is built."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console
from tests.docs.test_code_blocks import ROOT

from slackwater.runs.objects.located import WORK
from slackwater.spark import connector
from slackwater.spark.document import load

DEPLOY = ROOT / "deploy"


@pytest.fixture
def manifests() -> dict[str, Any]:
    found = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))
    return {one["kind"]: one for one in found}


def test_the_manifest_is_whole(manifests: dict[str, Any]) -> None:
    assert {kind: one["apiVersion"] for kind, one in manifests.items()} == {
        "ConfigMap": "v1",
        "StatefulSet": "apps/v1",
    }
    spec = manifests["StatefulSet"]["spec"]
    assert spec["replicas"] == 1
    labels = spec["template"]["metadata"]["labels"]
    assert spec["selector"]["matchLabels"].items() <= labels.items()
    pod = spec["template"]["spec"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    config = volumes["pipeline"]["configMap"]["name"]
    assert config == manifests["ConfigMap"]["metadata"]["name"]
    [container] = pod["containers"]
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert mounts.keys() == volumes.keys()
    folder, _, name = container["command"][-1].rpartition("/")
    assert folder == mounts["pipeline"]
    assert name in manifests["ConfigMap"]["data"]
    values = {one["name"]: one.get("value") for one in container["env"]}
    assert values[WORK] == mounts["work"]
    memory = (
        container["resources"]["requests"]["memory"],
        container["resources"]["limits"]["memory"],
    )
    assert memory[0] == memory[1]


def test_the_pipeline_in_the_manifest_is_sound(manifests: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "pipeline.toml"
    file.write_text(manifests["ConfigMap"]["data"]["pipeline.toml"])
    document = load(file, console=Console(stderr=True))
    assert document.checkpoint == "s3://BUCKET/readings"
    assert document.options.tier == "columnar"
    assert document.pipeline.reads_kafka


def test_the_image_is_made_of_what_there_is() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    copied = re.findall(r"^COPY (\S+)", text, re.MULTILINE)
    assert copied == ["constraints.txt", "dist/slackwater-*.whl"]
    assert (ROOT / "constraints.txt").exists()
    assert "[objects]" in text
    assert f"{connector.FOLDER}=/opt/kafka-jars" in text
    assert f"{WORK}=/var/lib/slackwater" in text
    program = re.search(r'python -c "(.*)"', text)
    assert program is not None
    compile(program[1], "Dockerfile", "exec")
    assert callable(connector.fetch)
