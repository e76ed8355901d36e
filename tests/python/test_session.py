#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sessions, annotations, and every way in which a session can end."""

import os
import pathlib
import signal
import sys

from python_case import run, run_script
from read_spans import ANNOTATION, STEP, Spans
from tap_cases import run_cases

HEAD = 'from neuron_explorer import profiler\n'


def a_block_leaves_annotations_with_attributes(folder):
    run_script(folder, HEAD + """
with profiler.trace('output'):
    for i in range(3):
        with profiler.StepTraceAnnotation('train', step_num=i, epoch=7):
            with profiler.TraceAnnotation('my_label' + str(i), batch=-i, share=0.5, ok=True,
                                          text='a b', other=[1, 2], big=1 << 70):
                pass
    profiler.instant('checkpoint', path='x')
    profiler.counter('loss', 0.25)
""")
    spans = Spans(folder)
    label = spans.one('my_label2')
    assert label.kind == ANNOTATION
    assert label.attributes == {'batch': -2, 'share': 0.5, 'ok': True, 'text': 'a b',
                                'other': '[1, 2]', 'big': str(1 << 70)}, label
    steps = spans.named('train')
    assert [step.step for step in steps] == [0, 1, 2] and steps[0].kind == STEP
    assert steps[2].encloses(label) and steps[2].attributes == {'epoch': 7}, steps
    assert [i.name for i in spans.instants] == ['checkpoint']
    assert spans.counters == [('loss', 0.25)] and spans.is_complete and not spans.lost


def functions_are_annotated_with_and_without_arguments(folder):
    run_script(folder, HEAD + """
@profiler.annotate_function
def plain(a): return a + 1
@profiler.annotate_function(name='given', size=3)
def named(a): return a + 2
with profiler.trace('output'):
    assert plain(1) == 2 and named(1) == 3 and plain.__name__ == 'plain'
""")
    spans = Spans(folder)
    assert spans.one('plain').kind == ANNOTATION and spans.one('given').attributes == {'size': 3}


def names_may_be_any_text(folder):
    run_script(folder, HEAD + """
with profiler.trace('output'):
    for name in ('Grüße \\N{SNOWMAN}', 'lone \\udc80', '', 'x' * 5000):
        with profiler.TraceAnnotation(name): pass
try:
    profiler.TraceAnnotation(3)
except TypeError: pass
else: raise SystemExit('a number was accepted as a name')
""")
    names = [span.name for span in Spans(folder).spans if span.kind == ANNOTATION]
    assert names == ['Grüße ☃', 'lone \\udc80', '', 'x' * 1023], names


def an_annotation_without_a_session_does_nothing(folder):
    run_script(folder, HEAD + """
with profiler.TraceAnnotation('a') as a, profiler.StepTraceAnnotation('b', step_num=1):
    assert not a.is_enabled()
profiler.instant('x'); profiler.counter('y', 1)
""")
    assert not list(pathlib.Path(folder).rglob('spans.pb'))


def a_run_may_have_several_sessions(folder):
    run_script(folder, HEAD + """
for i in range(3):
    profiler.start_trace('output')
    with profiler.TraceAnnotation(f'session {i}'): pass
    profiler.stop_trace()
""")
    spans = Spans(folder)
    assert spans.sessions == 3, spans.sessions
    for i in range(3):
        spans.one(f'session {i}')


def a_second_start_is_refused_and_the_first_continues(folder):
    run_script(folder, HEAD + """
profiler.start_trace('output')
for start in (lambda: profiler.start_trace('other'), profiler.profile(output_dir='other').start):
    try: start()
    except RuntimeError as why: assert 'already running, started by start_trace' in str(why), why
    else: raise SystemExit('a second session was started')
with profiler.TraceAnnotation('after'): pass
profiler.stop_trace()
""")
    Spans(folder).one('after')
    assert not (folder / 'other').exists()


def a_stop_without_a_start_is_refused(folder):
    run_script(folder, HEAD + """
try: profiler.stop_trace()
except RuntimeError as why: assert 'no session is running' in str(why), why
else: raise SystemExit('accepted')
""")


