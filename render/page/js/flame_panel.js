// SPDX-License-Identifier: Apache-2.0
// The filter panel for threads and thread states, and the timeline.

import { byId, element } from './flame_dom.js';
import { Filter } from './flame_filter.js';
import { formatClock, formatOffset, formatTick, grouped, shortened } from './flame_format.js';

const LISTED_POOLS = 300;
const LISTED_THREADS = 300;
const AXIS = 15; // pixels below the bars of the timeline

const tickSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3,
	60e3, 120e3, 300e3, 600e3, 900e3, 1800e3, 3600e3, 7200e3, 14400e3, 28800e3, 86400e3];

// Returns round times from 0 to below `whole` ms, at most `most` + 1 of them.
function axisTicks(whole, most) {
	const days = 86400e3 * Math.ceil(whole / most / 86400e3);
	const step = tickSteps.find((s) => whole / s <= most) || days;
	return Array.from({ length: Math.ceil(whole / step) }, (_, i) => i * step);
}

export class FilterPanel {
	constructor(page) {
		this.page = page;
		this.box = byId('panel');
		this.open = false;
		this.expanded = new Set();
		this.time = byId('time');
		this.listenTime();
	}

	toggle() {
		this.open = !this.open;
		this.built = null;
		this.page.refresh();
		this.page.draw();
		if (this.open)
			this.box.querySelector('input, button').focus({ preventScroll: true });
		else
			byId('filters').focus({ preventScroll: true });
	}

	count() {
		const { state, profile } = this.page;
		const states = this.page.statesOff().filter((s) => s !== profile.idleState);
		return (state.threadOff.size > 0 || state.threadPattern !== '' ? 1 : 0) +
			(states.length > 0 ? 1 : 0) + (state.time ? 1 : 0);
	}

	update() {
		const count = this.count();
		byId('filter-count').textContent = count ? ` ${count}` : '';
		byId('filters').setAttribute('aria-expanded', String(this.open));
		// A recording of one moment, such as a thread dump, has a single bucket.
		const { time } = this.page.profile;
		byId('timeline').hidden = !time || time.buckets < 2 ||
			this.page.cells().bucket === null;
		this.box.hidden = !this.open;
		if (!this.open)
			return;
		if (!this.built)
			this.build();
		this.fillThreads();
		this.fillStates();
	}

	build() {
		this.pattern = element('input', { type: 'search', placeholder: 'Filter by regular expression',
			'aria-label': 'Filter threads by regular expression', spellcheck: 'false' });
		this.pattern.addEventListener('input', () =>
			this.page.set({ threadPattern: this.pattern.value }, 'replace'));
		this.threadError = element('p', { class: 'error', role: 'alert' });
		this.threadList = element('div', { class: 'list', id: 'threads' });
		this.stateList = element('div', { class: 'list', id: 'states' });
		const close = element('button', { type: 'button', class: 'quiet', 'aria-label': 'Close filters' }, '✕');
		close.addEventListener('click', () => this.toggle());
		const { cells } = this;
		this.threadPart = element('section', null,
			element('h2', null, 'Threads', element('span', { class: 'grow' }),
				this.button('All', () => this.setThreads(true)),
				this.button('None', () => this.setThreads(false))),
			this.pattern, this.threadError, this.threadList);
		this.statePart = element('section', null,
			element('h2', null, 'Thread states', element('span', { class: 'grow' }),
				this.button('All', () => this.page.set({ stateOff: new Set() }, 'push')),
				this.button('None', () => this.page.set({
					stateOff: new Set(this.page.profile.states.keys()) }, 'push'))),
			this.stateList);
		this.nothing = element('p', { class: 'quiet-text' },
			'The samples of this event have neither threads nor states.');
		this.box.replaceChildren(
			element('div', { class: 'panel-head' }, element('b', null, 'Filters'),
				element('span', { class: 'grow' }), close),
			this.nothing, this.statePart, this.threadPart);
		this.built = cells || true;
	}

	button(title, run) {
		const button = element('button', { type: 'button', class: 'quiet' }, title);
		button.addEventListener('click', run);
		return button;
	}

	// Switches the listed threads; threads that the pattern hides stay as they are.
	setThreads(on) {
		const off = new Set(this.page.state.threadOff);
		this.page.filter.threadListed.forEach((listed, thread) => {
			if (listed)
				off[on ? 'delete' : 'add'](thread);
		});
		this.page.set({ threadOff: off }, 'push');
	}

