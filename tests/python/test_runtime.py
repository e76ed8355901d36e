#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""neuron_explorer.runtime on the software device, and profiles: summaries, tables, SQL."""

import sys

from python_case import BUILD, make_neff, need, need_sql, run_script
from tap_cases import run_cases

HEAD = """import sys, warnings
from neuron_explorer import runtime, profiler, open_profile
def refused(kind, call, *texts):
    try: call()
    except kind as why:
        assert all(text in str(why) for text in texts), why
    else: raise SystemExit(f'{texts}: accepted')
"""


def a_model_computes_with_numpy_arrays(folder):
    need('numpy')
    make_neff(folder, 'relu')
    make_neff(folder, 'matmul')
    run_script(folder, HEAD + """
import numpy
with runtime.load('relu.neff') as model:
    (x,), (y,) = model.inputs, model.outputs
    assert (x.name, x.dtype, x.shape, x.nbytes) == ('x', 'float32', (128, 512), 262144), x
    values = numpy.random.default_rng(1).normal(size=(128, 512)).astype(numpy.float32)
    assert numpy.array_equal(model(x=values)['y'], numpy.maximum(2 * values + 1, 0))
    assert numpy.array_equal(model()['y'], numpy.maximum(2 * values + 1, 0)), 'inputs are kept'
    assert numpy.array_equal(model(x=numpy.asfortranarray(values.astype(float)))['y'],
                             model(x=values)['y']), 'converted'
    refused(ValueError, lambda: model(x=values[:64]), 'x', '262144')
    refused(ValueError, lambda: model(x=values.reshape(512, 128)), '(512, 128)')
    refused(ValueError, lambda: model(z=values), "no input is called 'z'", 'x')
    refused(ValueError, lambda: model.read('z'), 'no output')
refused(ValueError, lambda: model(x=values), 'closed')
model.close()
with runtime.load('matmul.neff', core=1) as model:     # bfloat16 in, float32 out
    rng = numpy.random.default_rng(2)
    a, b = rng.integers(-8, 8, (256, 256)), rng.integers(-8, 8, (256, 512))
    c = model(at=a.T.astype(numpy.float32), b=b.astype(numpy.float32))['c']
    assert numpy.array_equal(c, a @ b)
    odd = numpy.array([1.00390625, 1.01171875, numpy.inf, -numpy.inf], numpy.float32)
    back = runtime.from_bfloat16(runtime._to_bfloat16(numpy, odd))
    assert back.tolist() == [1.0, 1.015625, numpy.inf, -numpy.inf], back
    assert numpy.isnan(runtime.from_bfloat16(runtime._to_bfloat16(numpy, numpy.float32([numpy.nan]))))
assert runtime.core_count() >= 1
runtime.close()
with runtime.load('relu.neff') as model: model()
""")


def without_numpy_lists_are_enough(folder):
    make_neff(folder, 'relu')
    run_script(folder, """
import sys
sys.modules['numpy'] = None
""" + HEAD + """
model = runtime.load('relu.neff')
rows = [[(i + j) % 5 - 2 for j in range(512)] for i in range(128)]
y = model(x=rows)['y']
assert y == [[max(2.0 * v + 1, 0.0) for v in row] for row in rows]
import array
assert model(x=array.array('f', [v for row in rows for v in row]))['y'] == y
""")


def a_benchmark_has_times_of_host_and_device(folder):
    make_neff(folder, 'relu')
    run_script(folder, HEAD + """
model = runtime.load('relu.neff')
result = model.benchmark(runs=20, warmup=2)
assert result.host.count == result.device.count == 20, result
assert 0 < result.device.min <= result.device.percentile(50) <= result.device.max < result.host.max
assert result.host.min <= result.host.mean <= result.host.max
assert runtime.Times((4, 1, 3, 2)).percentile(50) == 2
assert runtime.Times((4, 1, 3, 2)).percentile(100) == 4
refused(ValueError, lambda: result.host.percentile(0), 'percentile')
refused(ValueError, lambda: model.benchmark(runs=0), 'runs')
assert 'device' in str(result) and '<table>' in result._repr_html_()
print(result)
""")


def one_run_is_profiled_and_answers_sql(folder):
    need_sql()
    make_neff(folder, 'relu')
    run_script(folder, HEAD + """
model = runtime.load('relu.neff')
profile = model.profile()
assert 'Instruction' in profile.tables()
count = profile.sql('SELECT opcode, count(*) AS n FROM Instruction GROUP BY opcode ORDER BY n DESC')
assert count.columns == ['opcode', 'n'] and len(count) > 3 and int(count['n'][0]) >= int(count['n'][1])
assert sum(row['n'] for row in count.to_dicts()) == len(profile.table('Instruction', ['opcode']))
assert profile.sql("SELECT opcode FROM Instruction WHERE opcode = 'x'").columns == ['opcode']
refused(KeyError, lambda: profile.table('Nothing'), 'Nothing')
refused(RuntimeError, lambda: profile.sql('SELECT nonsense FROM Instruction'), 'nonsense')
html = profile._repr_html_()
assert html.count('<table>') == 1 and 'instruction_count' in html, html[:500]
import os
model.profile('kept.ntff')
assert os.path.getsize('kept.ntff') > 1000
refused(FileNotFoundError, lambda: open_profile('missing'), 'missing')
try:
    import numpy
    assert isinstance(count['n'], numpy.ndarray) and isinstance(count.to_numpy()['n'], numpy.ndarray)
except ImportError: assert isinstance(count['n'], list)
assert isinstance(count.to_lists()['n'], list)
""")


