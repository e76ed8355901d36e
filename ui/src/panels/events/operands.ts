// SPDX-License-Identifier: Apache-2.0
// Parses an instruction's operands and explains each part.

type OperandKind = "wait" | "update" | "memory" | "size" | "field" | "word";

interface OperandPart {
	text: string;
	kind: OperandKind;
	title: string;
	meaning: string;
}

const TOKEN = /\$?[SE]\[\d+\](?: \([^)]*\))?\S*|\S+/g;
const SYNC = /^\$?([SE])\[(\d+)\](?: \(([^)]*)\))?(.*)$/;
const MEMORY = /^(?:(\w+)@)?(0x[0-9a-f]+)((?:\[[-\d,]+\])+)?$/i;

const PARTITION_BYTES = 0x40000n; // distance between partitions in the address space of engines
const PSUM_BASE = 0x2000000n;
const PSUM_END = 0x4000000n;
const BANK_BYTES = 0x800n;

export function parseOperands(text: string): OperandPart[] {
	return (text.match(TOKEN) ?? []).map(partOf);
}

function partOf(token: string): OperandPart {
	const sync = SYNC.exec(token);
	if (sync) return syncPart(token, sync);
	const size = /^(\d+)\*(\d+)$/.exec(token);
	if (size) return {
		text: token, kind: "size", title: "Active array",
		meaning: `${size[1]} rows by ${size[2]} columns of the tensor engine's array are used.`,
	};
	const field = /^(\w+)=(.*)$/.exec(token);
	if (field) return fieldPart(token, field[1] ?? "", field[2] ?? "");
	return { text: token, kind: "word", title: "Function", meaning: functionMeaning(token) };
}

function syncPart(token: string, match: RegExpExecArray): OperandPart {
	const [, letter, number, owner, rest = ""] = match;
	const thing = letter === "S" ? "semaphore" : "event";
	const name = `${thing} ${number}${owner ? ` (${owner})` : ""}`;
	const wait = /^(>=|<=|==|>|<)(\d+)(-?)/.exec(rest);
	if (wait) {
		const words: Record<string, string> = {
			">=": "is at least", "<=": "is at most", "==": "equals", ">": "is above", "<": "is below",
		};
		return {
			text: token, kind: "wait", title: `Waits for ${name}`,
			meaning: `Starts once ${name} ${words[wait[1] ?? ""]} ${wait[2]}` +
				(wait[3] ? ", and then clears it." : "."),
		};
	}
	return { text: token, kind: "update", title: `Changes ${name}`,
		meaning: updateMeaning(name, rest) };
}

function updateMeaning(name: string, rest: string): string {
	const [change = "", when] = rest.split("@");
	const amount = /^([+-])=(\S+)$/.exec(change);
	const what = change === "++" ? `Adds 1 to ${name}` : change === "--" ? `Takes 1 from ${name}`
		: change === "+" ? `Sets ${name}` : change === "-" ? `Clears ${name}`
			: amount ? `${amount[1] === "+" ? "Adds" : "Takes"} ${amount[2]} ` +
				`${amount[1] === "+" ? "to" : "from"} ${name}`
				: change.startsWith("=") ? `Sets ${name} to ${change.slice(1)}` : `Changes ${name}`;
	if (when === "complete")
		return `${what} once the result is written; other instructions may wait for it.`;
	if (when === "read")
		return `${what} once the operands are read; their memory may then be reused.`;
	return `${what}.`;
}

const FIELDS: Record<string, [string, string]> = {
	src: ["Source", "Read from"],
	src0: ["First source", "Read from"],
	src1: ["Second source", "Read from"],
	dst: ["Destination", "Written to"],
	addr: ["Address", "Points at"],
	bias_ptr: ["Bias", "Added to the input, read from"],
};

