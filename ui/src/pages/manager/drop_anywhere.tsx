// SPDX-License-Identifier: Apache-2.0
// Accepts files dropped anywhere on the page.

import { useEffect, useState } from "preact/hooks";
import { notify } from "../../shell/toasts.tsx";
import { filesOfDrop } from "../../upload/entries.ts";
import type { Chosen } from "../../upload/plan.ts";

const hasFiles = (event: DragEvent) => !!event.dataTransfer?.types.includes("Files");

export function DropAnywhere({ onFiles }: { onFiles: (files: Chosen[]) => void }) {
	const [isOver, setOver] = useState(false);
	useEffect(() => {
		// Entering a child also leaves its parent, so count both to know when the pointer is outside.
		let depth = 0;
		const change = (by: number) => (event: DragEvent) => {
			if (!hasFiles(event)) return;
			depth = Math.max(0, depth + by);
			setOver(depth > 0);
		};
		const enter = change(1);
		const leave = change(-1);
		const over = (event: DragEvent) => {
			if (hasFiles(event)) event.preventDefault();
		};
		const end = () => {
			depth = 0;
			setOver(false);
		};
		const drop = (event: DragEvent) => {
			end();
			if (event.defaultPrevented || !hasFiles(event) || !event.dataTransfer) return;
			event.preventDefault();
			filesOfDrop(event.dataTransfer).then(onFiles, (failure: Error) =>
				notify(failure.message, "error"));
		};
		addEventListener("dragenter", enter);
		addEventListener("dragleave", leave);
		addEventListener("dragover", over);
		addEventListener("drop", drop);
		addEventListener("drop", end, true); // even if a DropZone handles it
		return () => {
			removeEventListener("dragenter", enter);
			removeEventListener("dragleave", leave);
			removeEventListener("dragover", over);
			removeEventListener("drop", drop);
			removeEventListener("drop", end, true);
		};
	}, [onFiles]);
	if (!isOver || document.querySelector("dialog[open]")) return null;
	return <div class="up-veil">Drop NEFF and NTFF files, or a capture folder</div>;
}
