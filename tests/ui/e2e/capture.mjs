// SPDX-License-Identifier: Apache-2.0
// Captures running programs from the page, and opens what came; archived profiles come back.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { begin, runCases, until } from "./harness.mjs";

const NOBODY = "127.0.0.1:1"; // nothing listens there
const programs = [];

/** A program under our runtime, with a profiler service; resolves when it runs. */
async function startProgram(w, instance) {
	const neff = join(w.folder, "relu.neff");
	if (!programs.length)
		w.run(w.program, "neff", "--assemble", resolve(dirname(process.argv[1]), "../../../examples/relu.nasm"), "-o", neff);
	const program = spawn(join(dirname(w.program), "../tests/on_demand/running_job"), [neff], { cwd: w.folder,
		stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, NEURON_INSTANCE_ID: instance, NEURON_PROFILER_PORT: "0" } });
	programs.push(program);
	await new Promise((done, fail) => {
		program.stdout.once("data", done);
		program.once("exit", () => fail(new Error("the program does not start")));
	});
}

const world = await begin(async (w) => {
	process.env["XDG_RUNTIME_DIR"] = join(w.folder, "run");
	mkdirSync(process.env["XDG_RUNTIME_DIR"]);
	await startProgram(w, "i-1");
	await startProgram(w, "i-2");
	w.makeDevice("stored");
	w.run(w.program, "archive", "stored", "--to", join(w.folder, "archive"), "--data-path", w.workspace);
	writeFileSync(join(w.workspace, "jobs.json"), JSON.stringify({ jobs: [
		{ name: "cluster", port: 1, hosts_command: ["echo", "127.0.0.1"] },
		{ name: "broken", hosts_command: ["false"] }] }));
	await w.serve();
});
process.on("exit", () => programs.forEach((program) => program.kill()));

const dialog = (page) => page.getByRole("dialog", { name: "Capture a running job" });

async function openDialog() {
	const page = await world.page();
	await page.getByRole("button", { name: "Capture a running job" }).click();
	await dialog(page).getByText("cluster").waitFor();
	return page;
}

const cases = {
	async "running programs and jobs are listed"() {
		const page = await openDialog();
		const text = await dialog(page).innerText();
		assert.match(text, /This machine/);
		assert.equal([...text.matchAll(/running_job/g)].length, 2, text);
		assert.match(text, new RegExp(NOBODY));
		assert.match(text, /false: it fails with code 1/);
		assert.ok(await dialog(page).getByRole("button", { name: "Capture", exact: true }).isDisabled());
		await dialog(page).getByLabel("Other addresses").fill("nowhere");
		await dialog(page).getByText("nowhere is not an address; write host:port.").waitFor();
	},
	async "two running programs are captured, and their profile opens"() {
		const page = await openDialog();
		await dialog(page).getByRole("checkbox", { name: "This machine" }).check();
		await dialog(page).getByText("2 hosts become one session").waitFor();
		await dialog(page).getByRole("button", { name: "Capture", exact: true }).click();
		await page.waitForURL(/\/profile\/local_/);
		world.expected.push(/\/ranks$/);
		const name = decodeURIComponent(new URL(page.url()).pathname.split("/").pop());
		await page.locator("canvas.tl-overlay").waitFor();
		assert.ok(world.one(name, "SELECT count(*) FROM SystemProfileEvents WHERE name = 'nrt_execute'") > 0);
		assert.deepEqual(world.sql(name, "SELECT DISTINCT instance_id AS i FROM SystemProfileEvents ORDER BY 1")
			.map((row) => row.i), ["i-1", "i-2"]);
		const [record] = (await world.api("profiles")).profiles.filter((one) => one.name === name);
		assert.equal(record.run.name, "local");
		assert.equal(record.sessions[0].kind, "on_demand");
	},
	async "a host that fails is named, and the others are kept"() {
		const page = await openDialog();
		await dialog(page).getByRole("checkbox", { name: "This machine" }).check();
		await dialog(page).getByLabel("Other addresses").fill(NOBODY);
		await dialog(page).getByRole("button", { name: "Capture", exact: true }).click();
		await page.waitForURL(/\/profile\/capture_/);
		world.expected.push(/\/ranks$/);
		const name = decodeURIComponent(new URL(page.url()).pathname.split("/").pop());
		const [failed] = world.sql(name, "SELECT host, failure FROM ProfileSession WHERE host_state = 'failed'");
		assert.equal(failed.host, NOBODY);
		assert.match(failed.failure, /refused/);
	},
	async "a capture that fails says why"() {
		const page = await openDialog();
		await dialog(page).getByLabel("Other addresses").fill(NOBODY);
		await dialog(page).getByRole("button", { name: "Capture", exact: true }).click();
		await dialog(page).getByRole("status").getByText(/127\.0\.0\.1:1.*refused/).first().waitFor();
		await dialog(page).getByRole("button", { name: "Back" }).click();
		await dialog(page).getByRole("button", { name: "Capture", exact: true }).waitFor();
	},
	async "a capture can be cancelled"() {
		const page = await openDialog();
		await dialog(page).getByRole("checkbox", { name: "This machine" }).check();
		await dialog(page).getByLabel("Seconds").fill("500");
		await dialog(page).getByRole("button", { name: "Capture", exact: true }).click();
		await dialog(page).getByText("recording").first().waitFor();
		await dialog(page).getByRole("button", { name: "Cancel the capture" }).click();
		await dialog(page).getByText("Cancelled").waitFor();
	},
	async "an archived profile is fetched from the list"() {
		const page = await world.page();
		await page.getByText("Archived").waitFor();
		await page.getByRole("button", { name: "Actions for stored" }).click();
		await page.getByRole("menuitem", { name: "Fetch from the archive" }).click();
		await until("the profile is here", async () =>
			(await world.api("profiles")).profiles.find((one) => one.name === "stored").state === "ready");
		await page.getByText("Archived").waitFor({ state: "detached" });
		assert.ok(world.one("stored", "SELECT count(*) FROM Instruction") > 0);
	},
	async "requests that do not fit are refused"() {
		const post = (body, headers = { "content-type": "application/json" }) =>
			fetch(`${world.root}api/v1/captures`, { method: "POST", body: JSON.stringify(body), headers });
		for (const body of [{}, { addresses: [] }, { addresses: ["--help"] }, { addresses: ["a:1,b:2"] },
			{ addresses: ["a:1"], duration_ms: 600001 }, { addresses: ["a:1"], duration_ms: 0 },
			{ addresses: ["a:1"], host_level: 9 }, { addresses: Array(257).fill("a:1") }, { addresses: ["a:1"], job: 5 }])
			assert.equal((await post(body)).status, 400, JSON.stringify(body));
		const stranger = await post({ addresses: ["a:1"] }, { "content-type": "application/json", origin: "http://evil.example" });
		assert.equal(stranger.status, 403);
		assert.equal((await fetch(`${world.root}api/v1/tasks/99999`, { method: "DELETE" })).status, 404);
	},
};

await runCases(world, cases);
