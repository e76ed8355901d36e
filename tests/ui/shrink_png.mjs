// SPDX-License-Identifier: Apache-2.0
// Shrinks a screenshot: the 256 most frequent colours become the palette, all others are replaced by the
// nearest one. Reads the PNGs of browsers: 8-bit RGB or RGBA without interlacing.

import { deflateSync, inflateSync, crc32 as zlibCrc } from "node:zlib";
import { readFileSync, writeFileSync } from "node:fs";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function crc32(bytes) {
	if (zlibCrc) return zlibCrc(bytes);
	let crc = ~0;
	for (const byte of bytes) {
		crc ^= byte;
		for (let k = 0; k < 8; k++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc >>> 0;
}

function chunk(type, data) {
	const out = Buffer.alloc(data.length + 12);
	out.writeUInt32BE(data.length, 0);
	out.write(type, 4, "latin1");
	data.copy(out, 8);
	out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
	return out;
}

/** Pixels as 0xrrggbb. */
function decode(file) {
	let width = 0, height = 0, channels = 0;
	const packed = [];
	for (let at = 8; at < file.length;) {
		const length = file.readUInt32BE(at), type = file.toString("latin1", at + 4, at + 8);
		const data = file.subarray(at + 8, at + 8 + length);
		if (type === "IHDR") {
			[width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
			channels = { 2: 3, 6: 4 }[data[9]];
			if (data[8] !== 8 || !channels || data[12]) throw new Error("not a screenshot of a browser");
		} else if (type === "IDAT") packed.push(data);
		at += 12 + length;
	}
	const raw = inflateSync(Buffer.concat(packed));
	const stride = width * channels;
	const pixels = new Uint32Array(width * height);
	let above = new Uint8Array(stride);
	for (let y = 0; y < height; y++) {
		const filter = raw[y * (stride + 1)];
		const line = new Uint8Array(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
		for (let i = 0; i < stride; i++) {
			const a = i >= channels ? line[i - channels] : 0, b = above[i], c = i >= channels ? above[i - channels] : 0;
			line[i] += [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter];
		}
		for (let x = 0; x < width; x++)
			pixels[y * width + x] = (line[x * channels] << 16) | (line[x * channels + 1] << 8) | line[x * channels + 2];
		above = line;
	}
	return { width, height, pixels };
}

function paeth(a, b, c) {
	const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
	return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

function paletteOf(pixels) {
	const counts = new Map();
	for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
	const all = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
	// Shades of anti-aliased text must not displace a meaningful colour.
	const palette = [], far = (a, b) => distance(a, b) > 40;
	for (const colour of all) if (palette.length < 256 && palette.every((one) => far(one, colour))) palette.push(colour);
	for (const colour of all) if (palette.length < 256 && !palette.includes(colour)) palette.push(colour);
	const index = new Map();
	for (const colour of all) {
		let best = 0;
		for (let i = 1; i < palette.length; i++)
			if (distance(palette[i], colour) < distance(palette[best], colour)) best = i;
		index.set(colour, best);
	}
	return { palette, index };
}

function distance(a, b) {
	const r = (a >> 16) - (b >> 16), g = ((a >> 8) & 255) - ((b >> 8) & 255), c = (a & 255) - (b & 255);
	return r * r + g * g + c * c;
}

export function shrinkPng(path) {
	const { width, height, pixels } = decode(readFileSync(path));
	const { palette, index } = paletteOf(pixels);
	const lines = Buffer.alloc(height * (width + 1));
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++) lines[y * (width + 1) + 1 + x] = index.get(pixels[y * width + x]);
	const head = Buffer.alloc(13);
	head.writeUInt32BE(width, 0);
	head.writeUInt32BE(height, 4);
	head.set([8, 3, 0, 0, 0], 8);
	const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
	writeFileSync(path, Buffer.concat([SIGNATURE, chunk("IHDR", head), chunk("PLTE", colours),
		chunk("IDAT", deflateSync(lines, { level: 9, memLevel: 9 })), chunk("IEND", Buffer.alloc(0))]));
}
