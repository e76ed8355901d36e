#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manifests and scripts of deploy/ agree with each other and with the program.

usage: manifests.py NEURON_EXPLORER SOURCE LIBRARY...
"""
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap_cases import Skip, run_cases

try:
    import yaml
except ImportError:
    print("1..0 # SKIP python3-yaml is not installed")
    sys.exit(0)

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
LIBRARIES = [pathlib.Path(name) for name in sys.argv[3:]]
DEPLOY = SOURCE / "deploy"


def documents():
    """(file, document) of every YAML file."""
    for path in sorted(DEPLOY.rglob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            yield path, document


def pods():
    for path, document in documents():
        if "template" in document.get("spec", {}):
            yield path, document["spec"]["template"]["spec"]


def containers():
    for path, pod in pods():
        for container in pod.get("initContainers", []) + pod["containers"]:
            yield path, container


def view_help():
    return subprocess.run([PROGRAM, "view", "--help"], capture_output=True, text=True,
                          check=True).stdout


def every_document_has_a_kind_and_a_name(_):
    count = 0
    for path, document in documents():
        assert document["apiVersion"] and document["kind"], path
        assert document["kind"] == "Kustomization" or document["metadata"]["name"], path
        count += 1
    return f"{count} documents"


def resources_of_a_kustomization_exist(_):
    for path, document in documents():
        for name in document.get("resources", []) if document["kind"] == "Kustomization" else []:
            assert (path.parent / name).exists(), f"{path}: {name}"


def volumes_are_mounted_and_claimed(_):
    claims = {d["metadata"]["name"] for _, d in documents() if d["kind"] == "PersistentVolumeClaim"}
    for path, pod in pods():
        volumes = {v["name"]: v["persistentVolumeClaim"]["claimName"] for v in pod["volumes"]}
        assert set(volumes.values()) <= claims, path
        for container in pod.get("initContainers", []) + pod["containers"]:
            assert {m["name"] for m in container["volumeMounts"]} <= set(volumes), path


def ports_and_options_are_those_of_the_program(_):
    text = view_help()
    port = int(re.search(r"--port PORT\s+The port for the browser \(default (\d+)\)", text)[1])
    count = 0
    for path, container in containers():
        if container["image"] != "neuron-explorer":
            continue
        assert [p["containerPort"] for p in container["ports"]] == [port], path
        assert f"/dev/tcp/127.0.0.1/{port}" in container["readinessProbe"]["exec"]["command"][-1], path
        assert container["args"][0] == "view", path
        for word in container["args"]:
            assert not word.startswith("--") or f"{word} " in text, f"{path}: {word}"
        count += 1
    assert count == 2, count
    containerfile = (DEPLOY / "Containerfile").read_text()
    assert f"EXPOSE {port}\n" in containerfile
    assert f"{port}:{port}" in (SOURCE / "docs/deploy.md").read_text()


def variables_are_known_to_the_runtime(_):
    library = b"".join(path.read_bytes() for path in LIBRARIES)
    names = {e["name"] for _, c in containers() for e in c.get("env", [])}
    names |= set(re.findall(r"export (NEURON_\w+)=", (DEPLOY / "slurm/profile.sbatch").read_text()))
    assert {"NEURON_RT_INSPECT_ENABLE", "NEURON_RT_INSPECT_OUTPUT_DIR", "NEURON_PROFILER_PORT",
            "NEURON_PROFILER_TOKEN_FILE"} <= names, names
    for name in names:
        assert name.encode() + b"\0" in library, name
    return " ".join(sorted(names))


def captures_on_demand_use_the_port_of_the_service(_):
    ports = {e["value"] for _, c in containers() for e in c.get("env", [])
             if e["name"] == "NEURON_PROFILER_PORT"}
    assert len(ports) == 1, ports
    port = ports.pop()
    assert f"--service-addr localhost:{port}" in (SOURCE / "docs/deploy.md").read_text()
    assert f"PROFILER_PORT:-{port}" in (DEPLOY / "slurm/profile.sbatch").read_text()


def what_is_written_lies_on_the_shared_volume(_):
    for path, container in containers():
        mounts = [m["mountPath"] + "/" for m in container["volumeMounts"]]
        written = [e["value"] for e in container.get("env", []) if e["name"].endswith("_DIR")]
        written += [b for a, b in zip(container.get("args", []), container.get("args", [])[1:])
                    if a == "--data-path"]
        assert written and all(any(w.startswith(m) for m in mounts) for w in written), path


def images_have_names_that_overlays_replace(_):
    overlay = yaml.safe_load((DEPLOY / "kubernetes/eks/kustomization.yaml").read_text())
    assert {i["name"] for i in overlay["images"]} == {c["image"] for _, c in containers()}


def kustomize_renders_them(_):
    if not shutil.which("kubectl"):
        raise Skip("kubectl is not installed")
    for name in ("base", "eks", "viewer"):
        done = subprocess.run(["kubectl", "kustomize", DEPLOY / "kubernetes" / name],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        rendered = list(yaml.safe_load_all(done.stdout))
        assert rendered and all(d["metadata"]["name"] for d in rendered)
        if name == "eks":
            job = next(d for d in rendered if d["kind"] == "Job")["spec"]["template"]["spec"]
            assert job["containers"][0]["resources"]["limits"]["aws.amazon.com/neuron"] == 16, job
            assert job["containers"][0]["image"].endswith("/REPO:mlp"), job


def the_image_has_the_libraries_that_the_program_needs(_):
    if not shutil.which("readelf"):
        raise Skip("readelf is not installed")
    needed = re.findall(r"NEEDED.*\[(.+?)\.so\.(\d+)\]", subprocess.run(
        ["readelf", "-d", PROGRAM], capture_output=True, text=True, check=True).stdout)
    packages = set(re.findall(r"[a-z0-9-]+", (DEPLOY / "Containerfile").read_text()))
    own = {"libc", "libm", "libgcc_s", "ld-linux-x86-64", "libasan", "libubsan", "libtsan"}
    missing = [f"{name}.so.{version}" for name, version in needed if name not in own
               and not {name + version, f"{name}-{version}",
                        name.replace("libz", "zlib") + version + "g"} & packages]
    assert needed and not missing, missing


def scripts_are_shell(_):
    for path in (DEPLOY / "slurm").iterdir():
        done = subprocess.run(["sh", "-n", path], capture_output=True, text=True)
        assert done.returncode == 0 and path.stat().st_mode & 0o111, (path, done.stderr)
    for name, word in (("profile.sbatch", "usage: sbatch"), ("capture_job.sh", "usage: capture_job")):
        done = subprocess.run([DEPLOY / "slurm" / name], capture_output=True, text=True)
        assert done.returncode == 2 and word in done.stderr, done
    done = subprocess.run([DEPLOY / "slurm/capture_job.sh", "1"], capture_output=True, text=True, cwd="/")
    assert done.returncode == 3 and "profiles/1/services lists no task" in done.stderr, done


if __name__ == "__main__":
    sys.exit(run_cases([
        every_document_has_a_kind_and_a_name,
        resources_of_a_kustomization_exist,
        volumes_are_mounted_and_claimed,
        ports_and_options_are_those_of_the_program,
        variables_are_known_to_the_runtime,
        captures_on_demand_use_the_port_of_the_service,
        what_is_written_lies_on_the_shared_volume,
        images_have_names_that_overlays_replace,
        kustomize_renders_them,
        the_image_has_the_libraries_that_the_program_needs,
        scripts_are_shell,
    ]))
