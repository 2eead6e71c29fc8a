// SPDX-License-Identifier: Apache-2.0
// The table of the visible pauses by kind, collector and cause.

import { pauseOf, reasonOf } from './gc_data.js';
import { timeText } from './gc_format.js';

const HEADS = ['Kind', 'Collector', 'Cause', 'Count', 'Sum', 'p50', 'p95', 'p99', 'Longest'];
const TEXTS = 3;

// As gc_durations_percentile() in C: the nearest rank.
function percentile(sorted, percent) {
	if (!sorted.length)
		return -1;
	return sorted[Math.max(Math.ceil(percent / 100 * sorted.length), 1) - 1];
}

// As gc_durations_add() in C: each of several stops is an equal part of their sum.
function addParts(values, ns, count) {
	const parts = Math.min(Math.max(count, 1), 65536);
	for (let i = 0; i < parts; i++)
		values.push(ns / parts);
}

function element(name, text, isText) {
	const made = document.createElement(name);
	made.textContent = text;
	if (isText)
		made.className = 'text';
	return made;
}

function row(kind, collector, reason, count, values) {
	const sorted = Float64Array.from(values).sort();
	const sum = sorted.reduce((a, b) => a + b, 0);
	return [kind, collector, reason, count.toLocaleString('en-US'), sorted.length ? timeText(sum) : '-',
		...[50, 95, 99].map((p) => timeText(percentile(sorted, p))),
		timeText(sorted.length ? sorted[sorted.length - 1] : -1)];
}

// The groups of the records [from, to), longest sums first.
export function groupsOf(data, from, to) {
	const groups = new Map();
	for (let i = from; i < to; i++) {
		const kind = data.kinds[data.kind[i]];
		const key = `${data.kind[i]} ${data.collector[i]} ${kind === 'safepoint' ? data.operation[i] : data.cause[i] || data.operation[i]}`;
		let group = groups.get(key);
		if (!group) {
			group = { kind, collector: data.names[data.collector[i]] || '-', reason: reasonOf(data, i), count: 0, values: [], sum: 0 };
			groups.set(key, group);
		}
		const ns = kind === 'cycle' ? data.gc[i] : pauseOf(data, i);
		group.count += kind === 'cycle' ? 1 : data.count[i];
		if (ns >= 0) {
			addParts(group.values, ns, kind !== 'cycle' && data.has_stopped ? data.count[i] : 1);
			group.sum += ns;
		}
	}
	return [...groups.values()].sort((a, b) => b.sum - a.sum);
}

export function drawTable(data, view, place) {
	const [from, to] = view.visible();
	const groups = groupsOf(data, from, to);
	const table = document.createElement('table');
	table.append(element('caption', data.has_stopped
		? 'Stopped time of the visible pauses; cycles stop nothing and have their duration'
		: "The collector's time of the visible pauses; the stopped time is unknown"));
	const head = document.createElement('tr');
	HEADS.forEach((text, i) => {
		const cell = element('th', text, i < TEXTS);
		cell.scope = 'col';
		head.append(cell);
	});
	table.append(head);
	const stops = groups.filter((g) => g.kind !== 'cycle' && g.kind !== 'safepoint');
	const rows = groups.map((g) => row(g.kind, g.collector, g.reason, g.count, g.values));
	if (stops.length > 1)
		rows.push(row('all collections', '', '', stops.reduce((sum, g) => sum + g.count, 0), stops.flatMap((g) => g.values)));
	const syncs = [];
	for (let i = from; i < to; i++) {
		if (data.sync[i] >= 0)
			addParts(syncs, data.sync[i], data.count[i]);
	}
	if (syncs.length)
		rows.push(row('time to safepoint', '', 'all visible stops', syncs.length, syncs));
	for (const cells of rows) {
		const line = document.createElement('tr');
		cells.forEach((text, i) => line.append(element('td', text, i < TEXTS)));
		table.append(line);
	}
	place.replaceChildren(table);
}
