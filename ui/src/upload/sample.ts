// SPDX-License-Identifier: Apache-2.0
// A capture that comes with the pages: examples/attention.nasm on the software NeuronCore. It is
// uploaded like any other.

import neff from "../../sample/attention.neff";
import ntff from "../../sample/attention.ntff";
import source from "../../../examples/attention.nasm";
import { profileWatch } from "../server.ts";
import { navigate } from "../state/navigate.ts";
import { EMPTY_PLAN, type Chosen } from "./plan.ts";
import { beginUpload } from "./uploads.ts";

const NAME = "sample_attention";

async function fetched(path: string, url: string): Promise<Chosen> {
	const answer = await fetch(new URL(url, import.meta.url));
	if (!answer.ok) throw new Error(`${path} cannot be loaded: ${answer.status}`);
	return { path, file: await answer.blob() };
}

/** Opens the sample when the server has processed it. */
function openWhenReady(): void {
	const stop = profileWatch.list.watch(({ profiles }) => {
		const found = profiles.find(({ name }) => name === NAME);
		if (!found || (found.state !== "ready" && found.state !== "failed")) return;
		stop();
		if (found.state === "ready") navigate({ page: "analysis", profile: NAME });
	});
}

/** Uploads the sample and opens it. */
export async function openSample(): Promise<void> {
	const [model, trace, text] = await Promise.all([fetched("attention.neff", neff),
		fetched("attention.ntff", ntff), fetched("attention.nasm", source)]);
	openWhenReady();
	beginUpload(NAME, "", true, { ...EMPTY_PLAN, neff: [model], ntff: [trace], source: [text] });
}
