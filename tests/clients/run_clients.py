#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run programs written as public clients of the runtime and the tools are, and check what they get.

usage: run_clients.py NEURON_EXPLORER LIBRARY EXAMPLES FOLDER_OF_CLIENTS
"""

import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap_cases import Skip, run_cases  # noqa: E402

PROGRAM, LIBRARY, EXAMPLES, CLIENTS = (pathlib.Path(name).resolve() for name in sys.argv[1:5])
SECONDS = 120


def run(folder, *command, code=0, **environment):
    done = subprocess.run([str(part) for part in command], cwd=folder, text=True, timeout=SECONDS,
                          capture_output=True, check=False,
                          env={**os.environ, 'LD_LIBRARY_PATH': str(LIBRARY.parent), **environment})
    assert done.returncode == code, f'{command[0]}: exit {done.returncode}\n{done.stdout}{done.stderr}'
    return done


def prepare(folder):
    run(folder, PROGRAM, 'neff', '--assemble', EXAMPLES / 'vector_add.nasm', '-o', 'file.neff')
    return folder


def a_client_of_version_2_of_the_asynchronous_calls(folder):
    assert run(folder, CLIENTS / 'async_version2', 'file.neff').stdout == 'version 2 works\n'


def a_client_of_version_3_of_the_asynchronous_calls(folder):
    assert run(folder, CLIENTS / 'async_version3', 'file.neff').stdout == 'version 3 works\n'


def events_name_their_asynchronous_request(folder):
    run(folder, CLIENTS / 'async_version3', 'file.neff', NEURON_RT_INSPECT_ENABLE='1',
        NEURON_RT_INSPECT_OUTPUT_DIR='output')
    for output, name in (('json', 'shown'), ('parquet', 'tables')):
        run(folder, PROGRAM, 'view', '-d', 'output', '--output-format', output, '--output-file',
            name)
    shown = next(file for file in folder.glob('shown/**/*.json') if 'system' in file.name)
    events = json.loads(shown.read_text())['trace_events']
    ids = {}
    for event in events:
        if 'nrta_seq_id' in event:
            ids.setdefault(event['name'], []).append(event['nrta_seq_id'])
    # Two requests of the client itself, and twenty in each of four threads.
    for name in ('nrt_execute', 'kmgr_exec_core', 'kbl_exec_pre'):
        assert len(ids[name]) == 82, (name, len(ids[name]))
        assert {seq & (1 << 48) - 1 for seq in ids[name]} == set(range(1, 83))
    assert set(ids['nc_exec_running']) < set(ids['nrt_execute']), 'one of them had no inputs'
    assert set(ids['nrt_tensor_write']).isdisjoint(ids['nrt_execute'])
    assert sorted(ids['async_post_request']) == sorted(
        ids['nrt_execute'] + ids['nrt_tensor_write'] + ids['nrt_tensor_read'])
    assert 'nrt_load' not in ids, 'a call that waits is no request'
    rows = run(folder, PROGRAM, 'query', '-d', 'tables/system_profile', '--format', 'csv',
               "SELECT json_extract_string(extra_attributes_json, '$.nrta_seq_id') AS seq FROM "
               "SystemProfileEvents WHERE name = 'nrt_execute' ORDER BY seq").stdout
    assert rows.split()[1:] == sorted(str(seq) for seq in ids['nrt_execute']), rows


def is_sanitized():
    return b'__asan_init' in LIBRARY.read_bytes() or b'__tsan_init' in LIBRARY.read_bytes()


def a_program_that_forks_while_it_executes(folder):
    if is_sanitized():
        raise Skip('the allocator of a sanitizer may stay locked in the child')
    assert run(folder, CLIENTS / 'forking', 'file.neff').stdout == '20 children ended\n'


def a_program_that_calls_in_an_odd_order(folder):
    said = run(folder, CLIENTS / 'odd_order', 'file.neff', NEURON_RT_INSPECT_OUTPUT_DIR='output').stderr
    assert 'NRT:nx_' not in said and 'copy it again; copy it again' not in said, said
    assert 'the model needs 1 core from core 9999 on' in said, said
    # Two sessions, and one that nrt_close completed.
    assert len(list(folder.glob('output/**/ntrace.pb'))) == 3, list(folder.glob('output/**/ntrace.pb'))
    run(folder, PROGRAM, 'view', '-d', 'output', '--output-format', 'summary-text')


def a_server_that_is_terminated(folder):
    run(folder, PROGRAM, 'neff', '--assemble', EXAMPLES / 'softmax.nasm', '-o', 'other.neff')
    # The allocator of a sanitizer may stay locked in a worker.
    for how in ('plain', 'handler') if is_sanitized() else ('plain', 'handler', 'worker'):
        for number in (signal.SIGTERM, signal.SIGINT):
            output = f'{how} {number.name}'
            run(folder, CLIENTS / 'terminated', 'file.neff', 'other.neff', output, how, number.value,
                code=7 if how == 'handler' else -number)
            assert len(list(folder.glob(f'{output}/*'))) == 1, 'a child has no session'
            for core, name in ((0, 'vector_add'), (1, 'softmax')):
                session, = folder.glob(f'{output}/*/*/profile_nc_{core}_session_1.ntff')
                told = json.loads(run(folder, PROGRAM, 'show-session', '-s', session, '-j').stdout)
                assert told['Name'] == name and told['ExecutionCount'] >= 3, told['Name']
            said = run(folder, PROGRAM, 'view', '-d', output, '--output-format', 'summary-text').stderr
            assert 'was killed' not in said, said


def the_calls_of_pytorchs_profiler(folder):
    run(folder, CLIENTS / 'torch_profiler', 'file.neff', 'output')
    profiles = sorted(folder.glob('output/*_pid_*/**/profile_nc_0_session_1.ntff'))
    assert len(profiles) == 2, profiles
    for profile in profiles:
        assert (profile.parent / 'ntrace.pb').stat().st_size > 0
        shown = json.loads(run(folder, PROGRAM, 'show-session', '-s', profile, '-j').stdout)
        assert shown['ExecutionCount'] == 3, shown['ExecutionCount']
    # vLLM looks for a folder of the process, and a folder for each session in it.
    for profile in profiles:
        place = profile.parent.relative_to(folder / 'output').parts
        assert re.fullmatch(r'i-[0-9a-z]+_pid_\d+', place[0]), place
        assert len(place) == 2 and re.fullmatch(r'\d{19}', place[1]), place
    # The session of nothing has none.
    assert len(list(folder.glob('output/*/*'))) == 2, list(folder.glob('output/*/*'))


def shown_by_graph(folder, session, *options):
    """Instructions and packets of each graph, and the warnings."""
    run(folder, PROGRAM, 'view', '-s', session, *options, '--output-format', 'json',
        '--output-file', 'shown.json')
    shown = json.loads((folder / 'shown.json').read_text())
    counts = {}
    for section in ('instruction', 'dma'):
        for row in shown[section]:
            graph = counts.setdefault(row.get('subgraph', 'sg00'), {'instruction': 0, 'dma': 0})
            graph[section] += row.get('aggregated', 'no') == 'no'
    return counts, ' '.join(warning['message'] for warning in shown['warnings'])


def check_several_models(folder, arch, runs_of_first, before_mark=0):
    """Without a list of executions, one window serves all models: it opens at the first one's mark,
    so that the instruction before the marks of the others is shown too."""
    names = ('vector_add', 'softmax', 'relu')
    alone = []
    for name in names:
        run(folder, PROGRAM, 'neff', '--assemble', EXAMPLES / f'{name}.nasm', '--arch', arch, '-o',
            f'{name}.neff')
        run(folder, PROGRAM, 'capture', '-n', f'{name}.neff', '-s', f'{name}.ntff')
        alone.append(shown_by_graph(folder, f'{name}.ntff')[0]['sg00'])
    run(folder, CLIENTS / 'several_models', 'output', 'session.ntff',
        *(f'{name}.neff' for name in names))
    inspected = next(folder.glob('output/*/*/profile_nc_0_session_1.ntff'))
    assert len(list(inspected.parent.glob('neff_*_vnc_0.neff'))) == len(names)
    want = {f'model{i}/sg00': {kind: count * (runs_of_first if i == 0 else 1)
                               for kind, count in counts.items()}
            for i, counts in enumerate(alone)}
    for graph in list(want)[1:]:
        want[graph]['instruction'] += before_mark
    for session in ('session.ntff', inspected):
        counts, _ = shown_by_graph(folder, session)
        assert counts == want, (counts, want)
        told = json.loads(run(folder, PROGRAM, 'show-session', '-s', session, '-j').stdout)
        assert len({node['Uuid'] for node in told['NeffNodes']}) == len(names), told['NeffNodes']
        assert [len(node['NodeInfo']['Graphs']) for node in told['NeffNodes']] == [1] * len(names)
    # A NEFF describes its own model and no other.
    counts, warnings = shown_by_graph(folder, 'session.ntff', '-n', 'softmax.neff')
    assert {graph: c['instruction'] for graph, c in counts.items()} == \
        {graph: c['instruction'] for graph, c in want.items()}
    assert 'holds 3 models, and softmax.neff is the NEFF of model 1' in warnings, warnings
    shown = json.loads((folder / 'shown.json').read_text())
    layered = {row['subgraph'] for row in shown['instruction'] if row['layer']}
    assert layered == {'model1/sg00'}, layered
    check_neffs_of_a_directory(folder, inspected.parent, names, want, runs_of_first)
    return alone


def check_neffs_of_a_directory(folder, session, names, want, runs_of_first):
    """The NEFFs beside a session file are joined by their ids, so every model has names."""
    neffs = {name: (folder / f'{name}.neff').read_bytes() for name in names}
    run(folder, PROGRAM, 'view', '-d', session, '--output-format', 'json', '--output-file', 'all')
    shown, = (json.loads(path.read_text()) for path in folder.glob('all/device_profile_*.json'))
    rows = shown['instruction']
    assert {row['subgraph'] for row in rows if row['layer']} == set(want), want
    assert not [w for w in shown['warnings'] if 'models' in w['message']], shown['warnings']
    assert {h['network_name'] for h in shown['neff_header']} == set(names), shown['neff_header']
    for i, name in enumerate(names):
        run(folder, PROGRAM, 'view', '-n', f'{name}.neff', '-s', f'{name}.ntff', '--output-format', 'json',
            '--output-file', 'one.json')
        one = json.loads((folder / 'one.json').read_text())
        for field in ('layer', 'bir_instruction_name', 'hlo_name', 'nki_source_location'):
            def texts(instructions):
                return {row.get(field) for row in instructions}
            of_model = [row for row in rows if row['subgraph'] == f'model{i}/sg00']
            assert texts(one['instruction']) == texts(of_model), (name, field)
        loads = {n['variable_name']: int(n.get('load_to_sbuf_total_size_bytes', 0))
                 for n in one['neff_node'] if n['variable_name']}
        runs = runs_of_first if i == 0 else 1
        start = next(k for k, n in enumerate(shown['neff_node']) if n['sg_name'] == f'model{i}/sg00')
        of_model = shown['neff_node'][start + 1:start + 1 + len(loads)]
        assert {n['variable_name']: int(n.get('load_to_sbuf_total_size_bytes', 0)) for n in of_model} == \
            {tensor: size * runs for tensor, size in loads.items()}, (name, loads, of_model)
    # Stored, the profile is known again until a NEFF changes.
    store = (PROGRAM, 'view', '-d', session, '--ingest-only', '--ignore-system-profile', '--data-path', 'ws')
    run(folder, *store)
    assert 'have not changed' in run(folder, *store).stderr
    last = next(path for path in session.glob('neff_*.neff') if path.read_bytes() == neffs[names[-1]])
    last.unlink()
    said = run(folder, *store, '--force').stderr
    assert 'holds 3 models, and 2 have a NEFF' in said, said


def a_session_of_several_models_shows_them_all(folder):
    alone = check_several_models(folder, 'trn2', 2)
    # One execution alone is a capture of its model.
    counts, _ = shown_by_graph(folder, 'session.ntff', '--execution', '2', '-n', 'relu.neff')
    assert counts['sg00']['instruction'] == alone[2]['instruction'], (counts, alone)
    run(folder, PROGRAM, 'view', '-s', 'session.ntff', '--output-format', 'parquet',
        '--output-file', 'tables')
    rows = run(folder, PROGRAM, 'query', '-d', 'tables', '--format', 'csv',
               'SELECT execution_index, num_subgraphs, execution_end_ts > execution_start_ts AS ran '
               'FROM ExecutionInfo ORDER BY ALL').stdout.split()[1:]
    assert rows == [f'{i},1,true' for i in range(4)], rows


def a_session_of_several_models_of_the_first_generation(folder):
    check_several_models(folder, 'trn1', 1, before_mark=1)


def neffs_where_vllm_copies_them(folder):
    run(folder, CLIENTS / 'torch_profiler', 'file.neff', 'output')
    session = next(folder.glob('output/*_pid_*/*'))
    (session / 'neffs').mkdir()
    next(session.glob('neff_*.neff')).rename(session / 'neffs/graph_b.neff')
    run(folder, PROGRAM, 'neff', '--assemble', EXAMPLES / 'softmax.nasm', '-o',
        session / 'neffs/graph_a.neff')
    (session / 'neffs/graph_0.neff').write_bytes(b'cut')

    def shown():
        return run(folder, PROGRAM, 'view', '-d', session, '--output-format', 'summary-text').stdout
    assert 'session_1.ntff, NEFF' in shown() and 'neffs/graph_b.neff' in shown(), shown()
    (session / 'neffs/graph_b.neff').unlink()
    assert 'session_1.ntff, no NEFF found' in shown(), shown()


def the_calls_of_torch_neuronxs_profiler(folder):
    said = run(folder, CLIENTS / 'neuron_profiler', 'file.neff', 'output').stdout
    assert re.fullmatch(r'warning: an_event_of_another_runtime is not filtered \(\d+\)\n', said), said
    (folder / 'output/framework_mapping_20260101_120000_000.json').write_text('{"graphs": []}')
    process, = folder.glob('output/i-*_pid_*')
    assert len(list(process.glob('**/*_instid_0_vnc_0.ntff'))) == 1, list(process.glob('**/*'))
    assert len(list(process.glob('**/neff_*.neff'))) == 1, list(process.glob('**/*'))
    run(folder, PROGRAM, 'view', '-d', 'output', '--output-format', 'json', '--output-file', 'out')
    events = json.loads((folder / 'out/system_profile.json').read_text())['trace_events']
    names = [event['name'] for event in events]
    assert names.count('nrt_execute') == 3 and 'timestamp_sync_point' not in names, names
    assert len(list(folder.glob('out/device_profile_model_*.json'))) == 1


def the_calls_of_network_libraries(folder):
    assert re.fullmatch(r'\d+ cores\n', run(folder, CLIENTS / 'fabric').stdout)


def the_program_of_a_developer_guide(folder):
    a, b = [float(i % 97) for i in range(65536)], [i % 89 / 2 for i in range(65536)]
    (folder / 'a.bin').write_bytes(struct.pack('<65536f', *a))
    (folder / 'b.bin').write_bytes(struct.pack('<65536f', *b))
    run(folder, CLIENTS / 'developer_guide', 'file.neff', 'a', 'a.bin', 'b', 'b.bin')
    c = struct.unpack('<65536f', (folder / 'c.out').read_bytes())
    assert c == tuple(x + y for x, y in zip(a, b))


def a_python_program_that_loads_the_library_itself(folder):
    if re.search(b'__[at]san_init', LIBRARY.read_bytes()):
        raise Skip('a sanitized library cannot be loaded into Python')
    program = pathlib.Path(__file__).resolve().parent / 'through_ctypes.py'
    assert run(folder, sys.executable, program, 'file.neff').stdout == 'sums match\n'


def harness_command(runs, ranks):
    """The commands of AWS's kernel test harness, joined as it joins them."""
    rerun = ' --write-tensors-per-exec alias' if runs > 1 else ''
    nth = f' --profile-nth-exec={runs} --save-nth-output={runs}' if runs > 1 else ''
    several = f' --collectives-workers-per-node={ranks} --collectives-profile-id=0' if ranks > 1 else ''
    inputs = f'--multi-input {ranks}rank_inputs.txt' if ranks > 1 else 'a a.bin b b.bin'
    rank, execution = '_rank_0' if ranks > 1 else '', f'_exec_{runs}' if runs > 1 else ''
    profile = f'profile{rank}{execution}.ntff'
    view = f'neuron-profile view -n file.neff -s {profile}'
    return ' && '.join([
        f'timeout 55 neuron-profile capture --save-output --neff file.neff{rerun} --num-exec={runs}{nth}'
        f'{several} {inputs}',
        f'neuron-profile show-session -s {profile} --show-errors -j > show_session_0.json',
        f'{view} --output-format=summary-json > ntff.json',
        f'{view} --output-format=json --output-file=ntff_detailed.json',
        f'{view} --output-format=parquet --output-file=profiler_db --ingest-only'])


