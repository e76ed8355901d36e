// SPDX-License-Identifier: Apache-2.0
// When a page's URL is written, and whether that adds an entry to the history. Small changes
// replace the entry a few times a second at most (browsers refuse more). A jump adds an entry, so
// that Back undoes it: immediately, because Back may be pressed before the view has arrived.

const EVERY_MS = 400;
/** Jumps in quick succession count as one: the clicks of a double click. */
const TOGETHER_MS = 300;

/** The browser's, or a test's. */
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

	/** queryOf says what the page shows, or will show when it has arrived at a goal. */
	constructor(private readonly queryOf: (goal?: Goal) => string,
		private readonly bar: AddressBar = browserBar, private readonly now = () =>
			performance.now()) {}

	/** Something changed. */
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

	/** What follows becomes a new entry. Without a goal it is the next change, whatever it is. */
	beforeJump(goal?: Goal): void {
		const isNew = this.now() - this.jumpedAt > TOGETHER_MS;
		this.isJump = false;
		if (isNew) this.write();
		this.isJump = isNew;
		this.jumpedAt = this.now();
		if (goal === undefined) return;
		this.write(goal);
		this.isJump = false; // the jump leads to the current place
	}

	/** What was going to be written is not wanted any more. */
	forget(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.isJump = false;
		this.jumpedAt = -Infinity;
	}
}
