// SPDX-License-Identifier: Apache-2.0
// The device profiles captured with a system profile.

import type { ProfileContext } from "../../contract.ts";
import { fetchTable, namedRows, text } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Empty, Loaded, Panel } from "../parts/parts.tsx";
import { useLoad } from "../parts/use_load.ts";

export function DeviceProfilesPanel({ context }: { context: ProfileContext }) {
	const load = useLoad(async (signal) => namedRows(
		await fetchTable(context, "DeviceProfileList", {}, signal)), [context]);
	const profileOf = (name: string) =>
		context.details.devices.find((device) => device.name === name)?.profile ?? null;
	return <Panel label="Device profiles"><Loaded
		load={load} what="device profiles">{(rows) => rows.length
		? <DataTable label="Device profiles" columns={[
			{ name: "profile", title: "Device profile", width: 320 }, { name: "state", title: "" },
			{ name: "instance_id", title: "Machine" }, { name: "process_id", title: "Process",
				unit: "id" },
			{ name: "nc_id", title: "Core", unit: "id" }, { name: "model_id", title: "Model",
				unit: "id" }]}
			rows={rows.map((row) => {
				const name = text(row["device_profile_name"]);
				return [name, profileOf(name) ? "Open" : "not processed", row["instance_id"] ?? null,
					row["process_id"] ?? null, row["nc_id"] === -1 ? null : row["nc_id"] ?? null,
					row["model_id"] ?? null];
			})}
			render={(cell, column) => column.name === "state" && cell === "Open"
				? <span class="pn-link">Open</span> : null}
			choose={(row) => {
				const profile = profileOf(text(row[0]));
				if (profile) context.openProfile(profile);
				else context.notify("This device profile was not processed; process the directory again " +
					"without --ignore-device-profile.");
			}} />
		: <Empty title="No device profiles">None were captured with this system profile.
			Enable device profiles during capture to inspect individual
			executions.</Empty>}</Loaded></Panel>;
}
