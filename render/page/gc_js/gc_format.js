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
