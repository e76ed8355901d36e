// SPDX-License-Identifier: Apache-2.0
// Cards about computing and memory: figures, bandwidth, utilisation, share of hand-written kernels.

import type { ProfileContext } from "../../contract.ts";
import { formatBytes, formatFraction, formatInteger, formatNs, formatNumber,
	NOTHING } from "../../format.ts";
import { absolute, ask, firstRow, sum, text } from "../../panels/parts/data.ts";
import { Explained, Loaded } from "../../panels/parts/parts.tsx";
import { useLoad } from "../../panels/parts/use_load.ts";
import { Bars, Ring } from "./charts.tsx";
import { Card } from "./card.tsx";
import { clipped, within, type Region } from "./region.ts";
import {
	bandwidthSlices, figuresOf, figuresOfSummary, machineOf, utilisationBar, type Bar,
		type EngineCosts,
	type Figures, type Machine, type Traffic,
} from "./summary_model.ts";

interface Props {
	context: ProfileContext;
	region: Region;
}

const ENGINES = ["Tensor", "Vector", "Scalar", "GpSimd", "Sync"];

async function loadMachine(context: ProfileContext, signal: AbortSignal): Promise<Machine> {
	return machineOf((await firstRow(context, "Metadata", signal))?.row ?? {});
}

export async function loadFigures(context: ProfileContext, region: Region, signal: AbortSignal):
Promise<{ figures: Figures; traffic: Traffic; machine: Machine }> {
	const machine = await loadMachine(context, signal);
	if (region.isAll) {
		const row = (await firstRow(context, "Summary", signal))?.row ?? {};
		return { machine, figures: figuresOfSummary(row, machine), traffic: {
			readBytes: sum(row["hbm_read_bytes"]), writeBytes: sum(row["hbm_write_bytes"]),
			reloadBytes: sum(row["spill_reload_bytes"]), saveBytes: sum(row["spill_save_bytes"]) } };
	}
	const [row = {}] = await ask(context, ["Instruction"],
		"SELECT sum(raw_flops) AS f, sum(flops_transpose) AS ft, " +
		"sum(hbm_read_bytes) AS r, sum(hbm_write_bytes) AS w, sum(spill_reload_bytes) AS sr, " +
		"sum(spill_save_bytes) AS ss " +
		`FROM Instruction WHERE ${within(context, region)}`, 1, signal);
	const [dma = {}] = await ask(context, ["DmaPacketAggregated"],
		"SELECT count(*) AS n, sum(transfer_bytes) AS b " +
		`FROM DmaPacketAggregated WHERE ${within(context, region)}`, 1, signal);
	const traffic = { readBytes: sum(row["r"]), writeBytes: sum(row["w"]), reloadBytes: sum(row["sr"]),
		saveBytes: sum(row["ss"]) };
	return { machine, traffic, figures: figuresOf({ ...traffic, flops: sum(row["f"]),
		transpose: sum(row["ft"]),
		transfers: sum(dma["n"]), bytes: sum(dma["b"]) }, region.toNs - region.fromNs, machine) };
}

export function Figure(props: { name: string; value: string; help: string; note?: string }) {
	return (
		<div class="sm-figure">
			<span class="sm-figure-value">{props.value}</span>
			<span class="sm-figure-name"><Explained text={props.name} help={props.help} /></span>
			{props.note ? <span class="sm-figure-note">{props.note}</span> : null}
		</div>
	);
}

const share = (value: number | null) => value === null ? NOTHING : formatFraction(value);

export function ComputeCard({ context, region }: Props) {
	const load = useLoad((signal) => loadFigures(context, region, signal),
		[context, region.id, region.fromNs, region.toNs]);
	return <Card title="Compute performance"><Loaded
		load={load} what="figures">{({ figures, machine }) => {
		const ridge = machine.hbmRate ? machine.peakFlops * machine.cores / machine.hbmRate : 0;
		const bound = figures.intensity === null || !ridge ? "" : figures.intensity < ridge
			? `below ${formatNumber(ridge, 3)}: memory is the limit`
				: `above ${formatNumber(ridge, 3)}: arithmetic is the limit`;
		return <div class="sm-figures sm-figures-2">
			<Figure name="Runtime" value={formatNs(figures.spanNs)}
				help="Length of the measured part, idle gaps included." />
			<Figure name="Model FLOPs utilisation" value={share(figures.mfu)}
				help={`The model's matrix work over the peak of the tensor engines. ${figures.mfuSource}`} />
			<Figure name="Hardware FLOPs utilisation"
				value={share(figures.hfu)}
				help={"All matrix work that was done, transposes included, over the peak of the tensor " +
					"engines."} />
			<Figure name="Arithmetic intensity"
				value={figures.intensity === null ? NOTHING : `${formatNumber(figures.intensity)} FLOP/B`}
				help="Matrix operations per byte moved from or to HBM." note={bound} />
		</div>;
	}}</Loaded></Card>;
}

export function BandwidthCard({ context, region }: Props) {
	const load = useLoad((signal) => loadFigures(context, region, signal),
		[context, region.id, region.fromNs, region.toNs]);
	return <Card title="Memory bandwidth"><Loaded
		load={load} what="figures">{({ figures, traffic, machine }) => <>
		<div class="sm-figures">
			<Figure name="HBM could have moved"
				value={formatBytes(figures.availableBytes)}
				help="Peak rate of one HBM stack times the length of this part." />
			<Figure name="Average DMA" value={figures.averageDma === null ? NOTHING
				: formatBytes(figures.averageDma)}
				help={"Bytes per transfer. Small ones cannot fill the DMA engines; 32 KiB and more is a good " +
					"size."}
				note={figures.averageDma !== null && figures.averageDma < 32768 ? "small: aim for 32 KiB"
					: ""} />
			<Figure name="Useful reads" value={share(figures.usefulRead)}
				help="Bytes read from HBM that are not reloads of spilled intermediates." />
		</div>
		<Ring label="Memory bandwidth" slices={bandwidthSlices(traffic, figures.spanNs,
			machine)} format={formatBytes}
			middle={share(figures.mbu)} under="of HBM" />
	</>}</Loaded></Card>;
}

