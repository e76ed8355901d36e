// SPDX-License-Identifier: Apache-2.0
// Sends the requests of an upload. Chunks use XMLHttpRequest, because fetch does not report upload
// progress.

import { ApiError, type Api } from "../api/client.ts";
import type { Planned } from "./plan.ts";
import { WireError, type Wire } from "./transfer.ts";

interface FileStates {
	files: { index: number; received: string }[];
}

const STALLED_MS = 60_000;

const receivedOf = ({ files }: FileStates): number[] =>
	[...files].sort((a, b) => a.index - b.index).map((file) => Number(file.received));

async function asWire<T>(asking: Promise<T>): Promise<T> {
	try {
		return await asking;
	} catch (failure) {
		throw failure instanceof ApiError ? new WireError(failure.status, failure.message) : failure;
	}
}

function put(url: string, piece: Blob, onProgress: (bytes: number) => void,
	signal: AbortSignal): Promise<number> {
	return new Promise((resolve, reject) => {
		const request = new XMLHttpRequest();
		const gone = () => reject(new WireError(0, "The connection to the server was lost; retrying."));
		let watchdog = setTimeout(() => request.abort(), STALLED_MS);
		const abort = () => request.abort();
		request.open("PUT", url);
		request.responseType = "json";
		request.setRequestHeader("Content-Type", "application/octet-stream");
		request.upload.onprogress = (event) => {
			clearTimeout(watchdog);
			watchdog = setTimeout(() => request.abort(), STALLED_MS);
			onProgress(event.loaded);
		};
		request.onload = () => {
			const answer = request.response as { received?: string; detail?: string } | null;
			const received = answer?.received === undefined ? null : Number(answer.received);
			if (request.status >= 200 && request.status < 300 && received !== null)
				resolve(received);
			else reject(new WireError(request.status, answer?.detail ??
				`The server rejected a part of the upload with status ${request.status}.`, received));
		};
		request.onerror = gone;
		request.onabort = gone;
		request.onloadend = () => {
			clearTimeout(watchdog);
			signal.removeEventListener("abort", abort);
		};
		signal.addEventListener("abort", abort);
		if (signal.aborted) gone();
		else request.send(piece);
	});
}

export function browserWire(api: Api, options: { name: string; folder: string; isForce: boolean }):
	Wire {
	return {
		async create(files: Planned[]) {
			const answer = await asWire(api.send<FileStates & { id: string }>("POST", "uploads", {
				name: options.name,
				folder: options.folder,
				force: options.isForce,
				files: files.map(({ path, role, file }) => ({ path, role, size_bytes: String(file.size) })),
			}));
			return { id: answer.id, received: receivedOf(answer) };
		},
		send: (id, index, offset, piece, onProgress, signal) =>
			put(api.url(`uploads/${id}/files/${index}`, { offset }), piece, onProgress, signal),
		async received(id, signal) {
			const response = await asWire(api.request(`uploads/${id}`, {}, { signal }));
			return receivedOf((await response.json()) as FileStates);
		},
		finish: (id) => asWire(api.send<void>("POST", `uploads/${id}/finish`)),
		giveUp: (id) => asWire(api.send<void>("DELETE", `uploads/${id}`)),
		wait: (ms, signal) => new Promise((resolve, reject) => {
			const timer = setTimeout(resolve, ms);
			signal.addEventListener("abort", () => {
				clearTimeout(timer);
				reject(new Error("stopped"));
			});
		}),
		now: () => performance.now(),
	};
}