def check_harness(folder, runs, ranks):
    """Reads what the harness reads: the lines that name outputs, cycles, and times."""
    numbers = [float(i % 7) for i in range(65536)]
    (folder / 'a.bin').write_bytes(struct.pack('<65536f', *numbers))
    (folder / 'b.bin').write_bytes(struct.pack('<65536f', *[1.0] * 65536))
    (folder / f'{ranks}rank_inputs.txt').write_text('a a.bin b b.bin\n' * ranks)
    (folder / 'bin').mkdir()
    (folder / 'bin/neuron-profile').symlink_to(PROGRAM)
    path = f'{folder / "bin"}:{os.environ["PATH"]}'
    printed = run(folder, 'sh', '-c', harness_command(runs, ranks), PATH=path).stdout
    saved = re.findall(r'saved output "[^"]+" as "([^"]+)"', printed)
    name = 'c' if runs == 1 else f'c.{runs}'
    assert saved == ([name] if ranks == 1 else
                     [f'output_worker_{rank}/{name}' for rank in range(ranks)]), saved
    for output in saved:
        sums = struct.unpack('<65536f', (folder / output).read_bytes())
        assert list(sums) == [x + 1 for x in numbers], output
    graphs = [graph for node in json.loads((folder / 'show_session_0.json').read_text())['NeffNodes']
              for graph in node['NodeInfo']['Graphs']]
    assert graphs and all(isinstance(g['NC'], int) and g['CycleCount'] > 0 for g in graphs), graphs
    summary = next(iter(json.loads((folder / 'ntff.json').read_text()).values()))
    assert summary['total_time'] > 0 and summary['mbu_estimated_percent'] is not None, summary
    assert (folder / 'profiler_db/Summary.parquet').stat().st_size > 0
    detailed = json.loads((folder / 'ntff_detailed.json').read_text())
    assert {'opcode', 'timestamp', 'duration'} <= detailed['instruction'][0].keys()


