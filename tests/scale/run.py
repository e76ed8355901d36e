#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Push rows into real servers, kill them meanwhile, and count the rows.

usage: run.py PUSH_ROWS ASK_BOTH NEURON_EXPLORER MAKE_CAPTURE SERVERS CHDB     TAP on stdout

SERVERS is where fetch.sh unpacks servers that are not installed. Where it cannot, the test is
skipped with one line. With SCALE_CHDB set in the environment the current ClickHouse is checked as
well; fetch_chdb.sh brings it to CHDB (178 MB).
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the tree stays as it is
from servers import LosingProxy, Servers, ask_clickhouse, ask_influx, fetch

PUSH, ASK, PROGRAM, MAKE_CAPTURE, UNPACKED, CHDB = sys.argv[1:7]
ROWS = 12000
TEXT_SUMS = {
    'Instruction': ['engine', 'opcode', 'operands'],
    'DmaPacket': ['queue_type', "ifNull(queue_name, '')"],
    'SystemProfileEvents': ['name', 'trace_event_source', 'instance_id'],
    'Warning': ['message', 'category'],
}
results = []


def check(name, holds, seen=''):
    results.append(bool(holds))
    print(f"{'ok' if holds else 'not ok'} {len(results)} - {name}", flush=True)
    if not holds:
        print(f'# saw: {seen!r}', flush=True)


def run(*words):
    done = subprocess.run([PUSH, *map(str, words)], capture_output=True, text=True, check=False,
                          timeout=240)
    return done.returncode, done.stdout, done.stderr.strip()


def counts_of(output):
    words = output.split()
    return dict(zip(words[::2], words[1::2]))


def expected(rows):
    """Table -> its expected count and sums, from the same rows in memory."""
    lines = run('sums', rows)[1].splitlines()
    return {line.split()[0]: [int(word) for word in line.split()[1:]] for line in lines}


def sums_in(url, profile):
    """The same numbers from the server, through our own reader."""
    found = {}
    for table, texts in TEXT_SUMS.items():
        has_time = table != 'Warning'
        time_sum = 'sum(start_ts % 1000003)' if has_time else 'toInt64(0)'
        duration = 'sum(duration_ns)' if has_time else 'toInt64(0)'
        lengths = ' + '.join(f'length({text})' for text in texts)
        code, out, err = run('query', url, f'SELECT count(), {time_sum}, {duration}, '
                             f"sum({lengths}) FROM {table} WHERE profile = '{profile}'")
        found[table] = [int(word) for word in out.strip().split('|')] if not code else err
    return found


def check_whole(name, url, profile, rows):
    found, wanted = sums_in(url, profile), expected(rows)
    check(name, found == wanted, (found, wanted))


def check_one_server(all_servers):
    server = all_servers.clickhouse().start()
    url = f'clickhouse://{server.place}/runs'
    code, out, err = run('clickhouse', url, 'a b', ROWS, 'batch_rows=2500')
    check('ClickHouse accepts a profile', code == 0, err)
    check_whole('counts and sums match the rows', url, 'a b', ROWS)
    out = run('query', url, "SELECT state, table_name, row_count, batch_count FROM ProfileIngest "
              "WHERE table_name IN ('', 'Instruction', 'Error') ORDER BY table_name")[1]
    check('the catalogue marks it as complete',
          out == f'begun||0|0\ncomplete|Error|0|0\ncomplete|Instruction|{ROWS}|5\n', out)
    code, out, err = run('clickhouse', url, 'a b', ROWS, 'batch_rows=2500')
    check('the same profile again is skipped', code == 0 and counts_of(out)['batches'] == '0', out)
    code, out, err = run('clickhouse', url, 'a b', ROWS + 10, 'batch_rows=2500')
    check('other rows under its name are rejected', code == 7 and '--force' in err, err)
    code, out, err = run('clickhouse', url, 'a b', 1000, 'force=1')
    check('force replaces it', code == 0, err)
    check_whole('no row of the old profile is left', url, 'a b', 1000)
    run('clickhouse', url, 'other', 500)
    run('clickhouse', url, 'a b', 200, 'force=1')
    check_whole('replacing one profile does not affect others', url, 'other', 500)
    check_cells(url)
    check_users(server)
    check_resume(url)
    check_partial(server, url)
    check_losses(server, url)
    check_kill(server, url)
    check_absence(server)


