// SPDX-License-Identifier: Apache-2.0
// The Profile Manager: all profiles and what can be done to them.

import { TopBar } from "../../shell/topbar.tsx";

export function ManagerPage() {
	return <TopBar><h1>Profile Manager</h1></TopBar>;
}
