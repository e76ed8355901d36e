// SPDX-License-Identifier: Apache-2.0
// Moves the view: at once, with an animation, or as a jump that Back undoes.

import type { ProfileContext, View } from "../contract.ts";
import { blendViews } from "./view.ts";

const MOVE_MS = 140;

export class Movement {
	private frame = 0;
	private goal: View | null = null; // during an animation

	constructor(private readonly context: ProfileContext) {}

	/** Without an animation. */
	set(view: View): void {
		this.stop();
		this.context.view.set(view);
	}

	/** With an animation and a history entry. */
	jumpTo(to: View): void {
		this.arrive();
		this.context.beforeJump(to);
		this.glideTo(to);
	}

	/** With a history entry, but without an animation. */
	jumpAtOnce(to: View): void {
		this.arrive();
		this.context.beforeJump(to);
		this.context.view.set(to);
	}

	/** With an animation, unless the system is set to reduced motion. */
	glideTo(to: View): void {
		this.arrive();
		const { view } = this.context;
		const from = view.get();
		if (matchMedia("(prefers-reduced-motion: reduce)").matches) return view.set(to);
		const start = performance.now();
		let last = from;
		const step = (now: number) => {
			if (view.get() !== last) return this.stop(); // moved by Back or a panel
			const progress = Math.min((now - start) / MOVE_MS, 1);
			const eased = 1 - (1 - progress) ** 3;
			last = blendViews(from, to, Math.max(eased, 0));
			if (progress < 1) this.frame = requestAnimationFrame(step);
			else this.stop();
			view.set(last);
		};
		this.goal = to;
		this.frame = requestAnimationFrame(step);
	}

	/** Ends an animation at its goal, because that is what the history contains. */
	private arrive(): void {
		const { goal } = this;
		this.stop();
		if (goal) this.context.view.set(goal);
	}

	private stop(): void {
		cancelAnimationFrame(this.frame);
		this.goal = null;
	}
}
