// SPDX-License-Identifier: Apache-2.0
// Sets of annotations: stored by the server under a name, exported to and imported from files.

import { useRef, useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { fromDocument, toDocument } from "./annotations_model.ts";
import { Button, download } from "../parts/parts.tsx";
import { sentenceOf, useLoad, valueOf } from "../parts/use_load.ts";

export function AnnotationSets({ context }: { context: ProfileContext }) {
	const [version, setVersion] = useState(0);
	const [name, setName] = useState("");
	const file = useRef<HTMLInputElement>(null);
	const load = useLoad(async () => (await context.api.annotationSets()).sets, [context, version]);
	const sets = valueOf(load) ?? [];
	const attempt = async (work: () => Promise<string>) => {
		try {
			context.notify(await work());
			setVersion((now) => now + 1);
		} catch (failure) {
			context.notify(sentenceOf(failure), "error");
		}
	};
	const known = sets.includes(name);
	const open = () => attempt(async () => {
		context.markers.set(fromDocument(await context.api.annotations(name), context.originNs));
		return `Showing “${name}”.`;
	});
	const save = () => attempt(async () => {
		await context.api.saveAnnotations(name, toDocument(context.markers.get(), context.originNs));
		return `Saved as “${name}”.`;
	});
	const remove = () => attempt(async () => {
		await context.api.deleteAnnotations(name);
		setName("");
		return `“${name}” deleted.`;
	});
	const take = (chosen: File | undefined) => chosen && attempt(async () => {
		const text = await chosen.text();
		let document: unknown;
		try {
			document = JSON.parse(text);
		} catch {
			throw new Error(`${chosen.name} is not valid JSON.`);
		}
		context.markers.set(fromDocument(document, context.originNs));
		return `Showing ${chosen.name}.`;
	});
	return (
		<>
			<input class="pn-input an-set" list="an-sets" placeholder="Set name"
				aria-label="Annotation set"
				value={name} onInput={(event) => setName(event.currentTarget.value.trim())} />
			<datalist id="an-sets">{sets.map((set) => <option key={set} value={set} />)}</datalist>
			<Button disabled={!known} onClick={() => void open()}>Open</Button>
			<Button disabled={!name} onClick={() => void save()}>Save</Button>
			<Button disabled={!known} onClick={() => void remove()}>Delete</Button>
			<Button onClick={() => download(`${context.name}-annotations.json`,
				JSON.stringify(toDocument(context.markers.get(), context.originNs), null, "\t"),
				"application/json")}>Export</Button>
			<Button onClick={() => file.current?.click()}>Import</Button>
			<input ref={file} class="pn-hidden" type="file" accept=".json,application/json" tabIndex={-1}
				aria-label="Annotation file" onChange={(event) => {
					void take(event.currentTarget.files?.[0]);
					event.currentTarget.value = "";
				}} />
		</>
	);
}
