// SPDX-License-Identifier: Apache-2.0
// Finds the device captures that belong to an event of a system profile. A capture's file name has
// the process, the core, and the model or session.

import type { EventDetails } from "../../api/types.ts";
import { text, type Row } from "../parts/data.ts";

export interface EventPlace {
	instance: string;
	process: string;
	core: string; // "" if none
	model: string; // "" if unknown
}

/** Events that execute a model or lead to it. */
const EXECUTES = new RegExp("^(nc_exec_running|nc_model_switch|nrta?_execute|nrt_load|" +
	"nrt_model_submit|kmgr_exec|kbl_exec)");

/** Where an execution happened; null for other events. */
export function placeOf(details: EventDetails, model: string): EventPlace | null {
	const value = (name: string) =>
		text(details.fields.find((field) => field.name === name)?.value ?? null);
	if (!EXECUTES.test(value("name"))) return null;
	return {
		instance: value("instance_id"), process: value("process_id"), core: value("nc_idx"), model,
	};
}

/** 1 if both are equal, 0 if one is unknown, -1 if they differ. */
const agreement = (a: string, b: string) => (a === "" || b === "" ? 0 : a === b ? 1 : -1);

/** A capture and the core it shows; "" if the list does not say. */
export interface Capture {
	name: string;
	core: string;
}

/** The button for a capture: another core is named first, because it is not the event's own. */
export function captureTitle({ core }: Capture, place: EventPlace): string {
	if (core === "") return "Open device profile";
	return place.core === "" || core === place.core ? `Open device profile of core ${core}`
		: `Core ${place.core} was not captured; open core ${core} instead`;
}

/**
 * The captures that may belong to the event, best first. If the best one matches the
 * model, only those that match equally well.
 */
export function capturesOf(list: Row[], place: EventPlace): Capture[] {
	const scored = list.flatMap((row) => {
		const process = text(row["process_id"]), core = text(row["nc_id"]);
		const parts = [
			agreement(text(row["model_id"]), place.model) * 4,
			agreement(text(row["instance_id"]), place.instance),
			agreement(process === "0" ? "" : process, place.process),
			agreement(core === "-1" ? "" : core, place.core) * 2,
		];
		// Another core is acceptable: often only some cores are profiled.
		const isOther = parts.slice(0, 3).some((part) => part < 0);
		return isOther ? [] : [{
			name: text(row["device_profile_name"]), core: core === "-1" ? "" : core,
			score: parts.reduce((sum, part) => sum + part, 0),
			isOfModel: parts[0]! > 0,
		}];
	});
	scored.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
	const best = scored[0];
	return scored.filter(({ score }) => !best?.isOfModel || score === best.score)
		.map(({ name, core }) => ({ name, core }));
}
