// SPDX-License-Identifier: Apache-2.0
// A modal dialog, built on <dialog>; focus returns to where it was.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icons.tsx";

interface DialogProps {
	title: string;
	onClose: () => void;
	onSubmit?: () => void;
	foot?: ComponentChildren;
	isWide?: boolean;
	children: ComponentChildren;
}

export function Dialog({ title, onClose, onSubmit, foot, isWide, children }: DialogProps) {
	const ref = useRef<HTMLDialogElement>(null);
	const titleId = useId();
	useLayoutEffect(() => {
		const before = document.activeElement as HTMLElement | null;
		ref.current?.showModal();
		ref.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
		return () => before?.focus?.();
	}, []);
	return (
		<dialog ref={ref} class={`ui-dialog${isWide ? " is-wide" : ""}`} aria-labelledby={titleId}
			onCancel={(event) => {
				event.preventDefault();
				onClose();
			}}
			onMouseDown={(event) => {
				if (event.target === ref.current) onClose(); // the backdrop
			}}>
			<form method="dialog" class="ui-dialog-form" onSubmit={(event) => {
				event.preventDefault();
				onSubmit?.();
			}}>
				<div class="ui-dialog-head">
					<h2 id={titleId}>{title}</h2>
					<button type="button" class="ui-icon-button" aria-label="Close"
						onClick={onClose}>
						<Icon name="close" />
					</button>
				</div>
				<div class="ui-dialog-body">{children}</div>
				{foot && <div class="ui-dialog-foot">{foot}</div>}
			</form>
		</dialog>
	);
}
