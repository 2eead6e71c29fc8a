// SPDX-License-Identifier: Apache-2.0
// The heat map: time × time. A column is a period such as a second, a row an offset
// in it such as 20 ms, the color is the weight of the samples there.

import { byId, element } from '../flame_dom.js';
import { formatClock, formatTick, percent } from '../flame_format.js';
import { heatScales, usualScale } from './flame_heat_scale.js';
import { Moments, weigher } from './flame_moments.js';

const AXIS = 18; // pixels below the cells
const MARGIN = 56; // pixels left of them
const NARROWEST = 3; // pixels of a column

// Colors of the lowest and the highest weight, of other samples than matches, and
// of matches.
const ramps = {
	light: { none: [244, 245, 247], cells: [[205, 221, 242], [8, 40, 100]],
		match: [[240, 190, 246], [112, 10, 125]] },
	dark: { none: [29, 32, 39], cells: [[40, 58, 92], [205, 226, 255]],
		match: [[94, 32, 104], [250, 180, 255]] },
};

function mix([a, b], t) {
	return a.map((from, i) => Math.round(from + (b[i] - from) * t));
}

// Pads and joins the time of day with milliseconds.
function clockText(ms) {
	const clock = formatClock(ms);
	return clock && `${clock}.${String(Math.floor(((ms % 1000) + 1000) % 1000)).padStart(3, '0')}`;
}

export class Heat {
	constructor(page) {
		this.page = page;
		this.box = byId('heat');
		this.canvas = byId('heat-map');
		this.scroll = byId('heat-scroll');
		this.scales = [];
		this.cursor = -1;
		this.anchor = -1;
		this.error = '';
		this.listen();
	}

	// Starts to read the times when they are first needed.
	load() {
		const { page } = this;
		const moments = this.moments();
		if (this.loading || !moments)
			return;
		this.loading = true;
		moments.load().catch((error) => {
			this.error = error.message;
		}).then(() => page.refresh());
	}

	// Returns the times of the page, or null without any.
	moments() {
		const { profile } = this.page;
		if (!profile.moments && profile.time && !this.error) {
			try {
				profile.moments = new Moments(profile);
			} catch (error) {
				this.error = error.message;
			}
		}
		return profile.moments;
	}

	// Returns the sums by step that the page has, or null if times must be read.
	readySums() {
		const { event, measure, threadPattern, threadOff, query } = this.page.state;
		const moments = this.moments();
		return moments && !moments.isRead && !threadPattern && !threadOff.size &&
			this.page.statesOff().length === 0 && !query ? moments.sums(event, measure) : null;
	}

	update() {
		const { page } = this;
		const { state } = page;
		if (state.view !== 'heatmap')
			return;
		const ready = this.readySums();
		if (!ready)
			this.load();
		const why = this.whyEmpty(ready);
		this.canvas.hidden = why !== '';
		byId('heat-column').disabled = why !== '';
		if (why) {
			byId('heat-text').textContent = why;
			this.shown = null;
			return;
		}
		const { event, measure, threadPattern, threadOff, stateOff, query, regex } = state;
		if (page.changed('heat', event, measure, threadPattern, [...threadOff],
			[...stateOff], query, regex)) {
			if (ready)
				this.take(ready);
			else
				this.addUp();
			this.offerScales();
			this.shown = null;
		}
		this.chooseScale();
	}

	whyEmpty(ready) {
		const { page } = this;
		if (this.error && !ready)
			return this.error;
		if (!ready && !page.profile.moments.isRead)
			return 'Reading the times of the samples …';
		return page.cells().bucket === null ? 'The samples of this event have no times.' : '';
	}

	// Returns a byte per cell: 1 if its stack trace has a frame that matches.
	matchingNodes() {
		const { found, profile } = this.page;
		if (!found)
			return null;
		const { base, frameName } = profile;
		const hit = new Uint8Array(base.n);
		for (let i = 1; i < base.n; i++)
			hit[i] = hit[base.parent[i]] | found.hit[frameName[base.frame[i]]];
		return hit;
	}

	take(sums) {
		this.sums = sums;
		this.matched = null;
		this.total = sums.reduce((a, b) => a + b, 0);
		this.gap = this.usualGap();
	}

