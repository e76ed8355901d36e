#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check includes, reserved calls and reserved texts against the three tables in ARCHITECTURE.md, that
no room has a permission it does not use, and that no two files of the rooms define a function or a type of one
name: a linker would take either function, and a reader would mix up the types. Fields
of instruction words are read by offset in format/ alone.

usage: check_layers.py [ROOT]

The tables are the only copy of the rules, so the document cannot go stale.
Rooms:  | `decode/<format>` | contract | base, format, model |
Calls:  | `malloc free` | base |
Texts:  | `def.json kelf` | format |      (below the heading "| Texts | Only in |")
Prints one line per fault and exits 1 if there is any, 2 if the tables are unreadable.
"""

import pathlib
import re
import sys

ROOM_ROW = re.compile(r'^\| `([a-z_]+(?:/(?:[a-z_]+|<[a-z]+>))*)` \|[^|]*\|([^|]*)\|$', re.M)
CALL_ROW = re.compile(r'^\| `([A-Za-z_][\w ]*)` \|([^|]*)\|$', re.M)
TEXTS_TABLE = re.compile(r'^\| Texts \|.*\n\|[-|]+\|\n((?:\|.*\n)*)', re.M)
TEXT_ROW = re.compile(r'^\| `([^`]+)` \|([^|]*)\|$', re.M)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.M)
# Comments, strings and characters; a string is blanked, so its text cannot look like a call.
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
DEFINED = re.compile(r'^(?!static |typedef )[a-z][\w *]*?\b(nx_\w+)\([^;{}]*\)\n\{', re.M)
TYPE = re.compile(r'^((?:struct|enum|union) nx_\w+)(?: NX_VEC_BODY\(| \{)', re.M)
# "word[35]", "nx_load32(slot + 8)": an offset into an instruction word.
KNOWS_WORDS = re.compile(r'"(?:format/instruction|runtime/device/|runtime/timing/)')
RAW_FIELD = re.compile(r'\b(?:word|slot)(?:(?:\.|->)bytes)?\s*\[\s*\d+\s*\]'
                       r'|\b(?:nx_load|nx_store|mem)\w*\([^;]*?\b(?:word|slot|bytes)\s*\+\s*\d')
WILDCARD = re.compile(r'/<[a-z]+>$')


def listed(cell):
    names = {name.strip(' `') for name in cell.split(',')}
    return names - {'-', ''}


def is_under(path, folder):
    return path == folder or path.startswith(folder + '/')


class Rules:
    def __init__(self, text):
        self.rooms = {name: listed(deps) for name, deps in ROOM_ROW.findall(text)}
        self.texts = {}
        for rows in TEXTS_TABLE.findall(text):
            for names, places in TEXT_ROW.findall(rows):
                self.texts.update((name, listed(places)) for name in names.split())
        text = TEXTS_TABLE.sub('', text)
        self.calls = {}
        for names, places in CALL_ROW.findall(text):
            for name in names.split():
                self.calls[name] = listed(places)
        self.families = {WILDCARD.sub('', r) for r in self.rooms if WILDCARD.search(r)}
        self.tops = {r.split('/')[0] for r in self.rooms}
        self.used = {}  # row of a room -> permissions that an include needed
        self.seen = set()  # rows of rooms that have a file

    def unknown_names(self):
        known = set(self.rooms) | self.families | {'all'}
        return {dep for deps in self.rooms.values() for dep in deps} - known

    def room_of(self, path):
        """The room of a file, and what that room may include besides itself."""
        folder = path.rpartition('/')[0]
        for family in self.families:
            if is_under(path, family):
                deps = next(d for r, d in self.rooms.items() if WILDCARD.sub('', r) == family)
                member = '/'.join(folder.split('/')[:family.count('/') + 2])
                return member, deps
        best = max((r for r in self.rooms if is_under(folder, r)), key=len, default=None)
        return best, self.rooms.get(best, set())

    def row_of(self, room):
        """The name of a room in the table: decode/ntff is a decode/<format>."""
        top = room.partition('/')[0]
        return next((r for r in self.rooms if WILDCARD.sub('', r) == top and WILDCARD.search(r)),
                    room)

    def unused(self):
        """Permissions of existing rooms that no include needs."""
        for room in sorted(self.seen):
            for dep in sorted(self.rooms[room] - self.used.get(room, set()) - {'all'}):
                yield f'{room} may include {dep}, which none of its files does'

    def include_fault(self, path, target):
        here, deps = self.room_of(path)
        there, _ = self.room_of(target)
        self.used.setdefault(self.row_of(here), set()).update(
            dep for dep in deps if there and is_under(there, dep))
        if there is None:
            return f'"{target}" is in no room; write the path from the root of the tree'
        if target.endswith('_internal.h') and target.rpartition('/')[0] != path.rpartition('/')[0]:
            return f'"{target}" is internal to its folder'
        is_family_list = here in self.families and is_under(there, here)
        is_family_door = there in self.families and is_under(here, there)
        if there == here or is_family_list or is_family_door:
            return None
        if 'all' in deps or any(is_under(there, dep) for dep in deps):
            return None
        return f'{here} may not include "{target}"'

    def call_fault(self, path, name):
        places = self.calls[name]
        if path in places or self.room_of(path)[0] in places:
            return None
        return f'{name}() is reserved for {", ".join(sorted(places)) or "nobody"}'


    def text_faults(self, path, string):
        if not self.texts:
            return
        here = self.room_of(path)[0]
        for name in re.findall(r'(?<![\w.])(' + '|'.join(map(re.escape, self.texts)) + r')(?!\w)', string):
            if not any(is_under(here, place) for place in self.texts[name]):
                yield f'"{name}" is reserved for {", ".join(sorted(self.texts[name]))}, which parses it'


def blank(match):
    text = match.group()
    kept = '\n' * text.count('\n')
    return kept + ' ' if text.startswith('/') else '""' + kept


def faults_in(path, text, rules, root):
    code = NOISE.sub(blank, text)
    # Include paths are strings too: look for them in the text without comments only.
    visible = NOISE.sub(lambda m: blank(m) if m.group().startswith('/') else m.group(), text)
    for match in INCLUDE.finditer(visible):
        bracket, target = match.groups()
        ours = target.split('/')[0] in rules.tops and (root / target).exists()
        why = rules.include_fault(path, target) if bracket == '"' or ours else None
        if why:
            yield visible.count('\n', 0, match.start()) + 1, why
    if KNOWS_WORDS.search(visible) and rules.room_of(path)[0] != 'format':
        for match in RAW_FIELD.finditer(code):
            yield (code.count('\n', 0, match.start()) + 1,
                   'a field of an instruction word is named, as format/instruction_word.h does')
    for match in STRING.finditer(visible):
        for why in rules.text_faults(path, match.group()):
            yield visible.count('\n', 0, match.start()) + 1, why
    if not rules.calls:
        return
    calls = re.compile(r'(?<![\w.>])(' + '|'.join(map(re.escape, rules.calls)) + r')\s*\(')
    for match in calls.finditer(code):
        why = rules.call_fault(path, match.group(1))
        if why:
            yield code.count('\n', 0, match.start()) + 1, why


def names_defined(path, text):
    """External functions and types of a file."""
    code = NOISE.sub(blank, text)
    if path.endswith('.c'):
        yield from (name + '()' for name in DEFINED.findall(code))
    yield from TYPE.findall(code)


def main(argv):
    root = pathlib.Path(argv[1] if len(argv) > 1 else '.')
    try:
        rules = Rules((root / 'ARCHITECTURE.md').read_text(encoding='utf-8'))
    except OSError as error:
        print(f'check_layers: {error}', file=sys.stderr)
        return 2
    if not rules.rooms or not rules.calls:
        print('check_layers: ARCHITECTURE.md has no table of rooms or of calls', file=sys.stderr)
        return 2
    if rules.unknown_names():
        print('check_layers: the table names unknown rooms: '
              + ', '.join(sorted(rules.unknown_names())), file=sys.stderr)
        return 2
    files = sorted(f for top in rules.tops for f in (root / top).rglob('*.[ch]'))
    bad = 0
    homes = {}
    for file in files:
        path = file.relative_to(root).as_posix()
        text = file.read_text(encoding='utf-8', errors='replace')
        if rules.room_of(path)[0] is None:
            bad += 1
            print(f'{path}: is in no room of ARCHITECTURE.md')
            continue
        rules.seen.add(rules.row_of(rules.room_of(path)[0]))
        for name in names_defined(path, text):
            if homes.setdefault(name, path) != path:
                bad += 1
                print(f'{path}: {name} is also defined in {homes[name]}')
        for line, why in faults_in(path, text, rules, root):
            bad += 1
            print(f'{path}:{line}: {why}')
    for why in rules.unused():
        bad += 1
        print(f'ARCHITECTURE.md: {why}')
    print(f'layers: {len(files)} files, {bad} faults')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
