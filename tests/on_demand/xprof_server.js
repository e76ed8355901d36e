// SPDX-License-Identifier: Apache-2.0
// A profiler service that behaves as XProf's does, or worse. It prints its port, and then every
// request as a line of JSON.
// usage: NODE_PATH=... node xprof_server.js BEHAVIOUR [ADDRESS]
'use strict'
const fs = require('fs')
const path = require('path')
const grpc = require('@grpc/grpc-js')

const [behaviour, address = '127.0.0.1:0'] = process.argv.slice(2)
const say = (value) => fs.writeSync(1, JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? String(v) : v)) + '\n')

// --- protobuf, as far as these messages need it ---

function readVarint(bytes, at) {
	let value = 0n
	for (let shift = 0n; ; shift += 7n) {
		const byte = bytes[at++]
		value |= BigInt(byte & 127) << shift
		if (byte < 128) return [value, at]
	}
}

function readFields(bytes) {
	const fields = {}
	for (let at = 0, tag, value; at < bytes.length; ) {
		;[tag, at] = readVarint(bytes, at)
		;[value, at] = readVarint(bytes, at)
		if (Number(tag) % 8 === 2) {
			const end = at + Number(value)
			value = bytes.subarray(at, end)
			at = end
		}
		;(fields[Number(tag) >> 3] ||= []).push(value)
	}
	return fields
}

function varint(value) {
	const out = []
	for (value = BigInt(value); value > 127n; value >>= 7n) out.push(Number(value & 127n) | 128)
	return Buffer.from([...out, Number(value)])
}

const field = (number, bytes) => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), Buffer.from(bytes)])
const text = (fields, number) => (fields[number] ? fields[number][0].toString() : '')
const number = (fields, number) => (fields[number] ? fields[number][0] : 0n)

function readProfileRequest(bytes) {
	const fields = readFields(bytes)
	const options = readFields(fields[4] ? fields[4][0] : Buffer.alloc(0))
	return {
		durationMs: number(fields, 1),
		tools: (fields[3] || []).map(String),
		root: text(fields, 5),
		session: text(fields, 6),
		host: text(fields, 7),
		emits: number(fields, 9) === 1n,
		options: {
			datasetOps: number(options, 1),
			host: number(options, 2),
			device: number(options, 3),
			python: number(options, 4),
			version: number(options, 5),
			deviceType: number(options, 6),
			programs: number(options, 7),
			startNs: number(options, 8),
			durationMs: number(options, 9),
			session: text(options, 14),
			mask: options[11] ? number(readFields(options[11][0]), 1) : 0n,
			advanced: (options[12] || []).map((entry) => {
				const { 1: key, 2: value } = readFields(entry)
				const { 1: words, 2: flag, 3: integer } = readFields(value[0])
				return [String(key[0]), words ? String(words[0]) : flag ? flag[0] === 1n : integer[0]]
			}),
		},
	}
}

// An XSpace with one plane, /host:CPU, one line and one event; as large as asked.
function xspace(padding = 0) {
	const event = Buffer.concat([varint(8), varint(1), varint(24), varint(1000000)])
	const line = Buffer.concat([field(2, 'main'), field(4, event)])
	const metadata = Buffer.concat([varint(8), varint(1), field(2, Buffer.concat([varint(8), varint(1), field(2, 'step')]))])
	const plane = Buffer.concat([field(2, '/host:CPU'), field(3, line), field(4, metadata)])
	return Buffer.concat([field(1, plane), ...(padding ? [field(3, Buffer.alloc(padding, 'x'))] : [])])
}

// --- tar ---

function tar(files) {
	const blocks = []
	for (const [name, content, kind = '0'] of files) {
		const header = Buffer.alloc(512)
		header.write(name)
		header.write('0000644\0', 100)
		header.write(content.length.toString(8).padStart(11, '0') + '\0', 124)
		header.write('        ', 148)
		header.write(kind, 156)
		header.write('ustar\0' + '00', 257)
		const sum = header.reduce((a, b) => a + b, 0)
		header.write(sum.toString(8).padStart(6, '0') + '\0 ', 148)
		blocks.push(header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512))
	}
	return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

const tool = (name, data) => field(6, Buffer.concat([field(1, name), field(2, data)]))
const isEmpty = Buffer.from([7 * 8, 1])

// --- behaviours of Profile ---

