// SPDX-License-Identifier: Apache-2.0
// Files that the build copies next to the bundle; an import is their URL, relative to the bundle.

declare module "*.neff" {
	const url: string;
	export default url;
}

declare module "*.ntff" {
	const url: string;
	export default url;
}

declare module "*.nasm" {
	const url: string;
	export default url;
}
