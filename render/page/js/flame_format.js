// SPDX-License-Identifier: Apache-2.0
// Formats names, weights and times.

// Characters that reorder or hide text are shown as their code points.
const HIDING = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

export function shown(name) {
	return name.replace(HIDING, (c) =>
		`<U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`);
}

export function shortened(name, limit) {
	return shown(name.length <= limit ? name : name.slice(0, limit - 1) + '…');
}

// The package of a Java name: the segments before the first capitalized one.
const PACKAGE = /^(?:[a-z_][\w$]*[./])+(?=[A-Z])/;

export function simpleName(name) {
	return name.replace(PACKAGE, '');
}

export function packageOf(name) {
	const match = PACKAGE.exec(name);
	if (match)
		return match[0];
	const end = name.search(/::|[(<+]/);
	return end > 0 ? name.slice(0, end) : name;
}

function groupedDigits(digits) {
	return digits.replace(/\B(?=(?:\d{3})+$)/g, ',');
}

export function grouped(number) {
	return number < 1e21 ? groupedDigits(Math.round(number).toFixed(0)) : String(number);
}

function threeDigits(number) {
	return number >= 1000 ? grouped(number) :
		String(Number(number.toPrecision(3)));
}

export const unitSteps = {
	ns: [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']],
	bytes: [[2 ** 40, 'TB'], [2 ** 30, 'GB'], [2 ** 20, 'MB'], [2 ** 10, 'KB'], [1, 'B']],
};

// Appends the unit, a plural such as "samples"; "1" takes the singular.
export function counted(text, unit) {
	return `${text} ${text === '1' ? unit.replace(/s$/, '') : unit}`;
}

export function formatWeight(value, unit) {
	const steps = unitSteps[unit];
	if (!steps)
		return counted(grouped(value), unit);
	if (value === 0)
		return '0 ' + steps[steps.length - 1][1];
	for (const [size, word] of steps)
		if (value >= size * 0.9995)
			return `${threeDigits(value / size)} ${word}`;
	return `${threeDigits(value)} ${steps[steps.length - 1][1]}`;
}

// Formats an exact integer of any size, given as text.
export function formatExact(text, unit) {
	return unit === 'ns' ? `${groupedDigits(text)} ns` :
		counted(groupedDigits(text), unit);
}

export function percent(part, whole) {
	if (!(whole > 0))
		return '–';
	const share = part / whole * 100;
	if (share === 0 || share === 100)
		return `${share}%`;
	return share >= 99.995 ? '>99.99%' : share >= 9.995 ? `${share.toFixed(1)}%` :
		share >= 0.01 ? `${share.toFixed(2)}%` : '<0.01%';
}

export function formatOffset(ms) {
	return ms < 1000 ? `${Math.round(ms)} ms` :
		ms < 100000 ? `${(ms / 1000).toFixed(1)} s` :
			`${Math.floor(ms / 60000)} min ${Math.round(ms % 60000 / 1000)} s`;
}

// Formats a round time: 500 ms, 15 s, 2 min, 1 min 30 s, 3 h.
export function formatTick(ms) {
	if (ms === 0 || ms % 1000 !== 0)
		return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
	const parts = [[Math.floor(ms / 3600e3), 'h'], [Math.floor(ms % 3600e3 / 60e3), 'min'],
		[ms % 60e3 / 1000, 's']];
	return parts.filter(([n]) => n > 0).map(([n, unit]) => `${n} ${unit}`).join(' ');
}

export function formatClock(ms) {
	const date = new Date(ms);
	const two = (number) => String(number).padStart(2, '0');
	return Number.isNaN(date.getTime()) ? '' : [date.getHours(), date.getMinutes(),
		date.getSeconds()].map(two).join(':');
}

export function csvField(text) {
	const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
	return `"${safe.replace(/"/g, '""')}"`;
}
