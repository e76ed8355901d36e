// SPDX-License-Identifier: Apache-2.0
// Made profiles for working on the pages without a capture: the same each time, as docs/api.md says.

/** A small generator of numbers that look random (mulberry32). */
function numbers(seed) {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

const OPCODES = {
	Tensor: ["LDWEIGHTS", "LDWEIGHTS", "LDWEIGHTS", "NOP", "SEM_WAIT"],
	TensorMatrix: ["MATMUL", "MATMUL", "MATMUL", "MATMUL_TRANSPOSE"],
	Vector: ["TENSOR_TENSOR", "TENSOR_SCALAR", "TENSOR_REDUCE", "COPY", "SELECT"],
	Scalar: ["ACTIVATE", "ACTIVATE", "TENSOR_SCALAR_PTR", "COPY"],
	GpSimd: ["IOTA", "CUSTOM_OP", "PARTITION_ALL_REDUCE"],
	Sync: ["DMA_TRIGGER", "SEM_WAIT", "NOP", "CC_TRIGGER"],
};
const LAYERS = ["model/embed", "model/layers.0/attention", "model/layers.0/mlp", "model/layers.1/attention",
	"model/layers.1/mlp", "model/head"];
const OPERATORS = ["%dot.3 = dot(%p0, %p1)", "%add.4 = add(%a, %b)", "%exp.1 = exponential(%x)",
	"%reduce.9 = reduce(%x, %y)", "%convert.2 = convert(%x)"];

export const END_NS = 2_069_900;

class Profile {
	constructor(kind, originNs, endNs) {
		Object.assign(this, { kind, originNs, endNs, tracks: [], spans: new Map(), samples: new Map(),
			names: [], nameIds: new Map(), rows: {} });
	}

	name(text) {
		if (!this.nameIds.has(text)) {
			this.nameIds.set(text, this.names.length);
			this.names.push(text);
		}
		return this.nameIds.get(text);
	}

	track(fields) {
		const track = { id: this.tracks.length, parent: null, unit: "", table: null, depth_count: 1, row_count: "0",
			lost_count: "0", attributes: {}, ...fields };
		this.tracks.push(track);
		return track;
	}

	/** Spans of one depth, in order. */
	fill(track, depth, make) {
		const list = make();
		this.rows[track.table] ??= [];
		for (const span of list) {
			span.row = this.rows[track.table].length;
			this.rows[track.table].push({ ...span, track: track.id, depth });
		}
		this.spans.set(`${track.id}:${depth}`, list);
		track.row_count = String(Number(track.row_count) + list.length);
	}
}

function busySpans(profile, random, names, meanNs, gapNs, phases = true) {
	const list = [];
	let at = Math.floor(random() * 2000);
	while (at < profile.endNs) {
		const idle = phases && Math.sin(at / 90_000) > 0.75;
		const length = Math.max(1, Math.floor(-Math.log(1 - random()) * meanNs));
		const end = Math.min(at + length, profile.endNs);
		list.push({ start: at, end, name: profile.name(names[Math.floor(random() * names.length)]),
			layer: Math.floor((at / profile.endNs) * LAYERS.length), operator: Math.floor(random() * OPERATORS.length) });
		at = end + (idle ? Math.floor(random() * 9000) : random() < 0.4 ? 0 : Math.floor(random() * gapNs));
	}
	return list;
}

function samples(profile, random, top, stepNs) {
	const list = [];
	let value = 0;
	for (let at = 0; at < profile.endNs; at += Math.floor(stepNs * (0.5 + random()))) {
		value = Math.max(0, Math.min(top, value + (random() - 0.48) * top * 0.3));
		list.push({ time: at, value: Math.sin(at / 90_000) > 0.75 ? value * 0.1 : value });
	}
	return list;
}

export function makeDevice() {
	const profile = new Profile("device", 0n, END_NS);
	const random = numbers(7);
	for (const core of ["0", "1"]) {
		const group = profile.track({ kind: "group", name: `core ${core}` });
		const own = { parent: group.id, attributes: { pcore_idx: core } };
		for (const [engine, opcodes] of Object.entries(OPCODES)) {
			const track = profile.track({ ...own, kind: "spans", name: engine, table: "Instruction",
				depth_count: engine === "Vector" ? 2 : 1 });
			profile.fill(track, 0, () => busySpans(profile, random, opcodes, 220, 90));
			if (engine === "Vector") profile.fill(track, 1, () => busySpans(profile, random, opcodes, 90, 1500));
		}
		for (const queue of ["qSyncIO0", "qScalarDynamicHW", "qSyncSpillReload0", "qGpSimdDynamic"]) {
			const track = profile.track({ ...own, kind: "spans", name: `transfers ${queue}`,
				table: "DmaPacketAggregated", depth_count: 3 });
			for (let depth = 0; depth < 3; depth++)
				profile.fill(track, depth, () => busySpans(profile, random,
					["weights.q", "weights.k", "input0", "spill.12", "output0"], 1800 * (depth + 1), 2500 * (depth + 1)));
		}
		const counters = [["SBUF usage", "", "SbufUsage", 0.9], ["PSUM usage", "", "PsumUsage", 0.7],
			["semaphore 5", "", "SemaphoreUpdate", 40], ["pending DMA", "", "PendingDma", 64],
			["HBM throughput", "bytes/s", "HbmUsage", 1.2e12], ["DMA throughput", "bytes/s", "DmaUsage", 4e11],
			["model FLOPS", "FLOP/s", "Instruction", 8.3e13], ["hardware FLOPS", "FLOP/s", "Instruction", 9e13]];
		for (const [name, unit, table, top] of counters) {
			const track = profile.track({ ...own, kind: "counter", name, unit, table });
			profile.samples.set(track.id, samples(profile, random, top, 900));
			if (table !== "SbufUsage" && table !== "PsumUsage") continue;
			for (let part = 0; part < 4; part++) {
				const share = profile.track({ kind: "counter", name: `partition ${part * 32}`, table, parent: track.id,
					attributes: { pcore_idx: core, column: `partition_${part * 32}_util_percent` } });
				profile.samples.set(share.id, samples(profile, random, top, 9000));
			}
		}
		const throttling = profile.track({ ...own, kind: "spans", name: "throttling", table: "Throttle" });
		profile.fill(throttling, 0, () => [{ start: 600_000, end: 780_000, name: profile.name("power") },
			{ start: 1_500_000, end: 1_530_000, name: profile.name("thermal") }]);
	}
	const errors = profile.track({ kind: "spans", name: "errors", table: "Error", attributes: { pcore_idx: "0" } });
	profile.fill(errors, 0, () => [{ start: 1_000_000, end: 1_000_000, name: profile.name("DMA out of bounds") }]);
	for (const stream of ["8", "9"]) {
		const track = profile.track({ kind: "spans", name: `collectives stream ${stream}`, table: "CcOp" });
		profile.fill(track, 0, () => [120_000, 800_000, 1_700_000].map((start) =>
			({ start, end: start + 90_000, name: profile.name("AllReduce") })));
	}
	return profile;
}

export function makeSystem() {
	const profile = new Profile("system", 1_760_000_000_000_000_123n, 3_200_000_000);
	const random = numbers(11);
	const calls = ["nrt_execute", "nrt_tensor_write", "kmgr_exec_core", "kbl_exec_wait", "dmem_buf_copyin"];
	for (const instance of ["i-0a1b2c3d4e5f60718", "i-0f9e8d7c6b5a43210"]) {
		for (const pid of ["1765325", "1765326"]) {
			const group = profile.track({ kind: "group", name: `${instance} pid ${pid}` });
			const add = (name, attributes, depths, names, mean) => {
				const track = profile.track({ parent: group.id, kind: "spans", name, table: "SystemProfileEvents",
					depth_count: depths, attributes: { instance_id: instance, process_id: pid, ...attributes } });
				for (let depth = 0; depth < depths; depth++)
					profile.fill(track, depth, () => busySpans(profile, random, names, mean / (depth + 1), mean / 2, false));
			};
			for (const thread of ["0", "1"])
				add(`framework thread ${thread}`, { trace_event_source: "framework", thread_id: thread }, 4,
					["aten::linear", "aten::matmul", "train.py(112)", "aten::softmax"], 6e6);
			for (const core of ["0", "1"]) {
				add(`neuron_rt nc ${core}`, { trace_event_source: "neuron_rt", nc_idx: core, thread_id: "0" }, 3, calls, 3e6);
				add(`neuron_hw nc ${core}`, { trace_event_source: "neuron_hw", nc_idx: core, pcore_idx: String(Number(core) + 4),
					thread_id: "9", worker_gid: core }, 1, ["nc_exec_running", "nc_model_switch"], 9e6);
			}
		}
		for (const [name, unit, top] of [["HBM device 0 0", "bytes", 9e9], ["CPU 0", "percent", 100], ["host memory", "bytes", 6e10]]) {
			const track = profile.track({ kind: "counter", name, unit, table: "CpuUsage", attributes: { instance_id: instance } });
			profile.samples.set(track.id, samples(profile, random, top, 4e6));
		}
	}
	return profile;
}

export { LAYERS, OPERATORS };
