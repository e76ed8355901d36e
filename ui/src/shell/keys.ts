// SPDX-License-Identifier: Apache-2.0
// Keys that work on the whole page, except while the user types or a dialog is open.

function isTyping(target: EventTarget | null): boolean {
	const element = target as HTMLElement | null;
	return !!element?.closest?.("input, textarea, select, [contenteditable=true]");
}

/** By KeyboardEvent.key: "?", "l", "Escape". */
type KeyMap = Record<string, () => void>;

/** Listens until the returned function is called. */
export function listenToKeys(keys: KeyMap): () => void {
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
		if (isTyping(event.target) || document.querySelector("dialog[open], .ui-menu")) return;
		const run = keys[event.key];
		if (!run) return;
		event.preventDefault();
		run();
	};
	addEventListener("keydown", onKeyDown);
	return () => removeEventListener("keydown", onKeyDown);
}
