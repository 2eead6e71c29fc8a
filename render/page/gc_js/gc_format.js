// SPDX-License-Identifier: Apache-2.0
// Texts of numbers, with the units of core/base/units.

function digits(value) {
	return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function timeText(ns) {
	if (ns < 0)
		return '-';
	if (ns < 1000)
		return `${ns.toFixed(0)} ns`;
	if (ns < 999500)
		return `${digits(ns / 1e3)} us`;
	if (ns < 999500000)
		return `${digits(ns / 1e6)} ms`;
	return `${digits(ns / 1e9)} s`;
}

export function sizeText(bytes) {
	if (bytes < 0)
		return '-';
	const units = ['B', 'KB', 'MB', 'GB', 'TB'];
	let unit = 0;
	for (; bytes >= 1024 && unit < 4; unit++)
		bytes /= 1024;
	return unit ? `${digits(bytes)} ${units[unit]}` : `${bytes} B`;
}

// The time of a record: local time, time since the JVM started, or its number.
export function momentText(data, ms) {
	if (!data.has_times)
		return `#${Math.round(ms) + 1}`;
	if (data.start_ms === null)
		return `${((data.uptime_ms + ms) / 1000).toFixed(3)} s`;
	const date = new Date(data.start_ms + ms);
	const two = (n) => String(n).padStart(2, '0');
	return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

const clockSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3,
	120e3, 300e3, 600e3, 900e3, 1800e3, 3600e3, 7200e3, 14400e3, 21600e3, 43200e3, 86400e3];

// Returns the least of the steps, or of 1, 2, 5, 10, …, that is at least `least`.
function stepFrom(least, steps) {
	const found = steps.find((step) => step >= least);
	if (found)
		return found;
	const power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least);
}

// Returns at most `count` round times within a range, with their labels.
export function ticks(data, from, to, count) {
	const least = Math.max((to - from) / count, 1);
	const isClock = data.has_times && data.start_ms !== null;
	const step = stepFrom(least, isClock ? clockSteps : []);
	// Records are counted from 1, clock times from local midnight.
	let base = data.has_times ? data.uptime_ms : 1;
	if (isClock)
		base = data.start_ms - 60e3 * new Date(data.start_ms).getTimezoneOffset();
	const label = (ms) => {
		if (isClock)
			return momentText(data, ms).slice(0, step >= 1000 ? 8 : 12);
		return data.has_times ? `${((base + ms) / 1000).toFixed(step >= 1000 ? 0 : 3)} s` :
			momentText(data, ms);
	};
	const found = [];
	for (let at = Math.ceil((base + from) / step) * step; at <= base + to; at += step)
		if (isClock || at >= 0)
			found.push([at - base, label(at - base)]);
	return found;
}
