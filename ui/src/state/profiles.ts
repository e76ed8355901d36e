// SPDX-License-Identifier: Apache-2.0
// Keeps the list of profiles in sync with the server: by its events, or by polling while no events
// arrive (some proxies buffer them).

import { Api, ApiError } from "../api/client.ts";
import type { Profile, Task } from "../api/types.ts";
import { createStore } from "../store.ts";

interface ProfileList {
	profiles: Profile[];
	isLoaded: boolean;
	failure: string | null;
}

interface Progress {
	name: string;
	stage: string | null;
	fraction: number | null;
}

const POLL_MS = 4000;

/** The list with the progress of one profile updated. */
export function withProgress(profiles: Profile[], progress: Progress): Profile[] {
	const at = profiles.findIndex((profile) => profile.name === progress.name);
	const found = profiles[at];
	if (!found) return profiles;
	const next = [...profiles];
	next[at] = { ...found, state: found.state === "ready" ? "ready" : "processing",
		stage: progress.stage, fraction: progress.fraction };
	return next;
}

/** Profiles whose processing ended between two versions of the list. */
export function finished(before: Profile[], now: Profile[]): Profile[] {
	const busy = new Set(before.filter((p) => p.state === "processing").map((p) => p.name));
	return now.filter((p) => busy.has(p.name) && p.state !== "processing" && p.state !== "uploading");
}

export class ProfileWatch {
	readonly list = createStore<ProfileList>({ profiles: [], isLoaded: false, failure: null });
	readonly tasks = createStore<Task[]>([]); // newest first; only those of events until asked for
	private asking: Promise<void> | null = null;
	private isStale = false;
	private pollTimer: ReturnType<typeof setInterval> | undefined;
	private events: EventSource | undefined;

	constructor(private readonly api: Api) {}

	/** Requests the list. Calls during a request cause only one more request. */
	refresh = (): Promise<void> => {
		if (this.asking) {
			this.isStale = true;
			return this.asking;
		}
		this.asking = this.ask().finally(() => {
			this.asking = null;
			if (this.isStale) {
				this.isStale = false;
				void this.refresh();
			}
		});
		return this.asking;
	};

	private async ask(): Promise<void> {
		try {
			const { profiles } = await this.api.profiles();
			this.list.set({ profiles, isLoaded: true, failure: null });
		} catch (failure) {
			const sentence = failure instanceof ApiError ? failure.message : String(failure);
			this.list.update((now) => ({ ...now, failure: sentence }));
		}
	}

	async refreshTasks(): Promise<void> {
		try {
			this.tasks.set((await this.api.tasks()).tasks);
		} catch {
			// The next one may succeed; the list of profiles shows that the server is gone.
		}
	}

	start(): void {
		void this.refresh();
		this.events = new EventSource(this.api.url("events"));
		this.events.addEventListener("open", () => {
			this.poll(false);
			void this.refresh();
		});
		this.events.addEventListener("error", () => this.poll(true));
		this.events.addEventListener("profiles", () => void this.refresh());
		this.events.addEventListener("task", (event) => {
			const task = JSON.parse((event as MessageEvent<string>).data) as Task;
			this.tasks.update((now) => [task, ...now.filter((one) => one.id !== task.id)]
				.sort((a, b) => b.id - a.id));
		});
		this.events.addEventListener("processing", (event) => {
			const progress = JSON.parse((event as MessageEvent<string>).data) as Progress;
			this.list.update((now) => ({ ...now, profiles: withProgress(now.profiles, progress) }));
		});
	}

	private poll(isOn: boolean): void {
		clearInterval(this.pollTimer);
		this.pollTimer = isOn ? setInterval(() => {
			if (!document.hidden) void this.refresh();
			// After a response they do not understand, browsers do not reconnect by themselves.
			if (this.events?.readyState === EventSource.CLOSED) {
				this.poll(false);
				this.start();
			}
		}, POLL_MS) : undefined;
	}
}
