#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real clients and hostile peers capture programs of ours.

usage: run.py GUEST RUNTIME_GUEST NEURON_EXPLORER FETCH_DIRECTORY

TAP on stdout. Clients are Debian's python3-grpcio (gRPC's C core) and @grpc/grpc-js; cases of one
that is not there are skipped. A capture lasts until the program has recorded: it is ended by
Terminate, so that no case depends on time.
"""

import io
import json
import os
import pathlib
import select
import socket
import struct
import subprocess
import sys
import tarfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tap_cases import Skip, run_cases  # noqa: E402

try:
    import grpc
except ImportError:  # another Python than Debian's may come first
    grpc = None
    debian = '/usr/bin/python3'
    if sys.executable != debian and os.path.exists(debian) and 'NX_TRIED' not in os.environ:
        os.environ['NX_TRIED'] = '1'
        os.execv(debian, [debian, __file__, *sys.argv[1:]])

GUEST, RUNTIME_GUEST, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:4])
PACKAGES = pathlib.Path(sys.argv[4])
PATIENCE_S = int(os.environ.get('NX_PATIENCE_S', '100'))
HOUR_MS = 3_600_000


# --- messages, by hand -------------------------------------------------------------------------------


def varint(value):
    out = b''
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(data):
    """Numbers and values of a message."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            yield tag >> 3, number()
        elif tag & 7 == 1:
            yield tag >> 3, struct.unpack('<d', data[at:at + 8])[0]
            at += 8
        else:
            assert tag & 7 == 2, tag
            length = number()
            yield tag >> 3, data[at:at + length]
            at += length


def all_of(data, number):
    return [value for found, value in fields(data) if found == number]


def profile_request(session='s', duration_ms=HOUR_MS, embedded=False, tools=(), advanced=()):
    options = field(2, 2) + field(3, 1) + field(5, 1) + field(9, duration_ms)
    for key, value in advanced:
        options += field(12, field(1, key) + field(2, field(3, value)))
    request = field(1, duration_ms) + b''.join(field(3, tool) for tool in tools)
    request += field(4, options) + field(5, '/a/path/that/the/server/must/not/use') + field(6, session)
    return request + (field(9, 1) if embedded else b'')


def tool_data(response):
    return {all_of(tool, 1)[0].decode(): all_of(tool, 2)[0] for tool in all_of(response, 6)}


def event_count(space):
    return sum(len(all_of(line, 4)) for plane in all_of(space, 1) for line in all_of(plane, 3))


def plane_names(space):
    return [all_of(plane, 2)[0].decode() for plane in all_of(space, 1)]


# --- programs ------------------------------------------------------------------------------------------


class Guest:
    """A traced program; its records are in a folder of its own."""

    def __init__(self, folder, spans=10, **env):
        self.folder = folder
        self.process = subprocess.Popen(
            [GUEST, str(spans)], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, 'XDG_RUNTIME_DIR': str(folder), 'TMPDIR': str(folder), **env})
        self.port = int(self.line('port')[0])

    def line(self, word):
        ready = select.select([self.process.stdout], [], [], PATIENCE_S)[0]
        assert ready, f'the program did not say {word}'
        found = self.process.stdout.readline().split()
        assert found and found[0] == word, f'{found} where {word} was expected'
        return found[1:]

    def tell(self, command):
        self.process.stdin.write(command + '\n')
        self.process.stdin.flush()

    def peak_kib(self):
        status = pathlib.Path(f'/proc/{self.process.pid}/status').read_text()
        return int(status.split('VmHWM:')[1].split()[0])

    def is_sanitized(self):
        maps = pathlib.Path(f'/proc/{self.process.pid}/maps').read_text()
        return 'libasan' in maps or 'libtsan' in maps

    def leftovers(self):
        return list(self.folder.glob('nx-service-*'))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        code = self.process.wait(PATIENCE_S)
        self.process.stdout.close()
        if not _[0]:
            assert code == 0, f'the program ended with {code}'