def stop_trace_in_a_with_block_warns_and_ends_the_profile_there(folder):
    ended = run_script(folder, HEAD + """
with profiler.trace('output'):
    with profiler.TraceAnnotation('before'): pass
    profiler.stop_trace()
    with profiler.TraceAnnotation('after'): pass
profiler.start_trace('output'); profiler.stop_trace()
""")
    assert 'ends the profile here' in ended.err and 'stop_trace() inside a `with trace`' in ended.err
    spans = Spans(folder)
    spans.one('before')
    assert not spans.named('after')


def an_exception_in_the_block_is_marked_and_passed_on(folder):
    for block in ("profiler.trace('output')", "profiler.profile(output_dir='output')"):
        ended = run_script(folder, HEAD + f"""
with {block}:
    with profiler.TraceAnnotation('inside'):
        raise ValueError('planted')
""", code=1)
        assert 'ValueError: planted' in ended.err, str(ended)
    spans = Spans(folder)
    assert len(spans.named('inside')) == 2 and spans.is_complete
    assert [i.attributes for i in spans.instants] == 2 * [{'type': 'ValueError',
                                                          'message': 'planted'}]


def the_child_of_a_fork_has_no_session(folder):
    ended = run_script(folder, HEAD + """
import os, sys
def in_child():
    with profiler.TraceAnnotation('child'): pass
with profiler.trace('output'):
    pid = os.fork()
    if pid == 0:
        in_child()
        try: profiler.stop_trace()
        except RuntimeError as why: print('child:', why, flush=True)
        with profiler.trace('child_output'):
            in_child()
    else:
        assert os.waitpid(pid, 0)[1] == 0
        with profiler.TraceAnnotation('parent'): pass
if pid == 0: os._exit(0)
""")
    assert 'child: stop_trace: no session is running' in ended.out, str(ended)
    spans = Spans(folder / 'output')
    spans.one('parent')
    assert not spans.named('child') and spans.sessions == 1 and spans.is_complete
    Spans(folder / 'child_output').one('child')


def multiprocessing_workers_continue_without_a_session(folder):
    run_script(folder, HEAD + """
import multiprocessing
def work(x): return x * x
if __name__ == '__main__':
    with profiler.trace('output'):
        with multiprocessing.get_context('fork').Pool(2) as pool:
            assert pool.map(work, range(20)) == [x * x for x in range(20)]
""")
    assert Spans(folder).is_complete


def an_exit_without_stop_completes_the_profile_and_says_so(folder):
    ended = run_script(folder, HEAD + """
import sys
profiler.start_trace('output')
with profiler.TraceAnnotation('work'): pass
sys.exit(3)
""", code=3)
    assert 'ended without stopping the session of start_trace' in ended.err, str(ended)
    spans = Spans(folder)
    spans.one('work')
    assert spans.is_complete


def a_killed_process_leaves_what_it_had_flushed(folder):
    script = folder / 'script.py'
    script.write_text(HEAD + """
import os, signal
from neuron_explorer import _native
profiler.start_trace('output')
with profiler.TraceAnnotation('before'): pass
_native.flush()
os.kill(os.getpid(), signal.SIGKILL)
""")
    ended = run([sys.executable, script], folder)
    assert ended.code == -signal.SIGKILL, str(ended)
    spans = Spans(folder)
    spans.one('before')
    assert not spans.is_complete


def a_folder_that_cannot_be_written_is_an_error(folder):
    (folder / 'file').write_text('')
    run_script(folder, HEAD + """
for path in ('file/output', '/proc/no/output'):
    try:
        with profiler.trace(path): raise SystemExit('the block ran')
    except OSError as why: assert path.split('/')[0] in str(why) and 'cannot' in str(why), why
with profiler.trace('output'): pass     # nothing is left behind
try:
    with profiler.trace(''): raise SystemExit('the block ran')
except ValueError as why: assert 'empty' in str(why), why
""")
    if os.getuid() == 0:
        return 'as root, so permissions were not tried'
    (folder / 'locked').mkdir(mode=0o500)
    run_script(folder, HEAD + """
try: profiler.start_trace('locked/output')
except OSError as why: assert 'locked' in str(why)
else: raise SystemExit('accepted')
""")


def threads_that_end_at_once_leave_their_spans(folder):
    ended = run_script(folder, HEAD + """
import threading
def work(i):
    with profiler.TraceAnnotation('short', i=i): pass
with profiler.trace('output'):
    for wave in range(20):
        threads = [threading.Thread(target=work, args=(i,)) for i in range(50)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
""")
    spans = Spans(folder)
    assert len(spans.named('short')) == 1000 and not spans.lost and not ended.err, ended.err