def check_cells(url):
    out = run('query', url, "SELECT opcode, pcore_idx, operands FROM Instruction WHERE profile = "
              "'a b' AND opcode LIKE 'it%' ORDER BY id LIMIT 1")[1]
    check('texts are read back unchanged', out.startswith("it's \\ a\ttab\n|"), out)
    out = run('query', url, "SELECT flow_id, nc_idx, 1.5, [1, 2], toUInt8(1), -7 FROM "
              "SystemProfileEvents WHERE profile = 'a b' AND id = 3")[1]
    check('so are lists and nulls', out == "<a'b\"c\\><><f 3>|null|1.5|2 numbers|1|-7\n", out)
    code, _, err = run('query', url, 'SELECT 18446744073709551615 AS x')
    check('a number that does not fit is rejected', code == 5 and "'x'" in err, err)
    code, _, err = run('query', url, 'DROP TABLE Instruction')
    check('a query cannot write', code == 4 and 'readonly' in err, err)
    code, _, err = run('query', url, 'SELECT number, throwIf(number = 300000) FROM '
                       'system.numbers LIMIT 400000')
    check('an error after the first rows is reported', code != 0, err)


def check_users(server):
    code, _, err = run('clickhouse', f'clickhouse://writer:a%3Ab%20%40c@{server.place}/named', 'p',
                       10)
    check('user and password of the URL are used', code == 0, err)
    code, _, err = run('clickhouse', f'clickhouse://writer:secret9@{server.place}/named', 'p', 10)
    check('a wrong password is reported without revealing it',
          code == 4 and 'password' in err and 'secret9' not in err, err)
    code, out, err = run('query', f'clickhouse://reader@{server.place}/named',
                         'SELECT count() FROM Instruction')
    check('a read-only user can query', code == 0 and out == '10\n', (out, err))
    code, _, err = run('clickhouse', f'clickhouse://reader@{server.place}/named', 'q', 10)
    check('a read-only user cannot push', code == 4, err)


def check_resume(url):
    """A killed client leaves an incomplete profile; the next push sends the rest."""
    pusher = subprocess.Popen([PUSH, 'clickhouse', url, 'cut', str(ROWS), 'batch_rows=1000',
                               'pause_us=150000'], stdout=subprocess.DEVNULL)
    for _ in range(200):
        out = run('query', url, "SELECT count() FROM Instruction WHERE profile = 'cut'")[1]
        if out.strip().isdigit() and int(out) >= 2000:
            break
        time.sleep(0.02)
    pusher.kill()
    pusher.wait()
    out = run('query', url, "SELECT count() FROM ProfileIngest WHERE profile = 'cut' AND "
              "state = 'complete'")[1]
    check('a killed client leaves an incomplete profile', out == '0\n', out)
    code, out, err = run('clickhouse', url, 'cut', ROWS, 'batch_rows=1000')
    counts = counts_of(out)
    check('the next push resumes', code == 0 and int(counts['skipped']) >= 2
          and int(counts['batches']) >= 1, (out, err))
    check_whole('no row is lost or inserted twice after a killed client', url, 'cut', ROWS)


def check_partial(server, url):
    """As far as we know, ClickHouse never keeps half a batch; if it does, it is repaired."""
    run('clickhouse', url, 'half', 1000, 'commit=0')
    ask_clickhouse(server, "ALTER TABLE runs.Instruction DELETE WHERE profile = 'half' AND "
                           "id < 300")
    for _ in range(200):
        if ask_clickhouse(server, "SELECT count() FROM runs.Instruction WHERE "
                                  "profile = 'half'") == '700\n':
            break
        time.sleep(0.05)
    code, _, err = run('clickhouse', url, 'half', 1000)
    check('a partial batch is replaced', code == 0, err)
    check_whole('the table is then complete', url, 'half', 1000)


def check_losses(server, url):
    """One in three inserts is lost, and one in three responses."""
    proxy = LosingProxy(server.place)
    code, _, err = run('clickhouse', f'clickhouse://{proxy.place}/runs', 'lossy', ROWS,
                       'batch_rows=2000')
    check('a push survives lost requests and responses',
          code == 0 and proxy.insert_count > 15, (proxy.insert_count, err))
    proxy.shutdown()
    check_whole('no row is lost or inserted twice with them', url, 'lossy', ROWS)


def await_insert(server):
    """Returns while rows are being inserted, as far as that is visible from outside."""
    end = time.monotonic() + 2
    question = "SELECT count() FROM system.processes WHERE query LIKE 'INSERT INTO %'"
    while ask_clickhouse(server, question) in ('0\n', '') and time.monotonic() < end:
        pass


