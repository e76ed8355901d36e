// SPDX-License-Identifier: Apache-2.0
// The divider between two parts of a split: drag it, use the arrow keys, or double-click to give
// both parts the same size.

import type { Gutter as GutterPlace } from "./geometry.ts";

const KEY_STEP = 0.02;

export function Gutter({ place, onMove, onHalve }: {
	place: GutterPlace;
	/** By a fraction of the split's length. */
	onMove: (by: number) => void;
	onHalve: () => void;
}) {
	const isRow = place.direction === "row";
	const { rect } = place;
	const onKeyDown = (event: KeyboardEvent) => {
		const less = isRow ? "ArrowLeft" : "ArrowUp";
		const more = isRow ? "ArrowRight" : "ArrowDown";
		const steps = event.shiftKey ? 5 : 1;
		if (event.key === less) onMove(-KEY_STEP * steps);
		else if (event.key === more) onMove(KEY_STEP * steps);
		else if (event.key === "Home") onMove(-1);
		else if (event.key === "End") onMove(1);
		else if (event.key === "Enter") onHalve();
		else return;
		event.preventDefault();
		event.stopPropagation();
	};
	const onPointerDown = (event: PointerEvent) => {
		if (event.button) return;
		const bar = event.currentTarget as HTMLElement;
		let at = isRow ? event.clientX : event.clientY;
		bar.setPointerCapture(event.pointerId);
		const move = (moved: PointerEvent) => {
			const now = isRow ? moved.clientX : moved.clientY;
			if (now === at) return;
			onMove((now - at) / Math.max(1, place.lengthPx));
			at = now;
		};
		const end = () => {
			bar.removeEventListener("pointermove", move);
			bar.removeEventListener("pointerup", end);
			bar.removeEventListener("pointercancel", end);
		};
		bar.addEventListener("pointermove", move);
		bar.addEventListener("pointerup", end);
		bar.addEventListener("pointercancel", end);
	};
	return (
		<div class={`dock-gutter is-${place.direction}`} role="separator" tabIndex={0}
			aria-orientation={isRow ? "vertical" : "horizontal"} aria-label="Resize panels"
			aria-valuenow={Math.round(place.share * 100)} aria-valuemin={0} aria-valuemax={100}
			style={{ left: `${rect.x}px`, top: `${rect.y}px`, width: `${rect.width}px`,
				height: `${rect.height}px` }}
			onPointerDown={onPointerDown} onKeyDown={onKeyDown} onDblClick={onHalve} />
	);
}
