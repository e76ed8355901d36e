#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""deploy/slurm with Debian's slurmctld and slurmd on this machine.

usage: slurm.py NEURON_EXPLORER RUNNING_JOB SOURCE

RUNNING_JOB runs a model until its input ends, SOURCE is the tree.
"""
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap_cases import Skip, run_cases

PROGRAM, JOB, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
NEEDS = ("slurmctld", "slurmd", "sbatch", "srun", "sinfo")
PATIENCE_S = 120

CONF = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
ReturnToService=2
KillWait=1
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    """One node, with everything below a folder."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("state", "spool"):
            (folder / name).mkdir()
        conf = folder / "slurm.conf"
        conf.write_text(CONF.format(host=socket.gethostname().split(".")[0], user=getpass.getuser(),
                                    ports=free_ports(2), folder=folder))
        self.env = {**os.environ, "SLURM_CONF": str(conf)}
        self.daemons = [subprocess.Popen([name, "-D"], env=self.env, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL)
                        for name in ("slurmctld", "slurmd")]

    def run(self, *words, **how):
        return subprocess.run(words, env=self.env, capture_output=True, text=True, **how)

    def wait(self):
        """Until the node takes jobs. False if the daemons cannot run on this machine."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and not any(d.poll() is not None for d in self.daemons):
            if self.run("sinfo", "-h", "-o", "%t").stdout.strip() == "idle":
                return True
            time.sleep(0.2)
        return False

    def log(self):
        return "".join((self.folder / f"{n}.log").read_text()[-1500:] for n in ("slurmctld", "slurmd")
                       if (self.folder / f"{n}.log").exists())

    def stop(self):
        for daemon in reversed(self.daemons):
            if daemon.poll() is None:
                daemon.send_signal(signal.SIGTERM)
        for daemon in self.daemons:
            try:
                daemon.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def submit(cluster, folder, *words):
    """The answer of sbatch, and what the job printed."""
    output = folder / "job.log"
    done = cluster.run("sbatch", "--parsable", "-o", output,
                       "--export=ALL,NEURON_EXPLORER=%s,XDG_DATA_HOME=%s,PROFILER_PORT=%d"
                       % (PROGRAM, folder / "data", free_ports(1)[0]), *words, cwd=folder,
                       timeout=PATIENCE_S)
    return done, output.read_text() if output.exists() else ""


def capture_while_it_runs(cluster, folder):
    """Two tasks as one session, once their services answer."""
    done, _ = submit(cluster, folder, "--ntasks=2", SOURCE / "deploy/slurm/profile.sbatch",
                     "sh", "-c", f"(until [ -e {folder}/done ]; do sleep 0.2; done) |"
                     f" {JOB} {folder}/relu.neff")
    job = done.stdout.strip()
    end = time.monotonic() + PATIENCE_S
    while True:
        captured = subprocess.run([SOURCE / "deploy/slurm/capture_job.sh", job, "--duration-ms", "200"],
                                  env={**cluster.env, "NEURON_EXPLORER": str(PROGRAM)}, cwd=folder,
                                  capture_output=True, text=True)
        if captured.returncode == 0 or time.monotonic() > end:
            break
        time.sleep(0.2)
    (folder / "done").touch()
    while cluster.run("squeue", "-h", "-j", job).stdout.strip() and time.monotonic() < end:
        time.sleep(0.2)
    assert captured.returncode == 0, (captured, (folder / "job.log").read_text(), cluster.log())
    sessions = list((folder / "profiles" / job / "sessions/plugins/profile").iterdir())
    spaces = [p for s in sessions for p in s.glob("*.xplane.pb")]
    assert len(spaces) == 2, spaces


def a_job_is_recorded_stored_and_captured(folder):
    missing = [name for name in NEEDS if not shutil.which(name)]
    if missing:
        raise Skip(f"{' '.join(missing)} not installed")
    cluster = Cluster(folder)
    try:
        if not cluster.wait():
            raise Skip(f"Slurm does not run on this machine: {cluster.log()[-200:]!r}")
        script = SOURCE / "deploy/slurm/profile.sbatch"
        subprocess.run([PROGRAM, "neff", "--assemble", SOURCE / "examples/relu.nasm", "-o",
                        folder / "relu.neff"], check=True, capture_output=True)
        done, said = submit(cluster, folder, "--wait", script, JOB, folder / "relu.neff")
        assert done.returncode == 0, (done.stderr, said, cluster.log())
        profiles = cluster.run(PROGRAM, "list", "--data-path", folder / "data/neuron-explorer")
        assert "profiled_1 " in profiles.stdout and "ready" in profiles.stdout, (profiles, said)
        assert list((folder / "profiles/1").glob("*_pid_*/ntrace.pb")), said
        # a command that fails: its status is the job's, and the captures stay
        done, said = submit(cluster, folder, "--wait", script, "false")
        assert done.returncode == 1, (done, said)
        capture_while_it_runs(cluster, folder)
    finally:
        cluster.stop()


if __name__ == "__main__":
    sys.exit(run_cases([a_job_is_recorded_stored_and_captured]))
