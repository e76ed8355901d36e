// SPDX-License-Identifier: Apache-2.0
// The uploads in progress, above the table.

import { Icon } from "../shell/icons.tsx";
import { bytesText, waitText } from "../shell/words.ts";
import { useStore } from "../store.ts";
import { secondsLeft, type Transfer, type TransferState } from "./transfer.ts";
import { cancelUpload, resumeUpload, uploads } from "./uploads.ts";

function statusText(state: TransferState): string {
	switch (state.phase) {
	case "starting": return "Starting …";
	case "paused": return `Paused at ${bytesText(state.sentBytes)} of ${bytesText(state.totalBytes)}`;
	case "waiting": return state.failure ?? "Connection lost; retrying …";
	case "failed": return state.failure ?? "Stopped.";
	case "finishing":
	case "done": return "Uploaded; processing starts";
	case "cancelled": return "Cancelled";
	case "sending": {
		const left = waitText(secondsLeft(state));
		return `${bytesText(state.sentBytes)} of ${bytesText(state.totalBytes)}` +
			(state.bytesPerSecond ? `, ${bytesText(state.bytesPerSecond)}/s` : "") + (left ?
				`, ${left} left` : "");
	}
	}
}

function Item({ transfer }: { transfer: Transfer }) {
	const state = useStore(transfer.state);
	const fraction = state.totalBytes ? state.sentBytes / state.totalBytes : 0;
	const canPause = state.phase === "sending" || state.phase === "waiting";
	const canResume = state.phase === "paused" || state.phase === "failed";
	return (
		<div class={`up-item is-${state.phase}`} role="group"
			aria-label={`Upload of ${transfer.name}`}>
			<div class="up-line">
				<b>{transfer.name}</b>
				<span class="ui-dim">{statusText(state)}</span>
				<span class="ui-dim up-path">{state.phase === "sending" && state.path}</span>
			</div>
			<div class="up-buttons">
				{canPause && <button type="button" class="ui-icon-button is-small"
					aria-label="Pause" title="Pause"
					onClick={() => transfer.pause()}><Icon name="pause" size={12} /></button>}
				{canResume && <button type="button" class="ui-icon-button is-small"
					aria-label="Resume" title="Resume"
					onClick={() => resumeUpload(transfer)}><Icon name="play" size={12} /></button>}
				<button type="button" class="ui-icon-button is-small" aria-label="Cancel" title="Cancel"
					onClick={() => void cancelUpload(transfer)}><Icon name="close"
						size={12} /></button>
			</div>
			<div class="ui-progress" role="progressbar" aria-valuenow={Math.round(fraction * 100)}
				aria-valuemin={0} aria-valuemax={100}><span style={{ width: `${fraction * 100}%` }}
					/></div>
		</div>
	);
}

export function UploadList() {
	const all = useStore(uploads);
	if (!all.length) return null;
	return <div class="up-list">{all.map((one) => <Item key={one.name} transfer={one} />)}</div>;
}
