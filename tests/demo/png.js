// SPDX-License-Identifier: Apache-2.0
// Reduces a PNG of Chromium, with 8 bits for each of 3 or 4 channels, to 256 colors.
'use strict';

const zlib = require('node:zlib');

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

// Returns the predicted byte of filter 4, of the left, upper and upper left bytes.
function paeth(left, up, corner) {
	const sum = left + up - corner;
	const [l, u, c] = [left, up, corner].map((value) => Math.abs(sum - value));
	return l <= u && l <= c ? left : u <= c ? up : corner;
}

// Returns the width, the height and the colors of the pixels, as 0xRRGGBB.
function decode(png) {
	const width = png.readUInt32BE(16), height = png.readUInt32BE(20);
	const size = png[25] === 6 ? 4 : 3;
	const packed = [];
	for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
		if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
			packed.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
	const raw = zlib.inflateSync(Buffer.concat(packed));
	const length = width * size;
	const pixels = new Uint32Array(width * height);
	let before = Buffer.alloc(length);
	for (let y = 0; y < height; y++) {
		const filter = raw[y * (length + 1)];
		const row = raw.subarray(y * (length + 1) + 1, (y + 1) * (length + 1));
		for (let i = 0; i < length; i++) {
			const left = i < size ? 0 : row[i - size], corner = i < size ? 0 : before[i - size];
			row[i] += [0, left, before[i], (left + before[i]) >> 1,
				paeth(left, before[i], corner)][filter];
		}
		for (let x = 0; x < width; x++)
			pixels[y * width + x] = row.readUIntBE(x * size, 3);
		before = row;
	}
	return { width, height, pixels };
}

function distance(a, b) {
	return [16, 8, 0].reduce((sum, shift) => sum + ((a >> shift & 255) - (b >> shift & 255)) ** 2, 0);
}

// Returns the 256 most frequent colors, and the index of the nearest for each color.
function choosePalette(pixels) {
	const counts = new Map();
	for (const color of pixels)
		counts.set(color, (counts.get(color) || 0) + 1);
	const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([color]) => color);
	const palette = sorted.slice(0, 256);
	const index = new Map(palette.map((color, i) => [color, i]));
	for (const color of sorted.slice(256)) {
		let nearest = 0;
		for (let i = 1; i < palette.length; i++)
			if (distance(color, palette[i]) < distance(color, palette[nearest]))
				nearest = i;
		index.set(color, nearest);
	}
	return { palette, index };
}

function chunk(type, data) {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const head = Buffer.alloc(4), tail = Buffer.alloc(4);
	head.writeUInt32BE(data.length);
	tail.writeUInt32BE(crc(body));
	return Buffer.concat([head, body, tail]);
}

function crc(bytes) {
	let value = ~0;
	for (const byte of bytes) {
		value ^= byte;
		for (let bit = 0; bit < 8; bit++)
			value = value >>> 1 ^ (value & 1 ? 0xedb88320 : 0);
	}
	return ~value >>> 0;
}

exports.shrink = function shrink(png) {
	const { width, height, pixels } = decode(png);
	const { palette, index } = choosePalette(pixels);
	const rows = Buffer.alloc(height * (width + 1));
	pixels.forEach((color, i) => {
		rows[i + Math.floor(i / width) + 1] = index.get(color);
	});
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([8, 3], 8); // 8 bits per pixel, of a palette
	const colors = Buffer.from(palette.flatMap((c) => [c >> 16, c >> 8 & 255, c & 255]));
	return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('PLTE', colors),
		chunk('IDAT', zlib.deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
};