def a_tuner_that_profiles_every_tenth_run(folder):
    printed = run(folder, PROGRAM, 'capture', '-n', 'file.neff', '-s', 'base.ntff', '--num-exec', 20,
                  '--profile-nth-exec', 10, '--save-output', '--ignore-exec-errors').stdout
    assert sorted(path.name for path in folder.glob('base*')) == ['base_exec_10.ntff', 'base_exec_20.ntff']
    assert [line.split('"')[3] for line in printed.splitlines()][::19] == ['c', 'c.20'], printed


def the_kernel_test_harness_with_one_run(folder):
    check_harness(folder, 1, 1)


def the_kernel_test_harness_with_three_runs(folder):
    check_harness(folder, 3, 1)


def the_kernel_test_harness_with_two_ranks(folder):
    check_harness(folder, 1, 2)


def the_kernel_test_harness_with_three_runs_of_two_ranks(folder):
    check_harness(folder, 3, 2)


def the_views_of_public_scripts(folder):
    """Options as agents, harnesses and CI scripts combine them."""
    (folder / 'neuron-profile').symlink_to(PROGRAM)
    home = {'HOME': str(folder), 'XDG_DATA_HOME': ''}
    run(folder, PROGRAM, 'capture', '-n', 'file.neff', '-s', 'profile.ntff')
    files = ['view', '-n', 'file.neff', '-s', 'profile.ntff']
    lines = run(folder, PROGRAM, *files, '--output-format=summary-json', '--disable-ui', **home).stdout
    assert lines.startswith('{') and lines.count('\n') == 1, lines
    summary = next(iter(json.loads(lines).values()))
    assert 0 < summary['total_exec_time'] <= summary['total_time'], summary
    assert {'adjusted_hardware_flops', 'adjusted_transpose_flops'} <= summary.keys(), summary
    run(folder, PROGRAM, *files, '--output-format=parquet', '--output-file=profiler_db', '--ingest-only',
        **home)
    assert (folder / 'profiler_db/Summary.parquet').stat().st_size > 0
    run(folder, PROGRAM, *files, '--ingest-only', '--disable-ui', **home)
    said = run(folder, folder / 'neuron-profile', *files, '--ingest-only', '--output-format', 'db',
               '--db-endpoint', 'http://localhost:8086', '--db-org', 'o', '--db-bucket', 'b', '--force',
               **home).stdout
    assert re.fullmatch(r'Profile "n_[0-9a-f]{40}" is ready to view\n', said), said
    run(folder, PROGRAM, *files, '--output-format', 'JSON', '--output-file', 'detailed.json',
        '--ignore-nc-buf-usage', **home)
    assert json.loads((folder / 'detailed.json').read_text())['instruction']


if __name__ == '__main__':
    sys.exit(run_cases([
        a_client_of_version_2_of_the_asynchronous_calls,
        a_client_of_version_3_of_the_asynchronous_calls,
        events_name_their_asynchronous_request,
        a_program_that_forks_while_it_executes,
        a_program_that_calls_in_an_odd_order,
        a_server_that_is_terminated,
        the_calls_of_pytorchs_profiler,
        a_tuner_that_profiles_every_tenth_run,
        the_kernel_test_harness_with_one_run,
        the_kernel_test_harness_with_three_runs,
        the_kernel_test_harness_with_two_ranks,
        the_kernel_test_harness_with_three_runs_of_two_ranks,
        the_views_of_public_scripts,
        a_session_of_several_models_shows_them_all,
        a_session_of_several_models_of_the_first_generation,
        neffs_where_vllm_copies_them,
        the_calls_of_torch_neuronxs_profiler,
        the_calls_of_network_libraries,
        the_program_of_a_developer_guide,
        a_python_program_that_loads_the_library_itself,
    ], prepare))
