// SPDX-License-Identifier: Apache-2.0
// For those who work on the pages: answers docs/api.md from a real workspace by asking the program
// with SQL, and serves one panel per page (dev/harness.tsx). Slow and simple; never shipped.
//
//	node dev/server.mjs --program PATH --data-path WORKSPACE [--duckdb LIB] [--port N] [--source DIR]

import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const option = (name, otherwise) => {
	const at = process.argv.indexOf(`--${name}`);
	return at < 0 ? otherwise : process.argv[at + 1];
};
const program = option("program", join(HERE, "../../build/neuron-explorer"));
const workspace = option("data-path");
const port = Number(option("port", "8123"));
const source = option("source", "");
if (option("duckdb")) process.env.NEURON_EXPLORER_DUCKDB = option("duckdb");
const esbuild = createRequire(join(HERE, "../package.json"))("esbuild");

class Problem extends Error {
	constructor(status, detail) {
		super(detail);
		this.status = status;
	}
}

const cache = new Map();
/** Rows as objects; integers beyond 53 bits as texts. */
function sql(profile, text, threads = 1) {
	const key = `${profile}\n${text}`;
	if (!cache.has(key)) {
		cache.set(key, new Promise((resolve, reject) => {
			execFile(program, ["query", "--data-path", workspace, "-d", profile, "-f", "jsonl",
				"-j", String(threads), "--timeout", "30", text], { maxBuffer: 1 << 28, cwd: "/" },
			(failure, out, said) => {
				if (failure) {
					cache.delete(key);
					return reject(new Problem(400, said.trim().replace(/^neuron-explorer: /, "")));
				}
				resolve(out.split("\n").filter(Boolean).map((line) =>
					JSON.parse(line.replace(/([:[,])(-?\d{16,})(?=[,\]}])/g, '$1"$2"'))));
			});
		}));
	}
	return cache.get(key);
}

const quote = (text) => `'${text.replaceAll("'", "''")}'`;
const conditionOf = (where) => {
	const [, name, operator, value] = /^(\w+)(!=|<=|>=|=|<|>|~)(.*)$/s.exec(where) ?? [];
	if (!name) throw new Problem(400, `The condition "${where}" is not COLUMN OPERATOR VALUE.`);
	if (operator === "~") return `regexp_matches(CAST("${name}" AS VARCHAR), ${quote(value)})`;
	return `"${name}" ${operator} ${/^-?\d+(\.\d+)?$/.test(value) ? value : quote(value)}`;
};
const both = (conditions) => conditions.length ? `WHERE ${conditions.join(" AND ")}` : "";

const TRACKS = { Instruction: "engine", DmaPacketAggregated: "queue_name", CcOp: "operation",
	SystemProfileEvents: "name" };
const nameOf = (table) => TRACKS[table] === "engine" ? "opcode"
	: table === "DmaPacketAggregated" ? "variable" : TRACKS[table] ?? "name";

const schemas = new Map();
async function schemaOf(profile, table) {
	if (!schemas.has(profile)) {
		const rows = await sql(profile, "SELECT table_name, field_name, field_type, field_unit, " +
			"field_description FROM SchemaFields");
		schemas.set(profile, rows);
	}
	return schemas.get(profile).filter((row) => row.table_name === table).map((row) => ({
		name: row.field_name, type: row.field_type, unit: row.field_unit ?? "",
		description: row.field_description,
	}));
}

