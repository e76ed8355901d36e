// SPDX-License-Identifier: Apache-2.0
// The framework's modules over time, one row per depth, in sync with the timeline. A click zooms, a
// right click or H highlights, arrow keys walk the tree.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { formatFraction, formatNs } from "../../format.ts";
import { useStore } from "../../store.ts";
import { num } from "../parts/data.ts";
import { colourOf, cssColour, prepareCanvas, useSize } from "../parts/canvas.ts";
import { Button, Empty, Loaded, Panel, ShowAll } from "../parts/parts.tsx";
import { chosenNode, toggleHighlight, treeOf, zoomToNode } from "./tree_data.ts";
import { allNodes, icicle, lanes, type IcicleBox, type TreeNode } from "./tree_model.ts";
import { useLoad } from "../parts/use_load.ts";
import "./hierarchy.css";

const BAR = 18;
const GAP = 2;

export function HierarchyPanel({ context }: { context: ProfileContext }) {
	const load = useLoad(() => treeOf(context), [context]);
	const view = useStore(context.view);
	const zoom = (factor: number) => {
		const middle = (view.fromNs + view.toNs) / 2;
		const half = (view.toNs - view.fromNs) * factor / 2;
		context.view.set({ fromNs: Math.max(0, middle - half),
			toNs: Math.min(context.endNs, middle + half) });
	};
	return (
		<Panel label="Hierarchy" bar={<>
			<Button aria-label="Zoom in" onClick={() => zoom(0.5)}>+</Button>
			<Button aria-label="Zoom out" onClick={() => zoom(2)}>−</Button>
			<ShowAll context={context} />
			<span class="pn-dim">{formatNs(view.fromNs, 6)} to {formatNs(view.toNs, 6)}</span>
			<span class="pn-spring" />
			<span class="pn-dim">Click zooms, right click or H highlights</span>
		</>}>
			<Loaded load={load} what="the hierarchy">{(roots) => roots.length
				? <Icicle context={context} roots={roots} />
				: <Empty title="No hierarchy known">
					The NEFF has no framework names, so there are no modules to show. Compile with
					XLA debug information to get them.</Empty>}</Loaded>
		</Panel>
	);
}

function Icicle({ context, roots }: { context: ProfileContext; roots: TreeNode[] }) {
	const canvas = useRef<HTMLCanvasElement>(null);
	const holder = useRef<HTMLDivElement>(null);
	const size = useSize(holder);
	const view = useStore(context.view);
	const chosen = useStore(chosenNode(context));
	const [hover, setHover] = useState<{ box: Placed; x: number; y: number } | null>(null);
	const width = size.width;
	const placed = useMemo(() => place(icicle(roots, view.fromNs, view.toNs, width)),
		[roots, view, width]);
	const height = Math.max(...placed.map((box) => box.y + BAR), 40) + 8;

	useEffect(() => {
		const element = canvas.current;
		if (!element || !width) return;
		const draw = prepareCanvas(element, width, height);
		if (draw) paint(draw, placed, chosen);
	}, [placed, chosen, width, height, size.theme]);

	const at = (event: MouseEvent): Placed | undefined => {
		const edge = (event.currentTarget as HTMLElement).getBoundingClientRect();
		const x = event.clientX - edge.left;
		const y = event.clientY - edge.top;
		return placed.find((box) => x >= box.x0 && x <= box.x1 && y >= box.y && y < box.y + BAR);
	};
	const wheel = (event: WheelEvent) => {
		if (!event.ctrlKey && !event.metaKey) return;
		event.preventDefault();
		const edge = (event.currentTarget as HTMLElement).getBoundingClientRect();
		const part = (event.clientX - edge.left) / width;
		const span = (view.toNs - view.fromNs) * Math.exp(event.deltaY * 0.002);
		const from = view.fromNs + part * (view.toNs - view.fromNs - span);
		context.view.set({ fromNs: Math.max(0, from), toNs: Math.min(context.endNs, from + span) });
	};
	const onKey = (event: KeyboardEvent) => {
		const node = allNodes(roots).find((one) => one.path === chosen) ?? roots[0];
		if (!node) return;
		const parent = allNodes(roots).find((one) => one.children.includes(node));
		const row = parent?.children ?? roots;
		const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
		const next = step ? row[row.indexOf(node) + step] : event.key === "ArrowDown" ? node.children[0]
			: event.key === "ArrowUp" ? parent : undefined;
		if (next) chosenNode(context).set(next.path);
		else if (event.key === "Enter") zoomToNode(context, node);
		else if (event.key === "h") toggleHighlight(context, node);
		else return;
		event.preventDefault();
	};
	return (
		<div class="hi-holder" ref={holder}>
			<canvas ref={canvas} class="hi-canvas" tabIndex={0} role="img" onKeyDown={onKey}
				onWheel={wheel}
				aria-label={`Hierarchy of operators${chosen ? `, ${chosen} is marked` : ""}`}
				onMouseMove={(event) => {
					const box = at(event);
					setHover(box ? { box, x: event.offsetX, y: event.offsetY } : null);
				}}
				onMouseLeave={() => setHover(null)}
				onClick={(event) => {
					const box = at(event);
					if (box) zoomToNode(context, box.node);
				}}
				onContextMenu={(event) => {
					event.preventDefault();
					const box = at(event);
					if (box) toggleHighlight(context, box.node);
				}} />
			{hover ? <Tip hover={hover} width={width} /> : null}
		</div>
	);
}

