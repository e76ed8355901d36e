// SPDX-License-Identifier: Apache-2.0
// An area to drop files on, with buttons to choose files and the current choice.

import { useRef, useState } from "preact/hooks";
import { Icon } from "../shell/icons.tsx";
import { bytesText, pluralText } from "../shell/words.ts";
import { notify } from "../shell/toasts.tsx";
import { filesOfDrop, filesOfInput } from "./entries.ts";
import { sizeOf, type Chosen } from "./plan.ts";

interface ZoneProps {
	title: string;
	hint: string;
	chosen: Chosen[];
	onChange: (chosen: Chosen[]) => void;
	accept?: string;
	isMultiple?: boolean;
	canBeFolder?: boolean;
	isFolder?: boolean;
}

function Picker({ title, accept, isMultiple, isFolder, onFiles }:
	{ title: string; accept?: string; isMultiple: boolean; isFolder: boolean;
		onFiles: (c: Chosen[]) => void }) {
	const input = useRef<HTMLInputElement>(null);
	return (
		<>
			<button type="button" class="ui-button"
				onClick={() => input.current?.click()}>{title}</button>
			<input type="file" ref={input} hidden multiple={isMultiple}
				{...(accept ? { accept } : {})}
				{...(isFolder ? { webkitdirectory: true } : {})}
				onChange={(event) => onFiles(filesOfInput(event.currentTarget))} />
		</>
	);
}

function Held({ chosen, onClear }: { chosen: Chosen[]; onClear: () => void }) {
	const first = chosen[0]!;
	const text = chosen.length === 1 ? first.path : pluralText(chosen.length, "file");
	return (
		<span class="up-held">
			<Icon name={chosen.length > 1 ? "folder" : "file"} size={14} />
			<span class="up-path" title={chosen.slice(0, 20).map((one) =>
				one.path).join("\n")}>{text}</span>
			<span class="ui-dim">{bytesText(sizeOf(chosen))}</span>
			<button type="button" class="ui-icon-button is-small" aria-label={`Remove ${text}`}
				onClick={onClear}>
				<Icon name="close" size={10} /></button>
		</span>
	);
}

export function DropZone(props: ZoneProps) {
	const { title, hint, chosen, onChange, accept, isMultiple = false } = props;
	const [isOver, setOver] = useState(false);
	const take = (files: Chosen[]) => {
		if (files.length) onChange(isMultiple || props.isFolder ? files : files.slice(0, 1));
	};
	return (
		<div class={`up-zone${isOver ? " is-over" : ""}`}
			onDragOver={(event) => {
				event.preventDefault();
				setOver(true);
			}}
			onDragLeave={() => setOver(false)}
			onDrop={(event) => {
				event.preventDefault();
				event.stopPropagation();
				setOver(false);
				if (event.dataTransfer)
					filesOfDrop(event.dataTransfer).then(take, (failure: Error) =>
						notify(failure.message, "error"));
			}}>
			<div class="up-zone-text">
				<span class="ui-label">{title}</span>
				{chosen.length ? <Held chosen={chosen} onClear={() => onChange([])} />
					: <span class="ui-hint">{hint}</span>}
			</div>
			{!props.isFolder && <Picker title={isMultiple ? "Choose files" : "Choose file"}
				isMultiple={isMultiple} isFolder={false} onFiles={take} {...(accept ? { accept } : {})} />}
			{(props.isFolder || props.canBeFolder) && (
				<Picker title="Choose folder" isMultiple isFolder onFiles={take} />)}
		</div>
	);
}
