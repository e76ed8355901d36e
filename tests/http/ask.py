#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Query profiles through the server and compare the responses with plain SQL.

usage: ask.py NEURON_EXPLORER MAKE_CAPTURE

TAP on stdout; without DuckDB only the parts that do not need it are tested.
"""

import concurrent.futures
import csv
import io
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse

from visitor import API, JSON, MAKER, PROGRAM, Served, check, results


class Server(Served):
    def ask(self, path, method='GET', headers=None, body=None):
        return self.visit(API + path, method, headers, body)

    def json(self, path, **parameters):
        pairs = [(k.rstrip('_'), v) for k, value in parameters.items()
                 for v in (value if isinstance(value, list) else [value])]
        query = '?' + urllib.parse.urlencode(pairs) if pairs else ''
        status, _, content = self.ask(path + query)
        return json.loads(content) if status == 200 else {'status': status, 'body': content}

    def post(self, path, body):
        status, _, content = self.ask(path, 'POST', JSON, json.dumps(body))
        return status, json.loads(content)

    def rows(self, sql, profile='demo', limit=100000):
        status, answer = self.post(f'/profiles/{profile}/sql', {'sql': sql, 'limit': limit})
        return answer['rows'] if status == 200 else answer



def ingest(capture, workspace, name, *options):
    subprocess.run([PROGRAM, 'view', '-n', f'{capture}/demo.neff', '-s', f'{capture}/demo.ntff',
                    '--ingest-only', '--display-name', name, '--data-path', workspace, '-v', '2',
                    *options], check=True, stdout=subprocess.DEVNULL)


# --- SQL ----------------------------------------------------------------------------------------

def check_sql(server):
    status, answer = server.post('/profiles/demo/sql', {
        'sql': 'SELECT 1 AS a, 9007199254740991 AS safe, 9007199254740993 AS big, '
               '18446744073709551615::UBIGINT AS huge, NULL AS none, \'x\' AS t, [1, 2] AS l, '
               "'nan'::DOUBLE AS n, true AS b"})
    check('integers are exact', status == 200 and answer['rows'] == [
        [1, 9007199254740991, '9007199254740993', '18446744073709551615', None, 'x', [1, 2], None,
         True]], answer)
    check('columns have names and types', [(c['name'], c['type']) for c in answer['columns']][:4] ==
          [('a', 'integer'), ('safe', 'integer'), ('big', 'integer'), ('huge', 'integer')], answer)
    check('the response has the elapsed time', answer['elapsed_ms'] >= 0 and not answer['is_cut'], answer)
    _, answer = server.post('/profiles/demo/sql', {'sql': 'SELECT * FROM range(11)', 'limit': 10})
    check('a truncated result is marked', answer['is_cut'] and len(answer['rows']) == 10, answer)
    _, answer = server.post('/profiles/demo/sql', {'sql': 'SELECT * FROM range(10)', 'limit': 10})
    check('a complete result is not', not answer['is_cut'] and len(answer['rows']) == 10, answer)
    for sql, wanted in (('SELEC 1', 400), ('SELECT * FROM nothing', 404), ('SELECT 1; SELECT 2', 400),
                        ("SELECT * FROM read_csv('/etc/passwd')", 403),
                        ("SELECT * FROM '/etc/passwd'", 404), ("COPY (SELECT 1) TO '/tmp/x'", 403),
                        ('SET threads = 1', 403), ("ATTACH '/tmp/x'", 403), ('', 400), (7, 400),
                        ('SELECT ' + '1+' * 40000 + '1', 422)):
        status, answer = server.post('/profiles/demo/sql', {'sql': sql})
        check(f'{str(sql)[:40]!r} gives {wanted}', status == wanted and answer['detail'], answer)
    for limit in (0, -1, 100001, 'many', 1.5):
        status, answer = server.post('/profiles/demo/sql', {'sql': 'SELECT 1', 'limit': limit})
        check(f'a limit of {limit!r} is refused', status == 400, answer)
    status, _ = server.post('/profiles/nobody/sql', {'sql': 'SELECT 1'})
    check('an unknown profile gives 404', status == 404, status)


def check_moved(server, workspace):
    """A file that is moved while its profile is served."""
    path = f'{workspace}/profiles/global/demo@latest/DmaQueuesInfo.parquet'
    os.rename(path, f'{workspace}/moved')
    status, answer = server.post('/profiles/demo/sql', {'sql': 'SELECT * FROM DmaQueuesInfo'})
    check('SQL names a file that was moved', status == 404 and 'DmaQueuesInfo' in answer['detail']
          and 'moved' in answer['detail'], answer)
    answer = json.loads(server.ask('/profiles/demo/tables/DmaQueuesInfo/rows/0')[2])
    check('so do rows', answer['status'] == 404 and 'moved' in answer['detail'], answer)
    os.rename(f'{workspace}/moved', path)
    check('put back, it is read again', len(server.rows('SELECT * FROM DmaQueuesInfo')) > 0)


# --- the description ----------------------------------------------------------------------------

def fault_of(value, schema, schemas, place='answer'):
    """The part of a value that its schema does not allow, or None."""
    if '$ref' in schema:
        return fault_of(value, schemas[schema['$ref'].rpartition('/')[2]], schemas, place)
    if 'anyOf' in schema:
        faults = [fault_of(value, one, schemas, place) for one in schema['anyOf']]
        return None if None in faults else faults[0]
    if 'const' in schema:
        return None if value == schema['const'] else f'{place}: {value!r}'
    types = {'string': str, 'number': (int, float), 'integer': int, 'boolean': bool,
             'null': type(None), 'array': list, 'object': dict}
    if not isinstance(value, types[schema['type']]) or \
            isinstance(value, bool) and schema['type'] != 'boolean':
        return f'{place}: {str(value)[:60]!r} is not of type {schema["type"]}'
    if 'pattern' in schema and not re.search(schema['pattern'], value):
        return f'{place}: {value!r} is not a decimal'
    if schema['type'] == 'array':
        return next(filter(None, (fault_of(one, schema['items'], schemas, f'{place}[{i}]')
                                  for i, one in enumerate(value))), None)
    if schema['type'] != 'object' or 'properties' not in schema:
        return None
    fields, required = {}, []
    for part in [schemas[s['$ref'].rpartition('/')[2]] for s in schema.get('allOf', [])] + [schema]:
        fields.update(part['properties'])
        required += part['required']
    for name in set(required) - set(value):
        return f'{place}: {name} is missing'
    return next(filter(None, (
        fault_of(one, fields[name], schemas, f'{place}.{name}') if name in fields
        else f'{place}: {name} is not described' for name, one in value.items())), None)


def check_description(server):
    """Responses match the description, field by field."""
    described = server.json('/openapi.json')
    schemas = described['components']['schemas']
    demo = '/profiles/demo'
    for path, pattern in (
            ('/profiles', '/profiles'), (demo, '/profiles/{p}'),
            (f'{demo}/ranks', '/profiles/{p}/ranks'), (f'{demo}/tracks', '/profiles/{p}/tracks'),
            ('/profiles/system/tracks', '/profiles/{p}/tracks'),
            (f'{demo}/names?ids=1,2', '/profiles/{p}/names'),
            (f'{demo}/colours?table=Instruction&column=opcode', '/profiles/{p}/colours'),
            (f'{demo}/tables/Instruction', '/profiles/{p}/tables/{T}'),
            (f'{demo}/tables/Instruction/rows/7', '/profiles/{p}/tables/{T}/rows/{row}'),
            (f'{demo}/tables/Instruction/rows/7/dependencies',
             '/profiles/{p}/tables/{T}/rows/{row}/dependencies'),
            (f'{demo}/tables/Instruction/values?column=opcode',
             '/profiles/{p}/tables/{T}/values'),
            (f'{demo}/search?text=mat', '/profiles/{p}/search'),
            (f'{demo}/statistics', '/profiles/{p}/statistics'),
            (f'{demo}/insights', '/profiles/{p}/insights'),
            (f'{demo}/why', '/profiles/{p}/why'),
            (f'{demo}/why?by=layer', '/profiles/{p}/why'),
            (f'{demo}/queries', '/profiles/{p}/queries'),
            (f'{demo}/queries/layers', '/profiles/{p}/queries/{name}')):
        answer = server.json(path)
        content = described['paths'][API + pattern]['get']['responses']['200']['content']
        fault = fault_of(answer, content['application/json']['schema'], schemas)
        check(f'{path} matches the description', fault is None, fault)


# --- named queries ------------------------------------------------------------------------------

def check_queries(server, profile):
    """Every listed query responds, with as many columns as its rows have."""
    listed = server.json(f'/profiles/{profile}/queries')['queries']
    check(f'{profile} has named queries', len(listed) > 5 and
          all(q['name'] and q['description'] for q in listed), listed)
    for query in listed:
        answer = server.json(f'/profiles/{profile}/queries/{query["name"]}')
        width = len(answer.get('columns', []))
        check(f'the query {query["name"]} works', width and
              all(len(row) == width for row in answer['rows']), answer)


def check_named(server):
    check_queries(server, 'demo')

    def named(query, **parameters):
        answer = server.json(f'/profiles/demo/queries/{query}', **parameters)
        names = [c['name'] for c in answer['columns']]
        return [dict(zip(names, row)) for row in answer['rows']]

    figures, = named('figures')
    (mfu, hfu), = server.rows('SELECT mfu_estimated_percent, hfu_estimated_percent FROM Summary')
    check('figures match the summary', abs(figures['mfu_frac'] - mfu) < 1e-7 and
          abs(figures['hfu_frac'] - hfu) < 1e-7 and figures['mfu_source'] == 'hlo', figures)
    bars = named('utilisation', from_=100000, to=200000)
    check('utilisation adds up to 1', len(bars) == 10 and all(abs(sum(
        v for k, v in bar.items() if k.endswith('_frac')) - 1) < 1e-9 for bar in bars), bars)
    layers = named('layers', depth=2)
    (count, time_ns), = server.rows("SELECT count(*), sum(duration_ns) FROM Instruction "
                                    "WHERE layer != ''")
    check('layers add up to all instructions that have a layer',
          (sum(r['instruction_count'] for r in layers),
           sum(int(r['instruction_time_ns']) for r in layers)) == (count, int(time_ns)), layers)
    check('a limit truncates the rows', len(named('source_lines', limit=3)) == 3, None)
    for path, wanted in (('none', 404), ('layers?depth=many', 400), ('layers?dept=2', 400),
                         ("layers?depth=1'", 400), ('dma_utilisation?by=row', 400),
                         ('figures?from=never', 400), ('flows', 404),
                         ('layers?limit=100001', 400)):
        answer = server.json(f'/profiles/demo/queries/{path}')
        check(f'queries/{path} gives {wanted}', answer.get('status') == wanted, answer)


def check_values(server):
    path = '/profiles/demo/tables/Instruction/values'
    answer = server.json(path, column='opcode', where='engine=Vector')
    wanted = server.rows("SELECT opcode, count(*), sum(duration_ns) FROM Instruction "
                         "WHERE engine = 'Vector' GROUP BY 1 ORDER BY 2 DESC, 1")
    check('values are counted', [[r[0], r[1], r[3]] for r in answer['rows']] == wanted, answer)
    check('their shares add up', abs(sum(r[2] for r in answer['rows']) - 1) < 1e-9 and
          abs(sum(r[4] for r in answer['rows']) - 1) < 1e-9, answer)
    answer = server.json(path, column='opcode', contains='MATM', limit=1)
    check('values are suggested, ignoring case', len(answer['rows']) == 1 and
          'matm' in answer['rows'][0][0].lower(), answer)
    answer = server.json('/profiles/demo/tables/NeffHeader/values',
                         column=server.rows('DESCRIBE NeffHeader')[0][0])
    check('a table without durations has none', answer['rows'][0][3:] == [None] * 3, answer)
    for parameters, wanted in (({}, 400), ({'column': 'none'}, 404),
                               ({'column': 'opcode', 'where': 'x'}, 400)):
        answer = server.json(path, **parameters)
        check(f'values of {parameters} give {wanted}', answer.get('status') == wanted, answer)


def check_line(server):
    """More concurrent queries than engines."""
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        sums = list(pool.map(lambda i: server.rows(
            f'SELECT sum(i)::BIGINT FROM range(2000000) r(i) WHERE i >= {i}'), range(12)))
    check('a dozen concurrent queries are all answered',
          sums == [[[1999999000000 - i * (i - 1) // 2]] for i in range(12)], sums)


ENDLESS = ('SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000) c '
           'WHERE a.range + b.range * c.range = -1')


def cpu_seconds(server):
    with open(f'/proc/{server.process.pid}/stat', encoding='ascii') as f:
        fields = f.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def check_gone(server):
    """If a client disconnects, the engine stops, and the next query is answered."""
    for _ in range(5):
        body = json.dumps({'sql': ENDLESS}).encode()
        with socket.create_connection(('127.0.0.1', server.port)) as s:
            s.sendall(b'POST /api/v1/profiles/demo/sql HTTP/1.1\r\nHost: localhost\r\n'
                      b'Content-Type: application/json\r\nContent-Length: '
                      + str(len(body)).encode() + b'\r\n\r\n' + body)
            time.sleep(0.3)
    check('other queries are answered after clients disconnect', server.rows('SELECT 1') == [[1]])
    deadline = time.monotonic() + 20
    idle = False
    while not idle and time.monotonic() < deadline:
        before = cpu_seconds(server)
        time.sleep(0.5)
        idle = cpu_seconds(server) - before < 0.2
    check('a query stops when its client disconnects', idle)


# --- statistics -----------------------------------------------------------------------------------

def tracks_of(server, table):
    tracks = server.json('/profiles/demo/tracks')['tracks']
    return [t for t in tracks if t['table'] == table and t['kind'] == 'spans']


def check_statistics(server):
    answer = server.json('/profiles/demo/statistics')
    by_track = {t['track']: t for t in answer['tracks']}
    all_tracks = server.json('/profiles/demo/tracks')['tracks']
    check('all tracks except groups are listed', set(by_track) ==
          {t['id'] for t in all_tracks if t['kind'] != 'group'}, len(by_track))
    for t in tracks_of(server, 'Instruction'):
        core = next(g['name'] for g in all_tracks if g['id'] == t['parent']).split()[-1]
        where = f"timeline_track = '{t['name']}' AND pcore_idx = {core}"
        rows = server.rows('SELECT opcode, count(*), sum(end_ts - start_ts)::BIGINT FROM '
                           f'Instruction WHERE {where} GROUP BY 1')
        seen = {n['name']: [int(n['count']), int(n['sum_ns'])] for n in by_track[t['id']]['names']}
        check(f"{t['name']} of core {core} matches SQL",
              seen == {r[0]: r[1:] for r in rows}, (seen, rows))
    window = server.json('/profiles/demo/statistics', from_=100000, to=150000)
    for t in tracks_of(server, 'Instruction')[:4]:
        core = next(g['name'] for g in all_tracks if g['id'] == t['parent']).split()[-1]
        rows = server.rows(
            'SELECT count(*), coalesce(sum(end_ts - start_ts), 0)::BIGINT, '
            'coalesce(sum(least(end_ts, 150000) - greatest(start_ts, 100000)), 0)::BIGINT FROM '
            f"Instruction WHERE timeline_track = '{t['name']}' AND pcore_idx = {core} AND "
            'start_ts < 150000 AND (end_ts > 100000 OR start_ts = 100000)')
        s = next(x for x in window['tracks'] if x['track'] == t['id'])
        wanted = rows[0] if t['depth_count'] == 1 else rows[0][:2] + [int(s['busy_ns'])]
        check(f"it also matches in a time range ({t['name']})",
              [int(s['count']), int(s['sum_ns']), int(s['busy_ns'])] == wanted, (s, rows))
        check('busy time is at most that', 0 <= s['busy_fraction'] <= 1
              and abs(s['busy_fraction'] - int(s['busy_ns']) / 50000) < 1e-9, s)


def check_opcode_summary(server):
    """The published sums of all cores and engines, in picoseconds."""
    seen = {}
    stats = {t['track']: t for t in server.json('/profiles/demo/statistics')['tracks']}
    for t in tracks_of(server, 'Instruction'):
        for n in stats[t['id']]['names']:
            one = seen.setdefault(n['name'], [0, 0])
            one[0] += int(n['count'])
            one[1] += int(n['sum_ns'])
    rows = server.rows('SELECT opcode, sum(instruction_count)::BIGINT, '
                       'sum(instruction_time_ns)::BIGINT FROM OpcodeSummary GROUP BY 1')
    wanted = {r[0]: r[1:] for r in rows}
    check('opcodes match OpcodeSummary', set(seen) == set(wanted), (seen, wanted))
    check('their counts match', all(seen[o][0] == wanted[o][0] for o in seen), (seen, wanted))
    check('their durations match, except for rounding',
          all(abs(seen[o][1] - wanted[o][1]) <= seen[o][0] for o in seen), (seen, wanted))


def check_counters(server):
    counter = next(t for t in server.json('/profiles/demo/tracks')['tracks']
                   if t['kind'] == 'counter' and t['table'] == 'PendingDma')
    s = server.json('/profiles/demo/statistics', tracks=counter['id'])['tracks'][0]
    check('a counter has its values', s['lowest'] <= s['mean'] <= s['highest']
          and int(s['count']) == int(counter['row_count']), s)
    for parameters in ({'tracks': '99999'}, {'tracks': 'x'}, {'from_': 5, 'to': 5},
                       {'from_': 'now'}, {'to': '-1'}):
        answer = server.json('/profiles/demo/statistics', **parameters)
        check(f'{parameters} is rejected', answer.get('status') in (400, 404), answer)


# --- searching ------------------------------------------------------------------------------------

def check_search(server):
    cases = [
        (['opcode=MATMUL'], "opcode = 'MATMUL'"), (['opcode!=MATMUL'], "opcode <> 'MATMUL'"),
        (['duration_ns>200', 'engine=Tensor'], "duration_ns > 200 AND engine = 'Tensor'"),
        (['duration_ns<=20'], 'duration_ns <= 20'), (['opcode~^MAT.*L$'], "opcode LIKE 'MAT%L'"),
        (['pc~^1.$'], 'pc BETWEEN 10 AND 19'), (["opcode=x' OR 1=1 --"], 'false'),
        (["opcode~'\\); DROP TABLE x; --"], 'false')]
    for where, sql in cases:
        answer = server.json('/profiles/demo/search', table='Instruction', where=where)
        rows = server.rows('SELECT count(*), coalesce(sum(end_ts - start_ts), 0)::BIGINT FROM '
                           f'Instruction WHERE {sql}')
        check(f'{where} finds the same rows as SQL', [int(answer.get('total', -1)),
              int(answer.get('duration_ns', -1))] == rows[0], (answer, rows))
    answer = server.json('/profiles/demo/search', table='Instruction', where='opcode=MATMUL',
                         from_=100000, to=120000, limit=1000)
    rows = server.rows("SELECT start_ts, end_ts, pc FROM Instruction WHERE opcode = 'MATMUL' AND "
                       'start_ts < 120000 AND end_ts > 100000 ORDER BY start_ts')
    check('a time range, in order of time',
          sorted([int(r['start_ns']), int(r['end_ns']), r['pc']] for r in answer['rows']) ==
          sorted(rows) and answer['rows'] == sorted(answer['rows'],
                                                    key=lambda r: int(r['start_ns'])), answer)
    pages = [server.json('/profiles/demo/search', table='Instruction', where='opcode=MATMUL',
                         from_=100000, to=120000, limit=7, offset=o)['rows']
             for o in range(0, len(rows) + 7, 7)]
    check('the pages together are the whole result', sum(pages, []) == answer['rows'], len(sum(pages, [])))


def add_endless(workspace):
    """A row whose duration does not fit 64 bits, though its times do, and one without a real end."""
    folder = f'{workspace}/profiles/global/system@latest'
    for name, columns in (('Endless', '(-9223372036854775807)::BIGINT AS start_ts,'
                                      ' 9223372036854775807::BIGINT AS end_ts'),
                          ('Beyond', '9223372036854775000::BIGINT AS timestamp,'
                                     ' 9223372036854775807::BIGINT AS duration_ns')):
        subprocess.run([PROGRAM, 'query', '-d', folder, '--format', 'parquet', '--output-file',
                        f'{folder}/{name}.parquet', f"SELECT {columns}, 'endless' AS name"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def check_endless(server):
    page = server.rows('SELECT name FROM Endless', 'system')
    answer = server.json('/profiles/system/search', table='Endless')
    check('a row of extreme duration is found', page == [['endless']] and answer.get('total') == '1'
          and int(answer['duration_ns']) == 2 * 9223372036854775807 and len(answer['rows']) == 1,
          (page, answer))
    answer = server.json('/profiles/system/search', table='Beyond')
    check('a row that ends beyond 64 bits ends with them', answer.get('total') == '1'
          and int(answer['duration_ns']) == 807 and answer['rows'][0]['end_ns'] == '9223372036854775807',
          answer)


def check_hits(server):
    answer = server.json('/profiles/demo/search', text='matmul', limit=200)
    check('a text is found, ignoring case', int(answer['total']) > 0, answer)
    tracks = {t['id']: t for t in server.json('/profiles/demo/tracks')['tracks']}
    wrong = []
    for hit in answer['rows']:
        row = server.json(f"/profiles/demo/tables/{hit['table']}/rows/{hit['row']}")
        if (row.get('track') != hit['track'] or row.get('depth') != hit['depth']
                or row.get('start_ns') != hit['start_ns']
                or tracks[hit['track']]['table'] != hit['table']):
            wrong.append((hit, row))
    check('each hit has its row, track and depth', not wrong and answer['rows'], wrong[:1])
    every = server.json('/profiles/demo/search', limit=1)
    wanted = sum(int(t['row_count']) for t in tracks.values() if t['kind'] == 'spans')
    check('an empty search finds everything', int(every['total']) == wanted, every)
    for parameters, status in (
            ({'where': 'nothing=1'}, 404), ({'where': 'opcode'}, 400), ({'where': '=1'}, 400),
            ({'where': 'duration_ns=1 OR 1=1', 'table': 'Instruction'}, 400),
            ({'where': 'opcode~('}, 400), ({'table': 'nothing'}, 404), ({'table': 'Metadata'}, 400),
            ({'limit': 1001}, 400), ({'offset': 1000001}, 400), ({'text': 'x' * 1001}, 400),
            ({'where': 'x"y=1', 'table': 'Instruction'}, 404), ({'from_': 9, 'to': 3}, 400)):
        answer = server.json('/profiles/demo/search', **parameters)
        check(f'search {str(parameters)[:50]} gives {status}', answer.get('status') == status,
              answer)


def read_marks(content):
    """The marks as [(track, depth, x0s, x1s, counts)]."""
    magic, px, start, end, count, _ = struct.unpack_from('<4sIQQII', content)
    assert magic == b'NXW1'
    at, strips = 32, []
    for _ in range(count):
        track, depth, _, items = struct.unpack_from('<IIII', content, at)
        columns = [struct.unpack_from(f'<{items}{c}', content, at + 16 + 4 * items * i)
                   for i, c in enumerate('ffI')]
        strips.append((track, depth, *columns))
        at += 16 + 32 * items
    assert at == len(content)
    return px, start, end, strips


def check_marks(server):
    where = urllib.parse.quote('opcode=MATMUL')
    for px, start, end in ((1, 0, 400000), (100, 0, 400000), (1000, 100000, 120000),
                           (16384, 100000, 100500)):
        status, _, content = server.ask(f'/profiles/demo/search/marks?where={where}&px={px}&'
                                        f'from={start}&to={end}')
        total = int(server.json('/profiles/demo/search', where='opcode=MATMUL', from_=start, to=end,
                                limit=1)['total'])
        _, _, _, strips = read_marks(content)
        check(f'{px} pixels contain every hit once', status == 200
              and sum(sum(s[4]) for s in strips) == total, total)
        check('marks are sorted and within the window',
              all(0 <= a <= b <= px for s in strips for a, b in zip(s[2], s[3]))
              and all(b <= a for s in strips for b, a in zip(s[3], s[2][1:]))
              and all(len(s[2]) <= px for s in strips), strips)
    for query in ('px=0', 'px=16385', '', 'px=10&from=5&to=5', 'px=10&where=nothing=1'):
        status, _, _ = server.ask('/profiles/demo/search/marks?' + query)
        check(f'marks?{query} is rejected', status in (400, 404), status)


# --- dependencies -----------------------------------------------------------------------------------

def check_dependencies(server):
    rows = server.rows('SELECT out_id, count(*) FROM Flow WHERE out_table = \'Instruction\' GROUP BY '
                       '1 ORDER BY 2 DESC, 1 LIMIT 3')
    for row_id, count in rows:
        number = server.rows('SELECT nx FROM (SELECT id, row_number() OVER () - 1 AS nx FROM '
                             f'Instruction) WHERE id = {row_id}')[0][0]
        answer = server.json(f'/profiles/demo/tables/Instruction/rows/{number}/dependencies')
        check('all predecessors of a row are listed', answer['total_predecessors'] == count
              and len(answer['predecessors']) == min(count, 200), answer)
        check('the nearest come first, with their places',
              all(a['gap_ns'] <= b['gap_ns'] for a, b in
                  zip(answer['predecessors'], answer['predecessors'][1:]))
              and all(e['track'] is not None and int(e['start_ns']) <= int(e['end_ns'])
                      for e in answer['predecessors']), answer)
        first = answer['predecessors'][0]
        back = server.json(f"/profiles/demo/tables/{first['table']}/rows/{first['row']}/dependencies")
        check('a predecessor lists the row as successor', any(
            e['table'] == 'Instruction' and e['row'] == str(number) for e in back['successors'])
            or back['total_successors'] > 200, back)
    for path, status in (('Instruction/rows/99999999', 404), ('Instruction/rows/x', 404),
                         ('nothing/rows/0', 404)):
        answer = server.json(f'/profiles/demo/tables/{path}/dependencies')
        check(f'{path} is not found', answer.get('status') == status, answer)
    answer = server.json('/profiles/demo/tables/Metadata/rows/0/dependencies')
    check('a row without dependencies has none', answer.get('total_successors') == 0, answer)


# --- files ------------------------------------------------------------------------------------------

def check_csv(server):
    _, headers, content = server.ask('/profiles/demo/csv?table=Instruction')
    lines = list(csv.reader(io.StringIO(content.decode())))
    total = server.rows('SELECT count(*) FROM Instruction')[0][0]
    check('a CSV has all rows and a header', len(lines) == total + 1
          and lines[0][0] == 'timeline_track', (len(lines), total))
    check('the CSV has a file name', headers['Content-Disposition'] ==
          'attachment; filename="demo-Instruction.csv"' and
          headers['Content-Type'].startswith('text/csv'), headers.items())
    _, _, content = server.ask('/profiles/demo/csv?table=Instruction&from=100000&to=120000')
    part = list(csv.reader(io.StringIO(content.decode())))
    total = server.rows('SELECT count(*) FROM Instruction WHERE start_ts < 120000 AND (end_ts > '
                        '100000 OR start_ts = 100000)')[0][0]
    check('a time range has its rows', len(part) == total + 1, (len(part), total))
    track = tracks_of(server, 'Instruction')[0]
    _, _, content = server.ask(f"/profiles/demo/csv?table=Instruction&tracks={track['id']}")
    own = list(csv.reader(io.StringIO(content.decode())))
    check('a track has its own rows', len(own) == int(track['row_count']) + 1
          and {r[0] for r in own[1:]} == {track['name']}, len(own))
    for query, status in (('', 400), ('table=nothing', 404), ('table=Metadata&from=1', 400),
                          ('table=Instruction&tracks=99999', 400),
                          ('table=Instruction&from=x', 400)):
        seen = server.ask('/profiles/demo/csv?' + query)[0]
        check(f'csv?{query} gives {status}', seen == status, seen)


def is_refused_early(server, path, size):
    """A body that is too large is not read, so only its head is sent."""
    with socket.create_connection(('127.0.0.1', server.port), timeout=60) as s:
        s.sendall(f'PUT {API}{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: '
                  f'application/json\r\nContent-Length: {size}\r\n\r\n'.encode())
        with s.makefile('rb') as f:
            return b' 413 ' in f.readline()


def check_documents(server, capture, workspace):
    for place, key in (('/profiles/demo/annotations', 'sets'), ('/layouts', 'layouts')):
        text = json.dumps({'a': [1, 'ä'], 'n': 1e300})
        path = f'{place}/first%20look'
        check(f'{place} is empty at first', server.json(place) == {key: []}, server.json(place))
        check('a document is stored', server.ask(path, 'PUT', JSON, text)[0] == 204)
        check('it is returned unchanged', server.ask(path)[2].decode() == text)
        check('it is listed', server.json(place) == {key: ['first look']})
        for name, body, status in (('x', '[1]', 400), ('x', '{', 400), ('..%2fx', '{}', 404),
                                   ('.x', '{}', 400)):
            seen = server.ask(f'{place}/{name}', 'PUT', JSON, body)[0]
            check(f'{name} {body[:6]} gives {status}', seen == status, seen)
        check('a document that is too long is rejected', is_refused_early(server, path, (1 << 20) + 1))
        check('a form is rejected', server.ask(path, 'PUT', {'Content-Type': 'text/plain'},
                                                  '{}')[0] == 415)
        check('a missing document gives 404', server.ask(f'{place}/other')[0] == 404)
    ingest(capture, workspace, 'demo', '--force')
    check('annotations are kept if a profile is stored again',
          server.json('/profiles/demo/annotations') == {'sets': ['first look']})
    server.ask('/profiles/demo', 'PATCH', JSON, '{"name":"renamed"}')
    check('annotations follow a renamed profile',
          server.json('/profiles/renamed/annotations') == {'sets': ['first look']})
    server.ask('/profiles/renamed', 'PATCH', JSON, '{"name":"demo"}')
    check('annotations can be deleted',
          server.ask('/profiles/demo/annotations/first%20look', 'DELETE')[0] == 204
          and server.json('/profiles/demo/annotations') == {'sets': []})


# --- the rest ---------------------------------------------------------------------------------------

def check_insights(server):
    answer = server.json('/profiles/demo/insights')
    kinds = {'throttling', 'small_dma', 'reload', 'barrier', 'collective'}
    check('insights have bands', all(b['kind'] in kinds and int(b['from_ns']) <= int(b['to_ns'])
          and b['title'] and b['detail'] for b in answer['bands']), answer)
    throttled = server.rows('SELECT count(*) FROM Throttle WHERE k < n')[0][0]
    check('there are bands for throttling', any(b['kind'] == 'throttling' for b in answer['bands'])
          == (throttled > 0), answer)
    found = answer['findings']
    gains = [-1 if f['gain_frac'] is None else f['gain_frac'] for f in found
             if f['kind'] != 'errors']
    check('findings are sorted by gain', gains == sorted(gains, reverse=True) and
          all(f['severity'] in (1, 2, 3) and f['confidence'] in ('low', 'medium', 'high')
              for f in found), found)
    check('the second response is the same', server.json('/profiles/demo/insights') == answer)


def check_why(server):
    answer = server.json('/profiles/demo/why?by=opcode')
    span = answer['span_ps']
    check('the path adds up', sum(p['time_ps'] for p in answer['path']) == span, answer['path'])
    check('the groups add up', sum(g['time_ps'] for g in answer['groups']) == span)
    idle = server.rows("SELECT work_ps FROM Release WHERE engine = 'Vector' AND pcore_idx = 0 AND "
                       "node = 'instruction' ORDER BY work_ps LIMIT 1")[0][0]
    place = f'Vector@{int(idle) // 2000}ns'
    gap = server.json(f'/profiles/demo/why/gap?at={place}')
    check('the steps of a gap add up', sum(s['duration_ps'] for s in gap['steps'])
          == gap['duration_ps'] and gap['sentence'].startswith('Vector of core 0 paused'), gap)
    check('a place that is none is refused', server.ask('/profiles/demo/why/gap?at=x')[0] == 400)
    check('a grouping that is none is refused', server.ask('/profiles/demo/why?by=x')[0] == 400)
    check('the time of a gap is needed', server.ask('/profiles/demo/why/gap')[0] == 400)


def check_other_tools(server):
    check('the health check answers', server.ask('/health')[2] == b'healthy')
    status, _, content = server.ask('/profiles/search?userName=x')
    check('a user name is required', status == 400
          and json.loads(content)['detail'] == 'x-user-id header is missing', content)
    status, _, content = server.ask('/profiles/search?userName=x', headers={'x-user-id': 'me'})
    check('profiles are listed', {'profile_name': 'demo', 'type': 'device', 'status': 'ready'} in
          json.loads(content)['profiles'], content)
    status, answer = server.post('/db/demo/_search', {
        'type': 'databaseExplorerQuery', 'tableName': 'Throttle', 'query': 'SELECT 1 AS a'})
    check('SQL has rows with names', answer.get('rows') == [{'a': 1}], answer)
    status, answer = server.post('/db/demo/_search', {'type': 'tableSchema', 'tableName': 'Flow'})
    check('a table has columns', [c['name'] for c in answer['columns']][:2] == ['in_id', 'out_id'],
          answer)
    status, answer = server.post('/db/demo/_search', {'type': 'listDbFiles'})
    check('files are listed', 'Flow.parquet' in [f['name'] for f in answer['files']], answer)
    for body, wanted in (({'type': 'other'}, 400), ({}, 400), ({'type': 'tableSchema'}, 404),
                         ({'type': 'databaseExplorerQuery'}, 400),
                         ({'type': 'databaseExplorerQuery', 'query': 'DROP TABLE Flow'}, 403)):
        status, answer = server.post('/db/demo/_search', body)
        check(f'{body} gives {wanted}', status == wanted, answer)
    answer = server.json('/profiles/demo/memory_bandwidth', group_by='machine')
    check('bandwidth is by instance or core', answer.get('status') == 400, answer)
    answer = server.json('/profiles/demo/memory_bandwidth', group_by='core')
    check('a device profile has no bandwidth', answer.get('status') == 404, answer)


# Routes that need SQL report the missing library; the server survives.
def check_without_engine(workspace):
    server = Server(workspace, env={'NEURON_EXPLORER_DUCKDB': f'{workspace}/none.so'})
    for path in ('insights', 'search?text=mat', 'search/marks?text=mat&px=10&from=0&to=100'):
        status, _, content = server.ask(f'/profiles/demo/{path}')
        check(f'{path} needs DuckDB', status == 501 and b'DuckDB' in content, (status, content))
    code, _, err = server.stop()
    check('the server still works', code == 0 and err == '', (code, err))


def has_duckdb(server):
    return server.post('/profiles/demo/sql', {'sql': 'SELECT 1'})[0] != 501


def main():
    with tempfile.TemporaryDirectory() as folder:
        capture, workspace = f'{folder}/capture', f'{folder}/ws'
        os.mkdir(capture)
        subprocess.run([MAKER, '--demo', capture], check=True, stdout=subprocess.DEVNULL)
        ingest(capture, workspace, 'demo')
        subprocess.run([MAKER, '--system', f'{folder}/system'], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([PROGRAM, 'view', '-d', f'{folder}/system', '--ingest-only',
                        '--display-name', 'system', '--ignore-device-profile', '--data-path',
                        workspace, '-v', '2'], check=True, stdout=subprocess.DEVNULL)
        add_endless(workspace)
        server = Server(workspace)
        if has_duckdb(server):
            check_queries(server, 'system')
            check_endless(server)
            for test in (check_sql, check_description, check_named, check_values, check_line, check_statistics, check_opcode_summary,
                         check_counters, check_search, check_hits, check_marks,
                         check_dependencies, check_csv, check_insights, check_why, check_other_tools,
                         check_gone):
                test(server)
            check_moved(server, workspace)
        else:
            print('# no DuckDB: SQL is not tested')
        check_documents(server, capture, workspace)
        code, _, err = server.stop()
        check('ctrl-c stops the server cleanly', code == 0 and err == '', (code, err))
        check_without_engine(workspace)
    print(f'1..{len(results)}')
    sys.exit(0 if all(results) else 1)


main()