	// Adds up the weights by step, with the filters of threads and states.
	addUp() {
		const { page } = this;
		const { state, profile, filter } = page;
		const { moments } = profile;
		const cells = page.cells();
		const entries = moments.event(state.event);
		const value = weigher(entries, cells, state.measure);
		const hit = this.matchingNodes();
		this.sums = new Float64Array(moments.steps + 1);
		this.matched = hit ? new Float64Array(moments.steps + 1) : null;
		const plain = !entries.samples && !entries.span &&
			(state.measure !== 'weight' || cells.weight === cells.count);
		const { thread, state: states, bucket, node } = cells;
		const { threadOn } = filter;
		const stateOn = profile.states.map((_, s) => !state.stateOff.has(s));
		for (let i = 0; i < cells.n; i++) {
			if (bucket[i] === 0 || (thread !== null && threadOn[thread[i]] === 0) ||
				(states !== null && !stateOn[states[i]]))
				continue;
			const base = moments.base[bucket[i]];
			const match = hit !== null && hit[node[i]] === 1;
			if (!plain)
				this.weighEntries(entries, i, base, match, value(i));
			else if (match)
				Heat.countEntries(entries, i, base, this.matched);
			if (plain)
				Heat.countEntries(entries, i, base, this.sums);
		}
		this.total = this.sums.reduce((a, b) => a + b, 0);
		this.gap = this.usualGap();
	}

	static countEntries(entries, cell, base, sums) {
		const { start, offset } = entries;
		const end = start[cell + 1];
		for (let e = start[cell]; e < end; e++)
			sums[base + offset[e]]++;
	}

	weighEntries(entries, cell, base, match, weight) {
		const { sums, matched } = this;
		const lasts = this.page.state.measure === 'weight' && entries.span;
		Moments.visit(entries, cell, base, (step, e) => {
			const span = lasts ? entries.span[e] + 1 : 1;
			const each = weight(e) / span;
			for (let s = step; s < step + span && s < sums.length; s++) {
				sums[s] += each;
				if (match)
					matched[s] += each;
			}
		});
	}

	// Returns the steps between samples: the tenth percentile of all gaps, which is
	// the period of a sampler, even if it was idle most of the time.
	usualGap() {
		const gaps = new Map();
		let before = -1, count = 0;
		for (let i = 0; i < this.sums.length; i++) {
			if (this.sums[i] === 0)
				continue;
			if (before >= 0) {
				gaps.set(i - before, (gaps.get(i - before) || 0) + 1);
				count++;
			}
			before = i;
		}
		let seen = 0;
		for (const [gap, times] of [...gaps].sort((a, b) => a[0] - b[0])) {
			seen += times;
			if (seen >= count / 10)
				return gap;
		}
		return 1;
	}

	offerScales() {
		const { moments } = this.page.profile;
		this.scales = heatScales(moments);
		byId('heat-column').replaceChildren(
			element('option', { value: '0' }, 'Automatic'),
			...this.scales.map((scale) =>
				element('option', { value: String(scale.column) }, scale.title())));
	}

	chooseScale() {
		const { page } = this;
		const wanted = page.state.heat;
		const usual = usualScale(this.scales, page.profile.moments, this.gap,
			this.scroll.clientWidth - MARGIN);
		const scale = this.scales.find((s) => s.column === wanted) || usual;
		byId('heat-column').value = scale === usual && !wanted ? '0' : String(scale.column);
		if (this.shown === scale.column && this.scale)
			return;
		this.shown = scale.column;
		this.scale = scale;
		this.cells = scale.binned(this.sums);
		this.matches = this.matched && scale.binned(this.matched);
		this.most = this.cells.reduce((a, b) => Math.max(a, b), 0);
		this.cursor = Math.min(this.cursor, this.cells.length - 1);
		this.describe();
	}

	describe() {
		const { scale, page } = this;
		const { moments } = page.profile;
		const parts = [`Columns of ${scale.columnText()}, rows of ${scale.rowText()}.`];
		const gap = this.gap * moments.step_ms;
		if (gap > scale.row * moments.step_ms)
			parts.push(`Most samples are at least ${formatTick(gap)} apart, so many rows are empty.`);
		if (!moments.isFine)
			parts.push('The page has no finer times.');
		parts.push('Drag to select a time span.');
		byId('heat-text').textContent = parts.join(' ');
		byId('heat-most').textContent = page.weightText(this.most);
		byId('heat-least').textContent = page.weightText(0);
		byId('heat-match').hidden = !this.matches;
	}

