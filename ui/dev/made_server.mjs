// SPDX-License-Identifier: Apache-2.0
// A server for work on the timeline without a capture: bundles dev/page.tsx and answers docs/api.md
// with made profiles, "device" and "system"; all other profiles are those of a real server, if one is
// given.
//
//	node dev/made_server.mjs [PORT] [DELAY_MS] [--server URL]
//
// With a server, /profile/NAME is the whole page as node build.mjs made it.
//
// Not shipped.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { LAYERS, makeDevice, makeSystem, OPERATORS } from "./made_profile.mjs";
import { makeWindow } from "./made_window.mjs";

const serverAt = process.argv.indexOf("--server");
const server = serverAt < 0 ? "" : process.argv.splice(serverAt, 2)[1].replace(/\/$/, "");

const FOLDER = dirname(fileURLToPath(import.meta.url));
const port = Number(process.argv[2] ?? 8900);
const delayMs = Number(process.argv[3] ?? 0);
const profiles = { device: makeDevice(), system: makeSystem() };

const { outputFiles } = await build({
	entryPoints: [join(FOLDER, "page.tsx")], bundle: true, write: false, outdir: "/", format: "esm",
	target: "es2022", jsx: "automatic", jsxImportSource: "preact", minify: !process.argv.includes("--plain"),
});
const files = new Map(outputFiles.map((file) => [file.path, file]));
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Timeline</title>
<link rel="stylesheet" href="page.css"><div id="app"></div><script type="module" src="page.js"></script></html>`;

const rowAt = (p, table, row) => p.rows[table]?.[Number(row)];

function summary(p, table, row) {
	const span = rowAt(p, table, row);
	return { table, row: String(row), track: span.track, depth: span.depth, name: p.names[span.name],
		start_ns: String(p.originNs + BigInt(span.start)), end_ns: String(p.originNs + BigInt(span.end)) };
}

function details(p, table, row) {
	const span = rowAt(p, table, row);
	if (!span) return null;
	const field = (name, value) => ({ name, value, unit: "", description: "", group: "Operation" });
	return { ...summary(p, table, row), fields: [
		field(table === "Instruction" ? "opcode" : "name", p.names[span.name]),
		field("layer", LAYERS[span.layer] ?? null), field("hlo_name", OPERATORS[span.operator] ?? null),
		field("operands", "S[5] (Tensor)++@complete src=bfloat16@0xba08[1,0,0][128,1,1] dst=0x2001000 128*96"),
		field("pc", span.row * 64), field("nki_source_location", "kernel.py:139"),
	] };
}

function at(p, query) {
	const list = p.spans.get(`${query.get("track")}:${query.get("depth") ?? 0}`) ?? [];
	const time = Number(BigInt(query.get("time")) - p.originNs);
	const step = Number(query.get("step") ?? 0);
	let index = list.findIndex((span) => span.end > time || span.start >= time);
	if (index < 0) index = list.length - 1;
	if (query.has("nearest")) {
		const edges = list.slice(Math.max(index - 1, 0), index + 2).flatMap((span) => [span.start, span.end]);
		const best = edges.sort((a, b) => Math.abs(a - time) - Math.abs(b - time))[0];
		if (best === undefined || Math.abs(best - time) > Number(query.get("within"))) return null;
		return { track: Number(query.get("track")), edge_ns: String(p.originNs + BigInt(best)) };
	}
	const span = list[index + step];
	return span && { track: Number(query.get("track")), depth: Number(query.get("depth")), index: String(index + step),
		...summary(p, p.tracks[Number(query.get("track"))].table, span.row) };
}

function bandsOf(p) {
	if (p.kind !== "device") return [];
	const ids = (test) => p.tracks.filter(test).map((track) => track.id);
	const band = (kind, title, detail, from, to, tracks) =>
		({ kind, title, detail, from_ns: String(from), to_ns: String(to), tracks });
	return [
		band("small_dma", "Small DMA transfers", "Excessive small DMA transfers (412 instructions) back-pressure HBM in this region, making instruction timing here unreliable. Consider batching or vectorizing these transfers.", 300_000, 420_000, []),
		band("throttling", "Throttling", "The clock was at 62 % for power.", 600_000, 780_000, []),
		band("reload", "Repeated load", "weights.q is loaded 4 times.", 900_000, 1_150_000, ids((t) => /qSyncIO0/.test(t.name))),
		band("collective", "AllReduce", "8 MiB, ring, 90 µs.", 800_000, 890_000, ids((t) => t.table === "CcOp")),
		band("barrier", "Core barrier", "Both cores met.", 1_300_000, 1_320_000, ids((t) => t.name === "GpSimd")),
	];
}

function answer(p, path, query) {
	const number = (key) => Number(BigInt(query.get(key) ?? p.originNs) - p.originNs);
	const table = /^\/tables\/(\w+)\/rows\/(\d+)(\/dependencies)?$/.exec(path);
	if (table?.[3]) {
		const row = Number(table[2]);
		const near = (by) => by.map((d) => row + d).filter((r) => rowAt(p, table[1], r)).map((r) => summary(p, table[1], r));
		const jump = Math.floor((p.rows[table[1]]?.length ?? 0) / 12);
		return { predecessors: near([-2, -jump, jump - 3]), successors: near([3, jump + 5]), total_predecessors: 3, total_successors: 2 };
	}
	if (table) return details(p, table[1], table[2]);
	switch (path) {
		case "": return { name: p.kind, kind: p.kind, state: "ready", from_ns: String(p.originNs),
			to_ns: String(p.originNs + BigInt(p.endNs)), tables: [], devices: [] };
		case "/tracks": return { from_ns: String(p.originNs), to_ns: String(p.originNs + BigInt(p.endNs)),
			name_count: p.names.length, tracks: p.tracks };
		case "/names": return { names: query.get("ids").split(",").map((id) => p.names[Number(id)]) };
		case "/colours": return { values: query.get("column") === "layer" ? LAYERS : OPERATORS };
		case "/tables/Metadata": return { table: "Metadata", total: "1", columns: [], rows: [[128, 128, 2.8]] };
		case "/insights": return { bands: bandsOf(p), findings: [] };
		case "/at": return at(p, query);
		case "/window": return makeWindow(p, number("from"), number("to"), Number(query.get("px")), query.get("tracks").split(","),
			{ layer: "layer", hlo_name: "operator" }[query.get("colour")]);
		case "/search/marks": {
			const wanted = p.nameIds.get(query.get("text"));
			const spans = p.tracks.filter((track) => track.kind === "spans").map((track) => String(track.id));
			return makeWindow(p, number("from"), number("to"), Number(query.get("px")), spans, "", (span) => span.name === wanted);
		}
	}
	return null;
}

/** What a real server says, as it says it. */
async function forward(request, response) {
	const body = [];
	for await (const part of request) body.push(part);
	const type = request.headers["content-type"];
	const answer = await fetch(server + request.url, { method: request.method,
		headers: type ? { "Content-Type": type } : {}, ...(body.length ? { body: Buffer.concat(body) } : {}) });
	response.writeHead(answer.status, { "Content-Type": answer.headers.get("content-type") ?? "text/plain" });
	for await (const part of answer.body ?? []) response.write(part); // events never end
	response.end();
}

/** A file of the built pages. */
function pageFile(path) {
	const name = path.startsWith("/profile/") ? `index.${path.split("/").length - 2}.html`
		: /^\/assets\/([\w.-]+)$/.exec(path)?.[1] ?? "";
	const file = join(FOLDER, "../dist", name);
	if (!name || !existsSync(file)) return null;
	const type = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" }[name.split(".").pop()];
	return { type: type ?? "text/plain", body: readFileSync(file) };
}

createServer((request, response) => {
	const url = new URL(request.url, "http://localhost");
	const named = /^\/api\/v1\/profiles\/([^/]+)/.exec(url.pathname)?.[1];
	if (server && url.pathname.startsWith("/api/") && !profiles[named])
		return void forward(request, response).catch((failure) => response.writeHead(502).end(String(failure)));
	const api = /^\/api\/v1\/profiles\/(\w+)(.*)$/.exec(url.pathname);
	const send = (type, body, status = 200) => setTimeout(() => response.writeHead(status, { "Content-Type": type,
		"Content-Security-Policy": "default-src 'self'" }).end(body), api ? delayMs : 0);
	if (!api) {
		const file = files.get(url.pathname);
		const page = pageFile(url.pathname);
		if (page) return send(page.type, page.body);
		if (file) return send(url.pathname.endsWith("css") ? "text/css" : "text/javascript", file.contents);
		return url.pathname === "/" ? send("text/html", PAGE) : send("text/plain", "", 404);
	}
	const body = profiles[api[1]] && answer(profiles[api[1]], api[2], url.searchParams);
	if (!body) return send("application/problem+json", JSON.stringify({ detail: "There is no such thing here.", status: 404 }), 404);
	return Buffer.isBuffer(body) ? send("application/octet-stream", body) : send("application/json", JSON.stringify(body));
}).listen(port, () => console.log(`http://localhost:${port}/?profile=device`));
