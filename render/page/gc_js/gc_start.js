// SPDX-License-Identifier: Apache-2.0
// Starts the page: reads the data, connects the charts with mouse and keyboard.

import { COLOURS, HeapChart, pauseChart, syncChart } from './gc_chart.js';
import { readData, reasonOf } from './gc_data.js';
import { momentText, sizeText, timeText } from './gc_format.js';
import { drawTable, groupsOf } from './gc_table.js';
import { View } from './gc_view.js';

const get = (id) => document.getElementById(id);

// The text of a record, a line for each value that is known.
function describe(data, i) {
	const lines = [`${momentText(data, data.at[i])}  ${data.kinds[data.kind[i]]}`, reasonOf(data, i)];
	const operation = data.names[data.operation[i]], collector = data.names[data.collector[i]];
	if (operation && operation !== reasonOf(data, i))
		lines.push(`operation: ${operation}`);
	if (collector)
		lines.push(`collector: ${collector}`);
	for (const [title, values] of [['stopped', data.stopped], ['time to safepoint', data.sync], ['GC time', data.gc]]) {
		if (values[i] >= 0)
			lines.push(`${title}: ${timeText(values[i])}`);
	}
	if (data.before[i] >= 0 || data.after[i] >= 0)
		lines.push(`heap: ${sizeText(data.before[i])} → ${sizeText(data.after[i])}${data.committed[i] >= 0 ? ` of ${sizeText(data.committed[i])}` : ''}`);
	if (data.count[i] > 1)
		lines.push(`${data.count[i]} pauses together`);
	return lines;
}

function recordsText(data, count) {
	if (!data.size)
		return 'no pauses';
	return `${count.toLocaleString('en-US')} ${count === 1 ? 'record' : 'records'}`;
}

function setTheme(theme) {
	document.documentElement.dataset.theme = theme;
}

class Page {
	constructor(data) {
		this.data = data;
		this.view = new View(data);
		this.charts = [pauseChart(this.view, get('pauses')), syncChart(this.view, get('syncs')), new HeapChart(this.view, get('heap'))];
		this.view.changed = () => this.draw();
	}

	draw() {
		const { data, view } = this;
		for (const chart of this.charts)
			chart.draw();
		drawTable(data, view, get('totals'));
		get('reset').disabled = !view.isZoomed();
		get('scale').setAttribute('aria-pressed', String(view.log));
		const [from, to] = view.visible();
		const ends = [Math.max(view.range[0], view.first), Math.min(view.range[1], view.last)]
			.map((ms) => momentText(data, ms));
		get('range').textContent = `${data.size || data.has_times ? `${ends.join(' to ')}, ` : ''}${recordsText(data, to - from)}`;
		get('detail').textContent = view.selected < 0 ? '' : describe(data, view.selected).join(' · ');
	}

	head() {
		const { data } = this;
		document.title = data.title;
		get('title').textContent = data.title;
		const notes = [data.description];
		if (data.omitted)
			notes.push(`records omitted: ${data.omitted.toLocaleString('en-US')} (the page has at most ${data.size.toLocaleString('en-US')})`);
		if (data.has_times && data.timeless)
			notes.push(`records without a time, not shown: ${data.timeless.toLocaleString('en-US')}`);
		if (!data.has_times && data.size)
			notes.push('the records have no times and are drawn in their order');
		get('source').textContent = notes.join('; ');
		get('pause-title').textContent = data.has_stopped ? 'Stopped time' : "Collector's time; the stopped time is unknown";
		// A chart without values would show a scale of nothing.
		const sizes = [data.before, data.after, data.committed].some((values) => values.some((v) => v >= 0));
		for (const [id, isKnown] of [['syncs', data.sync.some((v) => v >= 0)], ['heap', sizes]]) {
			get(id).hidden = !isKnown;
			get(`${id}-title`).textContent += isKnown ? '' : ': unknown';
		}
		get('charts').hidden = get('totals').hidden = get('keys').hidden = !data.size;
		const kinds = new Set(data.kind);
		for (const [kind, color] of Object.entries(COLOURS)) {
			if (!kinds.has(data.kinds.indexOf(kind)) || kind === 'cycle')
				continue;
			const item = document.createElement('span'), box = document.createElement('i');
			box.style.background = color;
			item.append(box, kind);
			get('legend').append(item);
		}
	}

