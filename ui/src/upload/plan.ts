// SPDX-License-Identifier: Apache-2.0
// The plan of an upload: turns chosen or dropped files into the list that the server expects.

type Role = "neff" | "ntff" | "directory" | "source";
export type Mode = "files" | "directory";

export interface Chosen {
	path: string; // relative, with its folders
	file: Blob;
}

export interface Planned extends Chosen {
	role: Role;
}

export interface Plan {
	mode: Mode;
	neff: Chosen[];
	ntff: Chosen[];
	directory: Chosen[];
	source: Chosen[];
}

export const EMPTY_PLAN: Plan = { mode: "files", neff: [], ntff: [], directory: [], source: [] };

const endsWith = (path: string, ...ends: string[]) =>
	ends.some((end) => path.toLowerCase().endsWith(end));
const isInFolder = (chosen: Chosen) => chosen.path.includes("/");
/** Files of a system capture. */
const isTrace = (chosen: Chosen) =>
	/(^|\/)(ntrace|trace_info|cpu_util|host_mem|spans)\.pb$/.test(chosen.path);

/** Files that nobody means to upload. */
function isJunk(path: string): boolean {
	return /(^|\/)(\.DS_Store|Thumbs\.db|\.git\/|__pycache__\/|node_modules\/)/.test(path);
}

/** Later files replace earlier ones with the same path. */
function joined(before: Chosen[], more: Chosen[]): Chosen[] {
	const paths = new Set(more.map((chosen) => chosen.path));
	return [...before.filter((chosen) => !paths.has(chosen.path)), ...more];
}

/** The plan with dropped files added by their kind. */
export function withDropped(plan: Plan, dropped: Chosen[]): Plan {
	const files = dropped.filter((chosen) => !isJunk(chosen.path));
	const isCapture = files.some((c) => isTrace(c) ||
		(isInFolder(c) && endsWith(c.path, ".ntff", ".neff")));
	if (isCapture) return { ...plan, mode: "directory", directory: joined(plan.directory, files) };
	if (plan.mode === "directory")
		return { ...plan, source: joined(plan.source, files) };
	const next = { ...plan };
	for (const chosen of files) {
		if (endsWith(chosen.path, ".neff")) next.neff = [chosen];
		else if (endsWith(chosen.path, ".ntff")) next.ntff = joined(next.ntff, [chosen]);
		else next.source = joined(next.source, [chosen]);
	}
	return next;
}

export function plannedFiles(plan: Plan): Planned[] {
	const as = (role: Role, chosen: Chosen[]) => chosen.map((one) => ({ ...one, role }));
	return plan.mode === "files"
		? [...as("neff", plan.neff), ...as("ntff", plan.ntff), ...as("source", plan.source)]
		: [...as("directory", plan.directory), ...as("source", plan.source)];
}

export const sizeOf = (files: Chosen[]): number => files.reduce((sum, one) => sum + one.file.size,
	0);

/** What is missing, as a sentence, or null. */
export function planFault(plan: Plan): string | null {
	if (plan.mode === "directory") {
		if (!plan.directory.length) return "Choose the folder a capture was written to.";
		const holdsCapture = plan.directory.some((c) => isTrace(c) || endsWith(c.path, ".ntff"));
		return holdsCapture ? null
			: "This folder contains no capture: neither ntrace.pb nor an .ntff file.";
	}
	if (!plan.neff.length) return "Choose the NEFF, the compiled model.";
	if (!plan.ntff.length) return "Choose the NTFF, the trace of its run.";
	const empty = [...plan.neff, ...plan.ntff].find((chosen) => chosen.file.size === 0);
	return empty ? `${empty.path} is empty.` : null;
}

export function suggestedName(plan: Plan): string {
	const first = plan.mode === "files" ? (plan.ntff[0] ?? plan.neff[0]) : plan.directory[0];
	if (!first) return "";
	const parts = first.path.split("/").filter(Boolean);
	const base = plan.mode === "files" ? parts.at(-1)!.replace(/\.(ntff|neff)$/i, "") : parts[0]!;
	return base.replace(/[^A-Za-z0-9._-]+/g, "_").replace(/^[._]+|_+$/g, "").slice(0, 150);
}