def variable_and_api_at_once_give_the_warning(folder):
    text = HEAD + """
with profiler.trace('output'): pass
"""
    ended = run_script(folder, text, NEURON_RT_INSPECT_ENABLE='1')
    assert 'NEURON_RT_INSPECT_ENABLE is set' in ended.err and 'Do not use both' in ended.err
    for value in ('0', ''):
        assert 'Do not use both' not in run_script(folder, text, NEURON_RT_INSPECT_ENABLE=value).err


def a_duration_ends_the_session(folder):
    run_script(folder, HEAD + """
import time
with profiler.profile(output_dir='output', ms_duration=50) as prof:
    with profiler.TraceAnnotation('early'): pass
    deadline = time.monotonic() + 60
    while profiler._session.current() is not None and time.monotonic() < deadline:
        time.sleep(0.001)
    with profiler.TraceAnnotation('late'): pass
assert prof.result is not None and prof.directory
with profiler.profile(output_dir='output'): pass
""")
    spans = Spans(folder)
    spans.one('early')
    assert not spans.named('late')


def every_parameter_of_torch_neuronx_is_accepted(folder):
    ended = run_script(folder, HEAD + """
import os, warnings
from neuron_explorer.compat.torch_neuronx.experimental import profiler as compat
for profile_type in ('system', 'operator', 'trace'):
    with compat.profile(port=9012, ms_duration=30000, profile_type=profile_type,
                        target='neuron_profile', output_dir='output', auto_start=True,
                        delete_working=False, traced_only=False) as prof:
        assert os.environ['XLA_IR_DEBUG'] == '1'
        with profiler.TraceAnnotation(profile_type): pass
    assert 'XLA_IR_DEBUG' not in os.environ
with compat.profile(auto_start=False, output_dir='output') as prof:
    assert prof.result is None
    prof.start()
    with profiler.TraceAnnotation('started'): pass
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    compat.profile(target='neuron_tensorboard', neuron_tensorboard_plugin_dir='plugin')
print(caught[0].message)
for wrong in ({'profile_type': 'x'}, {'target': 'x'}, {'ms_duration': 0}):
    try: compat.profile(**wrong)
    except ValueError as why: print(why)
    else: raise SystemExit(f'{wrong} was accepted')
""")
    assert 'profile_type must be one of system, operator, trace' in ended.out
    assert 'the plugin is discontinued; open output_dir with neuron-explorer' in ended.out
    spans = Spans(folder)
    for name in ('system', 'operator', 'trace', 'started'):
        spans.one(name)


def the_output_folder_comes_from_the_variable(folder):
    run_script(folder, HEAD + """
with profiler.profile() as prof: pass
assert prof.result.output_dir == 'from_variable' and prof.directory.startswith('from_variable/')
""", NEURON_RT_INSPECT_OUTPUT_DIR='from_variable')


def a_schedule_records_its_active_steps(folder):
    ended = run_script(folder, HEAD + """
ready = []
plan = profiler.schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
names = [plan(i).name for i in range(10)]
assert names == ['NONE', 'NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE', 'WARMUP', 'RECORD',
                 'RECORD_AND_SAVE', 'NONE'], names
config = profiler.NeuronConfig(modes=[profiler.ProfileMode.RUNTIME], profile_output_dir='output',
                               capture_enabled_for_nc='0,2-4', max_events_per_nc=1000)
assert config.cores == [0, 2, 3, 4]
exporter = profiler.NeuronProfiler(config)
with profiler.profile(activities=[profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.PrivateUse1],
                      experimental_config=config, schedule=plan,
                      on_trace_ready=lambda prof: ready.append(exporter.export_trace(prof))) as prof:
    for i in range(10):
        with profiler.record_function(f'step {i}'): pass
        prof.step()
assert len(ready) == 2 and len(set(ready)) == 2, ready
for wrong in ('1-', 'a', '4-2'):
    try: profiler.NeuronConfig(capture_enabled_for_nc=wrong)
    except ValueError: pass
    else: raise SystemExit(f'{wrong} was accepted')
""")
    spans = Spans(folder)
    assert [span.name for span in spans.spans if span.name.startswith('step ')] == \
        ['step 3', 'step 4', 'step 7', 'step 8'], spans.names()
    assert [span.step for span in spans.named('ProfilerStep')] == [3, 4, 7, 8]
    assert 'capture_enabled_for_nc' not in ended.err