const refuse = (done, code, details) => done({ code, details })
const waiting = new Map() // by session
let calls = 0

const behaviours = {
	emit: (request, done) => done(null, request.emits ? field(8, xspace()) : isEmpty),
	save(request, done) {
		const name = `${request.host.replace(/:/g, '_')}.xplane.pb`
		fs.mkdirSync(path.join(request.root, request.session), { recursive: true })
		fs.writeFileSync(path.join(request.root, request.session, name), xspace())
		done(null, Buffer.alloc(0))
	},
	elsewhere: (request, done) => done(null, Buffer.alloc(0)),
	empty: (request, done) => done(null, isEmpty),
	unavailable: (request, done) =>
		++calls < 2 ? refuse(done, 14, 'No trace event was collected.') : behaviours.emit(request, done),
	busy: (request, done) => refuse(done, 13, 'Another profiling session active.'),
	stream_removed: (request, done) =>
		++calls < 2 ? refuse(done, 2, 'Stream removed') : behaviours.emit(request, done),
	dies: () => process.exit(1),
	garbage: (request, done) => done(null, Buffer.from('\x32\xff\xff\xff\xff\xff\xff\xff\xff\x7fgarbage', 'latin1')),
	large: (request, done) => done(null, field(8, xspace(64 << 20))),
	until_terminated: (request, done) => waiting.set(request.session, () => done(null, field(8, xspace()))),
	silent: () => {},
	ours: (request, done) =>
		done(null, Buffer.concat([tool('xplane.pb', xspace()),
			tool('neuron_session.tar', tar([['i-1_pid_2/spans.pb', ''], ['i-1_pid_2/deep/x.neff', 'neff']]))])),
	hostile: (request, done) =>
		done(null, Buffer.concat([
			tool('../../escaped', 'x'), tool('/tmp/escaped', 'x'), tool('xplane.pb', xspace()),
			tool('neuron_session.tar', tar([['../escaped', 'x'], ['/escaped', 'x'], ['fine', 'x'],
				['link', '', '2'], ['fine', 'twice']])),
		])),
}

// --- the server ---

const raw = { requestSerialize: (b) => b, requestDeserialize: (b) => b, responseSerialize: (b) => b, responseDeserialize: (b) => b }
const method = (name) => ({ path: `/tensorflow.ProfilerService/${name}`, requestStream: false, responseStream: false, ...raw })

// As many nanoseconds as our own server would state, on a clock that is wrong by CLOCK_MS.
function clockTrailers() {
	const trailers = new grpc.Metadata()
	const now = () => String(BigInt(Date.now() + Number(process.env.CLOCK_MS)) * 1000000n)
	if (process.env.CLOCK_MS) {
		trailers.set('nx-received-ns', now())
		trailers.set('nx-sent-ns', now())
	}
	return trailers
}

const server = new grpc.Server({ 'grpc.max_send_message_length': -1 })
server.addService(
	{ Profile: method('Profile'), Terminate: method('Terminate'), GetSnapshot: method('GetSnapshot'),
		StartContinuousProfiling: method('StartContinuousProfiling'), StopContinuousProfiling: method('StopContinuousProfiling') },
	{
		Profile(call, done) {
			const request = readProfileRequest(call.request)
			say({ method: 'Profile', at: Date.now(), token: call.metadata.get('authorization')[0], ...request })
			behaviours[behaviour](request, done)
		},
		Terminate(call, done) {
			const session = text(readFields(call.request), 1)
			say({ method: 'Terminate', session })
			done(null, Buffer.alloc(0), clockTrailers())
			if (waiting.has(session)) waiting.get(session)()
		},
		GetSnapshot(call, done) {
			say({ method: 'GetSnapshot' })
			if (behaviour === 'busy') refuse(done, 5, 'No continuous profiling session found.')
			else done(null, field(8, xspace()))
		},
		StartContinuousProfiling(call, done) {
			say({ method: 'StartContinuousProfiling', ...readProfileRequest(call.request) })
			if (behaviour === 'busy') refuse(done, 6, 'A profiling session is already running.')
			else done(null, Buffer.alloc(0))
		},
		StopContinuousProfiling(call, done) {
			say({ method: 'StopContinuousProfiling' })
			done(null, Buffer.alloc(0))
		},
	},
)
server.bindAsync(address, grpc.ServerCredentials.createInsecure(), (problem, port) => {
	if (problem) throw problem
	say({ port })
})
