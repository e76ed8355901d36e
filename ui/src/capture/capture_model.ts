// SPDX-License-Identifier: Apache-2.0
// What to capture of a running job, and how far a capture is.

import type { Jobs, Task } from "../api/types.ts";

export const MOST_SECONDS = 600;
export const MOST_HOSTS = 256;

export interface Target {
	address: string;
	note: string; // the program, if it is known
	isLocked: boolean; // needs a token, which the server has to know
}

export interface TargetGroup {
	title: string;
	job: string; // names the run
	targets: Target[];
	failure: string;
}

/** Programs on this machine first, then the jobs of the workspace. */
export function groupsOf(jobs: Jobs): TargetGroup[] {
	const local = jobs.local.map((one) => ({ address: one.address, isLocked: one.needs_token,
		note: `${one.command} (pid ${one.pid})` }));
	return [
		...(local.length ? [{ title: "This machine", job: "local", targets: local, failure: "" }] : []),
		...jobs.jobs.map((one) => ({ title: one.name, job: one.name, failure: one.failure,
			targets: one.addresses.map((address) => ({ address, note: "", isLocked: false })) })),
	];
}

/** "a:1, b:2" or one address per line. */
export const typedAddresses = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

const ADDRESS = /^(\[[0-9a-fA-F:.%]+\]|[A-Za-z0-9._][A-Za-z0-9._-]*):(\d{1,5})$/;

export function isAddress(text: string): boolean {
	const port = Number(ADDRESS.exec(text)?.[2] ?? 0);
	return port > 0 && port < 65536;
}

/** Why a capture cannot start, or null. */
export function captureFault(addresses: string[], seconds: number): string | null {
	const wrong = addresses.find((one) => !isAddress(one));
	if (wrong) return `${wrong} is not an address; write host:port.`;
	if (!addresses.length) return "Choose a program or type an address.";
	if (addresses.length > MOST_HOSTS) return `At most ${MOST_HOSTS} hosts can be captured at once.`;
	if (!(seconds >= 0.001 && seconds <= MOST_SECONDS))
		return `Record for up to ${MOST_SECONDS} seconds.`;
	return null;
}

/** The run is named after the only job that was chosen. */
export function jobOf(groups: TargetGroup[], chosen: ReadonlySet<string>): string {
	const jobs = groups.filter((group) => group.targets.some((one) => chosen.has(one.address)));
	return jobs.length === 1 ? jobs[0]!.job : "capture";
}

export const isOver = (task: Task): boolean => task.state === "ready" || task.state === "failed" ||
	task.state === "cancelled";

/** "Recording, 2 of 3 hosts done". */
export function taskText(task: Task): string {
	switch (task.state) {
	case "waiting": return "Waiting for other tasks";
	case "recording": {
		const done = task.hosts.filter((host) => host.stage === "done").length;
		return task.hosts.length > 1 && done ? `Recording, ${done} of ${task.hosts.length} hosts done`
			: "Recording";
	}
	case "processing": return task.kind === "fetch" ? "Fetching" : "Processing";
	case "ready": return "Ready";
	case "failed": return task.message || "Failed";
	case "cancelled": return "Cancelled";
	}
}
