#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Capture servers that behave as XProf's do, and broken ones, from the command line.

usage: run.py NEURON_EXPLORER FETCH_DIRECTORY

TAP on stdout. The servers are written with @grpc/grpc-js; without it, everything is skipped.
"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tap_cases import run_cases  # noqa: E402

PROGRAM, PACKAGES = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
PATIENCE_S = 120
MS_NS = 1_000_000


class Server:
    """A process of xprof_server.js."""

    def __init__(self, behaviour, address='127.0.0.1:0', clock_ms=None):
        env = {**os.environ, 'NODE_PATH': str(PACKAGES / 'node_modules')}
        if clock_ms is not None:
            env['CLOCK_MS'] = str(clock_ms)
        self.process = subprocess.Popen(
            ['node', str(HERE / 'xprof_server.js'), behaviour, address], env=env,
            stdout=subprocess.PIPE, text=True)
        self.host = address.rsplit(':', 1)[0]
        first = self.process.stdout.readline()
        assert first, f'the server {behaviour} does not start'
        self.address = f'{self.host}:{json.loads(first)["port"]}'
        self.stem = self.address.replace(':', '_').replace('[', '').replace(']', '')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.stdout.close()
        self.process.wait()

    def next_request(self, method):
        for line in self.process.stdout:
            request = json.loads(line)
            if request['method'] == method:
                return request
        raise AssertionError(f'the server saw no {method}')