def check_kill(server, url):
    """kill -9 three times, each time during an insert."""
    pusher = subprocess.Popen([PUSH, 'clickhouse', url, 'killed', str(ROWS * 3),
                               'batch_rows=3000', 'pause_us=50000'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    kills = 0
    while kills < 3 and pusher.poll() is None:
        time.sleep(0.3)
        await_insert(server)
        if pusher.poll() is None:
            server.kill()
            kills += 1
            time.sleep(0.1)
            server.start()
    out, err = pusher.communicate(timeout=120)
    check('a push survives a killed server', pusher.returncode == 0 and kills >= 2,
          (kills, err))
    check_whole('no row is lost or inserted twice after kill -9', url, 'killed', ROWS * 3)
    code, out, _ = run('clickhouse', url, 'killed', ROWS * 3, 'batch_rows=3000')
    check('all batches are recognised', code == 0 and counts_of(out)['batches'] == '0', out)


def check_absence(server):
    server.stop()
    code, _, err = run('clickhouse', f'clickhouse://{server.place}/runs', 'p', 10)
    check('a missing server is reported', code == 8 and 'cannot reach' in err, err)
    code, _, err = run('clickhouse', 'clickhouse://127.0.0.1/no-name', 'p', 10)
    check('an invalid URL is rejected', code == 2 and 'database' in err, err)


def check_cluster(all_servers):
    pair = [server.start() for server in all_servers.clickhouse_pair()]
    url = f'clickhouse://{pair[0].place}/runs?cluster=pair'
    code, _, err = run('clickhouse', url, 'wide', ROWS, 'batch_rows=1500')
    check('a cluster accepts a profile', code == 0, err)
    for server in pair:
        other = f'clickhouse://{server.place}/runs'
        check_whole(f'complete through {server.place}', other, 'wide', ROWS)
    shares = [int(ask_clickhouse(server, 'SELECT count() FROM runs.Instruction_local'))
              for server in pair]
    check('both shards have rows', min(shares) > 0 and sum(shares) == ROWS, shares)
    create = ask_clickhouse(pair[0], 'SHOW CREATE TABLE runs.Instruction')
    key = create[create.index('halfMD5'):].replace("\\'", "'")
    key = key[:balanced(key)]
    for shard, slots in ((0, '0'), (1, '1, 2')):
        wrong = ask_clickhouse(pair[shard], 'SELECT count() FROM runs.Instruction_local WHERE '
                               f'({key}) % 3 NOT IN ({slots})')
        check(f'rows of shard {shard} are where the server would put them', wrong == '0\n', wrong)
    check_cluster_kill(pair, url)
    code, _, err = run('clickhouse', url, 'wide', 300, 'force=1')
    check_whole('force replaces on all shards', url, 'wide', 300)
    code, _, err = run('clickhouse', url.replace('pair', 'trio'), 'p', 10)
    check('an unknown cluster is reported', code == 3 and 'trio' in err, err)
    code, _, err = run('clickhouse', f'clickhouse://{pair[0].place}/twins?cluster=twins', 'p', ROWS)
    counts = [ask_clickhouse(server, 'SELECT count() FROM twins.Instruction_local')
              for server in pair]
    check('both replicas of a shard get all rows', code == 0 and counts == [f'{ROWS}\n'] * 2,
          (counts, err))
    check_whole('rows of replicas count once', f'clickhouse://{pair[1].place}/twins', 'p', ROWS)
    for server in pair:
        server.stop()


def balanced(text):
    depth = 0
    for at, char in enumerate(text):
        depth += {'(': 1, ')': -1}.get(char, 0)
        if char == ')' and depth == 0:
            return at + 1
    return len(text)


def check_cluster_kill(pair, url):
    pusher = subprocess.Popen([PUSH, 'clickhouse', url, 'wounded', str(ROWS * 2),
                               'batch_rows=1500', 'pause_us=40000'], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
    kills = 0
    for server in (pair[1], pair[0]):
        time.sleep(0.4)
        if pusher.poll() is None:
            server.kill()
            kills += 1
            time.sleep(0.1)
            server.start()
    _, err = pusher.communicate(timeout=120)
    check('a push survives killed shards', pusher.returncode == 0 and kills > 0,
          (kills, err))
    check_whole('no row is lost or inserted twice on the cluster', url, 'wounded', ROWS * 2)


def influx_count(server, table, condition=''):
    text = ask_influx(server, 'bucket one', f'SELECT count("row") FROM "{table}" {condition}')
    try:
        return json.loads(text)['results'][0]['series'][0]['values'][0][1]
    except (KeyError, IndexError, ValueError):
        return text


def check_influx(all_servers):
    server = all_servers.influx().start()
    rows = ROWS
    wanted = expected(rows)
    code, out, err = run('influx', server.url + '/', 'org', 'bucket one', 'p, =1', rows)
    check('InfluxDB 1 accepts a profile', code == 0, err)
    counts = {table: influx_count(server, table) for table in wanted}
    check('every row is a point', counts == {t: w[0] for t, w in wanted.items()}, counts)
    run('influx', server.url, 'org', 'bucket one', 'p, =1', rows)
    check('pushed again, no point is inserted twice', influx_count(server, 'Instruction') == rows)
    text = ask_influx(server, 'bucket one', 'SELECT sum(duration_ns), sum(start_ts) FROM '
                      'Instruction WHERE profile = \'p, =1\'')
    sums = json.loads(text)['results'][0]['series'][0]['values'][0][1:]
    check('sums match the rows', sums[0] == wanted['Instruction'][2], (sums, wanted))
    text = ask_influx(server, 'bucket one', "SELECT flow_id, id FROM SystemProfileEvents "
                      "WHERE id = 3")
    value = json.loads(text)['results'][0]['series'][0]['values'][0]
    check('lists and quotes are read back', json.loads(value[1]) == ["a'b\"c\\", '', 'f 3'], value)
    check('time is the host clock of a system event', value[0] == 1700000000000003000, value)
    text = ask_influx(server, 'bucket one', 'SHOW FIELD KEYS FROM DmaPacket')
    kinds = dict(json.loads(text)['results'][0]['series'][0]['values'])
    check('fields have their types', kinds['throughput'] == 'float'
          and kinds['read_bytes'] == 'integer' and kinds['queue_type'] == 'string', kinds)
    pusher = subprocess.Popen([PUSH, 'influx', server.url, 'org', 'bucket one', 'k', str(rows),
                               'batch_rows=500', 'pause_us=60000'], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
    time.sleep(0.4)
    server.kill()
    server.start()
    _, err = pusher.communicate(timeout=120)
    count = influx_count(server, 'Instruction', "WHERE profile = 'k'")
    check('a killed InfluxDB loses nothing', pusher.returncode == 0 and count == rows,
          (count, err))
    server.stop()
    code, _, err = run('influx', server.url, 'org', 'b', 'p', 10)
    check('without a server the message says what to do',
          code == 8 and '--db-endpoint' in err and 'parquet' in err, err)


def check_victoria(all_servers):
    """It has the write API of version 2 and keeps milliseconds."""
    server = all_servers.victoria().start()
    code, out, err = run('influx', server.url, 'org', 'b', 'p', 1000, 'token=t')
    check('the API of version 2 is used if available', code == 0
          and counts_of(out)['lines'] == '1603', (out, err))
    fetch(f'{server.url}/internal/force_flush')
    text = fetch(f'{server.url}/api/v1/series?match[]=%7B__name__%3D%22Instruction_id%22%7D'
                 '&start=1699999000&end=1700001000')[1]
    series = json.loads(text).get('data', [])
    check('points have arrived with their tags', {s.get('engine') for s in series}
          == {'pe', 'act', 'pool', 'dve', 'sp'}, text[:300])
    server.stop()


def check_current(all_servers):
    """The current dialect, through chDB."""
    if not os.environ.get('SCALE_CHDB'):
        print('# the current ClickHouse is not asked; make test-scale does it')
        return
    here = pathlib.Path(__file__).parent
    fetched = subprocess.run([here / 'fetch_chdb.sh', CHDB], capture_output=True, text=True,
                             check=False)
    if fetched.returncode:
        print(f'# {fetched.stdout.strip()}{fetched.stderr.strip()}')
        check('chDB can be fetched', fetched.returncode == 77)
        return
    server = all_servers.chdb(CHDB).start()
    url = f'clickhouse://{server.place}/runs'
    version = run('query', f'clickhouse://{server.place}/default', 'SELECT version()')[1]
    check('chDB answers', version.startswith('26.'), version)
    code, _, err = run('clickhouse', url, 'a b', ROWS, 'batch_rows=2500')
    check('the current ClickHouse accepts a profile', code == 0, err)
    check_whole('counts and sums match there too', url, 'a b', ROWS)
    code, out, _ = run('clickhouse', url, 'a b', ROWS, 'batch_rows=2500')
    check('it is skipped the next time', code == 0 and counts_of(out)['batches'] == '0', out)
    check_partial(server, url)
    code, _, err = run('clickhouse', url, 'a b', 300, 'force=1')
    check_whole('force replaces it there', url, 'a b', 300)
    # The same hash of profile and track as on the old server.
    out = run('query', url, "SELECT toString(halfMD5('abc')), toString(halfMD5(concat('p', '/', "
              "toString(1), '/', 'pe')))")[1]
    check('shards are the same as on the old server', out.startswith('10376663631224000432|'), out)
    server.stop()


def view(*words):
    done = subprocess.run([PROGRAM, 'view', '-v', '2', *map(str, words)], capture_output=True,
                          text=True, check=False, timeout=120)
    return done.returncode, done.stderr.strip()


def table_rows(folder):
    """Table -> its number of rows in the workspace."""
    done = subprocess.run([PROGRAM, 'list', '--format', 'json', '--data-path', folder],
                          capture_output=True, text=True, check=True)
    profile, = json.loads(done.stdout)['profiles']
    with open(pathlib.Path(profile['path']) / 'profile.json', encoding='utf-8') as file:
        return {table['name']: table['row_count'] for table in json.load(file)['tables']}


def check_questions(folder, url):
    """Both engines give the same result for a query."""
    library = pathlib.Path(PROGRAM).resolve().parent.parent / 'lib/neuron-explorer/libduckdb.so'
    variables = dict(os.environ)
    if library.exists():
        variables.setdefault('NEURON_EXPLORER_DUCKDB', str(library))
    here, there = (subprocess.run([ASK, *words], capture_output=True, text=True, check=False,
                                  timeout=60, env=variables)
                   for words in ([folder], [url, 'demo']))
    if here.returncode == 77:
        print('# ' + here.stderr.strip())
        return
    check('both engines answer', (here.returncode, there.returncode) == (0, 0),
          here.stderr + there.stderr)
    answers, others = here.stdout.splitlines(), there.stdout.splitlines()
    differing = [pair for pair in zip(answers, others) if pair[0] != pair[1]]
    check('queries have the same rows in DuckDB and ClickHouse',
          len(answers) == len(others) > 300 and not differing,
          (len(answers), len(others), differing[:3]))


def check_view(all_servers):
    """The command pushes a capture to each store, with the same rows."""
    with tempfile.TemporaryDirectory(prefix='nx-view-') as work:
        subprocess.run([MAKE_CAPTURE, '--demo', work], check=True, stdout=subprocess.DEVNULL)
        capture = ['-s', f'{work}/demo.ntff', '-n', f'{work}/demo.neff']
        code, err = view(*capture, '--ingest-only', '--data-path', f'{work}/ws')
        check('view stores a capture in the workspace', code == 0, err)
        wanted = table_rows(f'{work}/ws')
        server = all_servers.clickhouse().start()
        url = f'clickhouse://{server.place}/runs'
        code, err = view(*capture, '--store', url)
        check('view pushes it to ClickHouse', code == 0, err)
        found = {}
        for table in wanted:
            out = run('query', url, f"SELECT count() FROM {table} WHERE profile = 'demo'")[1]
            found[table] = int(out)
        check('all its tables have their rows there', found == wanted, (found, wanted))
        check_questions(f'{work}/ws/profiles/global/demo@latest', url)
        code, err = view(*capture, '--store', url)
        check('it can be pushed a second time', code == 0, err)
        server.stop()
        server = all_servers.influx('view').start()
        code, err = view(*capture, '--output-format', 'db', '--db-endpoint', server.url,
                         '--db-bucket', 'bucket one')
        check('view pushes it to InfluxDB', code == 0, err)
        found = {table: influx_count(server, table) for table in wanted}
        check('every row is a point there', found == wanted, (found, wanted))
        server.stop()
        code, err = view(*capture, '--output-format', 'db', '--db-endpoint', server.url)
        check('without a server the message names alternatives', code == 8 and 'parquet' in err, err)


def place_for_files():
    """In memory if possible: ClickHouse 18.16 syncs about 200 files per insert."""
    memory = pathlib.Path('/dev/shm')
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 1 << 30:
        return memory
    return None


def main():
    here = pathlib.Path(__file__).parent
    fetched = subprocess.run([here / 'fetch.sh', UNPACKED], capture_output=True, text=True,
                             check=False)
    if fetched.returncode == 77:
        print('1..0 # SKIP ' + fetched.stdout.strip().removeprefix('SKIP: '))
        return 0
    if fetched.returncode:
        print(f'Bail out! {fetched.stderr.strip()}')
        return 1
    with tempfile.TemporaryDirectory(prefix='nx-scale-', dir=place_for_files()) as work:
        all_servers = Servers(UNPACKED, work)
        try:
            for part in (check_one_server, check_cluster, check_influx, check_victoria,
                         check_view, check_current):
                started = time.monotonic()
                part(all_servers)
                print(f'# {part.__name__}: {time.monotonic() - started:.1f} s', flush=True)
        finally:
            all_servers.end()
    print(f'1..{len(results)}')
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
