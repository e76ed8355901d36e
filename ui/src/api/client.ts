// SPDX-License-Identifier: Apache-2.0
// The HTTP API, one function per resource of docs/api.md. URLs are relative to the page's base, so
// the pages work behind any forwarded port and path. A failure is an ApiError with the server's
// message.

import type {
	At, Cell, Colours, Dependencies, EventDetails, Insights, Names, ProfileDetails, Profiles, Ranks,
	SearchPage, SqlAnswer, Statistics, TablePage, Tracks, Jobs, TaskId, Tasks,
} from "./types.ts";
import type { EventRef, SearchQuery } from "../contract.ts";

/** Messages of the server start with a lower-case letter; names of files stay as they are. */
const asSentence = (text: string) => text.replace(/^[a-z]+(?= )/, (word) =>
	word.charAt(0).toUpperCase() + word.slice(1));

export class ApiError extends Error {
	constructor(readonly status: number, sentence: string) {
		super(asSentence(sentence));
	}
}

export type Parameters = Record<string, string | number | string[] | undefined>;

export interface TableQuery {
	columns?: string[];
	offset?: number;
	limit?: number;
	order?: string; // "start_ts", "-duration"
	where?: string[];
}

function queryText(parameters: Parameters): string {
	const parts: string[] = [];
	for (const [key, value] of Object.entries(parameters)) {
		if (value === undefined) continue;
		for (const one of Array.isArray(value) ? value : [value])
			parts.push(`${key}=${encodeURIComponent(String(one))}`);
	}
	return parts.length ? `?${parts.join("&")}` : "";
}

export class Api {
	constructor(private readonly base: string) {}

	url(path: string, parameters: Parameters = {}): string {
		return `${this.base}api/v1/${path}${queryText(parameters)}`;
	}

	async request(path: string, parameters: Parameters = {},
		init: RequestInit = {}): Promise<Response> {
		let response: Response;
		try {
			response = await fetch(this.url(path, parameters), init);
		} catch (failure) {
			if ((failure as Error).name === "AbortError") throw failure;
			throw new ApiError(0, "The server does not respond. Check that `neuron-explorer view` is " +
				"still running and that the port of this page is forwarded.");
		}
		if (response.ok) return response;
		throw new ApiError(response.status, await sentenceOf(response));
	}

	private async json<T>(path: string, parameters: Parameters = {},
		signal?: AbortSignal): Promise<T> {
		const response = await this.request(path, parameters, signal ? { signal } : {});
		return (await response.json()) as T;
	}

	async send<T>(method: string, path: string, body?: unknown): Promise<T> {
		const init: RequestInit = { method };
		if (body !== undefined) {
			init.body = JSON.stringify(body);
			init.headers = { "Content-Type": "application/json" };
		}
		const response = await this.request(path, {}, init);
		const text = await response.text();
		return (text ? JSON.parse(text) : undefined) as T;
	}

	profiles = (signal?: AbortSignal) => this.json<Profiles>("profiles", {}, signal);
	profile = (name: string, signal?: AbortSignal) =>
		this.json<ProfileDetails>(`profiles/${encodeURIComponent(name)}`, {}, signal);
	ranks = (name: string, signal?: AbortSignal) =>
		this.json<Ranks>(`profiles/${encodeURIComponent(name)}/ranks`, {}, signal);
	changeProfile = (name: string, change: { name?: string; favourite?: boolean; folder?: string }) =>
		this.send<void>("PATCH", `profiles/${encodeURIComponent(name)}`, change);
	deleteProfile = (name: string) =>
		this.send<void>("DELETE", `profiles/${encodeURIComponent(name)}`);

	jobs = (signal?: AbortSignal) => this.json<Jobs>("jobs", {}, signal);
	tasks = () => this.json<Tasks>("tasks");
	capture = (wish: { addresses: string[]; job: string; duration_ms: number; host_level: number;
		device_level: number; python_level: number }) =>
		this.send<TaskId>("POST", "captures", wish);
	fetchProfile = (name: string) =>
		this.send<TaskId>("POST", `profiles/${encodeURIComponent(name)}/fetch`);
	cancelTask = (id: number) => this.send<void>("DELETE", `tasks/${id}`);

	of(profile: string): ProfileApi {
		return new ProfileApi(this, `profiles/${encodeURIComponent(profile)}`);
	}

	layouts = () => this.json<{ layouts: string[] }>("layouts");
	layout = <T>(name: string) => this.json<T>(`layouts/${encodeURIComponent(name)}`);
	saveLayout = (name: string, body: unknown) =>
		this.send<void>("PUT", `layouts/${encodeURIComponent(name)}`, body);
	deleteLayout = (name: string) => this.send<void>("DELETE", `layouts/${encodeURIComponent(name)}`);
}

export class ProfileApi {
	constructor(private readonly api: Api, private readonly path: string) {}

	private async json<T>(path: string, parameters: Parameters = {},
		signal?: AbortSignal): Promise<T> {
		const response = await this.api.request(`${this.path}${path}`, parameters,
			signal ? { signal } : {});
		return (await response.json()) as T;
	}