class Client:
    """gRPC's C core."""

    def __init__(self, port, **metadata):
        if not grpc:
            raise Skip('python3-grpcio is not installed (tools/setup.sh installs it)')
        self.channel = grpc.insecure_channel(f'127.0.0.1:{port}', options=[
            ('grpc.max_receive_message_length', -1), ('grpc.keepalive_time_ms', 1000),
            ('grpc.keepalive_permit_without_calls', 1)])
        self.metadata = tuple(metadata.items())

    def method(self, name, service='ProfilerService'):
        return self.channel.unary_unary(f'/tensorflow.{service}/{name}')

    def call(self, name, request=b'', service='ProfilerService'):
        return self.method(name, service)(request, timeout=PATIENCE_S, metadata=self.metadata)

    def start(self, name, request=b'', timeout=PATIENCE_S):
        return self.method(name).future(request, timeout=timeout, metadata=self.metadata)

    def capture(self, guest, **options):
        """Captures until the program has recorded."""
        running = self.start('Profile', profile_request(**options))
        guest.line('recorded')
        self.call('Terminate', field(1, options.get('session', 's')))
        return running.result(), running

    def close(self):
        self.channel.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def failure(make):
    """The status and the sentence with which a call ends."""
    try:
        result = make()
    except grpc.RpcError as why:
        return why.code(), why.details()
    raise AssertionError(f'answered with {len(result)} bytes')


# --- captures ------------------------------------------------------------------------------------------


def a_capture_returns_an_xspace_that_clients_save(folder):
    with Guest(folder) as guest, Client(guest.port) as client:
        answer, call = client.capture(guest)
        space = tool_data(answer)['xplane.pb']
        assert event_count(space) == 11 and '/host:CPU' in plane_names(space), plane_names(space)
        assert 'Task Environment' in plane_names(space)
        assert not all_of(answer, 7) and not all_of(answer, 8)
        clock = dict(call.trailing_metadata())
        assert 0 < int(clock['nx-received-ns']) < int(clock['nx-sent-ns'])
        assert not guest.leftovers() and not pathlib.Path('/a/path').exists()