	checkRow(title, weight, checked, partly, change) {
		const box = element('input', { type: 'checkbox' });
		box.checked = checked;
		box.indeterminate = partly;
		box.addEventListener('change', () => change(box.checked));
		return element('label', { title: shortened(title, 400) }, box,
			element('span', { class: 'name' }, shortened(title, 120)),
			element('span', { class: 'weight' }, this.page.weightText(weight)));
	}

	switchThreads(threads, on) {
		const off = new Set(this.page.state.threadOff);
		for (const thread of threads)
			off[on ? 'delete' : 'add'](thread);
		this.page.set({ threadOff: off }, 'push');
	}

	poolRows(pool) {
		const { state, profile, filter } = this.page;
		const offs = pool.threads.filter((t) => state.threadOff.has(t)).length;
		const row = this.checkRow(pool.name, pool.weight, offs < pool.threads.length,
			offs > 0 && offs < pool.threads.length,
			(on) => this.switchThreads(pool.threads, on));
		if (pool.threads.length === 1)
			return [element('div', { class: 'row' }, element('span', { class: 'twist' }), row)];
		const open = this.expanded.has(pool.name);
		const twist = element('button', { type: 'button', class: 'twist',
			'aria-expanded': String(open),
			'aria-label': `${pool.threads.length} threads` }, open ? '▾' : '▸');
		twist.addEventListener('click', () => {
			this.expanded[open ? 'delete' : 'add'](pool.name);
			this.update();
		});
		row.querySelector('.name').append(element('small', null, ` ${pool.threads.length} threads`));
		const rows = [element('div', { class: 'row' }, twist, row)];
		if (!open)
			return rows;
		for (const t of pool.threads.slice(0, LISTED_THREADS))
			rows.push(element('div', { class: 'row member' }, this.checkRow(
				profile.names[profile.threadName0 + t].slice(1, -1), filter.threadSum[t],
				!state.threadOff.has(t), false, (on) => this.switchThreads([t], on))));
		if (pool.threads.length > LISTED_THREADS)
			rows.push(element('p', { class: 'quiet-text' },
				`${grouped(pool.threads.length - LISTED_THREADS)} more`));
		return rows;
	}

	fillThreads() {
		const { filter, state } = this.page;
		const cells = this.page.cells();
		this.threadPart.hidden = cells.thread === null;
		this.nothing.hidden = cells.thread !== null || cells.state !== null;
		if (cells.thread === null)
			return;
		if (this.pattern.value !== state.threadPattern)
			this.pattern.value = state.threadPattern;
		this.threadError.textContent = filter.threadError || '';
		const pools = filter.pools(cells);
		const top = this.threadList.scrollTop;
		this.threadList.replaceChildren(
			...pools.slice(0, LISTED_POOLS).flatMap((pool) => this.poolRows(pool)));
		if (pools.length > LISTED_POOLS)
			this.threadList.append(element('p', { class: 'quiet-text' },
				`${grouped(pools.length - LISTED_POOLS)} more: filter by a regular expression`));
		this.threadList.scrollTop = top;
	}

	fillStates() {
		const { filter, state, profile } = this.page;
		const cells = this.page.cells();
		this.statePart.hidden = cells.state === null;
		if (cells.state === null)
			return;
		const seen = Filter.seen(cells, 'state', profile.states.length);
		const order = [...profile.states.keys()].filter((s) => seen[s])
			.sort((a, b) => filter.stateSum[b] - filter.stateSum[a]);
		this.stateList.replaceChildren(...order.map((s) => this.checkRow(
			profile.states[s] === 'none' ? 'no state' : profile.states[s],
			filter.stateSum[s], !state.stateOff.has(s), false, (on) => {
				const off = new Set(state.stateOff);
				off[on ? 'delete' : 'add'](s);
				this.page.set({ stateOff: off }, 'push');
			})));
	}

	bucketAt(event) {
		const { buckets } = this.page.profile.time;
		const box = this.time.getBoundingClientRect();
		return Math.min(buckets - 1, Math.max(0, Math.floor(
			(event.clientX - box.left) / box.width * buckets)));
	}