async function loadUtilisation({ context, region }: Props, signal: AbortSignal): Promise<Bar[]> {
	const machine = await loadMachine(context, signal);
	const { length, overlaps } = clipped(context, region);
	const active = await ask(context, ["ActiveTime"],
		`SELECT engine, pcore_idx AS core, sum(${length}) AS t ` +
		`FROM ActiveTime WHERE ${overlaps} GROUP BY ALL`, 1000, signal);
	const work = await ask(context, ["Instruction"],
		"SELECT pcore_idx AS core, sum(adjusted_flops) AS f, " +
		`sum(adjusted_flops_transpose) AS ft FROM Instruction WHERE ${within(context, region)} ` +
		"GROUP BY ALL", 1000, signal);
	const from = absolute(context, region.fromNs);
	const to = absolute(context, region.toNs);
	const limits = `(SELECT pcore_idx AS core, greatest(timestamp, ${from}) AS a, ` +
		`least(timestamp + duration, ${to}) AS b, ` +
		"1.0 - k * 1.0 / n AS held FROM Throttle WHERE n > 0)";
	const held = await ask(context, ["Throttle"],
		`SELECT core, sum((b - a) * held) AS t FROM ${limits} WHERE b > a ` +
		"GROUP BY ALL", 1000, signal);
	const heldActive = await ask(context, ["Throttle", "ActiveTime"], "SELECT l.core AS core, " +
		"sum((least(l.b, x.end_ts) - greatest(l.a, x.start_ts)) * l.held) AS t FROM " +
		`(SELECT * FROM ${limits} WHERE held > 0 AND b > a) l JOIN ActiveTime x ` +
		"ON x.engine = 'tensor' AND " +
		"coalesce(l.core, x.pcore_idx) = x.pcore_idx AND x.end_ts > l.a AND x.start_ts < l.b " +
		"GROUP BY ALL", 1000, signal);
	const of = (rows: typeof work, core: string) => rows.find((row) => text(row["core"]) === core)
		?? {};
	const costs = active.map((row): EngineCosts => {
		const core = text(row["core"]);
		const engine = ENGINES.find((name) => name.toLowerCase() === text(row["engine"]))
			?? text(row["engine"]);
		return { engine, core, activeNs: sum(row["t"]), adjustedFlops: sum(of(work, core)["f"]),
			adjustedTranspose: sum(of(work, core)["ft"]), throttledNs: sum(of(held, core)["t"]),
			throttledActiveNs: sum(of(heldActive, core)["t"]) };
	});
	costs.sort((a, b) => ENGINES.indexOf(a.engine) - ENGINES.indexOf(b.engine) ||
		(a.core < b.core ? -1 : 1));
	return costs.map((one) => utilisationBar(one, region.toNs - region.fromNs, machine));
}

export function UtilisationCard(props: Props) {
	const { context, region } = props;
	const load = useLoad((signal) => loadUtilisation(props, signal),
		[context, region.id, region.fromNs, region.toNs]);
	return <Card title="Utilisation of the engines"
		help={"How each engine spent the time. Of the tensor engine it is also known how much of its " +
			"peak the model's work, transposes and throttling took."}>
		<Loaded load={load} what="utilisation">{(bars) => bars.length
			? <Bars label="Utilisation" bars={bars} format={(bar) => formatFraction(1 - (bar.slices
				.filter((slice) => slice.label === "Unused" || slice.label === "Held back while idle")
				.reduce((total, slice) => total + slice.value, 0)))} />
			: <p class="sm-none">No engine was active in this part.</p>}</Loaded>
	</Card>;
}

export function KernelCard({ context, region }: Props) {
	const load = useLoad((signal) => ask(context, ["Instruction"], "SELECT engine, count(*) AS n, " +
		"count(*) FILTER (nki_source_location IS NOT NULL OR kernel_instruction_name IS NOT NULL) AS nki "
			+
		`FROM Instruction WHERE ${within(context, region)} GROUP BY ALL`, 100, signal),
	[context, region.id, region.fromNs, region.toNs]);
	return <Card title="Instructions from NKI kernels"
		help="Instructions that come from hand-written kernels, and those the compiler made.">
		<Loaded load={load} what="instructions">{(rows) => rows.length
			? <Bars label="Share of NKI" bars={ENGINES.flatMap((engine): Bar[] => {
				const row = rows.find((one) => text(one["engine"]) === engine);
				if (!row) return [];
				const part = sum(row["nki"]) / Math.max(1, sum(row["n"]));
				return [{ label: engine, slices: [{ label: "NKI", value: part, colour: "--pn-c3" },
					{ label: "Compiler and runtime", value: 1 - part, colour: "--pn-c7" }] }];
			})} format={(bar) => {
				const row = rows.find((one) => text(one["engine"]) === bar.label) ?? {};
				return `${formatInteger(sum(row["nki"]))} of ${formatInteger(sum(row["n"]))}`;
			}} />
			: <p class="sm-none">No instruction ran in this part.</p>}</Loaded>
	</Card>;
}
