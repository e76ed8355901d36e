#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ask the server as the pages of XProf and TensorBoard do.

usage: xprof.py NEURON_EXPLORER MAKE_CAPTURE

TAP on stdout.
"""

import collections
import csv
import gzip
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

from visitor import MAKER, PROGRAM, Served, check, results

PREFIX = '/data/plugin/profile'
TOOL = 'trace_viewer@'


class Server(Served):
    def ask(self, route, headers=None, **parameters):
        query = '?' + urllib.parse.urlencode(parameters) if parameters else ''
        return self.visit(PREFIX + route + query, headers=headers)

    def json(self, route, **parameters):
        status, _, content = self.ask(route, **parameters)
        return json.loads(content) if status == 200 else {'status': status, 'body': content}

    def trace(self, **parameters):
        return self.json('/data', run='two', tag=TOOL, **parameters)


def spans(trace):
    return [e for e in trace['traceEvents'] if e['ph'] == 'X']


def key(event):
    """Nanoseconds, exactly: JSON has microseconds with three decimals."""
    return event['name'], round(event['ts'] * 1000), round(event['dur'] * 1000)


def make(folder, workspace):
    """A system profile of two hosts, one of a device, and the events of the first as JSON."""
    subprocess.run([MAKER, '--system', folder / 'two', '--instances', '2', '--workers', '2',
                    '--events', '3000'], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([MAKER, '--demo', folder], check=True, stdout=subprocess.DEVNULL)
    view = [PROGRAM, 'view', '-v', '2', '--ignore-device-profile', '-d', folder / 'two']
    subprocess.run([*view, '--ingest-only', '--data-path', workspace], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([PROGRAM, 'view', '-n', folder / 'demo.neff', '-s', folder / 'demo.ntff', '-v', '2',
                    '--ingest-only', '--data-path', workspace], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*view, '--output-format', 'json', '--output-file', folder / 'two.json'],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return json.loads((folder / 'two.json').read_text())['trace_events']


def check_lists(server, events):
    runs = server.json('/runs')
    check('runs are profiles, the newest first', runs == ['demo', 'two'], runs)
    check('they are listed at the root as well', server.visit('/runs')[2] == server.ask('/runs')[2])
    for run in runs:
        check(f'{run} has the trace viewer', server.json('/run_tools', run=run) == [TOOL])
    hosts = server.json('/hosts', run='two', tag=TOOL)
    check('hosts are instances', [h['hostname'] for h in hosts]
          == sorted({e['instance_id'] for e in events}), hosts)
    hosts = server.json('/hosts', run='demo', tag=TOOL)
    check('a device has one host', [h['hostname'] for h in hosts] == ['demo'], hosts)


def check_trace(server, events):
    trace = server.trace()
    for name in ('displayTimeUnit', 'metadata', 'details', 'tasks', 'stackFrames', 'codeLink',
                 'fullTimespan', 'returnedEventsSize', 'showCounterMessage', 'totalCounterEvents'):
        check(f'a trace has {name}', name in trace, trace.keys())
    check('a small trace is sent whole', not trace['filteredByVisibility']
          and trace['returnedEventsSize'] == len(spans(trace)), trace['returnedEventsSize'])
    zero = int(json.loads(server.visit('/api/v1/profiles/two/tracks')[2])['from_ns'])
    # transfers, steps and gaps have tracks of their own and repeat events
    for host in sorted({e['instance_id'] for e in events}):
        trace = server.trace(host=host)
        names = {(e['pid'], e['tid']): e['args']['name'] for e in trace['traceEvents']
                 if e['name'] == 'thread_name'}
        processes = {e['pid']: e['args']['name'] for e in trace['traceEvents']
                     if e['name'] == 'process_name'}
        check(f'{host}: its processes only', processes
              and all(n.startswith(host) for n in processes.values()), processes)
        check(f'{host}: every event has a named row',
              all((e['pid'], e['tid']) in names for e in spans(trace)))
        check(f'{host}: hosts are numbered from 701', min(processes) >= 701, processes)
        wanted = collections.Counter((e['name'], e['timestamp'] - zero, e['duration'])
                                     for e in events if e['instance_id'] == host)
        got = collections.Counter(key(e) for e in spans(trace))
        check(f'{host}: all its events at their times', not wanted - got,
              list((wanted - got).items())[:3])
    both = server.trace(hosts=','.join(sorted({e['instance_id'] for e in events})))
    check('hosts= takes several', len(spans(both)) == len(spans(server.trace())))
    check('a device has a trace', spans(server.json('/data', run='demo', tag='trace_viewer')))


def check_counters(server):
    trace = server.trace()
    counters = [e for e in trace['traceEvents'] if e['ph'] == 'C']
    check('counters have their samples in one record', counters
          and all(len(p) == 2 for e in counters for p in e['entries']), counters[:1])
    check('samples are in order', all(e['entries'] == sorted(e['entries'], key=lambda p: p[0])
                                      for e in counters))
    check('and counted', trace['totalCounterEvents'] == sum(len(e['entries']) for e in counters))


def check_window(server):
    everything = spans(server.trace())
    last_ms = server.trace()['fullTimespan'][1]
    for first, end in ((0, last_ms / 3), (last_ms / 3, last_ms / 2), (last_ms * 0.9, last_ms * 2)):
        part = server.trace(start_time_ms=first, end_time_ms=end)
        first_ns, end_ns = int(first * 1e6), int(end * 1e6)
        wanted = collections.Counter(
            key(e) for e in everything
            if key(e)[1] < end_ns and (key(e)[1] + key(e)[2] > first_ns or key(e)[1] >= first_ns))
        got = collections.Counter(key(e) for e in spans(part))
        check(f'from {first:.3f} to {end:.3f} ms: the events that reach into it', got == wanted,
              (list((got - wanted).items())[:3], list((wanted - got).items())[:3]))
        check('the whole time span is known', part['fullTimespan'][1] == last_ms)


def check_resolution(server):
    whole = server.trace()
    everything = collections.Counter(key(e) for e in spans(whole))
    for parts in (10, 200):
        coarse = server.trace(resolution=parts)
        got = collections.Counter(key(e) for e in spans(coarse))
        shortest = round(whole['fullTimespan'][1] * 1e6) // parts
        check(f'{parts} parts: fewer events, and the answer says so', coarse['filteredByVisibility']
              and 0 < sum(got.values()) < sum(everything.values()) and not got - everything)
        check(f'{parts} parts: none that is long enough is missing',
              all(got[k] == n for k, n in everything.items() if k[2] > shortest))
        rows = {(e['pid'], e['tid']) for e in spans(whole)}
        check(f'{parts} parts: no row is empty', rows == {(e['pid'], e['tid'])
                                                          for e in spans(coarse)})
    fine = server.trace(resolution=65536, start_time_ms=0, end_time_ms=0.05)
    check('zooming in brings all back', not fine['filteredByVisibility'] or spans(fine))


def check_details(server, events):
    event = next(e for e in spans(server.trace()) if any('size' in x and x['name'] == e['name']
                                                         for x in events))
    got = server.trace(event_name=event['name'], unique_id=event['z'], start_time_ms=0, duration_ms=1)
    args = got['traceEvents'][0]['args']
    check('the arguments of one event', args['name'] == event['name']
          and int(args['duration_ns']) == key(event)[2] and int(args['size']) > 0, args)
    name = event['name']
    found = spans(server.trace(search_prefix=name[:6]))
    check('a search finds names that begin so', found
          and all(e['name'].startswith(name[:6]) for e in found)
          and len(found) == sum(e['name'].startswith(name[:6]) for e in spans(server.trace())))
    status, headers, content = server.ask('/data_csv', run='two', tag=TOOL)
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    check('CSV has the same events', status == 200 and 'attachment' in headers['Content-Disposition']
          and collections.Counter((r['name'], r['start_us']) for r in rows)
          == collections.Counter((e['name'], f"{e['ts']:.3f}".rstrip('0').rstrip('.'))
                                 for e in spans(server.trace())), content[:200])


def check_encoding(server):
    plain = server.ask('/data', run='two', tag=TOOL)
    packed = server.ask('/data', {'Accept-Encoding': 'gzip, deflate, br'}, run='two', tag=TOOL)
    check('gzip for clients that accept it', packed[1]['Content-Encoding'] == 'gzip'
          and gzip.decompress(packed[2]) == plain[2] and len(packed[2]) < len(plain[2]) / 4)
    check('plain for others', plain[1]['Content-Encoding'] is None and plain[1]['Vary'])
    never = server.ask('/data', {'Accept-Encoding': 'gzip;q=0'}, run='two', tag=TOOL)
    check('and for those that refuse it', never[2] == plain[2])


def check_refusals(server):
    for route, parameters, wanted in (
            ('/run_tools', {}, 400), ('/run_tools', {'run': 'none'}, 404),
            ('/hosts', {'run': '../two'}, 404), ('/runs', {'session_path': '/etc'}, 400),
            ('/runs', {'run_path': '/etc'}, 400), ('/data', {'run': 'two'}, 400),
            ('/data', {'run': 'two', 'tag': 'overview_page'}, 404),
            ('/data', {'run': 'two', 'tag': TOOL, 'host': 'none'}, 404),
            ('/data', {'run': 'two', 'tag': TOOL, 'format': 'pb'}, 501),
            ('/data', {'run': 'two', 'tag': TOOL, 'resolution': '-1'}, 400),
            ('/data', {'run': 'two', 'tag': TOOL, 'resolution': '99999999'}, 400),
            ('/data', {'run': 'two', 'tag': TOOL, 'start_time_ms': '1e'}, 400),
            ('/data', {'run': 'two', 'tag': TOOL, 'start_time_ms': 'nan'}, 400),
            ('/data', {'run': 'two', 'tag': TOOL, 'start_time_ms': '2', 'end_time_ms': '1'}, 400),
            ('/data', {'run': 'two', 'tag': TOOL, 'start_time_ms': '1e12'}, 400),
            ('/data', {'run': 'two', 'tag': TOOL, 'event_name': 'x'}, 400),
            ('/data', {'run': 'two', 'tag': TOOL, 'event_name': 'x', 'unique_id': 127}, 404),
            ('/data', {'run': 'two', 'tag': TOOL, 'event_name': 'x', 'unique_id': 2**60}, 404)):
        status, _, content = server.ask(route, **parameters)
        check(f'{route} {parameters} gives {wanted}', status == wanted
              and json.loads(content)['detail'], (status, content))
    status, _, content = server.ask('/capture_profile', service_addr='localhost:9999', duration=1000)
    check('capture_profile names the command', status == 500
          and 'neuron-explorer capture --service-addr' in json.loads(content)['error'], content)


def check_rest(server):
    config = server.json('/config')
    check('config', config == {'hideCaptureProfileButton': True, 'srcPathPrefix': '',
                               'enableTabNameLabel': False}, config)
    check('version', b'neuron-explorer' in server.ask('/version')[2])
    check('no XLA modules', server.ask('/module_list', run='two')[::2] == (200, b''))
    check('nothing to prepare', server.visit(PREFIX + '/generate_cache', 'POST', body='{}')[0] == 202)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        events = make(folder, folder / 'workspace')
        server = Server(folder / 'workspace')
        check_lists(server, events)
        check_trace(server, events)
        check_counters(server)
        check_window(server)
        check_resolution(server)
        check_details(server, events)
        check_encoding(server)
        check_refusals(server)
        check_rest(server)
        code, _, said = server.stop()
        check('the server ends quietly', code in (0, 130) and not said, (code, said))
    print(f'1..{len(results)}')
    sys.exit(not all(results))


main()
