// SPDX-License-Identifier: Apache-2.0
// A link to another page of the application.

import type { JSX } from "preact";
import { follow, urlOf } from "../state/navigate.ts";
import type { Route } from "../state/route.ts";

export function Link({ to, query = "", ...rest }:
	{ to: Route; query?: string } & JSX.HTMLAttributes<HTMLAnchorElement>) {
	return <a {...rest} href={urlOf(to) + query} onClick={(event) => follow(event, to, query)} />;
}