	listenTime() {
		const { time, page } = this;
		let from = -1;
		const brush = (event, how) => {
			const at = this.bucketAt(event);
			page.set({ time: [Math.min(from, at), Math.max(from, at) + 1] }, how);
		};
		time.addEventListener('pointerdown', (event) => {
			from = this.bucketAt(event);
			time.setPointerCapture(event.pointerId);
		});
		time.addEventListener('pointermove', (event) => {
			if (from >= 0)
				brush(event, 'replace');
		});
		time.addEventListener('pointerup', (event) => {
			if (from >= 0)
				brush(event, 'push');
			from = -1;
		});
		time.addEventListener('dblclick', () => page.set({ time: null }, 'push'));
		time.addEventListener('keydown', (event) => this.timeKey(event));
		byId('time-clear').addEventListener('click', () => page.set({ time: null }, 'push'));
	}

	// Arrows move the range; with Shift they move its end.
	timeKey(event) {
		const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
		const { buckets } = this.page.profile.time;
		if (!step)
			return;
		event.preventDefault();
		event.stopPropagation();
		let [from, to] = this.page.state.time || [0, Math.max(1, buckets >> 3)];
		if (this.page.state.time) {
			from = Math.max(0, Math.floor(from));
			to = Math.min(buckets, Math.ceil(to));
			const end = Math.min(buckets, Math.max(from + 1, to + step));
			from = event.shiftKey ? from : Math.max(0, Math.min(from + step, buckets - to + from));
			to = event.shiftKey ? end : Math.max(end, from + 1);
		}
		this.page.set({ time: [from, to] }, 'settle');
	}

	drawTime() {
		const { page, time } = this;
		if (byId('timeline').hidden)
			return;
		const { timeSum } = page.filter;
		const [from, to] = page.state.time || [0, timeSum.length];
		// The width of the text determines the width of the bars.
		this.timeText(from, to);
		const width = time.clientWidth, height = time.clientHeight;
		const ratio = window.devicePixelRatio || 1;
		time.width = Math.max(1, Math.round(width * ratio));
		time.height = Math.max(1, Math.round(height * ratio));
		const context = time.getContext('2d');
		context.scale(ratio, ratio);
		const most = timeSum.reduce((a, b) => Math.max(a, b), 0);
		const foot = height - AXIS;
		const step = width / timeSum.length;
		for (let i = 0; i < timeSum.length && most > 0; i++) {
			const bar = timeSum[i] / most * (foot - 4);
			context.fillStyle = i >= from && i < to ? page.theme().bar : page.theme().barOff;
			context.fillRect(i * step, foot - bar, Math.max(step - (step > 3 ? 1 : 0), 0.5), bar);
		}
		if (page.state.time) {
			context.strokeStyle = page.theme().select;
			context.strokeRect(from * step + 0.5, 0.5, (to - from) * step - 1, foot - 1);
		}
		this.drawAxis(context, width, foot);
	}

	// Draws ticks and labels at round times since the start.
	drawAxis(context, width, top) {
		const { bucket_ms: bucket, buckets } = this.page.profile.time;
		const whole = bucket * buckets;
		const { all, ink } = this.page.theme();
		context.font = '10px system-ui, sans-serif';
		context.textBaseline = 'top';
		this.ticks = [];
		for (const ms of axisTicks(whole, Math.max(1, Math.floor(width / 90)))) {
			const x = ms / whole * width;
			const label = formatTick(ms);
			const room = width - context.measureText(label).width;
			context.fillStyle = all;
			context.fillRect(x, 0, 1, top + 4);
			context.fillStyle = ink;
			context.fillText(label, Math.min(x + 3, room), top + 3);
			this.ticks.push([label, x]);
		}
	}

	timeText(from, to) {
		const { start_ms: start, bucket_ms: bucket } = this.page.profile.time;
		const text = `${formatOffset(Math.max(0, from * bucket))} – ${formatOffset(to * bucket)}`;
		const clock = `${formatClock(start + from * bucket)} – ${formatClock(start + to * bucket)}`;
		byId('time-text').replaceChildren(text, element('br'), clock);
		byId('time-clear').hidden = !this.page.state.time;
		this.time.setAttribute('aria-valuemax', String(this.page.profile.time.buckets));
		this.time.setAttribute('aria-valuenow', String(Math.max(0, Math.floor(from))));
		this.time.setAttribute('aria-valuetext', `${text}, ${clock}`);
	}
}