def the_xspace_can_be_embedded_and_the_session_added(folder):
    with Guest(folder) as guest, Client(guest.port) as client:
        answer, _ = client.capture(guest, embedded=True, tools=['xplane.pb', 'neuron_session'])
        assert event_count(all_of(answer, 8)[0]) == 11
        archive = tarfile.open(fileobj=io.BytesIO(tool_data(answer)['neuron_session.tar']))
        names = [name.rsplit('/', 1)[-1] for name in archive.getnames()]
        assert sorted(names) == ['spans.pb', 'trace_info.pb'], names
        archive.extractall(folder / 'session')
    done = subprocess.run([PROGRAM, 'view', '-d', str(folder / 'session'), '--output-format', 'json',
                           '--output-file', str(folder / 'out.json')], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def a_large_answer_needs_little_memory(folder):
    with Guest(folder) as guest:
        if guest.is_sanitized():
            raise Skip('sanitizers need memory of their own')
    with Guest(folder, spans=250_000) as guest, Client(guest.port) as client:
        before = guest.peak_kib()
        answer, _ = client.capture(guest, advanced=[('neuron_buffer_bytes', 4 << 20)])
        space = tool_data(answer)['xplane.pb']
        assert event_count(space) == 250_001 and len(space) > 20_000_000, len(space)
        grown = (guest.peak_kib() - before) / 1024
        assert grown < 16, f'{grown:.1f} MiB for an answer of {len(space) / 2**20:.1f} MiB'
        return f'{grown:.1f} MiB more memory for an answer of {len(space) / 2**20:.1f} MiB'


def a_second_capture_is_refused_as_xprof_refuses_it(folder):
    with Guest(folder) as guest, Client(guest.port) as client:
        running = client.start('Profile', profile_request())
        guest.line('recorded')
        code, details = failure(lambda: client.call('Profile', profile_request(session='other')))
        assert code == grpc.StatusCode.INTERNAL and details == 'Another profiling session active.'
        client.call('Terminate', field(1, 's'))
        assert tool_data(running.result())
        client.capture(guest)  # free again


def a_deadline_ends_the_session(folder):
    with Guest(folder) as guest, Client(guest.port) as client:
        code, _ = failure(lambda: client.start('Profile', profile_request(), timeout=0.3).result())
        assert code == grpc.StatusCode.DEADLINE_EXCEEDED
        while failure_of_busy(client, guest):
            pass
        assert not guest.leftovers()


def a_cancelled_capture_leaves_nothing(folder):
    with Guest(folder) as guest, Client(guest.port) as client:
        running = client.start('Profile', profile_request())
        guest.line('recorded')
        running.cancel()
        while failure_of_busy(client, guest):
            pass
        assert not guest.leftovers()


def failure_of_busy(client, guest):
    """Tries a capture; true if the last one has not ended yet."""
    running = client.start('Profile', profile_request(session='next'))
    while not running.done() and not select.select([guest.process.stdout], [], [], 0.01)[0]:
        pass
    if not running.done():
        guest.line('recorded')  # perhaps still that of the last capture
        client.call('Terminate', field(1, 'next'))
    try:
        return not tool_data(running.result())
    except grpc.RpcError as why:
        assert why.details() == 'Another profiling session active.', why
        return True


def a_capture_that_is_terminated_before_it_starts_ends_at_once(folder):
    with Guest(folder) as guest, Client(guest.port) as client:
        client.call('Terminate', field(1, 'early'))
        assert 'xplane.pb' in tool_data(client.call('Profile', profile_request(session='early')))


def a_capture_ends_by_its_duration_and_version_0_means_defaults(folder):
    with Guest(folder) as guest, Client(guest.port) as client:
        assert tool_data(client.call('Profile', profile_request(duration_ms=1)))
        assert tool_data(client.call('Profile', field(1, 1)))  # no options at all
        code, details = failure(lambda: client.call('Profile', b''))
        assert code == grpc.StatusCode.INVALID_ARGUMENT and 'duration_ms' in details


def snapshots_show_what_was_recorded_before(folder):
    with Guest(folder) as guest, Client(guest.port) as client:
        code, details = failure(lambda: client.call('GetSnapshot'))
        assert (code, details) == (grpc.StatusCode.NOT_FOUND, 'No continuous profiling session found.')
        client.call('StartContinuousProfiling', profile_request(advanced=[('nx_budget_bytes', 8 << 20)]))
        guest.line('recorded')
        code, details = failure(lambda: client.call('StartContinuousProfiling', profile_request()))
        assert (code, details) == (grpc.StatusCode.ALREADY_EXISTS,
                                   'A profiling session is already running.')
        first, second = client.call('GetSnapshot'), client.call('GetSnapshot',
                                                                field(1000, 'neuron_session'))
        assert event_count(all_of(first, 8)[0]) == event_count(all_of(second, 8)[0]) == 11
        archive = tarfile.open(fileobj=io.BytesIO(tool_data(second)['neuron_session.tar']))
        assert any(name.endswith('snapshot.json') for name in archive.getnames())
        client.call('StopContinuousProfiling')
        code, _ = failure(lambda: client.call('StopContinuousProfiling'))
        assert code == grpc.StatusCode.NOT_FOUND and not guest.leftovers()


def monitor_reports_steps(folder):
    with Guest(folder) as guest, Client(guest.port) as client:
        longest_ms = 10000
        for duration_ms in 1, 100, longest_ms:
            running = client.start('Monitor', field(1, duration_ms) + field(2, 2) + field(3, 1))
            guest.line('recorded')
            try:
                answer = running.result()
                break
            except grpc.RpcError as why:  # nothing was recorded in so short a time
                assert why.code() == grpc.StatusCode.UNIMPLEMENTED and duration_ms < longest_ms, why
        assert b'Steps: 1, average' in all_of(answer, 1)[0], answer
        assert all_of(all_of(answer, 10)[0], 1) == [3]


def sessions_that_stay_are_listed_and_fetched(folder):
    with Guest(folder) as guest, Client(guest.port) as client:
        def ask(name, request=b''):
            return client.call(name, request, 'ProfileAnalysis')
        assert ask('EnumSessions') == b''
        assert ask('NewSession', field(1, profile_request(duration_ms=1)) + field(4, 's')) == b''
        [session] = all_of(ask('EnumSessions'), 2)
        name = all_of(session, 1)[0]
        assert all_of(session, 2) == [b'xplane.pb', b'neuron_session.tar']
        wanted = field(2, name) + field(3, 'xplane.pb')
        assert '/host:CPU' in plane_names(all_of(ask('GetSessionToolData', wanted), 3)[0])
        for bad in b'../' + name, b'..', name + b'/..', b'', b'/etc':
            code, _ = failure(lambda: ask('GetSessionToolData', field(2, bad) + field(3, 'xplane.pb')))
            assert code == grpc.StatusCode.INVALID_ARGUMENT, bad
        code, _ = failure(lambda: ask('GetSessionToolData', field(2, name + b'0') + field(3, 'xplane.pb')))
        assert code == grpc.StatusCode.NOT_FOUND


def a_token_is_needed_where_one_is_set(folder):
    (folder / 'token').write_text('secret\n')
    with Guest(folder, NEURON_PROFILER_PORT='0', NEURON_PROFILER_HOST='0.0.0.0',
               NEURON_PROFILER_TOKEN_FILE=str(folder / 'token')) as guest:
        with Client(guest.port) as client:
            code, details = failure(lambda: client.call('Terminate'))
            assert code == grpc.StatusCode.UNAUTHENTICATED and 'Bearer' in details
        with Client(guest.port, authorization='Bearer secret') as client:
            assert client.call('Terminate') == b''
        record = json.loads(next(folder.rglob('services/*.json')).read_text())
        assert record['needs_token'] and record['host'] == '0.0.0.0'


def a_program_that_knows_only_the_runtime_is_captured(folder):
    process = subprocess.Popen(
        [RUNTIME_GUEST], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, 'XDG_RUNTIME_DIR': str(folder), 'TMPDIR': str(folder),
             'NEURON_PROFILER_PORT': '0'})
    try:
        assert process.stdout.readline() == 'ready\n'
        [record] = folder.rglob('services/*.json')
        with Client(json.loads(record.read_text())['port']) as client:
            names = []
            while '/device:CUSTOM:Neuron Runtime' not in names:
                names = plane_names(tool_data(client.call('Profile', profile_request(
                    duration_ms=20)))['xplane.pb'])
    finally:
        process.stdin.close()
        code = process.wait(PATIENCE_S)
        process.stdout.close()
    assert code == 0 and not record.exists()


