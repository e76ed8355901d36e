// SPDX-License-Identifier: Apache-2.0
// Shows an error in place of the part of the page that failed.

import { Component, type ComponentChildren } from "preact";

export class ErrorBoundary extends Component<
	{ what: string; children: ComponentChildren }, { failure: Error | null }
> {
	override state = { failure: null as Error | null };

	override componentDidCatch(failure: unknown): void {
		console.error(failure);
		this.setState({ failure: failure instanceof Error ? failure : new Error(String(failure)) });
	}

	render() {
		const { failure } = this.state;
		if (!failure) return this.props.children;
		return (
			<div class="ui-empty" role="alert">
				<h2>{this.props.what} stopped working</h2>
				<p class="ui-dim">
					This is a bug in Neuron Explorer, not a problem with your profile. Try again; if
					that does not help, please report the message below.</p>
				<pre class="ui-notice is-error">{failure.message}</pre>
				<p>
					<button type="button" class="ui-button"
						onClick={() => this.setState({ failure: null })}>
						Try again
					</button>
				</p>
			</div>
		);
	}
}
