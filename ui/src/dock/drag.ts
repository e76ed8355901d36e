// SPDX-License-Identifier: Apache-2.0
// Dragging a tab. A drag starts after a few pixels of movement; Escape cancels it.

interface TabDrag {
	onMove(x: number, y: number): void;
	onDrop(x: number, y: number): void;
	onCancel(): void;
}

const BEGIN_PX = 5;

export function startTabDrag(down: PointerEvent, drag: TabDrag): void {
	const tab = down.currentTarget as HTMLElement;
	let isDragging = false;
	const end = () => {
		removeEventListener("pointermove", move);
		removeEventListener("pointerup", up);
		removeEventListener("pointercancel", cancel);
		removeEventListener("keydown", key, true);
		document.body.classList.remove("dock-is-dragging");
	};
	const move = (event: PointerEvent) => {
		if (!isDragging && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) <
			BEGIN_PX)
			return;
		if (!isDragging) {
			isDragging = true;
			tab.setPointerCapture(down.pointerId);
			document.body.classList.add("dock-is-dragging");
		}
		drag.onMove(event.clientX, event.clientY);
	};
	const up = (event: PointerEvent) => {
		end();
		if (isDragging) drag.onDrop(event.clientX, event.clientY);
	};
	const cancel = () => {
		end();
		drag.onCancel();
	};
	const key = (event: KeyboardEvent) => {
		if (event.key !== "Escape" || !isDragging) return;
		event.stopPropagation();
		cancel();
	};
	// On the window, because a fast pointer leaves the tab before the drag starts.
	addEventListener("pointermove", move);
	addEventListener("pointerup", up);
	addEventListener("pointercancel", cancel);
	addEventListener("keydown", key, true);
}
