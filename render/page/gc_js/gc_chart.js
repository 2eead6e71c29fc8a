// SPDX-License-Identifier: Apache-2.0
// Draws the charts. A column of pixels shows the longest of its pauses, so a
// page with many records draws each pixel once.

import { pauseOf } from './gc_data.js';
import { sizeText, ticks, timeText } from './gc_format.js';

// Colors of the kinds; both themes have enough contrast with them.
export const COLOURS = {
	young: '#3b82f6', mixed: '#a855f7', full: '#dc2626', 'cycle pause': '#d97706',
	pause: '#0891b2', cycle: '#65a30d', safepoint: '#8b93a1',
};

const LEFT = 62, BOTTOM = 18, TOP = 6;

function color(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export class Chart {
	constructor(view, canvas) {
		this.view = view;
		this.canvas = canvas;
		this.height = canvas.height;
	}

	begin(top, text) {
		const scale = window.devicePixelRatio || 1;
		this.width = this.canvas.clientWidth || 300;
		this.canvas.width = Math.round(this.width * scale);
		this.canvas.height = Math.round(this.height * scale);
		this.canvas.style.height = `${this.height}px`;
		const pen = this.pen = this.canvas.getContext('2d');
		pen.setTransform(scale, 0, 0, scale, 0, 0);
		pen.clearRect(0, 0, this.width, this.height);
		pen.font = '11px system-ui, sans-serif';
		this.top = top;
		this.grid(text);
	}

	x(ms) {
		const [from, to] = this.view.range;
		return LEFT + (ms - from) / (to - from) * (this.width - LEFT - 4);
	}

	ms(x) {
		const [from, to] = this.view.range;
		return from + (x - LEFT) / (this.width - LEFT - 4) * (to - from);
	}

	// The share of the height of a value.
	share(value, log) {
		if (value <= 0 || this.top <= 0)
			return 0;
		if (!log)
			return Math.min(value / this.top, 1);
		// From 1 us up.
		return Math.max(0.02, Math.log10(Math.max(value, 1000) / 1000) / Math.max(Math.log10(Math.max(this.top, 10000) / 1000), 1));
	}

	y(value, log) {
		return this.height - BOTTOM - this.share(value, log) * (this.height - BOTTOM - TOP);
	}

	grid(text) {
		const { pen, view } = this;
		pen.strokeStyle = color('--line');
		pen.fillStyle = color('--soft');
		pen.lineWidth = 1;
		pen.textAlign = 'right';
		pen.textBaseline = 'middle';
		const log = text === timeText && view.log;
		const marks = this.marks = [];
		if (log) {
			// As many powers of ten as have room for their labels.
			const top = Math.max(this.top, 10000);
			const least = 14 / (this.height - BOTTOM - TOP) * Math.log10(top / 1000);
			for (let value = 1000; value <= top; value *= 10 ** Math.ceil(least))
				marks.push(value);
		} else {
			for (let i = 0; i <= 2; i++)
				marks.push(this.top * i / 2);
		}
		for (const value of marks) {
			const y = Math.round(log && value === 1000 ? this.height - BOTTOM : this.y(value, log)) + 0.5;
			pen.beginPath();
			pen.moveTo(LEFT, y);
			pen.lineTo(this.width - 4, y);
			pen.stroke();
			pen.fillText(value ? text(value) : '0', LEFT - 6, y);
		}
		pen.textBaseline = 'alphabetic';
		this.axis();
	}

	// Labels round times below the chart; a label near an end is moved inside.
	axis() {
		const { pen, view } = this;
		const foot = this.height - BOTTOM;
		this.ticks = ticks(view.data, ...view.range, Math.max(2, Math.floor((this.width - LEFT) / 100)));
		pen.textAlign = 'center';
		for (const [ms, text] of this.ticks) {
			const x = this.x(ms), half = pen.measureText(text).width / 2;
			pen.fillRect(Math.round(x), foot, 1, 4);
			pen.fillText(text, Math.min(Math.max(x, LEFT - 6 + half), this.width - 4 - half), this.height - 3);
		}
	}

	marker() {
		const { view, pen } = this;
		if (view.selected < 0)
			return;
		const x = Math.round(this.x(view.data.at[view.selected])) + 0.5;
		if (x < LEFT || x > this.width)
			return;
		pen.strokeStyle = color('--accent');
		pen.beginPath();
		pen.moveTo(x, 0);
		pen.lineTo(x, this.height - BOTTOM);
		pen.stroke();
	}

	// Marks the range that the pointer drags over.
	drag(a, b) {
		this.pen.fillStyle = color('--accent');
		this.pen.globalAlpha = 0.18;
		this.pen.fillRect(Math.min(a, b), 0, Math.abs(a - b), this.height - BOTTOM);
		this.pen.globalAlpha = 1;
	}
}

// Bars: one chart of the pauses and one of the times to safepoint.
export class BarChart extends Chart {
	constructor(view, canvas, value) {
		super(view, canvas);
		this.value = value;
	}

	draw() {
		const { view } = this, { data } = view;
		const [from, to] = view.visible();
		let top = 0;
		for (let i = from; i < to; i++)
			top = Math.max(top, this.value(data, i));
		this.begin(top || 1e6, timeText);
		const columns = new Map();
		for (let i = from; i < to; i++) {
			if (this.value(data, i) < 0)
				continue;
			const x = Math.round(this.x(data.at[i]));
			const before = columns.get(x);
			if (before === undefined || this.value(data, i) > this.value(data, before))
				columns.set(x, i);
		}
		const width = Math.max(1, Math.min(6, (this.width - LEFT) / Math.max(columns.size, 1) / 2));
		for (const [x, i] of columns) {
			const y = this.y(this.value(data, i), view.log);
			this.pen.fillStyle = COLOURS[data.kinds[data.kind[i]]] || COLOURS.pause;
			this.pen.fillRect(x - width / 2, y, width, Math.max(1, this.height - BOTTOM - y));
		}
		this.marker();
	}
}

// The heap: its size before and after each collection, and its capacity.
export class HeapChart extends Chart {
	draw() {
		const { view } = this, { data } = view;
		const [from, to] = view.visible();
		const first = Math.max(0, from - 1), last = Math.min(data.size, to + 1);
		let top = 0;
		for (let i = first; i < last; i++)
			top = Math.max(top, data.before[i], data.after[i], data.committed[i]);
		this.begin(top || 1, sizeText);
		const { pen } = this;
		pen.save();
		pen.beginPath();
		pen.rect(LEFT, 0, this.width - LEFT, this.height);
		pen.clip();
		this.line(first, last, data.committed, color('--soft'), [4, 3]);
		this.sizes(first, last);
		pen.restore();
		this.marker();
	}

	// Draws the sizes, of which a column of pixels shows the extremes.
	sizes(first, last) {
		const { pen, view } = this, { data } = view;
		pen.strokeStyle = COLOURS.young;
		pen.setLineDash([]);
		pen.lineWidth = 1.5;
		pen.beginPath();
		let column = null, points = 0;
		const flush = () => {
			if (!column)
				return;
			for (const size of [column.first, column.most, column.least, column.last])
				pen.lineTo(column.x, this.y(size, false));
			points += column.most > column.least ? 2 : 1;
		};
		// A line of one point is not visible.
		const end = () => {
			flush();
			if (points === 1)
				pen.rect(column.x - 1, this.y(column.last, false) - 1, 2, 2);
			column = null;
			points = 0;
		};
		for (let i = first; i < last; i++) {
			const x = Math.round(this.x(data.at[i]) * 2) / 2;
			// The size before a cycle is that of its begin.
			const isCycle = data.kinds[data.kind[i]] === 'cycle';
			const before = isCycle ? -1 : data.before[i];
			// How the heap grew to an unknown size is not drawn.
			if (!isCycle && before < 0 && data.after[i] >= 0 && !(column && column.x === x)) {
				end();
				pen.moveTo(x, this.y(data.after[i], false));
			}
			for (const size of [before, data.after[i]]) {
				if (size < 0)
					continue;
				if (column && column.x === x) {
					column.most = Math.max(column.most, size);
					column.least = Math.min(column.least, size);
					column.last = size;
					continue;
				}
				flush();
				column = { x, first: size, most: size, least: size, last: size };
			}
		}
		end();
		pen.stroke();
	}

	line(first, last, values, style, dash) {
		const { pen, view } = this;
		pen.strokeStyle = style;
		pen.lineWidth = 1;
		pen.setLineDash(dash);
		pen.beginPath();
		let [before, x] = [-1, 0];
		for (let i = first; i < last; i++) {
			if (values[i] < 0)
				continue;
			x = this.x(view.data.at[i]);
			if (values[i] === before)
				continue;
			// A step; a single value is a short line.
			if (before < 0)
				pen.moveTo(x - 3, this.y(values[i], false));
			else
				pen.lineTo(x, this.y(before, false));
			pen.lineTo(x, this.y(values[i], false));
			before = values[i];
		}
		if (before >= 0)
			pen.lineTo(x, this.y(before, false));
		pen.stroke();
	}
}

export const pauseChart = (view, canvas) => new BarChart(view, canvas, pauseOf);
export const syncChart = (view, canvas) => new BarChart(view, canvas, (data, i) => data.sync[i]);