type Placed = IcicleBox & { y: number };

function place(boxes: IcicleBox[]): Placed[] {
	const { lane, heights } = lanes(boxes);
	const tops: number[] = [];
	let top = 8;
	for (const height of heights) {
		tops.push(top);
		top += height * (BAR + GAP) + 4;
	}
	return boxes.map((box) => ({ ...box, y: (tops[box.depth] ?? 0) +
		(lane.get(box) ?? 0) * (BAR + GAP) }));
}

function paint(draw: CanvasRenderingContext2D, boxes: Placed[], chosen: string | null): void {
	draw.font = "11px system-ui, sans-serif";
	draw.textBaseline = "middle";
	for (const box of boxes) {
		const width = Math.max(1, box.x1 - box.x0 - (box.x1 - box.x0 > 4 ? 1 : 0));
		draw.fillStyle = colourOf(box.node.label);
		draw.fillRect(box.x0, box.y, width, BAR);
		if (width > 24) {
			draw.save();
			draw.beginPath();
			draw.rect(box.x0 + 4, box.y, width - 8, BAR);
			draw.clip();
			draw.fillStyle = "#10151c";
			draw.fillText(box.node.label, box.x0 + 4, box.y + BAR / 2 + 0.5);
			draw.restore();
		}
		if (box.node.path === chosen) {
			draw.strokeStyle = cssColour("--fg");
			draw.lineWidth = 2;
			draw.strokeRect(box.x0 + 1, box.y + 1, Math.max(1, width - 2), BAR - 2);
		}
	}
}

function Tip({ hover, width }: { hover: { box: Placed; x: number; y: number }; width: number }) {
	const node = hover.box.node;
	return (
		<div class="hi-tip" style={{ left: `${Math.min(hover.x + 12, width - 260)}px`,
			top: `${hover.y + 14}px` }}>
			<b>{node.path}</b>
			<span>{formatNs(node.endNs - node.startNs)}:
				{" "}{formatNs(node.startNs, 6)} to {formatNs(node.endNs, 6)}</span>
			{Number.isFinite(num(node.row["mfu"])) ? <span>MFU {formatFraction(num(node.row["mfu"]))},
				{" "}HFU {formatFraction(num(node.row["hfu"]))}</span> : null}
		</div>
	);
}
