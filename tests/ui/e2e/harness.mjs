// SPDX-License-Identifier: Apache-2.0
// The harness of tests against the real program: captures in a temporary workspace, a server, a
// browser, and SQL on the same profiles through the command line.
//
//	node AREA.mjs --program NEURON_EXPLORER --maker MAKE_CAPTURE --modules DIR [--only PART_OF_A_NAME]
//
// Exits with 77 (skipped) if there is no browser.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { returningVisitor } from "../returning_visitor.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
// Limits for what hangs, not for what is slow: they must hold on a machine with ten times the load.
const SERVER_STARTS_MS = 120_000;
const CASE_MS = 300_000;
const STEP_MS = 90_000;
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FIREFOX = ["/usr/bin/firefox", "/usr/bin/firefox-esr"];

export const SCREEN = { width: 1440, height: 900 };

export function optionOf(name, otherwise) {
	const at = process.argv.indexOf(`--${name}`);
	return at < 0 ? otherwise : process.argv[at + 1];
}

function skip(why) {
	console.log(why);
	process.exit(77);
}

export function browserPath(kind = "chromium") {
	return (kind === "chromium" ? CHROMIUM : FIREFOX).find((path) => existsSync(path));
}

/** The folder with captures of real devices, or "". */
export function realCaptures() {
	const folder = process.env["NEURON_EXPLORER_DATA"] ?? resolve(HERE, "../../../../shared/data");
	return existsSync(join(folder, "neuron-device")) ? folder : "";
}

export class World {
	folder = mkdtempSync(join(tmpdir(), "nx-e2e-"));
	workspace = join(this.folder, "workspace");
	program = resolve(optionOf("program"));
	maker = resolve(optionOf("maker"));
	server = null;
	browser = null;
	root = ""; // address of the pages
	faults = []; // of the pages, since the test began
	strangers = []; // requests that went elsewhere

	run(program, ...args) {
		return execFileSync(program, args, { encoding: "utf8", cwd: this.folder, stdio: ["ignore", "pipe", "pipe"],
			maxBuffer: 1 << 28 });
	}

	make(...args) {
		this.run(this.maker, ...args);
	}

	ingest(name, ...args) {
		this.run(this.program, "view", ...args, "--ingest-only", "--display-name", name,
			"--data-path", this.workspace, "-v", "2");
	}

	/** The device capture that all areas use, and a second one for lists. */
	makeDevice(...names) {
		const folder = join(this.folder, "device");
		if (!existsSync(folder)) this.make("--demo", folder);
		for (const name of names)
			this.ingest(name, "-n", join(folder, "demo.neff"), "-s", join(folder, "demo.ntff"));
		return folder;
	}

	makeSystem(name) {
		const folder = join(this.folder, "system");
		if (!existsSync(folder)) this.make("--system", folder);
		if (name) this.ingest(name, "-d", folder);
		return folder;
	}

	/** Rows as objects from the command line, independent of the server. */
	sql(profile, statement) {
		return JSON.parse(this.run(this.program, "query", "--data-path", this.workspace, "-d", profile,
			"-f", "json", statement));
	}

	one(profile, statement) {
		return Object.values(this.sql(profile, statement)[0])[0];
	}

	async serve(...options) {
		this.server = spawn(this.program, ["view", "--data-path", this.workspace, "-p", "0",
			"--api-server-port", "0", ...options], { stdio: ["ignore", "pipe", "inherit"] });
		this.root = await new Promise((found, fail) => {
			const timer = setTimeout(() => fail(new Error("the server does not start")), SERVER_STARTS_MS);
			let said = "";
			this.server.stdout.on("data", (text) => {
				said += text;
				const [address] = /http:\S+/.exec(said) ?? [];
				if (!address) return;
				clearTimeout(timer);
				found(address.replace(/\/?$/, "/"));
			});
			this.server.once("exit", (code) => fail(new Error(`the server ended with ${code}`)));
		});
	}

	async launch(kind = "chromium") {
		const path = browserPath(kind);
		if (!path) skip(`there is no ${kind} here`);
		const modules = resolve(optionOf("modules"));
		if (!existsSync(join(modules, "playwright-core"))) skip("the pages were not built");
		const playwright = createRequire(join(modules, "here.js"))("playwright-core");
		this.browser = await playwright[kind].launch({ executablePath: path,
			args: kind === "chromium" ? ["--no-sandbox"] : [] });
	}

