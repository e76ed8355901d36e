// SPDX-License-Identifier: Apache-2.0
// The framework's modules as a tree: built from rows of FrameworkNode, sorted, filtered, and laid
// out for a table or an icicle chart.

import type { Cell } from "../../api/types.ts";
import { compareCells } from "../parts/table_model.ts";

export interface TreeNode {
	path: string;
	label: string;
	depth: number;
	startNs: number;
	endNs: number;
	busyNs: number; // covered by its instructions
	row: Record<string, Cell>;
	children: TreeNode[];
}

type Time = (cell: Cell | undefined) => number;

/** The length of intervals that do not overlap, which the server sends as JSON. */
function coveredBy(intervals: Cell | undefined): number {
	if (typeof intervals !== "string") return 0;
	const pairs: [number, number][] = JSON.parse(intervals);
	return pairs.reduce((sum, [start, end]) => sum + end - start, 0);
}

/** The roots in order of time. A row without a known parent is a root. */
export function buildTree(rows: Record<string, Cell>[], time: Time): TreeNode[] {
	const nodes = new Map<string, TreeNode>();
	for (const row of rows) {
		const path = String(row["node_name"] ?? "");
		nodes.set(path, { path, label: path, depth: 0, startNs: time(row["start_ts"]),
			endNs: time(row["end_ts"]), busyNs: coveredBy(row["time_intervals"]), row, children: [] });
	}
	const roots: TreeNode[] = [];
	for (const node of nodes.values()) {
		const parentName = String(node.row["parent_name"] ?? "");
		const parent = parentName === node.path ? undefined : nodes.get(parentName);
		if (!parent) {
			roots.push(node);
			continue;
		}
		node.label = node.path.startsWith(`${parentName}/`) ? node.path.slice(parentName.length + 1)
			: node.path;
		parent.children.push(node);
	}
	const seen = new Set<TreeNode>();
	const settle = (list: TreeNode[], depth: number) => {
		list.sort((a, b) => a.startNs - b.startNs || (a.path < b.path ? -1 : 1));
		for (const node of list) {
			if (seen.has(node)) continue; // a cycle in damaged data
			seen.add(node);
			node.depth = depth;
			settle(node.children, depth + 1);
		}
	};
	settle(roots, 0);
	return roots;
}

export interface TreeLine {
	node: TreeNode;
	isOpen: boolean;
}

interface TreeView {
	open: ReadonlySet<string>;
	filter: string;
	order: { column: string; down: boolean } | null;
}

type ValueOf = (node: TreeNode, column: string) => Cell;

/** The lines to show. A filter opens the ancestors of matches; sorting is among siblings. */
export function linesOf(roots: TreeNode[], view: TreeView, valueOf: ValueOf): TreeLine[] {
	const word = view.filter.trim().toLowerCase();
	const matches = new Map<TreeNode, boolean>();
	const holds = (node: TreeNode): boolean => {
		const known = matches.get(node);
		if (known !== undefined) return known;
		const own = node.path.toLowerCase().includes(word);
		let below = false;
		for (const child of node.children) below = holds(child) || below;
		matches.set(node, own || below);
		return own || below;
	};
	const lines: TreeLine[] = [];
	const walk = (list: TreeNode[]) => {
		let shown = word ? list.filter(holds) : list;
		if (view.order) {
			const { column, down } = view.order;
			shown = [...shown].sort((a, b) => {
				const x = valueOf(a, column);
				const y = valueOf(b, column);
				if (x === null || y === null) return compareCells(x, y);
				return (down ? -1 : 1) * compareCells(x, y);
			});
		}
		for (const node of shown) {
			const leads = word !== "" && node.children.some((child) => matches.get(child));
			const isOpen = node.children.length > 0 && (view.open.has(node.path) || leads);
			lines.push({ node, isOpen });
			if (isOpen) walk(node.children);
		}
	};
	walk(roots);
	return lines;
}

export function allNodes(roots: TreeNode[]): TreeNode[] {
	return roots.flatMap((node) => [node, ...allNodes(node.children)]);
}

/** Paths of all nodes with children, down to a depth. */
export function openTo(roots: TreeNode[], depth: number): Set<string> {
	return new Set(allNodes(roots).filter((node) => node.depth < depth && node.children.length)
		.map((node) => node.path));
}

export interface IcicleBox {
	node: TreeNode;
	x0: number;
	x1: number;
	depth: number;
}

/** Boxes of the nodes over time, clipped to the range and at least a pixel wide. */
export function icicle(roots: TreeNode[], fromNs: number, toNs: number,
	width: number): IcicleBox[] {
	const boxes: IcicleBox[] = [];
	const scale = width / Math.max(1, toNs - fromNs);
	for (const node of allNodes(roots)) {
		if (!(node.endNs >= fromNs && node.startNs <= toNs)) continue;
		const x0 = Math.max(0, (node.startNs - fromNs) * scale);
		const x1 = Math.min(width, (node.endNs - fromNs) * scale);
		boxes.push({ node, x0: Math.min(x0, width - 1), x1: Math.max(x1, x0 + 1), depth: node.depth });
	}
	return boxes;
}

/** Puts boxes of a depth that overlap in time into separate lanes; returns lanes and heights. */
export function lanes(boxes: IcicleBox[]): { lane: Map<IcicleBox, number>; heights: number[] } {
	const lane = new Map<IcicleBox, number>();
	const heights: number[] = [];
	const ends: number[][] = [];
	const sorted = [...boxes].sort((a, b) => a.depth - b.depth || a.x0 - b.x0);
	for (const box of sorted) {
		const taken = (ends[box.depth] ??= []);
		let at = taken.findIndex((end) => end <= box.x0 + 0.5);
		if (at < 0) at = taken.length;
		taken[at] = box.x1;
		lane.set(box, at);
		heights[box.depth] = Math.max(heights[box.depth] ?? 0, at + 1);
	}
	return { lane, heights: Array.from(heights, (height) => height ?? 0) };
}
