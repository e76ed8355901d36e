// SPDX-License-Identifier: Apache-2.0
// The summary of a profile: findings, then figures, for the whole profile or one region.

import { useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { formatNs } from "../../format.ts";
import { makeRegion } from "../../panels/annotations/annotations_model.ts";
import { Button, Choice } from "../../panels/parts/parts.tsx";
import { useStore } from "../../store.ts";
import { Stripes } from "./charts.tsx";
import { BandwidthCard, ComputeCard, KernelCard, UtilisationCard } from "./compute_cards.tsx";
import { FindingsCard, SystemInformationCard } from "./info_cards.tsx";
import { QualityBadge } from "./quality.tsx";
import { regionChoices } from "./region.ts";
import { SystemSummary } from "./system_summary.tsx";
import { CollectivesCard, DmaCard, TensorDmaCard } from "./traffic_cards.tsx";
import "./summary.css";

export function SummaryPage({ context }: { context: ProfileContext }) {
	if (context.details.kind === "system")
		return <section class="sm" aria-label="Summary"><div class="sm-cards"><SystemSummary
			context={context} /></div></section>;
	return <DeviceSummary context={context} />;
}

function DeviceSummary({ context }: { context: ProfileContext }) {
	useStore(context.markers);
	useStore(context.view);
	const [chosen, setChosen] = useState("all");
	const choices = regionChoices(context);
	const region = choices.find((one) => one.id === chosen) ?? choices[0]!;
	const addRegion = () => {
		const view = context.view.get();
		const pair = makeRegion(context.markers.get(), Math.round(view.fromNs), Math.round(view.toNs));
		context.markers.update((now) => [...now, ...pair]);
		setChosen(pair[0].id.split(":")[1] ?? "all");
	};
	return (
		<section class="sm" aria-label="Summary">
			<Stripes />
			<div class="sm-bar">
				<Choice label="Region" value={region.id} change={setChosen}
					options={choices.map((one) => ({ value: one.id,
					text: `${one.name} (${formatNs(one.fromNs)} to ${formatNs(one.toNs)})` }))} />
				<Button onClick={addRegion} title="Add the time range shown in the timeline as a region">Add
					region</Button>
				<QualityBadge context={context} />
				{region.isAll ? null : <span class="pn-dim">
					A region counts the events that start in it; its MFU is computed from
					instructions.</span>}
			</div>
			<div class="sm-cards">
				<FindingsCard context={context} isAll={region.isAll} />
				<ComputeCard context={context} region={region} />
				<BandwidthCard context={context} region={region} />
				<UtilisationCard context={context} region={region} />
				<DmaCard context={context} region={region} />
				<KernelCard context={context} region={region} />
				<TensorDmaCard context={context} region={region} />
				<CollectivesCard context={context} region={region} />
				<SystemInformationCard context={context} />
			</div>
		</section>
	);
}
