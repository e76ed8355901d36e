#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Python calls: which are recorded, with which times, and what is counted instead."""

import sys

from python_case import run_script
from read_spans import PYTHON, Spans
from tap_cases import run_cases

HEAD = """import sys, time, threading
from neuron_explorer import profiler
from neuron_explorer.profiler import PythonCalls, profile
"""


def calls_nest_and_have_their_place_in_the_source(folder):
    run_script(folder, HEAD + """
def inner(): time.sleep(0.002)
class Thing:
    def method(self): inner()
with profile(output_dir='output') as prof:
    Thing().method()
assert prof.result.calls.recorded >= 3, prof.result
""")
    spans = Spans(folder)
    outer, inner = spans.one('__main__.Thing.method'), spans.one('__main__.inner')
    sleep = spans.one('time.sleep')
    assert outer.encloses(inner) and inner.encloses(sleep), spans.spans
    assert sleep.duration >= 2_000_000, sleep
    assert (inner.file, inner.line, inner.kind) == (str(folder / 'script.py'), 5, PYTHON), inner
    assert outer.line == 7 and sleep.file == ''
    assert spans.one('__main__.<module>').encloses(outer), 'what runs at the start is there, too'
    assert not any('neuron_explorer' in name for name in spans.names()), spans.names()


def all_threads_are_recorded_with_their_names(folder):
    run_script(folder, HEAD + """
import _thread
def work(): time.sleep(0.002)
def serve(go, done):
    go.wait()
    work()
    done.set()
go, done, raw = threading.Event(), threading.Event(), threading.Event()
early = threading.Thread(target=serve, args=(go, done), name='early')
early.start()
def low():
    # Threads that threading does not know are adopted while others run.
    deadline = time.monotonic() + 60
    while not raw.is_set() and time.monotonic() < deadline: work()
with profile(output_dir='output') as prof:
    go.set(); done.wait()
    late = threading.Thread(target=work, name='late')
    late.start(); late.join()
    _thread.start_new_thread(low, ())
    for i in range(100): work()
    raw.set()
early.join()
""")
    spans = Spans(folder)
    by_thread = {}
    for span in spans.named('__main__.work'):
        by_thread[spans.threads.get(span.thread, '?')] = by_thread.get(
            spans.threads.get(span.thread, '?'), 0) + 1
    assert by_thread.pop('MainThread') == 100 and by_thread.pop('early') == 1, by_thread
    assert by_thread.pop('late') == 1, by_thread
    assert sum(by_thread.values()) > 0, 'the thread of _thread.start_new_thread is missing'


def a_call_that_has_not_returned_ends_with_the_session(folder):
    run_script(folder, HEAD + """
started, end = threading.Event(), threading.Event()
def wait_long():
    started.set()
    end.wait()
with profile(output_dir='output') as prof:
    thread = threading.Thread(target=wait_long, name='waiter')
    thread.start(); started.wait()
end.set(); thread.join()
""")
    spans = Spans(folder)
    span = spans.one('__main__.wait_long')
    assert spans.threads[span.thread] == 'waiter' and span.end > span.start, span


def generators_recursion_and_exceptions_keep_the_stack(folder):
    run_script(folder, HEAD + """
def numbers():
    for i in range(3):
        time.sleep(0.001)
        yield i
def down(n):
    if n: return down(n - 1)
    time.sleep(0.001)
def fails():
    time.sleep(0.001)
    raise KeyError('planted')
def after(): time.sleep(0.001)
async def coroutine():
    import asyncio
    await asyncio.sleep(0.001)
with profile(output_dir='output', python=PythonCalls(min_duration_us=0)) as prof:
    list(numbers())
    down(5)
    try: fails()
    except KeyError: pass
    import asyncio; asyncio.run(coroutine())
    after()
""")
    spans = Spans(folder)
    assert len(spans.named('__main__.numbers')) == 4, 'one for each resumption'
    downs = spans.named('__main__.down')
    assert len(downs) == 6
    assert sorted(sum(a.encloses(b) for a in downs) for b in downs) == [0, 1, 2, 3, 4, 5]
    fails, after = spans.one('__main__.fails'), spans.one('__main__.after')
    assert fails.end <= after.start and spans.named('__main__.coroutine')
    opened = {}
    for span in sorted(spans.spans, key=lambda span: (span.start, -span.end)):
        stack = opened.setdefault(span.thread, [])
        while stack and stack[-1].end <= span.start:
            stack.pop()
        assert not stack or span.end <= stack[-1].end, f'{stack[-1]} and {span} overlap'
        stack.append(span)


def depth_is_limited_and_counted(folder):
    run_script(folder, HEAD + """
def down(n): return down(n - 1) if n else 0
with profile(output_dir='output', python=PythonCalls(max_depth=10, min_duration_us=0,
             include=('__main__',))) as prof:
    down(49)
calls = prof.result.calls
assert (calls.recorded, calls.deep, calls.short) == (10, 41, 0), calls   # with the module itself
for wrong in (0, 2000):
    try: profile(output_dir='output', python=PythonCalls(max_depth=wrong)).start()
    except ValueError as why: assert 'depth' in str(why)
    else: raise SystemExit('accepted')
with profile(output_dir='output', python=PythonCalls(max_depth=5)): pass
""")
    assert len(Spans(folder).named('__main__.down')) == 9


