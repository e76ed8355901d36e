// SPDX-License-Identifier: Apache-2.0
// A fake server with made-up profiles, for tests: node profiles_server.mjs [--port 3901] [--dist DIR]
// [--latency MS] [--empty] [--prefix /some/path]. It implements the parts of docs/api.md that the list of
// profiles, layouts and uploads need, and enough of a profile to open its page. Not shipped.

import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

function optionOf(name, otherwise) {
	const at = process.argv.indexOf(`--${name}`);
	return at < 0 ? otherwise : process.argv[at + 1];
}

const here = dirname(fileURLToPath(import.meta.url));
const dist = optionOf("dist", join(here, "../../ui/dist"));
const prefix = optionOf("prefix", "");
const latencyMs = Number(optionOf("latency", "0"));
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css",
	".svg": "image/svg+xml", ".txt": "text/plain" };
const HOUR = 3_600_000;
const now = Date.now();

function profile(name, more = {}) {
	return { name, kind: "device", state: "ready", reason: "", created_ms: now - 5 * HOUR, opened_ms: 0,
		size_bytes: "48234567", row_count: "1893442", favourite: false, folder: "", parent: null,
		simulated: false, run: null, sessions: [], stage: null,
		fraction: null, sources: [{ name: `${name}.neff`, size_bytes: "8123456" },
			{ name: `${name}.ntff`, size_bytes: "93123456" }], ...more };
}

const TRAIN = { id: "07f3a2", name: "train" };
const session = (name, hoursAgo, more = {}) => ({ name, kind: "on_demand", reason: "",
	start_ns: `${now - hoursAgo * HOUR}000000`, end_ns: `${now - hoursAgo * HOUR + 1200}000000`,
	host_count: 1, failed_count: 0, ...more });

let profiles = process.argv.includes("--empty") ? [] : [
	profile("llama3_8b_tp8_decode", { favourite: true, opened_ms: now - HOUR, folder: "llama" }),
	profile("llama3_8b_tp8_prefill", { opened_ms: now - 26 * HOUR, size_bytes: "2234567890",
		row_count: "84213377", folder: "llama" }),
	profile("nki_attention_fwd_v12", { created_ms: now - 40 * HOUR, size_bytes: "812345", row_count: "20112" }),
	profile("system_trn2_48xlarge_train_step_0400", { kind: "system", favourite: true,
		opened_ms: now - 3 * HOUR, size_bytes: "912345678", row_count: "23881209" }),
	profile("train", { kind: "system", created_ms: now - 2 * HOUR, run: TRAIN, sessions: [
		session("2026_11_18_09_00_00", 3, { kind: "programmatic" }),
		session("2026_11_18_10_00_00", 2, { host_count: 4, failed_count: 1 })] }),
	profile("train_2026_11_18_11_00_00", { kind: "system", created_ms: now - HOUR, run: TRAIN,
		sessions: [session("2026_11_18_11_00_00", 1, { kind: "snapshot",
			reason: "step 412 took 3.1 times the p99" })] }),
	profile("mixtral_moe_step", { state: "processing", stage: "Reading instructions", fraction: 0.37,
		created_ms: now - 60_000, size_bytes: "0", row_count: "0" }),
	profile("broken_capture", { state: "failed", size_bytes: "0", row_count: "0",
		reason: "broken_capture.ntff ends after 4,096 bytes; capture it again." }),
	profile("killed_half_way", { state: "unfinished", reason: "Processing was stopped; process it again." }),
	...Array.from({ length: 14 }, (_, i) => profile(`sweep_tile_${128 + i * 32}`, { folder: "sweep 2026-02",
		created_ms: now - (100 + i) * HOUR, size_bytes: String(1e6 * (i + 1)) })),
];
const layouts = new Map();
const uploads = new Map();
const listeners = new Set();

