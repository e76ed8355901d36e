#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A current ClickHouse behind the part of its HTTP interface that we use.

usage: chdb_server.py LIBCHDB FOLDER PORT

Debian's server is of 2018. chDB is today's ClickHouse as a library; here it answers on loopback,
one request at a time, so that statements, inserts and answers meet the current dialect as well.
"""

import ctypes
import http.server
import re
import sys
import urllib.parse

LIBRARY, FOLDER, PORT = sys.argv[1], sys.argv[2], int(sys.argv[3])
# Parameters of the interface or the session, not of a statement.
NOT_SETTINGS = {'query', 'query_id', 'default_format', 'wait_end_of_query', 'database', 'readonly'}


class Engine:
    def __init__(self):
        library = ctypes.CDLL(LIBRARY)
        library.chdb_connect.restype = ctypes.POINTER(ctypes.c_void_p)
        library.chdb_connect.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)]
        library.chdb_query_n.restype = ctypes.c_void_p
        library.chdb_query_n.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t,
                                         ctypes.c_char_p, ctypes.c_size_t]
        library.chdb_result_error.restype = ctypes.c_char_p
        library.chdb_result_error.argtypes = [ctypes.c_void_p]
        library.chdb_result_buffer.restype = ctypes.c_void_p
        library.chdb_result_buffer.argtypes = [ctypes.c_void_p]
        library.chdb_result_length.restype = ctypes.c_size_t
        library.chdb_result_length.argtypes = [ctypes.c_void_p]
        library.chdb_destroy_query_result.argtypes = [ctypes.c_void_p]
        words = [b'clickhouse', b'--path=' + FOLDER.encode()]
        arguments = (ctypes.c_char_p * len(words))(*words)
        self.library = library
        self.connection = library.chdb_connect(len(words), arguments)[0]

    def run(self, statement, form):
        """The result of the statement, or its error."""
        library = self.library
        result = library.chdb_query_n(self.connection, statement, len(statement), form, len(form))
        error = library.chdb_result_error(result)
        length = library.chdb_result_length(result)
        answer = ctypes.string_at(library.chdb_result_buffer(result), length) if length else b''
        library.chdb_destroy_query_result(result)
        return answer, error


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        self.answer(200, b'Ok.\n')

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        words = {name: values[-1] for name, values in query.items()}
        for name, value in words.items():
            # A setting that the current version does not know must fail.
            if name not in NOT_SETTINGS:
                self.server.engine.run(f'SET {name} = {value}'.encode(), b'TSV')
        if 'database' in words:
            self.server.engine.run(f"USE {words['database']}".encode(), b'TSV')
        statement = body
        if 'query' in words:
            statement = self.insert_of(words['query'], body)
        form = words.get('default_format', 'TabSeparated').encode()
        answer, error = self.server.engine.run(statement, form)
        if error:
            text = error.decode(errors='replace')
            # Unlike a server, the library may print text before the exception.
            match = re.search(r'Code: \d+\.', text)
            self.answer(500, (text[match.start():] if match else text).encode())
        else:
            self.answer(200, answer)

    @staticmethod
    def insert_of(query, rows):
        """The library reads the rows of an insert from a file."""
        path = FOLDER + '/rows'
        with open(path, 'wb') as file:
            file.write(rows)
        insert, form = query.rsplit(' FORMAT ', 1)
        return f"{insert} FROM INFILE '{path}' FORMAT {form}".encode()

    def answer(self, code, body):
        self.send_response(code)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    server = http.server.HTTPServer(('127.0.0.1', PORT), Handler)
    server.engine = Engine()
    server.serve_forever()


if __name__ == '__main__':
    main()