const folderOf = (profile) => join(workspace, "profiles/global", `${profile}@latest`);
async function detailsOf(profile) {
	if (!existsSync(folderOf(profile))) throw new Problem(404, `There is no profile "${profile}".`);
	const names = readdirSync(folderOf(profile)).filter((name) => name.endsWith(".parquet"))
		.map((name) => name.slice(0, -8));
	const counts = (await sql(profile, `SELECT ${names.map((name) =>
		`(SELECT count(*) FROM ${name}) AS ${name}`)}`))[0];
	const system = names.includes("SystemProfileEvents");
	const [span] = await sql(profile, system
		? "SELECT first_ts_ns AS a, last_ts_ns AS b FROM SystemProfileMetadata"
		: "SELECT first_hw_timestamp AS a, last_hw_timestamp AS b FROM Metadata");
	const devices = system ? await sql(profile, "FROM DeviceProfileList") : [];
	return {
		name: profile, kind: system ? "system" : "device", state: "ready", reason: "",
		created_ms: 0, opened_ms: 0, size_bytes: "0", row_count: "0", favourite: false, folder: "",
		parent: null, simulated: false,
		sources: [], stage: null, fraction: null, id: profile, schema_version: "7.4.0",
		from_ns: String(span.a), to_ns: String(span.b),
		tables: names.map((name) => ({ name, row_count: String(counts[name]) })),
		devices: devices.map((row) => ({ name: row.device_profile_name,
			profile: `${profile}_${row.device_profile_name}` })),
	};
}

async function tracksOf(profile) {
	const details = await detailsOf(profile);
	const tracks = [];
	for (const [table, column] of Object.entries(TRACKS)) {
		if (!Number(details.tables.find((one) => one.name === table)?.row_count ?? 0)) continue;
		for (const row of await sql(profile, `SELECT "${column}" AS name, pcore_idx AS core, count(*) AS n ` +
			`FROM ${table} GROUP BY ALL ORDER BY ALL`))
			tracks.push({ id: tracks.length + 1, parent: null, kind: "spans", unit: "", table,
				name: String(row.name), depth_count: 1, row_count: String(row.n), lost_count: "0",
				attributes: { pcore_idx: String(row.core ?? "") } });
	}
	return { from_ns: details.from_ns, to_ns: details.to_ns, name_count: 0, tracks };
}

const numbered = (table) => `(SELECT *, row_number() OVER () - 1 AS row_ FROM ${table})`;
const summaryOf = (table, row) => ({ table, row: String(row.row_), track: null, depth: 0,
	start_ns: String(row.start_ts ?? row.timestamp), end_ns: String(row.end_ts ?? row.timestamp),
	name: String(row[nameOf(table)] ?? ""), engine: row.engine ?? row.queue_name, pc: String(row.pc ?? "") });

async function search(profile, query) {
	const table = query.get("table") || ((await detailsOf(profile)).kind === "system"
		? "SystemProfileEvents" : "Instruction");
	const parts = query.getAll("where").map(conditionOf);
	if (query.get("from")) parts.push(`end_ts >= ${query.get("from")}`, `start_ts <= ${query.get("to")}`);
	if (query.get("text")) parts.push(`contains(lower(CAST(t_ AS VARCHAR)), ${quote(query.get("text").toLowerCase())})`);
	const from = `FROM ${numbered(table)} AS t_ ${both(parts)}`;
	const [all] = await sql(profile, `SELECT count(*) AS n, sum(duration_ns) AS d ${from}`);
	const rows = await sql(profile, `SELECT * ${from} ORDER BY start_ts ` +
		`LIMIT ${query.get("limit") ?? 100} OFFSET ${query.get("offset") ?? 0}`);
	return { total: String(all.n), duration_ns: String(all.d ?? 0),
		rows: rows.map((row) => summaryOf(table, row)) };
}

async function statistics(profile, query) {
	const { tracks, from_ns, to_ns } = await tracksOf(profile);
	const from = query.get("from") ?? from_ns;
	const to = query.get("to") ?? to_ns;
	const wanted = query.get("tracks")?.split(",").map(Number);
	const answer = [];
	for (const track of tracks.filter((one) => !wanted || wanted.includes(one.id))) {
		const core = track.attributes.pcore_idx;
		const rows = await sql(profile, `SELECT "${nameOf(track.table)}" AS name, count(*) AS n,
			sum(duration_ns) AS s, sum(least(end_ts, ${to}) - greatest(start_ts, ${from})) AS b
			FROM ${track.table} WHERE "${TRACKS[track.table]}" = ${quote(track.name)}
			${core ? `AND pcore_idx = ${core}` : ""} AND end_ts >= ${from} AND start_ts <= ${to}
			GROUP BY 1 ORDER BY s DESC`);
		const total = (key) => rows.reduce((now, row) => now + Number(row[key]), 0);
		answer.push({ track: track.id, count: String(total("n")), busy_ns: String(total("b")),
			sum_ns: String(total("s")), busy_fraction: Math.min(1, total("b") / Number(BigInt(to) - BigInt(from))),
			names: rows.slice(0, 50).map((row) => ({ name: String(row.name), count: String(row.n),
				sum_ns: String(row.s), busy_ns: String(row.b) })) });
	}
	return { from_ns: from, to_ns: to, tracks: answer };
}

