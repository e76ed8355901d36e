// SPDX-License-Identifier: Apache-2.0
// Short messages in the corner. Notices disappear after a while; errors stay until dismissed.

import { createStore, useStore } from "../store.ts";
import { Icon } from "./icons.tsx";
import "./toasts.css";

interface Toast {
	id: number;
	sentence: string;
	kind: "info" | "error";
	action?: { title: string; run: () => void };
}

const INFO_MS = 6000;
const MOST = 5;
const toasts = createStore<Toast[]>([]);
let lastId = 0;

function dismiss(id: number): void {
	toasts.update((all) => all.filter((toast) => toast.id !== id));
}

export function notify(sentence: string, kind: "info" | "error" = "info",
	action?: Toast["action"]): void {
	const id = ++lastId;
	// A repeated message replaces the previous one.
	toasts.update((all) => [
		...all.filter((toast) => toast.sentence !== sentence).slice(1 - MOST),
		{ id, sentence, kind, ...(action ? { action } : {}) },
	]);
	if (kind === "info") setTimeout(() => dismiss(id), INFO_MS);
}

export function Toasts() {
	const all = useStore(toasts);
	return (
		<div class="toast-area" role="region" aria-label="Notifications" aria-live="polite">
			{all.map((toast) => (
				<div key={toast.id} class={`toast-item is-${toast.kind}`}
					role={toast.kind === "error" ? "alert" : "status"}>
					<Icon name={toast.kind === "error" ? "warning" : "info"} />
					<span class="toast-text">{toast.sentence}</span>
					{toast.action && (
						<button type="button" class="ui-button is-quiet" onClick={() => {
							toast.action?.run();
							dismiss(toast.id);
						}}>{toast.action.title}</button>
					)}
					<button type="button" class="ui-icon-button is-small" aria-label="Dismiss"
						onClick={() => dismiss(toast.id)}><Icon name="close" size={12} /></button>
				</div>
			))}
		</div>
	);
}