def a_child_has_no_server_and_the_parent_keeps_its_own(folder):
    with Guest(folder) as guest, Client(guest.port) as client:
        client.call('Terminate')  # a connection is open
        guest.tell('fork')
        child = guest.line('child')
        assert child == ['0', '0', '0'], child  # sockets, port, the status of its own server
        parent = guest.line('parent')
        assert parent == ['0', str(guest.port)], parent
        client.capture(guest)
        guest.tell('stop')
        assert guest.line('stopped') == ['0']
        code, details = failure(lambda: client.start('Terminate').result())
        assert code == grpc.StatusCode.UNAVAILABLE, details
        left = list(folder.rglob('services/*.json'))
        assert not left, left


def a_server_that_stops_ends_the_capture(folder):
    with Guest(folder) as guest, Client(guest.port) as client:
        running = client.start('Profile', profile_request())
        guest.line('recorded')
        guest.tell('stop')
        assert guest.line('stopped') == ['0']
        code, _ = failure(running.result)
        assert code == grpc.StatusCode.UNAVAILABLE, code
        assert not guest.leftovers()


# --- gRPC for JavaScript -------------------------------------------------------------------------------


class JavaScript:
    """A process of grpc_client.js."""

    def __init__(self, port):
        done = subprocess.run([str(HERE.parent / 'on_demand/fetch.sh'), str(PACKAGES)],
                              capture_output=True, text=True)
        if done.returncode == 77:
            raise Skip(done.stdout.strip().removeprefix('SKIP: '))
        assert done.returncode == 0, done.stderr
        self.process = subprocess.Popen(
            ['node', str(HERE / 'grpc_client.js'), f'127.0.0.1:{port}'], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
            env={**os.environ, 'NODE_PATH': str(PACKAGES / 'node_modules')})

    def tell(self, **command):
        self.process.stdin.write(json.dumps(command) + '\n')
        self.process.stdin.flush()

    def result(self):
        return json.loads(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(PATIENCE_S)
        self.process.stdout.close()


def javascript_captures_a_large_profile(folder):
    with Guest(folder, spans=100_000) as guest, JavaScript(guest.port) as client:
        client.tell(id=1, call='Profile', hex=profile_request().hex())
        guest.line('recorded')
        client.tell(id=2, call='Terminate', hex=field(1, 's').hex())
        results = {result['id']: result for result in (client.result(), client.result())}
        assert results[2]['code'] == 0, results
        assert results[1]['code'] == 0 and results[1]['bytes'] > 8_000_000, results[1]
        assert b'xplane.pb' in bytes.fromhex(results[1]['start'])
        assert int(results[1]['trailers']['nx-sent-ns']) > 0


def javascript_sees_deadlines_cancellation_and_refusals(folder):
    with Guest(folder) as guest, JavaScript(guest.port) as client:
        client.tell(id=1, call='Profile', hex=profile_request().hex())
        guest.line('recorded')
        client.tell(id=2, call='Profile', hex=profile_request(session='other').hex())
        refused = client.result()
        assert (refused['code'], refused['details']) == (13, 'Another profiling session active.')
        client.tell(cancel=1)
        assert client.result()['code'] == 1
        client.tell(id=3, call='Nothing', hex='')
        assert client.result()['code'] == 12
    with Guest(folder) as guest, JavaScript(guest.port) as client:
        client.tell(id=1, call='Profile', hex=profile_request().hex(), deadline_ms=300)
        guest.line('recorded')
        assert client.result()['code'] == 4


# --- hostile peers --------------------------------------------------------------------------------------

HELLO = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + bytes(3) + b'\4\0' + bytes(4)


def frame(kind, flags, stream, payload):
    return struct.pack('>I', len(payload))[1:] + bytes([kind, flags]) + struct.pack('>I', stream) + payload


def literal(name, value):
    return b'\0' + bytes([len(name)]) + name + bytes([len(value)]) + value


def headers(stream, path=b'/tensorflow.ProfilerService/Profile', kind=b'application/grpc'):
    block = b''.join(literal(*pair) for pair in (
        (b':method', b'POST'), (b':scheme', b'http'), (b':path', path), (b':authority', b'x'),
        (b'content-type', kind), (b'te', b'trailers')))
    return frame(1, 4, stream, block)


def message(stream, body):
    return frame(0, 1, stream, b'\0' + struct.pack('>I', len(body)) + body)


def until_closed(peer):
    """What the server says until it closes the connection."""
    said = b''
    try:
        while True:
            part = peer.recv(65536)
            if not part:
                return said
            said += part
    except ConnectionResetError:
        return said


def until_answered(peer, stream=1):
    """Reads frames until the response of the stream is complete."""
    said = b''
    while True:
        while len(said) >= 9:
            length, kind, flags, number = struct.unpack('>IBBI', b'\0' + said[:9])
            if len(said) < 9 + length:
                break
            if number == stream and (kind == 3 or kind in (0, 1) and flags & 1):
                return
            said = said[9 + length:]
        part = peer.recv(65536)
        assert part, 'the connection ended before the answer'
        said += part


def connect(guest):
    return socket.create_connection(('127.0.0.1', guest.port), timeout=PATIENCE_S)


def still_serves(guest):
    with connect(guest) as peer:
        peer.sendall(HELLO + headers(1, b'/tensorflow.ProfilerService/Terminate') + message(1, b''))
        until_answered(peer)


def other_protocols_and_broken_frames_are_refused(folder):
    texts = [b'GET / HTTP/1.1\r\nHost: x\r\n\r\n', b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
             os.urandom(64), HELLO + b'\xff' * 64, HELLO + frame(0, 0, 1, b'data before headers'),
             HELLO + frame(1, 4, 2, b'\x82'), HELLO + frame(1, 4, 1, b'\xff' * 32),
             HELLO + frame(9, 4, 1, b''), HELLO + frame(4, 0, 0, b'\0\4' + b'\xff' * 4)]
    with Guest(folder) as guest:
        for text in texts:
            with connect(guest) as peer:
                peer.sendall(text)
                peer.shutdown(socket.SHUT_WR)
                until_closed(peer)
        still_serves(guest)


def malformed_requests_are_refused(folder):
    deep = b''
    for _ in range(200):
        deep = field(4, deep)
    bodies = {'endless varint': b'\x08' + b'\xff' * 40, 'deep nesting': deep, 'cut': b'\x22\x7f\x28',
              'group': b'\x0b\x0c', 'many': field(3, 'x') * 15_000}
    with Guest(folder) as guest:
        for name, body in bodies.items():
            with connect(guest) as peer:
                text = HELLO + headers(1)
                whole = b'\0' + struct.pack('>I', len(body)) + body
                parts = [whole[i:i + 8000] for i in range(0, len(whole), 8000)]
                for i, part in enumerate(parts):
                    text += frame(0, int(i + 1 == len(parts)), 1, part)
                peer.sendall(text)
                until_answered(peer)
        with connect(guest) as peer:
            peer.sendall(HELLO + headers(1, kind=b'application/json') + message(1, b'{}'))
            until_answered(peer)
        still_serves(guest)


def floods_are_stopped(folder):
    ping = frame(6, 0, 0, bytes(8))
    cases = {'pings': ping * 5000, 'settings': frame(4, 0, 0, b'') * 5000,
             'resets': b''.join(headers(2 * i + 1) + frame(3, 0, 2 * i + 1, bytes(4))
                                for i in range(3000)),
             'streams': b''.join(headers(2 * i + 1) for i in range(3000))}
    with Guest(folder) as guest:
        before = guest.peak_kib()
        for name, text in cases.items():
            with connect(guest) as peer:
                try:
                    peer.sendall(HELLO + text)
                except (BrokenPipeError, ConnectionResetError):
                    pass
                peer.close()
        idle = [connect(guest) for _ in range(100)]  # more than there is room for
        still_serves(guest)
        for peer in idle:
            peer.close()
        grown = (guest.peak_kib() - before) / 1024
        if not guest.is_sanitized():
            assert grown < 8, f'{grown:.1f} MiB'
        return f'{grown:.1f} MiB more memory'


def a_reader_that_stops_does_not_stop_the_others(folder):
    with Guest(folder, spans=100_000) as guest:
        with connect(guest) as slow:
            window = frame(4, 0, 0, b'\0\4' + struct.pack('>I', 2**31 - 1))
            window += frame(8, 0, 0, struct.pack('>I', 2**31 - 1 - 65535))
            slow.sendall(HELLO + window + headers(1) + message(1, profile_request()))
            guest.line('recorded')
            with connect(guest) as other:
                other.sendall(HELLO + headers(1, b'/tensorflow.ProfilerService/Terminate') +
                              message(1, field(1, 's')))
                until_answered(other)
            slow.recv(1)  # and nothing more: megabytes wait for it
            still_serves(guest)
        still_serves(guest)


def half_of_a_request_keeps_nobody_waiting(folder):
    with Guest(folder) as guest:
        halves = []
        for cut in 10, 30, 60, 150:
            halves.append(connect(guest))
            halves[-1].sendall((HELLO + headers(1) + message(1, profile_request()))[:cut])
        still_serves(guest)
        for peer in halves:
            peer.close()


def calls_at_the_same_time_are_all_answered(folder):
    with Guest(folder) as guest, Client(guest.port) as client:
        done = []
        threads = [threading.Thread(target=lambda: done.append(client.call('Terminate')))
                   for _ in range(64)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(done) == 64


sys.exit(run_cases((
    a_capture_returns_an_xspace_that_clients_save,
    the_xspace_can_be_embedded_and_the_session_added,
    a_large_answer_needs_little_memory,
    a_second_capture_is_refused_as_xprof_refuses_it,
    a_deadline_ends_the_session,
    a_cancelled_capture_leaves_nothing,
    a_capture_that_is_terminated_before_it_starts_ends_at_once,
    a_capture_ends_by_its_duration_and_version_0_means_defaults,
    snapshots_show_what_was_recorded_before,
    monitor_reports_steps,
    sessions_that_stay_are_listed_and_fetched,
    a_token_is_needed_where_one_is_set,
    a_program_that_knows_only_the_runtime_is_captured,
    a_child_has_no_server_and_the_parent_keeps_its_own,
    a_server_that_stops_ends_the_capture,
    calls_at_the_same_time_are_all_answered,
    javascript_captures_a_large_profile,
    javascript_sees_deadlines_cancellation_and_refusals,
    other_protocols_and_broken_frames_are_refused,
    malformed_requests_are_refused,
    floods_are_stopped,
    a_reader_that_stops_does_not_stop_the_others,
    half_of_a_request_keeps_nobody_waiting,
)))