const GROUPS = [["Timing", /_ts$|_ns$|time|duration/], ["Memory", /bytes|sbuf|psum|hbm|address|partition/],
	["Kernel", /kernel|nki/], ["Model", /layer|hlo|framework|penguin|stack/], ["Source", /source_location/],
	["Operation", /opcode|operand|flops|element|activation|mode|op$/], ["Identity", /id$|pc$|engine|idx|track|name/]];
async function eventOf(profile, table, row) {
	const columns = await schemaOf(profile, table);
	const [values] = await sql(profile, `SELECT * FROM ${table} LIMIT 1 OFFSET ${Number(row)}`);
	if (!values) throw new Problem(404, `The table ${table} has no row ${row}.`);
	return { table, row, track: 1, depth: 0, start_ns: String(values.start_ts ?? values.timestamp ?? 0),
		end_ns: String(values.end_ts ?? values.timestamp ?? 0),
		fields: columns.map((column) => ({ name: column.name, value: values[column.name] ?? null,
			unit: column.unit, description: column.description,
			group: GROUPS.find(([, pattern]) => pattern.test(column.name))?.[0] ?? "Details" })) };
}

async function dependenciesOf(profile, table, row) {
	const [own] = await sql(profile, `SELECT id FROM ${table} LIMIT 1 OFFSET ${Number(row)}`);
	const side = async (mine, other) => {
		const edges = await sql(profile, `SELECT ${other}_id AS id, ${other}_table AS t, dependency_type AS k,
			gap_time AS g FROM Flow WHERE ${mine}_id = ${own.id} AND ${mine}_table = ${quote(table)} LIMIT 40`);
		return Promise.all(edges.map(async (edge) => {
			const [found] = await sql(profile, `SELECT * FROM ${numbered(edge.t)} WHERE id = ${edge.id}`);
			return { ...summaryOf(edge.t, found ?? {}), kind: edge.k, gap_ns: String(edge.g) };
		}));
	};
	const [predecessors, successors] = [await side("out", "in"), await side("in", "out")];
	return { predecessors, successors, total_predecessors: predecessors.length,
		total_successors: successors.length };
}

const kept = new Map();
function keep(request, key, body) {
	if (request.method === "PUT") kept.set(key, body);
	else if (request.method === "DELETE") kept.delete(key);
	else if (!kept.has(key)) throw new Problem(404, "There is no such set.");
	else return JSON.parse(kept.get(key));
	return {};
}
const keptUnder = (prefix) => [...kept.keys()].filter((key) => key.startsWith(prefix))
	.map((key) => key.slice(prefix.length));

