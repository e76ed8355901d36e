// SPDX-License-Identifier: Apache-2.0
// The SDK of the Model Context Protocol talks to 'neuron-explorer mcp' over a workspace with the
// profiles vector_add and softmax. Prints TAP.
// usage: node sdk.mjs MODULES PROGRAM WORKSPACE
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, program, workspace] = process.argv.slice(2);
const sdk = join(modules, "node_modules/@modelcontextprotocol/sdk/dist/esm");
const { Client } = await import(pathToFileURL(join(sdk, "client/index.js")).href);
const { StdioClientTransport } = await import(pathToFileURL(join(sdk, "client/stdio.js")).href);

const client = new Client({ name: "check", version: "1" });
await client.connect(new StdioClientTransport({
	command: program, args: ["mcp", "--data-path", workspace] }));

/** The parsed answer of a tool; throws what the tool says if it failed. */
async function call(name, args = {}, options = undefined) {
	const result = await client.callTool({ name, arguments: args }, undefined, options);
	const text = result.content[0].text;
	if (result.isError) throw new Error(text);
	return JSON.parse(text);
}

const cases = {
	"seven tools that only read": async () => {
		const { tools } = await client.listTools();
		assert.deepEqual(tools.map((t) => t.name),
			["list", "summary", "why", "recommend", "compare", "sql", "source_lines"]);
		assert.ok(tools.every((t) => t.annotations.readOnlyHint && t.description.length > 40));
		assert.equal(client.getServerVersion().name, "neuron-explorer");
	},
	"profiles and their metrics": async () => {
		const { profiles } = await call("list");
		assert.deepEqual(profiles.map((p) => p.name).sort(), ["softmax", "vector_add"]);
		assert.ok(profiles.every((p) => p.kind === "device" && p.state === "ready" && p.is_simulated));
		const { measures } = await call("summary", { profile: "softmax" });
		assert.ok(measures.find((m) => m.name === "total_time").value > 0);
	},
	"what bound the run adds up, and a pause is explained": async () => {
		const why = await call("why", { profile: "softmax", by: "opcode" });
		assert.equal(why.path.reduce((sum, p) => sum + p.time_ps, 0), why.span_ps);
		assert.equal(why.groups.reduce((sum, g) => sum + g.time_ps, 0), why.span_ps);
		const { rows } = await call("sql", { profile: "softmax",
			query: "SELECT work_ps // 1000 - 1 FROM Release WHERE opcode = 'ACTIVATE'" });
		const gap = await call("why", { profile: "softmax", gap: `Scalar@${rows[0][0]}` });
		assert.match(gap.sentence, /^Scalar of core 0 paused for /);
	},
	"findings, differences and lines of source": async () => {
		assert.ok(Array.isArray((await call("recommend", { profile: "softmax" })).findings));
		const { rows } = await call("compare", { baseline: ["vector_add"], profile: "softmax" });
		assert.ok(rows.find((r) => r.name === "total_time").changes[0].difference > 0);
		const { lines } = await call("source_lines", { profile: "softmax", file: "softmax.nasm" });
		assert.ok(lines.some((l) => l.path_ps > 0 && l.engines.length));
	},
	"rows are limited": async () => {
		const query = "SELECT id FROM Instruction ORDER BY id";
		const some = await call("sql", { profile: "softmax", query, limit: 2 });
		assert.deepEqual([some.columns, some.rows.length, some.is_cut], [["id"], 2, true]);
		await assert.rejects(call("sql", { profile: "softmax", query, limit: 1e9 }), /'limit'/);
	},
	"failures of a tool are answers": async () => {
		const refused = [
			["why", { profile: "none" }, /there is no profile 'none'/],
			["why", { profile: workspace }, /there is no profile/],
			["why", { profile: "../softmax" }, /there is no profile/],
			["why", {}, /'profile' must be a text/],
			["why", { profile: "softmax", by: "colour" }, /grouped by line, layer, opcode or tensor/],
			["why", { profile: "softmax", gap: "Motor@1us" }, /a pause is an engine and a time/],
			["compare", { baseline: [], profile: "softmax" }, /'baseline' must be/],
			["sql", { profile: "softmax", query: "DROP TABLE Instruction" }, /./],
			["sql", { profile: "softmax", query: "COPY (SELECT 1) TO '/tmp/x.csv'" }, /./],
			["sql", { profile: "softmax", query: "SELECT * FROM read_text('/etc/passwd')" }, /./],
			["source_lines", { profile: "softmax", file: "other.py" }, /it has lines of .*softmax/],
		];
		for (const [name, args, words] of refused) await assert.rejects(call(name, args), words);
		await assert.rejects(client.callTool({ name: "delete", arguments: {} }), /no tool of that name/);
	},
	"a question is cancelled, and the next one is answered": async () => {
		const abort = new AbortController();
		const query = "SELECT sum(a.id * b.id * c.id * d.id * e.id) FROM Instruction a, Instruction b, " +
			"Instruction c, Instruction d, Instruction e";
		const slow = call("sql", { profile: "softmax", query }, { signal: abort.signal });
		await client.ping();
		abort.abort("enough");
		await assert.rejects(slow);
		assert.equal((await call("sql", { profile: "softmax", query: "SELECT 1 AS a" })).rows[0][0], 1);
	},
};

console.log(`1..${Object.keys(cases).length}`);
let number = 0;
for (const [name, run] of Object.entries(cases)) {
	number++;
	try {
		await run();
		console.log(`ok ${number} - ${name}`);
	} catch (error) {
		process.exitCode = 1;
		console.log(`not ok ${number} - ${name}\n# ${String(error).replaceAll("\n", "\n# ")}`);
	}
}
await client.close();
