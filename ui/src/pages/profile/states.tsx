// SPDX-License-Identifier: Apache-2.0
// A profile's page while it is processed, or if it cannot be opened.

import { useEffect } from "preact/hooks";
import type { ApiError } from "../../api/client.ts";
import { profileWatch, tunnelCommand } from "../../server.ts";
import { Command } from "../../shell/command.tsx";
import { Link } from "../../shell/link.tsx";
import { useStore } from "../../store.ts";

export function ProfileLoading({ name }: { name: string }) {
	return (
		<div class="ui-empty" role="status">
			<p><span class="ui-spinner" /> Opening {name} …</p>
		</div>
	);
}

const BackLink = () => <p><Link to={{ page: "manager" }}>Go to the Profile Manager</Link></p>;

export function NoProfile({ name, failure, onRetry }:
	{ name: string; failure: ApiError; onRetry: () => void }) {
	const { profiles } = useStore(profileWatch.list);
	const profile = profiles.find((one) => one.name === name);
	const isBusy = profile?.state === "processing" || profile?.state === "uploading";
	// Open the page when processing is complete.
	useEffect(() => {
		if (profile?.state === "ready") onRetry();
	}, [profile?.state]);
	if (isBusy) {
		const percent = profile.fraction === null ? null : Math.round(profile.fraction * 100);
		return (
			<div class="ui-empty" role="status">
				<h1>{name} is being processed</h1>
				<p class="ui-dim">{profile.stage ?? "Reading the capture"}{percent === null ?
					"" : `, ${percent} %`}.
					This page opens when processing is complete.</p>
				<div class={`ui-progress${percent === null ? " is-unknown" : ""}`}>
					<span style={percent === null ? {} : { width: `${percent}%` }} />
				</div>
				<BackLink />
			</div>
		);
	}
	return (
		<div class="ui-empty" role="alert">
			<h1>{failure.status === 404 ? `There is no profile ${name}`
				: `${name} cannot be opened`}</h1>
			<p>{profile?.reason || failure.message}</p>
			{failure.status === 404 && <p class="ui-dim">It may have been renamed or deleted, or the
				link may be for another server: profiles are stored where they were processed.</p>}
			{failure.status === 0 && <Command text={tunnelCommand()} />}
			<p><button type="button" class="ui-button" onClick={onRetry}>Try again</button></p>
			<BackLink />
		</div>
	);
}