	/** A page with its own browser context. */
	async page(path = "", { scheme = "dark", isFirstVisit = false, ...options } = {}) {
		const context = await this.browser.newContext({ colorScheme: scheme, viewport: SCREEN,
			reducedMotion: "reduce", ...options });
		context.setDefaultTimeout(STEP_MS);
		if (!isFirstVisit)
			await returningVisitor(context);
		const page = await context.newPage();
		page.on("pageerror", (fault) => this.faults.push(fault.message));
		page.on("console", (line) => {
			// Expected error responses are logged too; they are filtered by URL.
			if (line.type() === "error" && !/Failed to load resource/.test(line.text()))
				this.faults.push(line.text());
		});
		page.on("response", (answer) => {
			if (answer.status() >= 400 && !this.isExpected(answer))
				this.faults.push(`${answer.status()} ${answer.request().method()} ${answer.url()}`);
		});
		page.pending = new Set(); // requests under way; the stream of events never ends
		for (const over of ["requestfinished", "requestfailed"])
			page.on(over, (request) => page.pending.delete(request));
		page.on("request", (request) => {
			const url = request.url();
			if (!url.endsWith("/events")) page.pending.add(request);
			if (!url.startsWith(this.root) && !/^(data|blob):/.test(url)) this.strangers.push(url);
		});
		await page.goto(this.root + path);
		return page;
	}

	/** Expected error responses: no event near a time. Tests add the errors that they provoke. */
	expected = [/\/at\?/];

	isExpected(answer) {
		return this.expected.some((pattern) => pattern.test(answer.url()));
	}

	async api(path, options) {
		const answer = await fetch(`${this.root}api/v1/${path}`, options);
		assert.ok(answer.ok, `${path}: ${answer.status} ${answer.ok ? "" : await answer.text()}`);
		return /json/.test(answer.headers.get("content-type") ?? "") ? answer.json() : answer.text();
	}

	async end() {
		await this.browser?.close();
		if (this.server && this.server.exitCode === null) {
			const gone = new Promise((done) => this.server.once("exit", done));
			this.server.removeAllListeners("exit");
			this.server.once("exit", () => undefined);
			this.server.kill("SIGINT");
			await Promise.race([gone, new Promise((done) => setTimeout(done, 5000))]);
		}
		rmSync(this.folder, { recursive: true, force: true });
	}
}

function inTime(work) {
	let timer;
	const late = new Promise((_, fail) => {
		timer = setTimeout(() => fail(new Error(`it takes longer than ${CASE_MS} ms`)), CASE_MS);
	});
	return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Runs the cases in sequence; each has its own pages and must not log an error. */
export async function runCases(world, cases) {
	const only = optionOf("only", "");
	let failed = 0, number = 0;
	for (const [name, run] of Object.entries(cases)) {
		if (!name.includes(only)) continue;
		number++;
		world.faults = [];
		world.strangers = [];
		world.expected = [/\/at\?/];
		const started = Date.now();
		try {
			await inTime(run());
			assert.deepEqual(world.faults, [], "the pages had faults");
			assert.deepEqual(world.strangers, [], "a request left the machine");
			console.log(`ok ${number} - ${name} (${Date.now() - started} ms)`);
		} catch (failure) {
			failed++;
			await keepPictures(world, name);
			console.log(`not ok ${number} - ${name}\n${String(failure.stack ?? failure)
				.split("\n").slice(0, 24).join("\n").replace(/^/gm, "# ")}`);
			for (const fault of world.faults) console.log(`# fault: ${fault}`);
		}
		for (const context of world.browser.contexts()) await context.close();
	}
	console.log(`1..${number}`);
	await world.end();
	process.exit(failed ? 1 : 0);
}

/** Saves screenshots of a failed case if NEURON_EXPLORER_PICTURES=DIR is set. */
async function keepPictures(world, name) {
	const folder = process.env["NEURON_EXPLORER_PICTURES"];
	if (!folder) return;
	let number = 0;
	for (const context of world.browser.contexts())
		for (const page of context.pages())
			await page.screenshot({
				path: join(folder, `${basename(process.argv[1], ".mjs")}-${name.replace(/\W+/g, "-")}-${number++}.png`),
			}).catch(() => undefined);
}

/** Runs an area, or skips it with a message if something is missing. */
export async function begin(prepare, kind = "chromium") {
	const world = new World();
	// Stopping the test also stops its processes.
	for (const signal of ["SIGTERM", "SIGINT"])
		process.once(signal, () => {
			setTimeout(() => process.exit(1), STEP_MS).unref();
			void world.end().finally(() => process.exit(1));
		});
	try {
		await world.launch(kind);
		await prepare(world);
	} catch (failure) {
		console.log(`not ok 1 - the area can be prepared\n# ${failure.stack}\n1..1`);
		await world.end();
		process.exit(1);
	}
	return world;
}

/** Polls until the condition holds. */
export async function until(what, holds, withinMs = 30_000) {
	const end = Date.now() + withinMs;
	let last;
	for (;;) {
		try {
			last = await holds();
			if (last) return last;
		} catch (failure) {
			last = failure;
		}
		if (Date.now() > end) throw new Error(`${what}: not within ${withinMs} ms (last: ${last})`);
		await new Promise((done) => setTimeout(done, 50));
	}
}

export const filesIn = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true })
	.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
