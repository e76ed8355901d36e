// SPDX-License-Identifier: Apache-2.0
// Dark or light theme: follows the system until the user chooses one.

import { createStore } from "../store.ts";
import { forget, recall, remember } from "../state/remember.ts";

export type Theme = "dark" | "light";

const light = globalThis.matchMedia?.("(prefers-color-scheme: light)");
const systemTheme = (): Theme => (light?.matches ? "light" : "dark");
const chosenTheme = (): Theme | null => recall<Theme>("theme", (v) => v === "dark" ||
	v === "light");

export const theme = createStore<Theme>(chosenTheme() ?? systemTheme());

function show(now: Theme): void {
	document.documentElement.dataset.theme = now;
}

export function startTheme(): void {
	show(theme.get());
	theme.watch(show);
	light?.addEventListener("change", () => {
		if (!chosenTheme()) theme.set(systemTheme());
	});
}

export function toggleTheme(): void {
	const next = theme.get() === "dark" ? "light" : "dark";
	// Choosing the system's theme means following the system again.
	if (next === systemTheme()) forget("theme");
	else remember("theme", next);
	theme.set(next);
}