async function answer(request, url, body) {
	const [, profilePart, rest = ""] = /^profiles\/([^/]+)(?:\/(.*))?$/.exec(url.path) ?? [];
	const query = url.query;
	if (url.path === "layouts") return { layouts: keptUnder("layouts/") };
	if (url.path.startsWith("layouts/")) return keep(request, url.path, body);
	if (url.path === "profiles") {
		const names = readdirSync(join(workspace, "profiles/global")).map((name) => name.replace(/@.*/, ""));
		return { profiles: await Promise.all(names.map(detailsOf)) };
	}
	const p = decodeURIComponent(profilePart ?? "");
	const parts = rest.split("/").map(decodeURIComponent);
	if (rest === "") return detailsOf(p);
	if (rest === "tracks") return tracksOf(p);
	if (rest === "search") return search(p, query);
	if (rest === "statistics") return statistics(p, query);
	if (rest === "annotations") return { sets: keptUnder(`${p}/annotations/`) };
	if (parts[0] === "annotations") return keep(request, `${p}/annotations/${parts[1]}`, body);
	if (rest === "insights") return { bands: [], findings: JSON.parse(
		readFileSync(join(HERE, "findings.json"), "utf8")) };
	if (rest === "sql") {
		const { sql: text, limit = 1000 } = JSON.parse(body);
		const rows = await sql(p, `FROM (${text.replace(/;\s*$/, "")}) LIMIT ${limit + 1}`);
		const columns = Object.keys(rows[0] ?? {});
		return { columns: columns.map((name) => ({ name, type: "" })), elapsed_ms: 1,
			is_cut: rows.length > limit, rows: rows.slice(0, limit).map((row) => columns.map((name) => row[name])) };
	}
	if (rest === "source") return { files: source ? readdirSync(source, { recursive: true })
		.filter((name) => statSync(join(source, name)).isFile())
		.map((name) => ({ path: relative(".", name), size_bytes: String(statSync(join(source, name)).size) })) : [] };
	if (parts[0] === "source") return readFileSync(join(source, parts.slice(1).join("/")), "utf8");
	if (parts[0] === "tables" && parts[2] === "rows")
		return parts[4] ? dependenciesOf(p, parts[1], parts[3]) : eventOf(p, parts[1], parts[3]);
	if (parts[0] === "tables") {
		const table = parts[1];
		const all = await schemaOf(p, table);
		const wanted = query.get("columns")?.split(",");
		const columns = wanted ? wanted.map((name) => all.find((one) => one.name === name)) : all;
		const order = query.get("order");
		const conditions = both(query.getAll("where").map(conditionOf));
		const [{ n }] = await sql(p, `SELECT count(*) AS n FROM ${table} ${conditions}`);
		const rows = await sql(p, `SELECT ${columns.map((one) => `"${one.name}"`)} FROM ${table} ${conditions} ` +
			(order ? `ORDER BY "${order.replace("-", "")}" ${order.startsWith("-") ? "DESC" : ""} ` : "") +
			`LIMIT ${query.get("limit") ?? 1000} OFFSET ${query.get("offset") ?? 0}`);
		return { table, total: String(n), columns, rows: rows.map((row) => columns.map((one) => row[one.name])) };
	}
	throw new Problem(404, `There is no resource ${url.path}.`);
}

async function bundle() {
	await esbuild.build({ absWorkingDir: join(HERE, ".."), entryPoints: ["dev/harness.tsx"], bundle: true,
		outdir: join(HERE, "out"), format: "esm", jsx: "automatic", jsxImportSource: "preact",
		sourcemap: "inline", logLevel: "warning" });
}
await bundle();
const PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Panel</title>' +
	'<link rel="stylesheet" href="/out/harness.css"><div id="app"></div>' +
	'<script type="module" src="/out/harness.js"></script></html>';

createServer((request, response) => {
	const url = new URL(request.url, "http://here");
	const send = (status, type, text) => {
		response.writeHead(status, { "Content-Type": type, "Content-Security-Policy": "default-src 'self'" });
		response.end(text);
	};
	if (url.pathname === "/rebuild") return void bundle().then(() => send(200, "text/plain", "ok"));
	if (url.pathname.startsWith("/out/"))
		return send(200, url.pathname.endsWith("css") ? "text/css" : "text/javascript",
			readFileSync(join(HERE, "out", url.pathname.slice(5))));
	if (!url.pathname.startsWith("/api/v1/")) return send(200, "text/html", PAGE);
	let body = "";
	request.on("data", (bytes) => (body += bytes));
	request.on("end", () => answer(request, { path: url.pathname.slice(8), query: url.searchParams }, body)
		.then((what) => typeof what === "string" ? send(200, "text/plain; charset=utf-8", what)
			: send(200, "application/json", JSON.stringify(what)))
		.catch((failure) => send(failure.status ?? 500, "application/problem+json",
			JSON.stringify({ title: "Failed", status: failure.status ?? 500, detail: failure.message }))));
}).listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/?profile=NAME&panel=ID`));