	// The range of cells that state.time selects, or null.
	selection() {
		const { time } = this.page.state;
		if (!time)
			return null;
		const { moments } = this.page.profile;
		return [this.scale.cellOf(moments.stepAt(time[0])),
			this.scale.cellOf(moments.stepAt(time[1]) - 1) + 1];
	}

	// Selects the cells from `a` to `b`, in any order.
	choose(a, b, how) {
		const { scale, page } = this;
		const { moments } = page.profile;
		const [first, last] = a < b ? [a, b] : [b, a];
		const from = Math.max(0, scale.firstStep(first));
		const to = Math.min(moments.steps, scale.firstStep(last + 1));
		if (to > from)
			page.set({ time: [moments.timeAt(from), moments.timeAt(to)] }, how);
	}

	clear() {
		this.page.set({ time: null }, 'push');
	}

	// Returns the cell at a point, or -1; below the cells, the first of its column.
	at(event) {
		const box = this.canvas.getBoundingClientRect();
		const x = event.clientX - box.left - MARGIN + this.scroll.scrollLeft;
		const y = event.clientY - box.top;
		const { scale } = this;
		const column = Math.min(scale.columns - 1, Math.max(0, Math.floor(x / this.wide)));
		const row = scale.rows - 1 - Math.floor(y / this.tall * scale.rows);
		this.onAxis = y >= this.tall;
		return column * scale.rows + Math.min(scale.rows - 1, Math.max(0, row));
	}

	listen() {
		const { canvas, page } = this;
		byId('heat-column').addEventListener('change', (event) =>
			page.set({ heat: Number(event.target.value) }, 'push'));
		this.scroll.addEventListener('scroll', () => page.drawSoon());
		canvas.addEventListener('pointerdown', (event) => {
			if (event.button !== 0)
				return;
			this.anchor = this.cursor = this.at(event);
			this.byColumn = this.onAxis;
			canvas.setPointerCapture(event.pointerId);
			this.drawSoon();
		});
		canvas.addEventListener('pointermove', (event) => {
			const cell = this.at(event);
			if (this.anchor >= 0) {
				this.cursor = cell;
				this.drawSoon();
			}
			this.tip(cell, event);
		});
		canvas.addEventListener('pointerup', (event) => {
			if (this.anchor < 0)
				return;
			this.cursor = this.at(event);
			const [a, b] = this.dragged();
			this.anchor = -1;
			this.choose(a, b, 'push');
		});
		canvas.addEventListener('pointercancel', () => { this.anchor = -1; });
		canvas.addEventListener('pointerleave', () => page.tip.hide());
		canvas.addEventListener('dblclick', () => this.clear());
		canvas.addEventListener('keydown', (event) => this.key(event));
		canvas.addEventListener('blur', () => this.drawSoon());
		canvas.addEventListener('focus', () => {
			this.load();
			this.drawSoon();
		});
		// A selection needs the times of single samples.
		canvas.addEventListener('pointerenter', () => this.load());
	}

	// Returns the first and last cell of a drag: whole columns along the axis.
	dragged() {
		const { rows } = this.scale;
		const a = Math.min(this.anchor, this.cursor), b = Math.max(this.anchor, this.cursor);
		return this.byColumn ?
			[a - a % rows, b - b % rows + rows - 1] : [a, b];
	}

	// Arrows move to another cell; with Shift they extend the selection.
	key(event) {
		const { rows, columns } = this.scale || {};
		const step = { ArrowUp: 1, ArrowDown: -1, ArrowRight: rows, ArrowLeft: -rows,
			PageUp: rows * 10, PageDown: -rows * 10 }[event.key];
		const ends = { Home: 0, End: rows * columns - 1 };
		if (event.ctrlKey || event.metaKey || event.altKey || this.canvas.hidden)
			return;
		if (event.key === 'Enter' || event.key === ' ')
			this.choose(Math.max(0, this.cursor), Math.max(0, this.cursor), 'push');
		else if (event.key === 'Escape' && this.page.state.time)
			this.clear();
		else if (step || event.key in ends)
			this.moveTo(step ? Math.max(0, this.cursor) + step : ends[event.key], event.shiftKey);
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	}

