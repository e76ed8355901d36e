// SPDX-License-Identifier: Apache-2.0
// The tree of modules of a profile, fetched once for all panels, and actions on its nodes.

import type { ProfileContext, SearchQuery } from "../../contract.ts";
import { createStore, type Store } from "../../store.ts";
import { escapeRegex, fetchMany, namedRows, timeOf } from "../parts/data.ts";
import { buildTree, type TreeNode } from "./tree_model.ts";

const COLUMNS = [
	"node_name", "parent_name", "start_ts", "end_ts", "time_intervals", "mfu", "hfu",
	"hbm_read_bytes", "hbm_write_bytes",
	...["tensor", "vector", "scalar", "gpsimd", "sync"].flatMap((engine) =>
		[`${engine}_engine_instruction_count`, `total_time_${engine}`]),
];

interface Shared {
	tree: Promise<TreeNode[]>;
	chosen: Store<string | null>;
}

const shared = new WeakMap<ProfileContext, Shared>();

function sharedOf(context: ProfileContext): Shared {
	let all = shared.get(context);
	if (!all) {
		const tree = fetchMany(context, "FrameworkNode", { columns: COLUMNS }).then((page) =>
			buildTree(namedRows(page), (cell) => timeOf(context, cell)));
		all = { tree, chosen: createStore<string | null>(null) };
		shared.set(context, all);
		tree.catch(() => shared.delete(context)); // so that the next attempt retries
	}
	return all;
}

export const treeOf = (context: ProfileContext): Promise<TreeNode[]> => sharedOf(context).tree;
/** The path of the node that is marked in the operator table and the hierarchy. */
export const chosenNode = (context: ProfileContext): Store<string | null> =>
	sharedOf(context).chosen;

/** All instructions of a node and its descendants. */
export function instructionsOf(path: string): SearchQuery {
	return { table: "Instruction", where: [`layer~^${escapeRegex(path)}(/|$)`], text: "" };
}

export function zoomToNode(context: ProfileContext, node: TreeNode): void {
	chosenNode(context).set(node.path);
	context.zoomTo(node.startNs, node.endNs);
}

export function toggleHighlight(context: ProfileContext, node: TreeNode): void {
	const query = instructionsOf(node.path);
	const now = context.highlight.get();
	chosenNode(context).set(node.path);
	context.highlight.set(now?.where[0] === query.where[0] ? null : query);
}