	tip(event, index) {
		const tip = get('tip');
		tip.hidden = index < 0;
		if (index < 0)
			return;
		tip.textContent = describe(this.data, index).join('\n');
		const box = tip.getBoundingClientRect();
		tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - box.width - 4))}px`;
		tip.style.top = `${Math.max(4, Math.min(event.clientY + 14, window.innerHeight - box.height - 4))}px`;
	}

	// Hover, click and drag of one chart.
	connect(chart) {
		const { canvas } = chart;
		let start = null;
		const place = (event) => event.clientX - canvas.getBoundingClientRect().left;
		const indexOf = (event) => {
			const x = place(event);
			return this.view.nearest(chart.ms(x), Math.abs(chart.ms(x + 5) - chart.ms(x)));
		};
		canvas.addEventListener('pointerdown', (event) => {
			if (event.button !== 0)
				return;
			start = place(event);
			canvas.setPointerCapture(event.pointerId);
		});
		canvas.addEventListener('pointermove', (event) => {
			this.tip(event, indexOf(event));
			if (start === null || Math.abs(place(event) - start) < 4)
				return;
			for (const each of this.charts) {
				each.draw();
				each.drag(start, place(event));
			}
		});
		canvas.addEventListener('pointerup', (event) => {
			const from = start;
			start = null;
			if (from === null)
				return;
			if (Math.abs(place(event) - from) >= 4)
				this.view.show(chart.ms(from), chart.ms(place(event)));
			else
				this.view.select(indexOf(event));
		});
		canvas.addEventListener('pointercancel', () => {
			start = null;
			this.draw();
		});
		canvas.addEventListener('pointerleave', (event) => this.tip(event, -1));
		canvas.addEventListener('dblclick', () => this.view.reset());
	}

	toggleTheme() {
		setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
		this.draw();
	}

	press(event) {
		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		const { view } = this;
		const step = event.key === 'ArrowLeft' ? -1 : 1;
		if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
			if (event.shiftKey)
				view.pan(step / 4);
			else if (view.selected < 0)
				view.select(step > 0 ? view.visible()[0] : view.visible()[1] - 1);
			else
				view.select(Math.max(0, view.selected + step));
		} else if (event.key === '+' || event.key === '=') {
			view.zoom(0.5);
		} else if (event.key === '-') {
			view.zoom(2);
		} else if (event.key === 'Escape' || event.key === '0') {
			view.selected = -1;
			view.reset();
		} else if (event.key === 'l') {
			view.log = !view.log;
			this.draw();
		} else if (event.key === 'd') {
			this.toggleTheme();
		} else {
			return;
		}
		event.preventDefault();
	}

	start() {
		this.head();
		for (const chart of this.charts)
			this.connect(chart);
		get('scale').addEventListener('click', () => {
			this.view.log = !this.view.log;
			this.draw();
		});
		get('reset').addEventListener('click', () => this.view.reset());
		get('theme').addEventListener('click', () => this.toggleTheme());
		document.addEventListener('keydown', (event) => this.press(event));
		window.addEventListener('resize', () => this.draw());
		get('app').hidden = false;
		this.draw();
	}
}

export async function startPage() {
	const dark = window.matchMedia('(prefers-color-scheme: dark)');
	setTheme(dark.matches ? 'dark' : 'light');
	try {
		const data = await readData();
		const page = new Page(data);
		page.start();
		dark.addEventListener('change', () => {
			setTheme(dark.matches ? 'dark' : 'light');
			page.draw();
		});
		// For tests: numbers only.
		window.sjkcPage = {
			range: () => [...page.view.range], selected: () => page.view.selected, size: data.size,
			position: (i) => page.charts[0].x(data.at[i]), ticks: () => page.charts[0].ticks, marks: (i) => page.charts[i].marks, groups: () => groupsOf(data, ...page.view.visible()).length,
		};
	} catch (error) {
		get('trouble').textContent = `This page cannot be shown: ${error.message}`;
		get('trouble').hidden = false;
	}
}
