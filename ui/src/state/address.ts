// SPDX-License-Identifier: Apache-2.0
// Decides when the page's URL is written and whether that adds a history entry. Small changes
// replace the entry, at most a few times a second (browsers limit this). A jump adds an entry at
// once, because the user may press Back while the view still moves.

const EVERY_MS = 400;
/** Jumps within this time count as one, such as the two clicks of a double click. */
const TOGETHER_MS = 300;

export interface AddressBar {
	query(): string;
	put(query: string, isNew: boolean): void;
}

const browserBar: AddressBar = {
	query: () => location.search,
	put(query, isNew) {
		const url = location.pathname + query;
		if (isNew) history.pushState(null, "", url);
		else history.replaceState(null, "", url);
	},
};

export class Address<Goal> {
	private timer: ReturnType<typeof setTimeout> | undefined;
	private isJump = false;
	private jumpedAt = -Infinity;

	/** queryOf returns the query for the page's state, or for its state once it reaches the goal. */
	constructor(private readonly queryOf: (goal?: Goal) => string,
		private readonly bar: AddressBar = browserBar, private readonly now = () =>
			performance.now()) {}

	/** Call after a change; writes the URL within EVERY_MS. */
	soon(): void {
		if (this.isJump) return this.write();
		this.timer ??= setTimeout(() => this.write(), EVERY_MS);
	}

	write(goal?: Goal): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		const query = this.queryOf(goal);
		if (query === this.bar.query()) return;
		this.bar.put(query, this.isJump);
		this.isJump = false;
	}

	/** Starts a new history entry for the goal, or for the next change if there is no goal. */
	beforeJump(goal?: Goal): void {
		const isNew = this.now() - this.jumpedAt > TOGETHER_MS;
		this.isJump = false;
		if (isNew) this.write();
		this.isJump = isNew;
		this.jumpedAt = this.now();
		if (goal === undefined) return;
		this.write(goal);
		this.isJump = false; // in case the goal is the current view
	}

	/** Drops pending changes. */
	forget(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.isJump = false;
		this.jumpedAt = -Infinity;
	}
}
