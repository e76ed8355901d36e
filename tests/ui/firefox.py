#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test the pages in Firefox through its remote protocol (Marionette), without other dependencies.

usage: firefox.py NEURON_EXPLORER MAKE_CAPTURE [PICTURE.png]

Prints TAP; skipped as a whole where there is no Firefox.
"""

import base64
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'http'))
from visitor import MAKER, PATIENCE_S, Served, check, results


class Firefox:
    """A message is its length, a colon and JSON: [0, id, command, parameters]."""

    def __init__(self, program, folder):
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            port = free.getsockname()[1]
        pathlib.Path(folder, 'user.js').write_text(
            f'user_pref("marionette.port", {port});\nuser_pref("app.update.auto", false);\n')
        self.process = subprocess.Popen(
            [program, '--headless', '--marionette', '--profile', folder, '--width', '1600',
             '--height', '1000'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket = self.connect(port)
        self.buffer, self.last_id = b'', 0
        self.receive()
        self.ask('WebDriver:NewSession', {'capabilities': {}})

    def connect(self, port):
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return socket.create_connection(('127.0.0.1', port), timeout=PATIENCE_S)
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def receive(self):
        while b':' not in self.buffer:
            self.buffer += self.socket.recv(65536)
        size, _, self.buffer = self.buffer.partition(b':')
        while len(self.buffer) < int(size):
            self.buffer += self.socket.recv(1 << 20)
        message, self.buffer = self.buffer[:int(size)], self.buffer[int(size):]
        return json.loads(message)

    def ask(self, command, parameters=None):
        self.last_id += 1
        text = json.dumps([0, self.last_id, command, parameters or {}]).encode()
        self.socket.sendall(b'%d:%s' % (len(text), text))
        _, _, error, answer = self.receive()
        if error:
            raise RuntimeError(error['message'])
        return answer

    def run(self, script):
        return self.ask('WebDriver:ExecuteScript', {'script': script, 'args': []})['value']

    def wait(self, script):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            value = self.run(script)
            if value:
                return value
            time.sleep(0.1)
        return None

    def drag(self, x0, x1, y):
        moves = [{'type': 'pointerMove', 'x': x0, 'y': y, 'duration': 0},
                 {'type': 'pointerDown', 'button': 0},
                 {'type': 'pointerMove', 'x': x1, 'y': y, 'duration': 200},
                 {'type': 'pointerUp', 'button': 0}]
        self.ask('WebDriver:PerformActions', {'actions': [
            {'type': 'pointer', 'id': 'mouse', 'parameters': {'pointerType': 'mouse'},
             'actions': moves}]})

    def close(self):
        try:
            self.ask('Marionette:Quit', {'flags': ['eForceQuit']})
        except (RuntimeError, OSError):
            self.process.kill()
        self.process.wait(timeout=PATIENCE_S)


# Colours of the widest canvas: a drawn timeline has many.
COLOURS = '''
const canvas = [...document.querySelectorAll("canvas")].sort((a, b) => b.width * b.height - a.width * a.height)[0];
if (!canvas) return 0;
const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
return new Set(new Uint32Array(data.buffer)).size;'''


def check_pages(firefox, root):
    firefox.ask('WebDriver:Navigate', {'url': root})
    check('the list names the profile', firefox.wait('return document.body.innerText.includes("demo")'))
    firefox.ask('WebDriver:Navigate', {'url': f'{root}profile/demo'})
    check('the timeline is drawn', firefox.wait(f'return (() => {{ {COLOURS} }})() > 8'))
    rows = firefox.run('return document.body.innerText')
    check('engines have rows', all(name in rows for name in ('Tensor', 'Vector', 'Scalar', 'GpSimd')), rows)
    before = firefox.run('return location.href')
    box = firefox.run('const r = [...document.querySelectorAll("canvas")].map((c) => c.getBoundingClientRect())'
                      '.sort((a, b) => b.width * b.height - a.width * a.height)[0];'
                      'return [r.left, r.top, r.width, r.height]')
    middle = int(box[1] + box[3] / 2)
    firefox.drag(int(box[0] + box[2] * 0.3), int(box[0] + box[2] * 0.5), middle)
    check('dragging zooms, and the link says so',
          firefox.wait(f'return location.href !== {json.dumps(before)}'), before)
    firefox.ask('WebDriver:Navigate', {'url': f'{root}profile/demo/summary'})
    check('the summary has its figures',
          firefox.wait('return /runtime/i.test(document.body.innerText)'))


def main():
    program = shutil.which('firefox-esr') or shutil.which('firefox')
    if not program:
        print('1..0 # SKIP there is no Firefox here')
        return 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([MAKER, '--demo', folder], check=True, stdout=subprocess.DEVNULL)
        server = Served(f'{folder}/workspace', '-n', f'{folder}/demo.neff', '-s', f'{folder}/demo.ntff',
                        '-v', '2')
        profile = pathlib.Path(folder, 'firefox')
        profile.mkdir()
        url = server.url
        firefox = Firefox(program, str(profile))
        try:
            check_pages(firefox, url[:url.index('profile/')])
            firefox.ask('WebDriver:Navigate', {'url': url})
            firefox.wait(f'return (() => {{ {COLOURS} }})() > 8')
            if len(sys.argv) > 3:
                time.sleep(1)  # names of spans arrive after their rectangles
                picture = firefox.ask('WebDriver:TakeScreenshot', {'full': False})['value']
                pathlib.Path(sys.argv[3]).write_bytes(base64.b64decode(picture))
        finally:
            firefox.close()
            server.stop()
    print(f'1..{len(results)}')
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
