// SPDX-License-Identifier: Apache-2.0
// The few types of node that the tests use; @types/node is a large package.

declare module "node:test" {
	type Body = (context: { name: string }) => void | Promise<void>;
	export function test(name: string, body: Body): Promise<void>;
	export function describe(name: string, body: () => void): void;
	export function it(name: string, body: Body): void;
	export function beforeEach(body: () => void | Promise<void>): void;
	export function afterEach(body: () => void | Promise<void>): void;
	export default test;
}

declare module "node:assert/strict" {
	interface Assert {
		(value: unknown, message?: string): asserts value;
		ok(value: unknown, message?: string): asserts value;
		equal<T>(actual: unknown, expected: T, message?: string): asserts actual is T;
		notEqual(actual: unknown, expected: unknown, message?: string): void;
		deepEqual<T>(actual: unknown, expected: T, message?: string): void;
		notDeepEqual(actual: unknown, expected: unknown, message?: string): void;
		throws(body: () => unknown, expected?: RegExp | object, message?: string): void;
		rejects(body: Promise<unknown> | (() => Promise<unknown>), expected?: RegExp | object): Promise<void>;
		match(text: string, pattern: RegExp, message?: string): void;
		fail(message?: string): never;
	}
	const assert: Assert;
	export default assert;
}
