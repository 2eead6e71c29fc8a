// SPDX-License-Identifier: Apache-2.0
// Colors: a hue for each kind of frame and a shade for each package. They are the
// same on every page, so that pages can be compared.

import { packageOf } from './flame_format.js';

export const kindTitles = {
	interpreted: 'Interpreted', c1: 'C1', jit: 'JIT (C2)', inlined: 'Inlined',
	native: 'Native', cpp: 'C++', kernel: 'Kernel', java: 'Java',
	class: 'Class', synthetic: 'Synthetic',
};

export const kindMeanings = {
	interpreted: 'Java method run by the interpreter',
	c1: 'Java method compiled by the C1 compiler',
	jit: 'Java method compiled by the C2 compiler',
	inlined: 'Java method inlined into its caller',
	native: 'Native code: C libraries, JNI methods, stubs of the JVM',
	cpp: 'C++ code, most of it of the JVM',
	kernel: 'Linux kernel',
	java: 'Java method; the recording does not tell how it ran',
	class: 'Class of an allocated object or of a lock',
	synthetic: 'Written by sjkc, not a method',
};

// Hue, saturation and lightness on a light background; range of the shades' hues.
const hues = {
	interpreted: [158, 26, 77, 8], c1: [78, 50, 70, 8], jit: [128, 42, 69, 12],
	inlined: [184, 44, 70, 9], native: [3, 70, 77, 7], cpp: [50, 72, 68, 5],
	kernel: [29, 82, 70, 6], java: [214, 52, 77, 18], class: [272, 46, 80, 10],
	synthetic: [220, 6, 82, 0],
};

// Based on the palette of Okabe and Ito: kinds differ in lightness, too.
const blindHues = {
	interpreted: [202, 60, 86, 0], c1: [202, 70, 73, 0], jit: [203, 68, 61, 0],
	inlined: [164, 52, 56, 0], native: [22, 88, 66, 0], cpp: [327, 48, 75, 0],
	kernel: [42, 92, 62, 0], java: [218, 22, 81, 0], class: [56, 70, 70, 0],
	synthetic: [0, 0, 88, 0],
};

const SHADES = 8;

const themes = {
	light: {
		ground: '#ffffff', ink: '#16181d', tiny: '#c9ccd3', edge: '#ffffff',
		match: '#e78bf0', blindMatch: '#fff200', select: '#1d4ed8',
		bar: '#8fb3dd', barOff: '#dfe3ea', all: '#e8eaee',
	},
	dark: {
		ground: '#17191e', ink: '#f4f5f7', tiny: '#454a55', edge: '#17191e',
		match: '#a21caf', blindMatch: '#5c5600', select: '#8ab4ff',
		bar: '#4d77a8', barOff: '#2d313a', all: '#2c3038',
	},
};

// Returns the CSS color of shade k. On a dark background, the same hue is dark
// enough for light text.
function shade([hue, saturation, lightness, spread], k, dark) {
	const step = k / (SHADES - 1) - 0.5;
	const tone = (k * 5 % SHADES) / (SHADES - 1) - 0.5;
	const h = (hue + step * 2 * spread + 360) % 360;
	const spreadL = spread ? 7 : 3;
	if (!dark)
		return `hsl(${h.toFixed(1)} ${saturation}% ${(lightness + tone * spreadL).toFixed(1)}%)`;
	// Yellow and green look lighter than blue at the same lightness.
	const bright = h > 18 && h < 212 ? 0.305 : 0.44;
	const l = 8 + lightness * bright - (lightness > 80 ? 6 : 0);
	return `hsl(${h.toFixed(1)} ${Math.round(saturation * 0.72)}% ${(l + tone * spreadL).toFixed(1)}%)`;
}

export class Colors {
	constructor(profile, theme, blind) {
		this.profile = profile;
		this.dark = theme === 'dark';
		this.theme = themes[theme];
		this.match = blind ? this.theme.blindMatch : this.theme.match;
		const table = blind ? blindHues : hues;
		this.fills = profile.kinds.map((kind) => {
			const hue = table[kind] || table.synthetic;
			return Array.from({ length: SHADES },
				(_, k) => shade(hue, k, this.dark));
		});
		this.blind = blind;
	}

	static shadeOf(profile, name) {
		const cache = profile.shades ||
			(profile.shades = new Uint8Array(profile.names.length).fill(255));
		if (cache[name] === 255) {
			const text = packageOf(profile.names[name].slice(0, 200));
			let h = 0x811c9dc5;
			for (let i = 0; i < text.length; i++)
				h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
			cache[name] = (h ^ (h >>> 13)) >>> 7 & (SHADES - 1);
		}
		return cache[name];
	}

	fill(kind, name) {
		return kind === 255 ? this.theme.all :
			this.fills[kind][Colors.shadeOf(this.profile, name)];
	}

	legend(kind) {
		return this.fills[kind][3];
	}
}
