// SPDX-License-Identifier: Apache-2.0
// The field to rename a profile.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Profile } from "../../api/types.ts";
import { changeProfile } from "./actions.ts";
import { nameFault, NAME_MOST } from "./list.ts";

export function RenameField({ name, profiles, onEnd }:
	{ name: string; profiles: Profile[]; onEnd: () => void }) {
	const [typed, setTyped] = useState(name);
	const input = useRef<HTMLInputElement>(null);
	const fault = typed === name ? null : nameFault(typed, profiles);
	const isOver = useRef(false);
	useEffect(() => input.current?.select(), []);
	// Removing the field blurs it; it must not save twice.
	const end = () => {
		isOver.current = true;
		onEnd();
	};
	const save = () => {
		if (fault || isOver.current) return;
		end();
		if (typed !== name) void changeProfile(name, { name: typed });
	};
	return (
		<span class="pm-rename">
			<input ref={input} class="ui-input" maxLength={NAME_MOST} value={typed}
				aria-label={`New name for ${name}`}
				aria-invalid={!!fault} onInput={(event) => setTyped(event.currentTarget.value)}
				onBlur={() => (fault ? end() : save())}
				onKeyDown={(event) => {
					if (event.key === "Enter") save();
					else if (event.key === "Escape") end();
					else return;
					event.stopPropagation();
				}} />
			{fault && <span class="pm-fault" role="alert">{fault}</span>}
		</span>
	);
}
