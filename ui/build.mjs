// SPDX-License-Identifier: Apache-2.0
// Bundles src/main.tsx and its styles into a few files whose names contain a hash, so that browsers
// can cache them for ever, and index.html.
//
//	node build.mjs --out DIR [--modules DIR] [--depfile FILE --target NAME] [--watch]
//
// The packages may be anywhere (--modules), so that a build does not change the source tree.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const SOURCE = dirname(fileURLToPath(import.meta.url));
const BUDGET_BYTES = 400 * 1024; // of all files, compressed
const DEEPEST_PAGE = 3;

function optionOf(name, otherwise) {
	const at = process.argv.indexOf(`--${name}`);
	return at < 0 ? otherwise : process.argv[at + 1];
}

const out = resolve(optionOf("out", join(SOURCE, "dist")));
const modules = resolve(optionOf("modules", join(SOURCE, "node_modules")));
const esbuild = createRequire(join(modules, "here.js"))("esbuild");

const settings = {
	absWorkingDir: SOURCE,
	entryPoints: ["src/main.tsx"],
	outdir: out,
	nodePaths: [modules],
	bundle: true,
	splitting: true,
	format: "esm",
	target: "es2022",
	minify: !process.argv.includes("--watch"),
	sourcemap: process.argv.includes("--watch") ? "inline" : false,
	jsx: "automatic",
	jsxImportSource: "preact",
	entryNames: "[name]-[hash]",
	chunkNames: "[name]-[hash]",
	assetNames: "[name]-[hash]",
	loader: { ".svg": "file", ".woff2": "file", ".neff": "file", ".ntff": "file", ".nasm": "file" },
	legalComments: "none", // the notices are in licences.txt
	metafile: true,
	logLevel: "warning",
};

/** The licences of the bundled packages. */
function licenceNotices(inputs) {
	const packages = new Set();
	for (const path of Object.keys(inputs)) {
		const after = path.split("node_modules/").pop();
		if (after !== path) packages.add(after.split("/").slice(0, after.startsWith("@") ? 2 : 1).join("/"));
	}
	return [...packages].sort().map((name) => {
		const folder = join(modules, name);
		const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
		const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
		return `${name} ${version}\n\n${file ? readFileSync(join(folder, file), "utf8").trim() : ""}\n`;
	}).join(`\n${"-".repeat(72)}\n\n`);
}

function writePage(metafile) {
	const entry = Object.entries(metafile.outputs).find(([, o]) => o.entryPoint === "src/main.tsx");
	const [script, { cssBundle }] = entry;
	const icon = readFileSync(join(SOURCE, "icon.svg"));
	const iconName = `icon-${createHash("sha256").update(icon).digest("hex").slice(0, 8)}.svg`;
	const page = readFileSync(join(SOURCE, "index.html"), "utf8")
		.replaceAll("{script}", basename(script))
		.replaceAll("{style}", basename(cssBundle ?? ""))
		.replaceAll("{icon}", iconName);
	writeFileSync(join(out, iconName), icon);
	// All URLs are relative, so that any prefix of a proxy works. A page must therefore know its depth:
	// the server sends index.1.html for /profile/x.
	for (let depth = 0; depth <= DEEPEST_PAGE; depth++) {
		const base = depth ? "../".repeat(depth) : "./";
		writeFileSync(join(out, depth ? `index.${depth}.html` : "index.html"),
			page.replaceAll("{base}", base));
	}
	writeFileSync(join(out, "licences.txt"), licenceNotices(metafile.inputs));
}

function writeDepfile(metafile) {
	const file = optionOf("depfile");
	if (!file) return;
	const own = ["index.html", "icon.svg", "build.mjs", "package.json", "package-lock.json"];
	const inputs = [...Object.keys(metafile.inputs), ...own]
		.filter((path) => !path.includes("node_modules/"))
		.map((path) => resolve(SOURCE, path).replaceAll(" ", "\\ "));
	writeFileSync(file, `${optionOf("target")}: ${inputs.join(" \\\n  ")}\n`);
}

function reportSize() {
	const sizes = readdirSync(out).map((name) => {
		const bytes = readFileSync(join(out, name));
		return [name, bytes.length, gzipSync(bytes, { level: 9 }).length];
	});
	const total = sizes.reduce((sum, [, , packed]) => sum + packed, 0);
	for (const [name, plain, packed] of sizes.sort((a, b) => b[2] - a[2]))
		console.log(`${name.padEnd(28)} ${String(plain).padStart(8)} ${String(packed).padStart(8)}`);
	console.log(`${"all pages, gzip".padEnd(28)} ${" ".repeat(8)} ${String(total).padStart(8)} bytes`);
	if (total > BUDGET_BYTES) {
		console.error(`The pages take ${total} bytes compressed; the limit is ${BUDGET_BYTES}.`);
		process.exitCode = 1;
	}
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
if (process.argv.includes("--watch")) {
	const plugin = {
		name: "page",
		setup: (build) => build.onEnd((result) => {
			if (!result.errors.length) {
				writePage(result.metafile);
				console.log(`built ${relative(process.cwd(), out)} at ${new Date().toLocaleTimeString()}`);
			}
		}),
	};
	await (await esbuild.context({ ...settings, plugins: [plugin] })).watch();
} else {
	try {
		const { metafile } = await esbuild.build(settings);
		writePage(metafile);
		writeDepfile(metafile);
		reportSize();
	} catch {
		process.exitCode = 1; // esbuild has said what is wrong
	}
}