def a_session_holds_runtime_calls_and_device_profiles(folder):
    need_sql()
    make_neff(folder, 'relu')
    run_script(folder, HEAD + """
model = runtime.load('relu.neff')
with profiler.profile(output_dir='output') as prof:
    with profiler.TraceAnnotation('run'): model()
profile = prof.open()
assert profile.parts[0] == 'system_profile' and profile.parts[1].startswith('device_profile_model_')
names = profile.sql('SELECT name FROM SystemProfileEvents').to_lists()['name']
assert 'nrt_execute' in names and 'nc_exec_running' in names, names
assert len(profile.table('Instruction', ['opcode'], part=profile.parts[1])) > 100
refused(KeyError, lambda: profile.tables('other'), 'other')
html = prof._repr_html_()
assert 'nrt_execute' in html and 'process' in html
prof.export_chrome_trace('trace.json')
import json
assert any(e['name'] == 'nrt_execute' for e in json.load(open('trace.json'))['traceEvents'])
""")


def only_the_chosen_cores_are_recorded(folder):
    need_sql()
    make_neff(folder, 'relu')
    run_script(folder, HEAD + """
models = [runtime.load('relu.neff', core=core) for core in range(4)]
def cores_of(chosen):
    config = profiler.NeuronConfig(capture_enabled_for_nc=chosen, profile_output_dir=f'output {chosen}')
    with profiler.profile(experimental_config=config) as prof:
        for model in models: model()
    rows = prof.open().sql("SELECT nc_idx FROM SystemProfileEvents WHERE name = 'nc_exec_running'")
    return sorted({int(core) for core in rows['nc_idx']})
assert cores_of('1,3-5') == [1, 3], cores_of('1,3-5')
assert cores_of(None) == [0, 1, 2, 3], cores_of(None)
refused(ValueError, lambda: cores_of('1000'), 'there is no core 1000')
with profiler.profile(output_dir='after'): pass
""", NEURON_RT_NUM_CORES=4)


def a_library_that_is_loaded_in_the_block_takes_part(folder):
    need_sql()
    make_neff(folder, 'relu')
    run_script(folder, HEAD + """
with profiler.profile(output_dir='output') as prof: runtime.load('relu.neff')()
names = prof.open().sql('SELECT name FROM SystemProfileEvents').to_lists()['name']
assert 'nrt_load' in names and 'nrt_execute' in names, names
""")


def failures_name_the_file_and_the_remedy(folder):
    (folder / 'broken.neff').write_bytes(b'nonsense' * 100)
    run_script(folder, HEAD + """
refused(FileNotFoundError, lambda: runtime.load('missing.neff'), 'missing.neff')
refused(runtime.NrtError, lambda: runtime.load('broken.neff'), 'nrt_load')
try: runtime.load('broken.neff')
except runtime.NrtError as why: assert isinstance(why.args[1], int) and why.args[1] != 0
refused(OSError, lambda: runtime.open_library('/other.so'), 'already uses')
""")
    run_script(folder, HEAD + """
refused(OSError, lambda: runtime.load('broken.neff'), 'no Neuron runtime', 'nothing.so',
        'NEURON_EXPLORER_LIBNRT')
""", NEURON_EXPLORER_LIBNRT='/nothing.so')
    run_script(folder, HEAD + """
refused(FileNotFoundError, lambda: open_profile('.').summary, 'none-such')
""", NEURON_EXPLORER_PROGRAM='/none-such')


def a_runtime_that_lacks_functions_is_named(folder):
    make_neff(folder, 'relu')
    fake = BUILD / 'tests/libfake_nrt_none.so'
    run_script(folder, HEAD + """
refused(OSError, lambda: runtime.load('relu.neff'), 'has no function nrt_execute')
""", NEURON_EXPLORER_LIBNRT=fake)


def the_child_of_a_fork_begins_its_own_runtime(folder):
    make_neff(folder, 'relu')
    run_script(folder, HEAD + """
import os
model = runtime.load('relu.neff')
model()
pid = os.fork()
if pid == 0:
    refused(ValueError, lambda: model(), 'closed')
    runtime.load('relu.neff')()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
model()
""")


if __name__ == '__main__':
    sys.exit(run_cases([
        a_model_computes_with_numpy_arrays,
        without_numpy_lists_are_enough,
        a_benchmark_has_times_of_host_and_device,
        one_run_is_profiled_and_answers_sql,
        a_session_holds_runtime_calls_and_device_profiles,
        only_the_chosen_cores_are_recorded,
        a_library_that_is_loaded_in_the_block_takes_part,
        failures_name_the_file_and_the_remedy,
        a_runtime_that_lacks_functions_is_named,
        the_child_of_a_fork_begins_its_own_runtime,
    ]))