def start(folder, *words):
    return subprocess.Popen([PROGRAM, *map(str, words), '--logdir', str(folder)], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(folder, *words, code=0):
    process = start(folder, *words)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, f'exit code {process.returncode}, not {code}: {out}{err}'
    return err


def capture(folder, servers, *words, code=0):
    addresses = ','.join(s if isinstance(s, str) else s.address for s in servers)
    return run(folder, 'capture', '--service-addr', addresses, '--duration-ms', 50, *words, code=code)


def sessions(folder):
    return sorted((folder / 'plugins' / 'profile').iterdir())


def described(folder):
    (session,) = sessions(folder)
    return session, json.loads((session / 'session.json').read_text())


def free_address():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return f'127.0.0.1:{probe.getsockname()[1]}'


def has(text, *parts):
    for part in parts:
        assert part in text, f'"{part}" is not in: {text}'


# --- servers that behave ---


def an_xspace_that_is_sent_becomes_a_session(folder):
    with Server('emit') as server:
        said = capture(folder, [server])
        session, about = described(folder)
        files = {file.name for file in session.iterdir()}
        assert files == {'session.json', f'{server.stem}.xplane.pb'}, files
        assert about['kind'] == 'on_demand' and about['session'] == session.name
        assert int(about['started_ns']) <= int(about['ended_ns'])
        (host,) = about['hosts']
        assert host == {'address': server.address, 'state': 'captured',
                        'files': [f'{server.stem}.xplane.pb']}, host
        has(said, 'captured 1 of 1 host', f'view -d {session}')
        summary = subprocess.run([PROGRAM, 'view', '-d', str(session), '--output-format', 'summary-text'],
                                 capture_output=True, text=True, timeout=PATIENCE_S)
        assert summary.returncode == 0, summary.stderr


def every_option_reaches_the_server(folder):
    with Server('emit') as server:
        token = folder / 'token'
        token.write_text('secret\n')
        capture(folder, [server], '--host-tracer-level', 3, '--device-tracer-level', 0,
                '--python-tracer-level', 1, '--traceme-filter-mask', 4294967295, '--no-dataset-ops',
                '--no-hlo-proto', '--device-type', 'tpu', '--advanced-option', 'tpu_trace_mode=TRACE_COMPUTE',
                '--advanced-option', 'flag=true', '--advanced-option', 'count=-7', '--session-id', 'mine',
                '--delay-ms', 60000, '--attempts', 1, '--token-file', token)
        request = server.next_request('Profile')
        options = request['options']
        assert request['durationMs'] == options['durationMs'] == '50'
        assert request['session'] == options['session'] == 'mine'
        assert request['host'] == server.address and request['token'] == 'Bearer secret'
        assert request['root'] == str(folder.resolve() / 'plugins' / 'profile')
        assert {'xplane.pb', 'neuron_session'} <= set(request['tools'])
        assert 0 < int(options['startNs']) // MS_NS - request['at'] <= 60000
        assert [options[k] for k in ('host', 'device', 'python', 'datasetOps', 'programs', 'deviceType', 'version')] \
            == ['3', '0', '1', '0', '0', '3', '1'], options
        assert options['mask'] == '4294967295'
        assert options['advanced'] == [['tpu_trace_mode', 'TRACE_COMPUTE'], ['flag', True],
                                       ['count', str(2**64 - 7)]], options['advanced']


def a_file_on_a_shared_disk_is_picked_up(folder):
    with Server('save') as server:
        capture(folder, [server])
        session, about = described(folder)
        assert about['hosts'][0]['state'] == 'captured'
        assert (session / about['hosts'][0]['files'][0]).stat().st_size > 0


def a_file_on_the_server_s_own_disk_is_named(folder):
    with Server('elsewhere') as server:
        said = capture(folder, [server], code=8)
        has(said, 'saved its profile on its own disk', f'{server.stem}.xplane.pb')
        assert described(folder)[1]['hosts'][0]['state'] == 'elsewhere'


def a_server_that_is_unavailable_is_asked_again(folder):
    for behaviour in ('unavailable', 'stream_removed'):
        with Server(behaviour) as server:
            capture(folder / behaviour, [server])
            server.next_request('Profile')
            server.next_request('Profile')
            assert len(sessions(folder / behaviour)) == 1


def native_files_are_unpacked_beside_the_xspace(folder):
    with Server('ours') as server:
        capture(folder, [server])
        session, about = described(folder)
        assert (session / server.stem / 'i-1_pid_2' / 'deep' / 'x.neff').read_text() == 'neff'
        assert about['hosts'][0]['files'] == [f'{server.stem}.xplane.pb', f'{server.stem}/']


def large_answers_are_saved_whole(folder):
    with Server('large') as server:
        capture(folder, [server])
        session, _ = described(folder)
        assert (session / f'{server.stem}.xplane.pb').stat().st_size > 64 << 20


# --- many hosts ---


def hosts_start_together_on_their_own_clocks(folder):
    with Server('emit', '127.0.0.2:0', clock_ms=3_600_000) as ahead, \
            Server('emit', '127.0.0.3:0', clock_ms=-7_000) as behind, Server('emit', '[::1]:0') as xprof:
        said = capture(folder, [ahead, behind, xprof])
        session, about = described(folder)
        hosts = {host['address']: host for host in about['hosts']}
        starts = [int(s.next_request('Profile')['options']['startNs']) for s in (ahead, behind, xprof)]
        offsets = []
        for server, truth in ((ahead, 3_600_000), (behind, -7_000)):
            host = hosts[server.address]
            offsets.append(int(host['clock_offset_ns']))
            # the server's clock is in milliseconds
            slack = int(host['clock_uncertainty_ns']) + 2 * MS_NS
            assert abs(offsets[-1] - truth * MS_NS) <= slack, host
        assert 'clock_offset_ns' not in hosts[xprof.address]
        assert starts[0] - offsets[0] == starts[1] - offsets[1] == starts[2] > 0
        assert int(about['started_ns']) == starts[2]
        assert {f'{s.stem}.xplane.pb' for s in (ahead, behind, xprof)} < {f.name for f in session.iterdir()}
        has(said, 'captured 3 of 3 hosts', f'{xprof.address} does not state its clock')


def hosts_that_fail_are_named_and_the_rest_is_kept(folder):
    nobody = free_address()
    with Server('emit') as good, Server('busy') as busy, Server('dies') as dying, \
            Server('garbage') as garbage, Server('empty') as empty:
        said = capture(folder, [good, busy, dying, garbage, empty, nobody], code=8)
        session, about = described(folder)
        has(said, 'captured 1 of 6 hosts', '5 of 6 hosts could not be captured',
            'INTERNAL: Another profiling session active.', f'{dying.address} closed the connection',
            f'{garbage.address}: its answer is not that of a profiler service',
            f'{empty.address} recorded no event', f'cannot connect to {nobody}')
        states = [host['state'] for host in about['hosts']]
        assert states == ['captured', 'failed', 'failed', 'failed', 'empty', 'failed'], states
        assert {f.name for f in session.iterdir()} == {'session.json', f'{good.stem}.xplane.pb'}


def nothing_is_left_if_all_hosts_fail(folder):
    with Server('busy') as busy:
        has(capture(folder, [busy], code=8), 'Another profiling session active.')
        has(capture(folder, [busy, free_address()], code=8), 'none of the 2 hosts')
        assert list(folder.iterdir()) == []


def hostile_names_stay_inside(folder):
    with Server('hostile') as server:
        said = capture(folder / 'in', [server])
        session, _ = described(folder / 'in')
        found = sorted(str(f.relative_to(folder)) for f in folder.rglob('*') if f.is_file())
        inside = session.relative_to(folder)
        assert found == [f'{inside}/{server.stem}.xplane.pb', f'{inside}/{server.stem}/fine',
                         f'{inside}/session.json'], found
        assert (session / server.stem / 'fine').read_text() == 'x'
        has(said, 'names that cannot be used')


def what_is_not_grpc_is_said(folder):
    with socket.create_server(('127.0.0.1', 0)) as listener:
        address = f'127.0.0.1:{listener.getsockname()[1]}'
        process = start(folder, 'capture', '--service-addr', address, '--attempts', 1)
        peer, _ = listener.accept()
        peer.sendall(b'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')
        _, said = process.communicate(timeout=PATIENCE_S)
        peer.close()
        assert process.returncode == 8
        has(said, f'{address} speaks HTTP/1')


# --- snapshots, and processes of this machine ---


def a_snapshot_saves_what_all_hosts_kept(folder):
    with Server('emit') as first, Server('emit', clock_ms=50) as second:
        run(folder, 'snapshot', f'{first.address},{second.address}', '--start', '--budget', '64MiB',
            '--horizon-ms', 30000, '--host-tracer-level', 1)
        asked = first.next_request('StartContinuousProfiling')
        assert asked['options']['advanced'] == [['nx_budget_bytes', '67108864'], ['nx_horizon_ms', '30000']]
        assert asked['options']['host'] == '1' and asked['root'] == '' and asked['host'] == first.address
        second.next_request('StartContinuousProfiling')
        said = run(folder, 'snapshot', f'{first.address},{second.address}')
        session, about = described(folder)
        assert about['kind'] == 'snapshot' and len(about['hosts']) == 2
        assert (session / f'{second.stem}.xplane.pb').stat().st_size > 0
        has(said, 'captured 2 of 2 hosts')
        run(folder, 'snapshot', first.address, '--stop')
        first.next_request('StopContinuousProfiling')


def what_does_not_record_has_no_snapshot(folder):
    with Server('busy') as server:
        has(run(folder, 'snapshot', server.address, code=8), 'does not record continuously', '--start')
        has(run(folder, 'snapshot', server.address, '--start', code=8), 'already running')
        has(run(folder, 'snapshot', server.address, '--budget', '64MiB', code=2), 'need --start')
    assert list(folder.iterdir()) == []


def a_process_is_attached_to_by_its_number(folder):
    with Server('emit') as server:
        pid = server.process.pid
        services = folder / 'run' / 'neuron-explorer' / 'services'
        services.mkdir(parents=True)
        start_ticks = pathlib.Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()[19]
        host, port = server.address.split(':')
        record = {'pid': str(pid), 'process_start': start_ticks, 'started_ns': '1', 'host': host,
                  'port': port, 'command': 'train', 'needs_token': False}
        (services / f'{pid}.json').write_text(json.dumps(record))
        (services / '1.json').write_text(json.dumps({**record, 'pid': '1', 'process_start': '1'}))
        (services / '2.json').write_text('{')
        os.environ['XDG_RUNTIME_DIR'] = str(folder / 'run')
        try:
            listed = subprocess.run([PROGRAM, 'attach'], capture_output=True, text=True, check=True)
            assert f'{pid}\t{server.address}\ttrain\n' in listed.stdout, listed.stdout
            assert not listed.stdout.startswith('1\t')
            has(run(folder / 'log', 'attach', pid, '--duration-ms', 5), 'captured 1 of 1 host')
            assert described(folder / 'log')[1]['reason'] == 'attach'
            has(run(folder / 'log', 'attach', os.getpid(), code=11), 'NEURON_PROFILER_PORT')
            has(run(folder / 'log', 'attach', 2**31, code=3), 'there is no process')
            has(run(folder / 'log', 'attach', 'train', code=2), 'the number of one process')
        finally:
            del os.environ['XDG_RUNTIME_DIR']


# --- ctrl-c, repetition, names ---


def ctrl_c_ends_the_recording_and_saves_it(folder):
    with Server('until_terminated') as server:
        process = start(folder, 'capture', '--service-addr', server.address, '--duration-ms', 3600000)
        session = server.next_request('Profile')['session']
        process.send_signal(signal.SIGINT)
        assert server.next_request('Terminate')['session'] == session
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, said
        assert described(folder)[1]['hosts'][0]['state'] == 'captured'


def ctrl_c_twice_gives_up(folder):
    with Server('silent') as server:
        process = start(folder, 'capture', '--service-addr', server.address, '--duration-ms', 3600000)
        server.next_request('Profile')
        process.send_signal(signal.SIGINT)
        server.next_request('Terminate')
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130, said
        assert list(folder.iterdir()) == []


def sessions_repeat_and_are_never_overwritten(folder):
    with Server('emit') as server:
        capture(folder, [server], '--session-id', 'same', '--repeat', 3, '--interval-ms', 1)
        names = [session.name for session in sessions(folder)]
        assert names == ['same', 'same_2', 'same_3'], names
        assert all((s / 'session.json').exists() for s in sessions(folder))


def wrong_options_are_reported_before_anything_starts(folder):
    for words, part in (
            (['--service-addr', 'nowhere'], "'nowhere' is not an address"),
            (['--service-addr', '::1:9012'], 'brackets'),
            (['--service-addr', 'a:1,a:1'], 'a:1 is given twice'),
            (['--service-addr', 'a:1', '--session-id', '../x'], 'cannot be the name'),
            (['--service-addr', 'a:1', '--advanced-option', 'x'], 'KEY=VALUE'),
            (['--service-addr', 'a:1', '--duration-ms', '0'], 'at least 1'),
            (['--service-addr', 'a:1', '-n', 'file.neff'], 'takes no model')):
        has(run(folder, 'capture', *words, code=2), part)
    assert list(folder.iterdir()) == []


if __name__ == '__main__':
    fetched = subprocess.run([str(HERE / 'fetch.sh'), str(PACKAGES)], capture_output=True, text=True)
    if fetched.returncode == 77:
        print(f'1..0 # {fetched.stdout.strip()}')
        sys.exit(0)
    assert fetched.returncode == 0, fetched.stderr
    sys.exit(run_cases([
        an_xspace_that_is_sent_becomes_a_session,
        every_option_reaches_the_server,
        a_file_on_a_shared_disk_is_picked_up,
        a_file_on_the_server_s_own_disk_is_named,
        a_server_that_is_unavailable_is_asked_again,
        native_files_are_unpacked_beside_the_xspace,
        large_answers_are_saved_whole,
        hosts_start_together_on_their_own_clocks,
        hosts_that_fail_are_named_and_the_rest_is_kept,
        nothing_is_left_if_all_hosts_fail,
        hostile_names_stay_inside,
        what_is_not_grpc_is_said,
        a_snapshot_saves_what_all_hosts_kept,
        what_does_not_record_has_no_snapshot,
        a_process_is_attached_to_by_its_number,
        ctrl_c_ends_the_recording_and_saves_it,
        ctrl_c_twice_gives_up,
        sessions_repeat_and_are_never_overwritten,
        wrong_options_are_reported_before_anything_starts,
    ]))