function tell(event, data) {
	for (const response of listeners) response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

setInterval(() => {
	for (const one of profiles.filter((p) => p.state === "processing")) {
		one.fraction = Math.min(1, one.fraction + 0.02);
		one.stage = one.fraction < 0.6 ? "Reading instructions" : "Writing tables";
		tell("processing", { name: one.name, stage: one.stage, fraction: one.fraction });
		if (one.fraction >= 1) {
			Object.assign(one, { state: "ready", stage: null, fraction: null, row_count: "512312",
				size_bytes: "34567890" });
			tell("profiles", {});
		}
	}
}, 1000).unref();

function json(response, body, status = 200) {
	response.writeHead(status, { "Content-Type": "application/json" });
	response.end(JSON.stringify(body));
}

function problem(response, status, detail) {
	response.writeHead(status, { "Content-Type": "application/problem+json" });
	response.end(JSON.stringify({ type: "about:blank", title: "Error", status, detail }));
}

async function bodyOf(request) {
	const parts = [];
	for await (const part of request) parts.push(part);
	return Buffer.concat(parts);
}

function tracks() {
	const all = [];
	for (let core = 0; core < 2; core++) {
		const parent = all.length;
		all.push({ id: parent, parent: null, kind: "group", name: `NeuronCore ${core}`, unit: "", table: null,
			depth_count: 0, row_count: "0", lost_count: "0", attributes: {} });
		for (const engine of ["Tensor", "Vector", "Scalar", "GpSimd", "Sync", "DMA"])
			all.push({ id: all.length, parent, kind: "spans", name: engine, unit: "ns", table: "Instruction",
				depth_count: 1, row_count: "1000", lost_count: "0", attributes: { pcore_idx: String(core) } });
	}
	return { from_ns: "1000000000000", to_ns: "1000002052800", name_count: 100, tracks: all };
}

async function answerUpload(request, response, parts, url) {
	const [, id, word, index] = parts;
	if (!id) {
		const wanted = JSON.parse(await bodyOf(request));
		if (profiles.some((p) => p.name === wanted.name) && !wanted.force)
			return problem(response, 409, `There is a profile ${wanted.name} already.`);
		const upload = { id: String(uploads.size + 1), ...wanted, received: wanted.files.map(() => 0) };
		uploads.set(upload.id, upload);
		profiles = [profile(wanted.name, { state: "uploading", folder: wanted.folder ?? "", created_ms: Date.now() }),
			...profiles.filter((p) => p.name !== wanted.name)];
		tell("profiles", {});
		return json(response, { id: upload.id, files: upload.received.map((r, i) => ({ index: i, received: "0" })) }, 201);
	}
	const upload = uploads.get(id);
	if (!upload) return problem(response, 404, "This upload is not known.");
	if (word === "files") {
		const offset = Number(url.searchParams.get("offset"));
		const body = await bodyOf(request);
		if (offset !== upload.received[index])
			return json(response, { received: String(upload.received[index]), detail: "Wrong offset." }, 409);
		upload.received[index] += body.length;
		return json(response, { received: String(upload.received[index]) });
	}
	const target = profiles.find((p) => p.name === upload.name);
	if (word === "finish") {
		Object.assign(target, { state: "processing", stage: "Waiting", fraction: 0 });
		tell("profiles", {});
		return json(response, {}, 202);
	}
	if (request.method === "DELETE") {
		uploads.delete(id);
		profiles = profiles.filter((p) => p !== target);
		tell("profiles", {});
		return json(response, {});
	}
	json(response, { files: upload.received.map((received, i) => ({ index: i, received: String(received) })) });
}

async function answerProfile(request, response, [, rawName, what, ...rest], url) {
	const name = decodeURIComponent(rawName);
	const found = profiles.find((p) => p.name === name);
	if (!found) return problem(response, 404, `There is no profile ${name}.`);
	if (request.method === "PATCH") {
		Object.assign(found, JSON.parse(await bodyOf(request)));
		tell("profiles", {});
		return json(response, {});
	}
	if (request.method === "DELETE") {
		profiles = profiles.filter((p) => p !== found);
		tell("profiles", {});
		return json(response, {});
	}
	if (found.state !== "ready") return problem(response, 409, found.reason || `${name} is not ready yet.`);
	if (what === "tracks") return json(response, tracks());
	if (what === "annotations") return json(response, { sets: [] });
	if (what === "tables" && rest[1] === "rows")
		return json(response, { table: rest[0], row: rest[2], track: 1, depth: 0, start_ns: "1000001000000",
			end_ns: "1000001004000", fields: [] });
	if (what) return problem(response, 404, `This server does not know ${url.pathname}.`);
	const { from_ns, to_ns } = tracks();
	json(response, { ...found, id: "0f3c9a5e", schema_version: "7.4.0", from_ns, to_ns, devices: [],
		tables: [{ name: "Instruction", row_count: "1532210" }, { name: "DmaPacket", row_count: "361232" },
			{ name: "Warning", row_count: "0" }] });
}

async function answerApi(request, response, parts, url) {
	if (parts[0] === "events") {
		response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
		response.write(": hello\n\n");
		listeners.add(response);
		return request.on("close", () => listeners.delete(response));
	}
	if (parts[0] === "profiles" && !parts[1]) return json(response, { profiles });
	if (parts[0] === "profiles") return answerProfile(request, response, parts, url);
	if (parts[0] === "uploads") return answerUpload(request, response, parts, url);
	if (parts[0] === "layouts") {
		const name = decodeURIComponent(parts[1] ?? "");
		if (!name) return json(response, { layouts: [...layouts.keys()].sort() });
		if (request.method === "PUT") layouts.set(name, JSON.parse(await bodyOf(request)));
		else if (request.method === "DELETE") layouts.delete(name);
		else if (!layouts.has(name)) return problem(response, 404, `There is no layout ${name}.`);
		return json(response, layouts.get(name) ?? {});
	}
	problem(response, 404, `This server does not know ${url.pathname}.`);
}

function answerPage(response, path) {
	const depth = path.split("/").length - 2;
	const name = path.startsWith("/assets/") ? path.slice(8) : depth ? `index.${depth}.html` : "index.html";
	try {
		const bytes = readFileSync(join(dist, name));
		response.writeHead(200, { "Content-Type": TYPES[extname(name)], "Cache-Control": "no-store",
			"Content-Security-Policy": "default-src 'self'; form-action 'none'" });
		response.end(bytes);
	} catch {
		problem(response, 404, `There is no ${name}.`);
	}
}

createServer((request, response) => {
	const url = new URL(request.url, "http://localhost");
	if (!url.pathname.startsWith(prefix)) return problem(response, 404, "Outside of the prefix.");
	const path = url.pathname.slice(prefix.length);
	if (!path.startsWith("/api/v1/")) return answerPage(response, path);
	setTimeout(() => {
		answerApi(request, response, path.slice(8).split("/"), url)?.catch?.((failure) => {
			problem(response, 500, String(failure));
		});
	}, latencyMs);
}).listen(Number(optionOf("port", "3901")), "127.0.0.1", function () {
	console.log(`listening on ${this.address().port}`);
});