	tracks = (signal?: AbortSignal) => this.json<Tracks>("/tracks", {}, signal);

	async names(ids: number[], signal?: AbortSignal): Promise<string[]> {
		if (!ids.length) return [];
		return (await this.json<Names>("/names", { ids: ids.join(",") }, signal)).names;
	}

	/** A timeline tile; src/timeline/tile.ts decodes it. */
	async window(from: bigint, to: bigint, px: number, tracks: string[], colour?: string,
		signal?: AbortSignal): Promise<ArrayBuffer> {
		const response = await this.api.request(`${this.path}/window`, {
			from: String(from), to: String(to), px, tracks: tracks.join(","), colour,
		}, signal ? { signal } : {});
		return response.arrayBuffer();
	}

	async marks(query: SearchQuery, from: bigint, to: bigint, px: number,
		signal?: AbortSignal): Promise<ArrayBuffer> {
		const response = await this.api.request(`${this.path}/search/marks`, {
			...searchParameters(query), from: String(from), to: String(to), px,
		}, signal ? { signal } : {});
		return response.arrayBuffer();
	}

	colours = (table: string, column: string, signal?: AbortSignal) =>
		this.json<Colours>("/colours", { table, column }, signal);
	at = (parameters: Parameters, signal?: AbortSignal) => this.json<At>("/at", parameters, signal);

	table = (name: string, query: TableQuery = {}, signal?: AbortSignal) =>
		this.json<TablePage>(`/tables/${name}`, {
			columns: query.columns?.join(","), offset: query.offset, limit: query.limit,
			order: query.order, where: query.where,
		}, signal);
	event = (event: EventRef, signal?: AbortSignal) =>
		this.json<EventDetails>(`/tables/${event.table}/rows/${event.row}`, {}, signal);
	dependencies = (event: EventRef, signal?: AbortSignal) =>
		this.json<Dependencies>(`/tables/${event.table}/rows/${event.row}/dependencies`, {}, signal);

	search = (query: SearchQuery, part: Parameters = {}, signal?: AbortSignal) =>
		this.json<SearchPage>("/search", { ...searchParameters(query), ...part }, signal);
	statistics = (from: bigint, to: bigint, tracks: number[] | null, signal?: AbortSignal) =>
		this.json<Statistics>("/statistics", {
			from: String(from), to: String(to), tracks: tracks?.join(","),
		}, signal);

	async sql(sql: string, limit = 1000, signal?: AbortSignal): Promise<SqlAnswer> {
		const response = await this.api.request(`${this.path}/sql`, {}, {
			method: "POST", body: JSON.stringify({ sql, limit }),
			headers: { "Content-Type": "application/json" }, ...(signal ? { signal } : {}),
		});
		return (await response.json()) as SqlAnswer;
	}

	/** The rows of a named query (docs/api.md). */
	query = (name: string, parameters: Parameters = {}, limit = 10_000, signal?: AbortSignal) =>
		this.json<SqlAnswer>(`/queries/${name}`, { ...parameters, limit }, signal);
	/** How often each value of a column occurs: value, count, count_frac, total_ns, ... */
	values = (table: string, column: string, parameters: Parameters = {}, signal?: AbortSignal) =>
		this.json<SqlAnswer>(`/tables/${table}/values`, { column, ...parameters }, signal);

	csvUrl = (table: string, from: bigint, to: bigint) =>
		this.api.url(`${this.path}/csv`, { table, from: String(from), to: String(to) });
	insights = (signal?: AbortSignal) => this.json<Insights>("/insights", {}, signal);

	annotationSets = () => this.json<{ sets: string[] }>("/annotations");
	annotations = <T>(set: string) => this.json<T>(`/annotations/${encodeURIComponent(set)}`);
	saveAnnotations = (set: string, body: unknown) =>
		this.api.send<void>("PUT", `${this.path}/annotations/${encodeURIComponent(set)}`, body);
	deleteAnnotations = (set: string) =>
		this.api.send<void>("DELETE", `${this.path}/annotations/${encodeURIComponent(set)}`);

	sourceFiles = () => this.json<{ files: { path: string; size_bytes: string }[] }>("/source");
	async sourceText(path: string, signal?: AbortSignal): Promise<string> {
		const parts = path.split("/").map(encodeURIComponent).join("/");
		const response = await this.api.request(`${this.path}/source/${parts}`, {},
			signal ? { signal } : {});
		return response.text();
	}
}

function searchParameters(query: SearchQuery): Parameters {
	return {
		table: query.table || undefined,
		where: query.where,
		text: query.text || undefined,
	};
}

async function sentenceOf(response: Response): Promise<string> {
	try {
		const problem = (await response.json()) as { detail?: string };
		if (problem.detail) return problem.detail;
	} catch {
		// Not JSON: a proxy's error page.
	}
	return `The server responded with ${response.status} ${response.statusText}.`;
}

/** A cell as a number; 64-bit integers in strings may lose their last digits. */
export function numberOf(cell: Cell | undefined): number {
	return typeof cell === "number" ? cell : typeof cell === "string" ? Number(cell) : NaN;
}