	moveTo(cell, extends_) {
		const last = this.cells.length - 1;
		const before = Math.max(0, this.cursor);
		this.cursor = Math.min(last, Math.max(0, cell));
		if (extends_) {
			if (this.mark === undefined)
				this.mark = before;
			this.choose(this.mark, this.cursor, 'settle');
		} else {
			this.mark = undefined;
		}
		const x = Math.floor(this.cursor / this.scale.rows) * this.wide;
		const { scrollLeft, clientWidth } = this.scroll;
		if (x < scrollLeft || x + this.wide > scrollLeft + clientWidth - MARGIN)
			this.scroll.scrollLeft = x - clientWidth / 2;
		this.page.announce(this.facts(this.cursor).map(([title, ...cells]) =>
			`${title} ${cells.join(', ')}`).join('; '));
		this.drawSoon();
	}

	// Returns the rows of the tooltip of a cell.
	facts(cell) {
		const { scale, page } = this;
		const { moments } = page.profile;
		const from = Math.max(0, scale.firstStep(cell));
		const to = Math.min(moments.steps, scale.firstStep(cell + 1));
		const ms = (step) => step * moments.step_ms;
		const weight = this.cells[cell];
		const rows = [
			['Time', `${clockText(moments.start_ms + ms(from))} – ${clockText(moments.start_ms + ms(to))}`],
			['Offset', `${(ms(from) / 1000).toFixed(3)} s – ${(ms(to) / 1000).toFixed(3)} s`],
			['Total', page.weightText(weight), `${percent(weight, this.total)} of all times`],
		];
		if (this.matches)
			rows.push(['Matches', page.weightText(this.matches[cell]),
				`${percent(this.matches[cell], weight)} of the cell`]);
		return rows;
	}

	tip(cell, event) {
		const { tip } = this.page;
		tip.shows = null;
		tip.box.replaceChildren(element('table', null, ...this.facts(cell).map(
			([title, ...cells]) => cells.length > 1 ? tip.row(title, ...cells) :
				element('tr', null, element('th', null, title),
					element('td', { colspan: 2 }, cells[0])))));
		tip.place(event.clientX, event.clientY);
	}

	drawSoon() {
		if (!this.drawing)
			this.drawing = requestAnimationFrame(() => {
				this.drawing = 0;
				this.draw();
			});
	}

	draw() {
		if (this.page.state.view !== 'heatmap' || this.canvas.hidden || !this.scale)
			return;
		const { scroll, canvas, scale } = this;
		const width = scroll.clientWidth;
		const fits = (width - MARGIN) / scale.columns;
		this.wide = Math.max(NARROWEST, fits);
		byId('heat-wide').style.width = fits < NARROWEST ?
			`${MARGIN + Math.ceil(this.wide * scale.columns)}px` : '100%';
		const height = scroll.clientHeight;
		this.tall = height - AXIS;
		const ratio = window.devicePixelRatio || 1;
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
		canvas.width = Math.max(1, Math.round(width * ratio));
		canvas.height = Math.max(1, Math.round(height * ratio));
		const context = canvas.getContext('2d');
		context.scale(ratio, ratio);
		const first = Math.floor(scroll.scrollLeft / this.wide);
		const count = Math.min(scale.columns - first, Math.ceil((width - MARGIN) / this.wide) + 1);
		this.left = MARGIN - scroll.scrollLeft;
		context.save();
		context.beginPath();
		context.rect(MARGIN, 0, width - MARGIN, height);
		context.clip();
		this.drawCells(context, first, count);
		this.drawMarks(context);
		this.drawAxis(context, first, count, width);
		context.restore();
		this.drawOffsets(context);
		this.drawLegend();
	}

	ramp() {
		return ramps[this.page.colors.dark ? 'dark' : 'light'];
	}

	// Small weights differ more in color than large ones.
	color(cell, selected) {
		const { none, cells, match } = this.ramp();
		const weight = this.cells[cell];
		let color = none;
		if (weight > 0) {
			const tone = Math.sqrt(weight / this.most);
			const share = this.matches ? this.matches[cell] / weight : 0;
			color = mix(share > 0 ? match : cells, tone);
			if (share > 0 && share < 1)
				color = mix([mix(cells, tone), color], 0.5 + share / 2);
		}
		return selected ? color : mix([none, color], 0.35);
	}

