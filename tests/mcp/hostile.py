#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends what no client should to 'mcp': it answers with an error, and goes on.

usage: hostile.py PROGRAM SOURCE
"""

import json
import pathlib
import subprocess
import sys

PROGRAM, SOURCE = sys.argv[1:3]
sys.path.insert(0, str(pathlib.Path(SOURCE) / 'tests'))
from tap_cases import run_cases  # noqa: E402

PING = b'{"jsonrpc":"2.0","id":"last","method":"ping"}\n'


def talk(folder, data):
    """The answers to data and a ping behind it, by id; the ping must be answered."""
    (folder / 'ws').mkdir(exist_ok=True)
    done = subprocess.run([PROGRAM, 'mcp', '--data-path', folder / 'ws'], input=data + PING,
                          capture_output=True, timeout=120)
    assert done.returncode == 0 and not done.stderr, (done.returncode, done.stderr[:500])
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert any(a['id'] == 'last' and a['result'] == {} for a in answers), answers
    return [a for a in answers if a['id'] != 'last']


def codes(folder, *lines):
    return [a.get('error', {}).get('code') for a in talk(folder, b'\n'.join(lines) + b'\n')]


def bytes_that_are_no_json(folder):
    assert codes(folder, b'{', b'\xff\xfe', b'\0', b'nul', b'{"a":1}}') == [-32700] * 5
    assert codes(folder, b'[' * 100000) == [-32700]
    assert codes(folder, b'', b'\r') == []


def json_that_is_no_request(folder):
    wrong = (b'1', b'"x"', b'[]', b'{}', b'{"id":1}', b'{"method":1,"id":1}',
             b'{"method":"ping","id":null}', b'{"method":"ping","id":{}}', b'{"method":"ping","id":[1]}',
             b'{"method":"ping","id":' + b'1' * 100000 + b'}')
    assert codes(folder, *wrong) == [-32600] * len(wrong)
    assert codes(folder, b'{"method":"nothing","id":1}', b'{"method":"tools/call","id":2}',
                 b'{"method":"tools/call","id":3,"params":[]}',
                 b'{"method":"tools/call","id":4,"params":{"name":7}}') == [-32601] + [-32602] * 3


def a_message_without_end(folder):
    assert codes(folder, b'{"a":"' + b'x' * (3 << 20) + b'"}') == [-32700]
    # the end of the input ends the last line, which is no message
    done = subprocess.run([PROGRAM, 'mcp', '--data-path', folder], input=PING + b'{"jsonrpc"',
                          capture_output=True, timeout=120)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 1


def ids_come_back_as_they_were(folder):
    ids = [0, -1, 12345678901234567890123, 'a"\\\n\u00e9', '']
    data = b''.join(json.dumps({'jsonrpc': '2.0', 'id': i, 'method': 'ping'}).encode() + b'\n'
                    for i in ids)
    assert [a['id'] for a in talk(folder, data)] == ids


def arguments_of_every_wrong_kind(folder):
    values = [None, True, 7, -1, 1e300, '', 'a\0b', '../x', '/etc/passwd', 'x' * 100000, [], [[]], [None],
              {}, {'profile': 'x'}, ['x'] * 100]
    tools = ('list', 'summary', 'why', 'recommend', 'compare', 'sql', 'source_lines')
    calls = [{'name': tool, 'arguments': arguments} for tool in tools for value in values
             for arguments in (value, {'profile': value, 'baseline': value, 'query': value, 'by': value,
                                       'gap': value, 'file': value, 'limit': value})]
    answered = 0
    for first in range(0, len(calls), 50):  # fewer than may wait
        data = b''.join(json.dumps({'jsonrpc': '2.0', 'id': i, 'method': 'tools/call',
                                    'params': call}).encode() + b'\n'
                        for i, call in enumerate(calls[first:first + 50]))
        for answer in talk(folder, data):
            call = calls[first + answer['id']]
            assert answer['result']['isError'] == (call['name'] != 'list'), (call, answer)
            answered += 1
    assert answered == len(calls)


def cancelling_what_is_not_there(folder):
    wrong = (b'{"method":"notifications/cancelled"}',
             b'{"method":"notifications/cancelled","params":{"requestId":5}}',
             b'{"method":"notifications/cancelled","params":[]}', b'{"method":"notifications/other"}')
    assert codes(folder, *wrong) == []


def nobody_reads_the_answers(folder):
    child = subprocess.Popen([PROGRAM, 'mcp', '--data-path', folder], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.close()
    try:
        for _ in range(2000):
            child.stdin.write(PING)
            child.stdin.flush()
    except BrokenPipeError:
        pass
    try:
        child.stdin.close()
    except BrokenPipeError:
        pass
    assert child.wait(timeout=60) == 0 and not child.stderr.read()


sys.exit(run_cases([bytes_that_are_no_json, json_that_is_no_request, a_message_without_end,
                    ids_come_back_as_they_were, arguments_of_every_wrong_kind,
                    cancelling_what_is_not_there, nobody_reads_the_answers]))