const NAMED: Record<string, [string, (value: string) => string]> = {
	channels: ["Channels", (v) => `${v} of 128 partitions (lanes) are used.`],
	acc_flags: ["Accumulation", (v) => accumulation(Number(v))],
	fp32_mode: ["fp32 pass", (v) => `An fp32 product takes several passes; this is ${v}.`],
	transpose_mode: ["Transpose", (v) => v === "DISABLED" ? "The operand is not transposed."
		: `The operand is transposed (${v}).`],
	op: ["Operation", (v) => `Combines elements with ${v}.`],
	ops: ["Operations", (v) => `Applied one after the other: ${v.replaceAll(",", ", ")}.`],
	dim: ["Dimension", (v) => `Reduces along ${v}.`],
	imm: ["Immediate", (v) => `Constant in the instruction: ${v}.`],
	imm_src: ["Where constants come from", (v) => `${v.replaceAll(",", ", ")}: PTR is memory, ` +
		"INSTRUCTION the slot itself."],
	scale: ["Scale", (v) => `The input is multiplied by ${v} before the function.`],
	accumulator_cmd: ["Accumulator", (v) => v === "IDLE" ? "The running sum is not used."
		: `The running sum: ${v}.`],
	value: ["Value", (v) => `Every element becomes ${v}.`],
	semaphore: ["Semaphore", (v) => `The DMA raises semaphore ${v} when it ends.`],
	sem_increment: ["Increment", (v) => `By ${v}, one for each DMA engine used.`],
	src_elem_size: ["Element read",
		(v) => `${v} contiguous bytes; small elements cannot saturate a DMA engine.`],
	dst_elem_size: ["Element written",
		(v) => `${v} contiguous bytes; small elements cannot saturate a DMA engine.`],
	compute_op: ["On the way", (v) => v === "NONE" ? "The data is copied unchanged."
		: `The DMA combines data with ${v}.`],
	table_sel: ["Table", (v) => `Loads function table ${v} into the Scalar engine.`],
	ordering_mode: ["Ordering", (v) => v === "relaxed"
		? "Later instructions may start before earlier ones end."
		: `Order of execution: ${v}.`],
	cycle: ["Cycles", (v) => `Takes ${v} ${v === "1" ? "cycle" : "cycles"}.`],
	cmp_op: ["Condition", (v) => `Compares with ${v}.`],
	dtype: ["Type", (v) => `Elements are ${v}.`],
	data: ["Data", (v) => v.startsWith("$R") ? `Register ${v.slice(3, -1)}.` : `The value ${v}.`],
	size: ["Size", (v) => `${v} bytes.`],
	trace: ["Trace", (v) => `Marks the ${v === "START" ? "start" : v === "STOP" ? "end" : v} of ` +
		"the recorded range."],
};

function fieldPart(token: string, name: string, value: string): OperandPart {
	const memory = MEMORY.exec(value);
	const direction = FIELDS[name];
	if (memory && direction)
		return { text: token, kind: "memory", title: direction[0],
			meaning: `${direction[1]} ${memoryMeaning(memory)}` };
	const named = NAMED[name];
	if (named) return { text: token, kind: "field", title: named[0], meaning: named[1](value) };
	const pattern = /^(\[[-\d,]+\])+$/.exec(value);
	if (pattern) return {
		text: token, kind: "field", title: name,
		meaning: "Pairs of [step, count], the innermost first; steps in bytes.",
	};
	return { text: token, kind: "field", title: name,
		meaning: `${name.replaceAll("_", " ")} is ${value}.` };
}

function accumulation(flags: number): string {
	const first = (flags & 1) !== 0;
	const last = (flags & 2) !== 0;
	if (first && last) return "Overwrites PSUM, and is the only product of its sum.";
	if (first) return "Overwrites PSUM: the first product of a sum.";
	if (last) return "Adds to PSUM: the last product of a sum.";
	return "Adds to what PSUM holds.";
}

function memoryMeaning(match: RegExpExecArray): string {
	const [, type, address = "0", lists = ""] = match;
	const numbers = lists.slice(1, -1).split("][").filter(Boolean)
		.map((list) => list.split(",").map(Number));
	const place = placeOf(BigInt(address));
	const typed = type ? ` as ${type}` : "";
	const [steps, counts] = numbers;
	if (!steps || !counts) return `${place}${typed}.`;
	const elements = counts.reduce((product, count) => product * count, 1);
	const walk = counts.map((count, i) => [count, steps[i] ?? 0] as const)
		.filter(([count]) => count > 1).map(([count, step]) => `${count} with a step of ${step}`);
	return `${place}${typed}: ${elements.toLocaleString("en")} ` +
		`${elements === 1 ? "element" : "elements"}` +
		` per partition${walk.length ? `, ${walk.join(", then ")}` : ""}.`;
}

function placeOf(address: bigint): string {
	const hex = (value: bigint) => `0x${value.toString(16)}`;
	if (address < PSUM_BASE) {
		const partition = address / PARTITION_BYTES;
		return `the state buffer at ${hex(address % PARTITION_BYTES)}, from partition ${partition}`;
	}
	if (address < PSUM_END) {
		const inside = address - PSUM_BASE;
		const offset = inside % PARTITION_BYTES;
		return `PSUM bank ${offset / BANK_BYTES} (offset ${hex(offset % BANK_BYTES)}), ` +
			`from partition ${inside / PARTITION_BYTES}`;
	}
	return `address ${hex(address)}`;
}

function functionMeaning(word: string): string {
	return /^[A-Z][A-Z0-9_]+$/.test(word) ? `Computes ${word.toLowerCase()} of each element.` : "";
}
