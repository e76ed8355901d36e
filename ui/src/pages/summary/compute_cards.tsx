// SPDX-License-Identifier: Apache-2.0
// Cards about compute and memory: figures, bandwidth, utilisation, share of NKI kernels.

import type { ComponentChildren } from "preact";
import type { ProfileContext } from "../../contract.ts";
import { formatBytes, formatFraction, formatInteger, formatNs, formatNumber,
	NOTHING } from "../../format.ts";
import { query, sum, text, type Row } from "../../panels/parts/data.ts";
import { Explained, Loaded } from "../../panels/parts/parts.tsx";
import { useLoad, type Load } from "../../panels/parts/use_load.ts";
import { Bars, Ring } from "./charts.tsx";
import { Card } from "./card.tsx";
import { InDoubt } from "./quality.tsx";
import { rangeOf, type Region } from "./region.ts";
import { activePart, bandwidthSlices, utilisationBar } from "./summary_model.ts";

const GOOD_DMA_BYTES = 32768;

interface Props {
	context: ProfileContext;
	region: Region;
}

/** The rows of a named query for the region. */
export function useQuery({ context, region }: Props, name: string,
	parameters: Record<string, string> = {}): Load<Row[]> {
	return useLoad((signal) => query(context, name, { ...rangeOf(context, region), ...parameters },
		10_000, signal),
	[context, region.id, region.fromNs, region.toNs, ...Object.values(parameters)]);
}

export function Figure(props: { name: string; value: string; help: string; note?: string;
	mark?: ComponentChildren }) {
	return (
		<div class="sm-figure">
			<span class="sm-figure-value">{props.value}{props.mark}</span>
			<span class="sm-figure-name"><Explained text={props.name} help={props.help} /></span>
			{props.note ? <span class="sm-figure-note">{props.note}</span> : null}
		</div>
	);
}

const known = (cell: Row[string] | undefined, format: (value: number) => string) =>
	cell === null || cell === undefined ? NOTHING : format(sum(cell));

function boundOf(row: Row): string {
	const ridge = sum(row["ridge_flops_per_byte"]);
	if (row["flops_per_byte"] === null || !ridge) return "";
	return sum(row["flops_per_byte"]) < ridge
		? `below ${formatNumber(ridge, 3)}: memory bound`
		: `above ${formatNumber(ridge, 3)}: compute bound`;
}

function mfuSource(row: Row, region: Region): string {
	if (!region.isAll) return "Counted from matrix instructions, without transposes.";
	return row["mfu_source"] === "hlo" ? "Counted by the compiler from the model's operations (HLO)."
		: "Counted from matrix instructions: the NEFF has no HLO statistics.";
}

export function ComputeCard(props: Props) {
	const load = useQuery(props, "figures");
	return <Card title="Compute performance"><Loaded load={load} what="figures">{([row = {}]) =>
		<div class="sm-figures sm-figures-2">
			<Figure name="Runtime" value={formatNs(sum(row["span_ns"]))}
				help="Length of the time range, idle gaps included." />
			<Figure name="Model FLOPs utilisation" value={known(row["mfu_frac"], formatFraction)}
				mark={<InDoubt context={props.context} topic="model flops" />}
				help={`The model's matrix work relative to the peak of the tensor engines. ${
					mfuSource(row, props.region)}`} />
			<Figure name="Hardware FLOPs utilisation" value={known(row["hfu_frac"], formatFraction)}
				mark={<InDoubt context={props.context} topic="instructions" />}
				help={"All matrix work, transposes included, relative to the peak of the tensor " +
					"engines."} />
			<Figure name="Arithmetic intensity"
				value={known(row["flops_per_byte"], (value) => `${formatNumber(value)} FLOP/B`)}
				help="Matrix operations per byte moved to or from HBM." note={boundOf(row)} />
		</div>}</Loaded></Card>;
}

export function BandwidthCard(props: Props) {
	const load = useQuery(props, "figures");
	return <Card title="Memory bandwidth"><Loaded load={load} what="figures">{([row = {}]) => <>
		<div class="sm-figures">
			<Figure name="HBM at peak rate" value={formatBytes(sum(row["available_bytes"]))}
				help="What one HBM stack could have moved in this time at its peak rate." />
			<Figure name="Average DMA" value={known(row["average_dma_bytes"], formatBytes)}
				mark={<InDoubt context={props.context} topic="dma" />}
				help={"Bytes per transfer. Small transfers cannot fill the DMA engines; aim for 32 KiB " +
					"or more."}
				note={row["average_dma_bytes"] !== null && sum(row["average_dma_bytes"]) < GOOD_DMA_BYTES
					? "small: aim for 32 KiB" : ""} />
			<Figure name="Useful reads" value={known(row["useful_read_frac"], formatFraction)}
				help="Share of the bytes read from HBM that are not reloads of spilled intermediates." />
		</div>
		<Ring label="Memory bandwidth" slices={bandwidthSlices(row)} format={formatBytes}
			middle={known(row["mbu_frac"], formatFraction)} under="of HBM" />
	</>}</Loaded></Card>;
}

export function UtilisationCard(props: Props) {
	const load = useQuery(props, "utilisation");
	return <Card title="Engine utilisation"
		mark={<InDoubt context={props.context} topic="instructions" />}
		help={"Active time of each engine of each core: at least one instruction ran that does not " +
			"only wait; overlaps count once. The panel Overall summary joins the cores. For the tensor " +
			"engine, model work and transposes are the time their products need at the array's peak, " +
			"with fp32 counted four times."}>
		<Loaded load={load} what="utilisation">{(rows) => rows.length
			? <Bars label="Utilisation" bars={rows.map(utilisationBar)}
				format={(bar) => formatFraction(activePart(bar))} />
			: <p class="sm-none">No engine was active in this time range.</p>}</Loaded>
	</Card>;
}

export function KernelCard(props: Props) {
	const load = useQuery(props, "kernel_share");
	return <Card title="Instructions from NKI kernels"
		help="How many instructions come from hand-written kernels and how many from the compiler.">
		<Loaded load={load} what="instructions">{(rows) => rows.length
			? <Bars label="Share of NKI" bars={rows.map((row) => ({ label: text(row["engine"]), slices: [
				{ label: "NKI", value: sum(row["nki_frac"]), colour: "--pn-c3" },
				{ label: "Compiler and runtime", value: 1 - sum(row["nki_frac"]), colour: "--pn-c7" }] }))}
				format={(bar) => {
					const row = rows.find((one) => text(one["engine"]) === bar.label) ?? {};
					return `${formatInteger(sum(row["nki_count"]))} of ` +
						formatInteger(sum(row["instruction_count"]));
				}} />
			: <p class="sm-none">No instructions ran in this time range.</p>}</Loaded>
	</Card>;
}
