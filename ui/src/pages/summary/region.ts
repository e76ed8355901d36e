// SPDX-License-Identifier: Apache-2.0
// The part of time that the summary is about, and how SQL asks for it.

import type { ProfileContext } from "../../contract.ts";
import { regionsOf } from "../../panels/annotations/annotations_model.ts";
import { absolute } from "../../panels/parts/data.ts";

export interface Region {
	id: string; // "all", "view", or a region's
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

/** Rows that begin in the region: each is counted in one region only. */
export function within(context: ProfileContext, region: Region): string {
	return region.isAll ? "TRUE" : `start_ts >= ${absolute(context, region.fromNs)} AND ` +
		`start_ts < ${absolute(context, region.toNs)}`;
}

/** The length of a row's part inside the region, and the rows that have one. */
export function clipped(context: ProfileContext, region: Region): { length: string;
	overlaps: string } {
	if (region.isAll) return { length: "end_ts - start_ts", overlaps: "TRUE" };
	const from = absolute(context, region.fromNs);
	const to = absolute(context, region.toNs);
	return { length: `least(end_ts, ${to}) - greatest(start_ts, ${from})`,
		overlaps: `end_ts > ${from} AND start_ts < ${to}` };
}

/** Time that rows of each key cover, overlaps counted once. */
export function coveredSql(table: string, key: string, part: { overlaps: string }): string {
	return `SELECT k, sum(b - a) AS t FROM (SELECT k, g, min(start_ts) AS a, max(end_ts) AS b FROM (
		SELECT *, sum(fresh) OVER (PARTITION BY k ORDER BY start_ts, end_ts ROWS UNBOUNDED PRECEDING) AS g
		FROM (
		SELECT ${key} AS k, start_ts, end_ts, CASE WHEN start_ts <= max(end_ts) OVER (PARTITION BY ${key}
		ORDER BY start_ts, end_ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
		THEN 0 ELSE 1 END AS fresh FROM ${table} WHERE ${part.overlaps})) GROUP BY k, g) GROUP BY k`;
}