	// Draws a pixel per cell and enlarges them.
	drawCells(context, first, count) {
		const { rows } = this.scale;
		const image = new ImageData(count, rows);
		const [from, to] = this.selection() || [0, Infinity];
		const { start, end } = this.scale;
		for (let c = 0; c < count; c++) {
			for (let r = 0; r < rows; r++) {
				const cell = (first + c) * rows + r;
				if (cell < start || cell >= end)
					continue;
				const color = this.color(cell, cell >= from && cell < to);
				image.data.set([...color, 255], 4 * ((rows - 1 - r) * count + c));
			}
		}
		const small = element('canvas', { width: count, height: rows });
		small.getContext('2d').putImageData(image, 0, 0);
		context.imageSmoothingEnabled = false;
		context.drawImage(small, this.left + first * this.wide, 0, count * this.wide, this.tall);
		if (this.matches && this.wide >= 6 && this.tall / rows >= 5)
			this.dotMatches(context, first, count);
	}

	// Marks matches with a dot, for readers who do not see the colors.
	dotMatches(context, first, count) {
		const { rows } = this.scale;
		context.fillStyle = this.page.theme().ink;
		for (let cell = first * rows; cell < (first + count) * rows; cell++) {
			if (!(this.matches[cell] > 0))
				continue;
			const [x, y] = this.corner(cell);
			context.fillRect(x + this.wide / 2 - 1, y - this.tall / rows / 2 - 1, 2, 2);
		}
	}

	// The lower left corner of a cell.
	corner(cell) {
		const { rows } = this.scale;
		const row = cell % rows;
		return [this.left + (cell - row) / rows * this.wide,
			this.tall - row * this.tall / rows];
	}

	drawMarks(context) {
		const selection = this.anchor >= 0 ?
			this.dragged().map((cell, i) => cell + i) : this.selection();
		if (selection)
			this.outline(context, selection[0], selection[1] - 1);
		if (document.activeElement === this.canvas && this.cursor >= 0 && this.anchor < 0) {
			const [x, y] = this.corner(this.cursor);
			const tall = this.tall / this.scale.rows;
			context.strokeStyle = this.page.theme().ink;
			context.setLineDash([2, 2]);
			context.strokeRect(x - 1, y - tall - 1, this.wide + 2, tall + 2);
			context.setLineDash([]);
		}
	}

	// Outlines a span: up from its first cell, over whole columns, to its last cell.
	outline(context, first, last) {
		const { rows } = this.scale;
		const [x0, y0] = this.corner(first), [x1, y1] = this.corner(last);
		const top = y1 - this.tall / rows, { wide, tall } = this;
		context.strokeStyle = this.page.theme().select;
		context.lineWidth = 2;
		context.beginPath();
		const path = Math.floor(first / rows) === Math.floor(last / rows) ?
			[[x0, y0], [x0, top], [x0 + wide, top], [x0 + wide, y0]] :
			[[x0, y0], [x0, 0], [x1, 0], [x1, top], [x1 + wide, top], [x1 + wide, tall],
				[x0 + wide, tall], [x0 + wide, y0]];
		path.forEach(([x, y]) => context.lineTo(x, y));
		context.closePath();
		context.stroke();
		context.lineWidth = 1;
	}

	drawAxis(context, first, count, width) {
		const { scale } = this;
		const { ink, all } = this.page.theme();
		context.font = '10px system-ui, sans-serif';
		context.textBaseline = 'top';
		this.ticks = [];
		for (const [column, label] of scale.ticks(first, count, Math.ceil(90 / this.wide))) {
			const x = this.left + column * this.wide;
			context.fillStyle = all;
			context.fillRect(x, this.tall, 1, 5);
			context.fillStyle = ink;
			if (x + 3 + context.measureText(label).width <= width)
				context.fillText(label, x + 3, this.tall + 4);
			this.ticks.push([label, x]);
		}
	}

	drawOffsets(context) {
		const { scale, tall } = this;
		context.fillStyle = this.page.theme().ink;
		context.textAlign = 'right';
		for (const part of tall < 60 ? [0, 1] : tall < 90 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]) {
			context.textBaseline = part === 1 ? 'top' : part === 0 ? 'bottom' : 'middle';
			context.fillText(scale.offsetText(part), MARGIN - 6, tall * (1 - part));
		}
		context.textAlign = 'left';
	}

	drawLegend() {
		const { cells, match } = this.ramp();
		const css = (stops) => `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1]
			.map((t) => `rgb(${mix(stops, Math.sqrt(t)).join(' ')})`).join(', ')})`;
		byId('heat-ramp').style.backgroundImage = css(cells);
		byId('heat-match-ramp').style.backgroundImage = css(match);
	}
}
