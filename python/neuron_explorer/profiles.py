# SPDX-License-Identifier: Apache-2.0
"""Open a profile: its summary, its tables and SQL over them.

    profile = open_profile('output')
    profile                                   # in a notebook: a table of what took the time
    profile.tables()                          # names
    profile.table('SystemProfileEvents', columns=['name', 'duration_ns'])
    profile.sql('SELECT name, count(*) AS n FROM SystemProfileEvents GROUP BY name')

The work is done by the program neuron-explorer, which must be installed.
"""

from __future__ import annotations

import html
import json
import os
import tempfile
from typing import Any, Optional, Sequence, Union

from . import _program

PathLike = Union[str, 'os.PathLike[str]']
MAX_ROWS_SHOWN = 40
EVENTS_SHOWN = 6  # of each source, in a notebook


def _import_numpy() -> Any:
    """numpy, or None where it is not installed."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Table:
    """Rows of a query: columns by name, as numpy arrays where numpy is installed, else as lists."""

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self.columns = list(columns)
        self.rows = [tuple(row) for row in rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Any:
        return iter(self.rows)

    def __getitem__(self, column: str) -> Any:
        """A column: a numpy array, or a list."""
        values = self.to_lists()[column]
        numpy = _import_numpy()
        if numpy is None:
            return values
        kinds = {type(value) for value in values}
        if kinds <= {int} or kinds <= {float} or kinds <= {bool} or kinds <= {int, float}:
            return numpy.array(values)
        return numpy.array(values, dtype=object)

    def to_lists(self) -> dict[str, list[Any]]:
        """Plain lists, by column."""
        return {name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)}

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each row."""
        return [dict(zip(self.columns, row)) for row in self.rows]

    def to_numpy(self) -> dict[str, Any]:
        """numpy arrays, by column. ImportError without numpy."""
        if _import_numpy() is None:
            raise ImportError('Table.to_numpy needs numpy; to_lists() does not')
        return {name: self[name] for name in self.columns}

    def __repr__(self) -> str:
        return f'<Table: {len(self.rows)} rows of {", ".join(self.columns)}>'

    def _repr_html_(self) -> str:
        head = ''.join(f'<th>{html.escape(name)}</th>' for name in self.columns)
        body = ''.join(
            '<tr>' + ''.join(f'<td>{html.escape(_show(value))}</td>' for value in row) + '</tr>'
            for row in self.rows[:MAX_ROWS_SHOWN])
        left = len(self.rows) - MAX_ROWS_SHOWN
        more = f'<p>and {left} more rows</p>' if left > 0 else ''
        return f'<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}'


def _show(value: Any) -> str:
    return '' if value is None else f'{value:.6g}' if isinstance(value, float) else str(value)


def _show_ns(ns: float) -> str:
    for limit, factor, unit in ((1e3, 1, 'ns'), (1e6, 1e3, 'us'), (1e9, 1e6, 'ms')):
        if abs(ns) < limit:
            return f'{ns / factor:.4g} {unit}'
    return f'{ns / 1e9:.4g} s'


