// SPDX-License-Identifier: Apache-2.0
// The time range of the summary.

import type { ProfileContext } from "../../contract.ts";
import { regionsOf } from "../../panels/annotations/annotations_model.ts";
import { absolute } from "../../panels/parts/data.ts";

export interface Region {
	id: string; // "all", "view", or the id of a region
	name: string;
	fromNs: number;
	toNs: number;
	isAll: boolean;
}

export function regionChoices(context: ProfileContext): Region[] {
	const view = context.view.get();
	const all: Region = { id: "all", name: "Whole profile", fromNs: 0, toNs: context.endNs,
		isAll: true };
	const isZoomed = view.fromNs > 0 || view.toNs < context.endNs;
	return [
		all,
		...(isZoomed ? [{ ...all, id: "view", name: "In view", fromNs: view.fromNs, toNs: view.toNs,
			isAll: false }] : []),
		...regionsOf(context.markers.get()).map((region) => ({ id: region.id, name: region.name,
			fromNs: region.from.timeNs, toNs: region.to.timeNs, isAll: false })),
	];
}

/** Parameters of a query for the region; none for the whole profile. */
export function rangeOf(context: ProfileContext, region: Region): { from?: string; to?: string } {
	return region.isAll ? {} : { from: String(absolute(context, region.fromNs)),
		to: String(absolute(context, region.toNs)) };
}