def short_calls_are_counted_only(folder):
    run_script(folder, HEAD + """
def short(): pass
def long(): time.sleep(0.03)
with profile(output_dir='output', python=PythonCalls(min_duration_us=20000,
             include=('__main__',))) as prof:
    for i in range(1000): short()
    long()
calls = prof.result.calls
assert calls.recorded + calls.short == 1002 and calls.recorded >= 2, calls   # with the module itself
print(calls)
""")
    spans = Spans(folder)
    assert spans.one('__main__.long').duration >= 20_000_000
    assert len(spans.named('__main__.short')) < 50


def modules_are_included_and_excluded(folder):
    for name in ('kept', 'left', 'left.inner', 'leftover'):
        path = folder / (name.replace('.', '/') + ('/__init__.py' if name == 'left' else '.py'))
        path.parent.mkdir(exist_ok=True)
        path.write_text('import time\ndef work(then=None):\n    time.sleep(0.001)\n'
                        '    if then: then()\n')
    text = HEAD + """
import kept, left, left.inner, leftover
with profile(output_dir=sys.argv[1], python=PythonCalls(include={include}, exclude={exclude})):
    left.work(kept.work); left.inner.work(); leftover.work()
"""
    run_script(folder, text.format(include=(), exclude=('left',)), 'a')
    run_script(folder, text.format(include=('left', 'kept'), exclude=('left.inner',)), 'b')
    names = {name for name in Spans(folder / 'a').names() if name.endswith('.work')}
    assert names == {'kept.work', 'leftover.work'}, names
    names = {name for name in Spans(folder / 'b').names() if name.endswith('.work')}
    assert names == {'kept.work', 'left.work'}, names


def builtins_may_be_left_out(folder):
    run_script(folder, HEAD + """
def work(): time.sleep(0.002); sorted(range(100000))
with profile(output_dir='output', python=PythonCalls(with_builtins=False)): work()
""")
    names = Spans(folder).names()
    assert '__main__.work' in names and 'time.sleep' not in names, names


def another_profiler_keeps_its_hook(folder):
    ended = run_script(folder, HEAD + """
import cProfile
def work(): time.sleep(0.001)
other = cProfile.Profile()
other.enable()
with profile(output_dir='output'):
    with profiler.TraceAnnotation('kept'): work()
other.disable()
with profile(output_dir='output2'): work()
""")
    spans = Spans(folder / 'output')
    spans.one('kept')
    if sys.version_info < (3, 12):  # later, tools share sys.monitoring
        assert 'another profiler has set sys.setprofile' in ended.err
        assert not spans.named('__main__.work')
    Spans(folder / 'output2').one('__main__.work')


def the_hook_is_gone_after_the_session(folder):
    run_script(folder, HEAD + """
def work(): time.sleep(0.001)
for i in range(3):
    with profile(output_dir=f'output{i}'): work()
    assert sys.getprofile() is None
    if hasattr(sys, 'monitoring'):
        assert all(sys.monitoring.get_tool(t) is None for t in (2, 3, 4))
    work()
""")
    for i in range(3):
        Spans(folder / f'output{i}').one('__main__.work')


def many_functions_and_threads_keep_memory_bounded(folder):
    ended = run_script(folder, HEAD + """
import resource
def rss():
    with open('/proc/self/statm') as file: return int(file.read().split()[1]) * 4096
def make(n):
    scope = {}
    exec(f'def f{n}(): pass', scope)
    return scope[f'f{n}']
with profile(output_dir='output', python=PythonCalls(min_duration_us=0, include=('builtins',))):
    for i in range(70000): make(i)()
    for i in range(300):
        thread = threading.Thread(target=make(i)); thread.start(); thread.join()
    before = rss()
    for i in range(300):
        thread = threading.Thread(target=make(i)); thread.start(); thread.join()
    grown = rss() - before
print(grown >> 20)
assert grown < 64 << 20, f'{grown} bytes for 300 threads'
""")
    assert '(further functions)' in Spans(folder).names()
    return f'{ended.out.strip()} MiB for 300 threads'


if __name__ == '__main__':
    sys.exit(run_cases([
        calls_nest_and_have_their_place_in_the_source,
        all_threads_are_recorded_with_their_names,
        a_call_that_has_not_returned_ends_with_the_session,
        generators_recursion_and_exceptions_keep_the_stack,
        depth_is_limited_and_counted,
        short_calls_are_counted_only,
        modules_are_included_and_excluded,
        builtins_may_be_left_out,
        another_profiler_keeps_its_hook,
        the_hook_is_gone_after_the_session,
        many_functions_and_threads_keep_memory_bounded,
    ]))
