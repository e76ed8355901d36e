// SPDX-License-Identifier: Apache-2.0
// Which device captures belong to an event of a system profile. Pure. All that is known of a
// capture is in its file name: the process, the core, and the model or session.

import type { EventDetails } from "../../api/types.ts";
import { text, type Row } from "../parts/data.ts";

export interface EventPlace {
	instance: string;
	process: string;
	core: string; // "" where it concerns none
	model: string; // "" if unknown
}

/** Events that are one execution of a model, or lead to one. */
const EXECUTES = new RegExp("^(nc_exec_running|nc_model_switch|nrta?_execute|nrt_load|" +
	"nrt_model_submit|kmgr_exec|kbl_exec)");

/** Where an execution happened; null for events that are none. */
export function placeOf(details: EventDetails, model: string): EventPlace | null {
	const value = (name: string) =>
		text(details.fields.find((field) => field.name === name)?.value ?? null);
	if (!EXECUTES.test(value("name"))) return null;
	return {
		instance: value("instance_id"), process: value("process_id"), core: value("nc_idx"), model,
	};
}

/** 1 when both say the same, 0 when one says nothing, -1 when they disagree. */
const agreement = (a: string, b: string) => (a === "" || b === "" ? 0 : a === b ? 1 : -1);

/**
 * Names of the captures that may be of the event, those that agree in most first; only the best
 * when they agree in the model, for there all others are less than that.
 */
export function capturesOf(list: Row[], place: EventPlace): string[] {
	const scored = list.flatMap((row) => {
		const process = text(row["process_id"]), core = text(row["nc_id"]);
		const parts = [
			agreement(text(row["model_id"]), place.model) * 4,
			agreement(text(row["instance_id"]), place.instance),
			agreement(process === "0" ? "" : process, place.process),
			agreement(core === "-1" ? "" : core, place.core) * 2,
		];
		// ranks of one model are profiled on some cores only: another core's is better than none
		const isOther = parts.slice(0, 3).some((part) => part < 0);
		return isOther ? [] : [{
			name: text(row["device_profile_name"]), score: parts.reduce((sum, part) => sum + part, 0),
			isOfModel: parts[0]! > 0,
		}];
	});
	scored.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
	const best = scored[0];
	return scored.filter(({ score }) => !best?.isOfModel || score === best.score)
		.map(({ name }) => name);
}
