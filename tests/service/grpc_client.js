// SPDX-License-Identifier: Apache-2.0
// Captures a program with gRPC for JavaScript. Reads commands as lines of JSON and prints results so:
//   {"call": "Profile", "hex": "...", "deadline_ms": 100, "id": 1}    {"cancel": 1}
'use strict';
const grpc = require('@grpc/grpc-js');
const readline = require('readline');

const client = new grpc.Client(process.argv[2], grpc.credentials.createInsecure(), {
  'grpc.max_receive_message_length': -1,
  'grpc.keepalive_time_ms': 1000,
  'grpc.keepalive_permit_without_calls': 1,
});
const same = (bytes) => bytes;
const calls = new Map();

function start(command) {
  const options = command.deadline_ms ? { deadline: Date.now() + command.deadline_ms } : {};
  let result = {};
  const call = client.makeUnaryRequest(`/tensorflow.ProfilerService/${command.call}`, same, same,
    Buffer.from(command.hex, 'hex'), new grpc.Metadata(), options, (error, answer) => {
      result = {
        bytes: answer ? answer.length : 0, start: answer ? answer.subarray(0, 64).toString('hex') : '',
      };
    });
  call.on('status', (status) => setImmediate(() => console.log(JSON.stringify({
    id: command.id, code: status.code, details: status.details, trailers: status.metadata.getMap(),
    ...result,
  }))));
  calls.set(command.id, call);
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const command = JSON.parse(line);
  if (command.cancel) calls.get(command.cancel).cancel();
  else start(command);
}).on('close', () => client.close());
