// SPDX-License-Identifier: Apache-2.0
// The uploads in progress.

import { profileWatch, server } from "../server.ts";
import { notify } from "../shell/toasts.tsx";
import { createStore } from "../store.ts";
import { plannedFiles, type Plan } from "./plan.ts";
import { isOver, Transfer } from "./transfer.ts";
import { browserWire } from "./wire.ts";

export const uploads = createStore<Transfer[]>([]);

/** Asks before the user leaves the page, which would abort the uploads. */
addEventListener("beforeunload", (event) => {
	if (uploads.get().some((one) => !isOver(one.state.get()))) event.preventDefault();
});

function remove(transfer: Transfer): void {
	uploads.update((all) => all.filter((one) => one !== transfer));
}

export function resumeUpload(transfer: Transfer): void {
	void transfer.run().then(() => {
		void profileWatch.refresh();
		const { phase, failure } = transfer.state.get();
		if (phase === "done") remove(transfer);
		else if (phase === "failed")
			notify(`The upload of ${transfer.name} stopped. ${failure ?? ""}`, "error");
	});
}

export function beginUpload(name: string, folder: string, isForce: boolean, plan: Plan): void {
	const wire = browserWire(server, { name, folder, isForce });
	const transfer = new Transfer(name, plannedFiles(plan), wire);
	uploads.update((all) => [...all, transfer]);
	resumeUpload(transfer);
}

export async function cancelUpload(transfer: Transfer): Promise<void> {
	try {
		await transfer.cancel();
		notify(`Upload of ${transfer.name} cancelled.`);
	} catch (failure) {
		notify((failure as Error).message, "error");
	}
	remove(transfer);
	void profileWatch.refresh();
}