def options_of_jax_choose_what_is_recorded(folder):
    run_script(folder, HEAD + """
options = profiler.ProfileOptions()
options.python_tracer_level = 0
def work(): return sorted(range(50000))
with profiler.trace('output', profiler_options=options): work()
""")
    assert not Spans(folder).spans


def a_server_starts_once_and_stops(folder):
    run_script(folder, HEAD + """
import json, os, pathlib, socket
with profiler.start_server(0) as server:
    socket.create_connection(('127.0.0.1', server.port)).close()
    [record] = pathlib.Path(os.environ['XDG_RUNTIME_DIR']).rglob('*.json')
    assert json.loads(record.read_text())['port'] == str(server.port)
    try: profiler.start_server(0)
    except RuntimeError as why: assert 'already running' in str(why)
    else: raise SystemExit('accepted')
assert not record.exists()
for options in dict(host='0.0.0.0'), dict(host='localhost'):
    try: profiler.start_server(0, **options)
    except ValueError as why: assert '127.0.0.1' in str(why)
    else: raise SystemExit('accepted')
try: profiler.start_server(70000)
except ValueError as why: assert '65535' in str(why)
else: raise SystemExit('accepted')
try: profiler.stop_server()
except RuntimeError as why: assert 'no profiler server' in str(why)
else: raise SystemExit('accepted')
with profiler.start_server(0, host='0.0.0.0', token='secret') as server: assert server.port
""", XDG_RUNTIME_DIR=folder)


def a_module_runs_a_script_under_the_profiler(folder):
    (folder / 'job.py').write_text('import sys, time\ndef work():\n    time.sleep(0.002)\n'
                                   'work()\nprint(sys.argv[1:])\nsys.exit(5)\n')
    ended = run([sys.executable, '-m', 'neuron_explorer', '-o', 'output', 'job.py', '--x', 'y'],
                folder)
    assert ended.code == 5 and "['--x', 'y']" in ended.out, str(ended)
    assert 'events in output/' in ended.err
    assert Spans(folder).one('__main__.work').file == str(folder / 'job.py')


def a_full_buffer_counts_exactly_what_it_lost(folder):
    run_script(folder, HEAD + """
import warnings
count = 300000
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    with profiler.profile(output_dir='output', python=False, buffer_bytes=1 << 16) as prof:
        for i in range(count):
            with profiler.TraceAnnotation('x'): pass
result = prof.result
assert result.recorded == 2 * count, result
assert bool(result.lost) == any('were lost' in str(w.message) for w in caught), (result, caught)
print(result.recorded, result.lost)
""")
    spans = Spans(folder)
    assert spans.recorded == 600000 and spans.events == spans.recorded - spans.lost, vars(spans)
    return f'{spans.lost} of {spans.recorded} events were lost'


if __name__ == '__main__':
    sys.exit(run_cases([
        a_block_leaves_annotations_with_attributes,
        functions_are_annotated_with_and_without_arguments,
        names_may_be_any_text,
        an_annotation_without_a_session_does_nothing,
        a_run_may_have_several_sessions,
        a_second_start_is_refused_and_the_first_continues,
        a_stop_without_a_start_is_refused,
        stop_trace_in_a_with_block_warns_and_ends_the_profile_there,
        an_exception_in_the_block_is_marked_and_passed_on,
        the_child_of_a_fork_has_no_session,
        multiprocessing_workers_continue_without_a_session,
        an_exit_without_stop_completes_the_profile_and_says_so,
        a_killed_process_leaves_what_it_had_flushed,
        a_folder_that_cannot_be_written_is_an_error,
        threads_that_end_at_once_leave_their_spans,
        variable_and_api_at_once_give_the_warning,
        a_duration_ends_the_session,
        every_parameter_of_torch_neuronx_is_accepted,
        the_output_folder_comes_from_the_variable,
        a_schedule_records_its_active_steps,
        options_of_jax_choose_what_is_recorded,
        a_server_starts_once_and_stops,
        a_module_runs_a_script_under_the_profiler,
        a_full_buffer_counts_exactly_what_it_lost,
    ]))
