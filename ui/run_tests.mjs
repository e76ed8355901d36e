// SPDX-License-Identifier: Apache-2.0
// Tests of the pages that need no browser.
//
//	node run_tests.mjs unit|types|lint [--modules DIR] [--out DIR] [part of a test file's name]
//
// unit bundles tests/*.test.ts and runs them with node's test runner; types runs the type checker; lint
// runs oxlint and finds lines of more than 100 columns.

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = dirname(fileURLToPath(import.meta.url));
const COLUMNS_MAX = 100;

function optionOf(name, otherwise) {
	const at = process.argv.indexOf(`--${name}`);
	return at < 0 ? otherwise : process.argv.splice(at, 2)[1];
}

const modules = resolve(optionOf("modules", join(SOURCE, "node_modules")));
const out = resolve(optionOf("out", join(modules, ".cache", "neuron-explorer")));
const [kind, part = ""] = process.argv.slice(2);
const require = createRequire(join(modules, "here.js"));

function run(args) {
	return spawnSync(process.execPath, args, { stdio: "inherit", cwd: SOURCE }).status ?? 1;
}

/** The compiler looks for packages next to the sources; ours may be in the build folder. */
function checkTypes() {
	mkdirSync(out, { recursive: true });
	const project = join(out, "tsconfig.json");
	const at = (path) => relative(out, join(SOURCE, path));
	writeFileSync(project, JSON.stringify({
		extends: join(SOURCE, "tsconfig.json"),
		compilerOptions: { paths: { "*": [`${relative(out, modules)}/*`] }, baseUrl: "." },
		include: [at("src"), at("tests")],
	}));
	return run([require.resolve("typescript/bin/tsc"), "-p", project]);
}

/** A tab counts as two columns. */
function longLines() {
	return readdirSync(join(SOURCE, "src"), { recursive: true })
		.filter((name) => /\.tsx?$/.test(name))
		.flatMap((name) => readFileSync(join(SOURCE, "src", name), "utf8").split("\n")
			.flatMap((line, i) => line.replaceAll("\t", "  ").length > COLUMNS_MAX
				? [`src/${name}:${i + 1}: longer than ${COLUMNS_MAX} columns`] : []));
}

function lint() {
	const long = longLines();
	for (const fault of long) console.log(fault);
	const status = run([require.resolve("oxlint/bin/oxlint"), "-c", join(SOURCE, ".oxlintrc.json"),
		"src", "tests"]);
	return status || (long.length ? 1 : 0);
}

async function runUnits() {
	const files = readdirSync(join(SOURCE, "tests"))
		.filter((name) => name.endsWith(".test.ts") && name.includes(part));
	const bundles = join(out, "tests");
	rmSync(bundles, { recursive: true, force: true });
	await require("esbuild").build({
		absWorkingDir: SOURCE,
		entryPoints: files.map((name) => `tests/${name}`),
		outdir: bundles,
		outExtension: { ".js": ".mjs" },
		bundle: true,
		platform: "node",
		format: "esm",
		target: "node18",
		nodePaths: [modules],
		jsx: "automatic",
		jsxImportSource: "preact",
		loader: { ".css": "empty", ".svg": "empty", ".neff": "empty", ".ntff": "empty", ".nasm": "empty" },
		sourcemap: "inline",
		logLevel: "warning",
	});
	return run(["--enable-source-maps", "--test",
		...files.map((name) => join(bundles, name.replace(/ts$/, "mjs")))]);
}

process.exit(kind === "types" ? checkTypes() : kind === "lint" ? lint() : await runUnits());