class Profile:
    """A captured profile: a folder of a session, or a NEFF and its NTFF.

    Tables are made when they are first needed, in a temporary folder that goes with the object.
    """

    def __init__(self, directory: Optional[PathLike] = None, *, neff: Optional[PathLike] = None,
                 ntff: Optional[PathLike] = None) -> None:
        if (directory is None) == (ntff is None):
            raise ValueError('Profile: give either a directory or an NTFF (with its NEFF)')
        self.directory = None if directory is None else os.fspath(directory)
        self.neff = None if neff is None else os.fspath(neff)
        self.ntff = None if ntff is None else os.fspath(ntff)
        for path in (self.directory, self.neff, self.ntff):
            if path is not None and not os.path.exists(path):
                raise FileNotFoundError(f'{path}: there is no such file or folder')
        self._work: Optional[tempfile.TemporaryDirectory[str]] = None
        self._summary: Optional[dict[str, Any]] = None

    def _source(self) -> list[str]:
        if self.directory is not None:
            return ['-d', self.directory]
        words = ['-s', self.ntff or '']
        return words + ['-n', self.neff] if self.neff is not None else words

    @property
    def summary(self) -> dict[str, Any]:
        """What `view --output-format summary-json` prints."""
        if self._summary is None:
            text = _program.run('view', *self._source(), '--output-format', 'summary-json')
            self._summary = json.loads(text)
        return self._summary

    def _folder(self) -> str:
        if self._work is None:
            work = tempfile.TemporaryDirectory(prefix='neuron-explorer-')
            _program.run('view', *self._source(), '--output-format', 'parquet', '--output-file',
                         os.path.join(work.name, 'tables'))
            self._work = work
        return os.path.join(self._work.name, 'tables')

    @property
    def parts(self) -> list[str]:
        """The profiles inside: 'system_profile' and one for each model that ran on a device; a NEFF
        and NTFF have one, ''."""
        folder = self._folder()
        return sorted((name for name in os.listdir(folder)
                       if os.path.isdir(os.path.join(folder, name))),
                      key=lambda name: (name != 'system_profile', name)) or ['']

    def _part(self, part: Optional[str]) -> str:
        parts = self.parts
        if part is None:
            part = parts[0]
        if part not in parts:
            raise KeyError(f'the profile has no part {part!r}; it has {", ".join(parts)}')
        return os.path.join(self._folder(), part)

    def tables(self, part: Optional[str] = None) -> list[str]:
        """The names of the tables of a part (by default the first)."""
        return sorted(name[:-len('.parquet')] for name in os.listdir(self._part(part))
                      if name.endswith('.parquet'))

    def table(self, name: str, columns: Optional[Sequence[str]] = None,
              part: Optional[str] = None) -> Table:
        """A table, or some of its columns."""
        if name not in self.tables(part):
            raise KeyError(f'there is no table {name!r}; tables() lists them')
        wanted = ', '.join(map(_quote, columns)) if columns else '*'
        return self.sql(f'SELECT {wanted} FROM {_quote(name)}', part=part)

    def sql(self, query: str, part: Optional[str] = None) -> Table:
        """The rows of a query in DuckDB's SQL. ProgramError with the reason if it fails."""
        text = _program.run('query', '-d', self._part(part), '--format', 'json', query)
        rows = json.loads(text or '[]')
        if not rows:
            return Table(self._columns(query, part), [])
        return Table(list(rows[0]), [list(row.values()) for row in rows])

    def _columns(self, query: str, part: Optional[str]) -> list[str]:
        """The columns of a query without rows."""
        text = _program.run('query', '-d', self._part(part), '--format', 'csv', query)
        return text.splitlines()[0].split(',') if text else []

    def export_chrome_trace(self, path: PathLike) -> None:
        """Writes the events of the system profile in Chrome's trace format."""
        events = []
        for row in self.sql('SELECT name, start_ts, duration_ns, process_id, thread_id, '
                            'trace_event_source FROM SystemProfileEvents ORDER BY start_ts'):
            name, start, duration, process, thread, source = row
            events.append({'ph': 'X', 'name': name, 'cat': source, 'ts': int(start) / 1000,
                           'dur': (duration or 0) / 1000, 'pid': int(process or 0),
                           'tid': int(thread or 0)})
        partial = f'{os.fspath(path)}.part'
        with open(partial, 'w', encoding='utf-8') as file:
            json.dump({'traceEvents': events, 'displayTimeUnit': 'ns'}, file)
        os.replace(partial, path)

    def __repr__(self) -> str:
        return f'<Profile {self.directory or self.ntff}>'

    def _repr_html_(self) -> str:
        """In a notebook: what took the time."""
        summary = self.summary
        rows: list[tuple[str, str]] = []
        tables = []
        for process in summary.get('processes', []):
            rows.append((f'process {process.get("process_id")}',
                         _show_ns(process.get('wall_time_ns', 0))))
            # A process lists its longest events only; its cores list theirs.
            events = _longest(process.get('events', []) + [
                event for core in process.get('cores', []) for event in core.get('events', [])])
            tables.append(Table(['event', 'source', 'count', 'total', 'mean', 'longest'], [
                (event['name'], event['trace_event_source'], event['count'],
                 _show_ns(event['total_ns']), _show_ns(event['mean_ns']), _show_ns(event['max_ns']))
                for event in events]))
        if not rows:
            rows = [(name, _show(value)) for name, value in _leaves(summary)
                    if isinstance(value, (int, float)) and value]
        tables.insert(0, Table(['measure', 'value'], rows))
        title = html.escape(str(self.directory or self.ntff))
        return f'<b>{title}</b>' + ''.join(table._repr_html_() for table in tables)


def _longest(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events that took longest, some of each source, so that none hides the others."""
    by_source: dict[str, list[dict[str, Any]]] = {}
    seen: set[tuple[str, str]] = set()
    for event in sorted(events, key=lambda event: -event['total_ns']):
        key = (event['name'], event['trace_event_source'])
        if key in seen:
            continue
        seen.add(key)
        by_source.setdefault(event['trace_event_source'], []).append(event)
    return [event for found in by_source.values() for event in found[:EVENTS_SHOWN]]


def _leaves(value: Any, name: str = '') -> Any:
    """Names and values of the numbers and texts in a summary."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, name)
    else:
        yield name, value


def open_profile(path: PathLike, ntff: Optional[PathLike] = None) -> Profile:
    """Opens the folder of a session, or a NEFF with its NTFF. FileNotFoundError if there is none."""
    if ntff is not None:
        return Profile(neff=path, ntff=ntff)
    return Profile(path)
