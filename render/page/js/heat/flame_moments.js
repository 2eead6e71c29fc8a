// SPDX-License-Identifier: Apache-2.0
// The times of samples in steps that are finer than the time buckets; see PAGE.md.

import { DataError, readLarge, readLater, readSmall } from '../flame_data.js';
import { EDGE } from '../flame_time.js';

const COLUMNS = 6;
const MOST_STEPS = 1 << 23; // sjkc writes 4,000,000

// One event: the entries of cell i are start[i] … start[i + 1] - 1, each at the step
// base(bucket) + offset[e]. `samples`, `weight` and `span` are null if all entries have
// 1, their share of the cell, and 0.
class EventMoments {
	constructor(columns, entries, cells) {
		const counts = columns[0].length ? readSmall(columns[0], cells.n) : cells.count;
		this.start = new Uint32Array(cells.n + 1);
		for (let i = 0; i < cells.n; i++) {
			// A sum above 2³² would wrap around.
			if (counts[i] > entries - this.start[i])
				throw new DataError('The times of this page are damaged.');
			this.start[i + 1] = this.start[i] + counts[i];
		}
		const right = (bytes) => bytes.length === entries;
		if (this.start[cells.n] !== entries || !right(columns[1]) ||
			!(right(columns[2]) || columns[2].length === 0))
			throw new DataError('The times of this page are damaged.');
		const optional = (bytes, read) => bytes.length === 0 ? null : read(bytes, entries);
		this.offset = EventMoments.offsets(this.start, columns[1], columns[2]);
		this.samples = optional(columns[3], readLarge);
		this.weight = optional(columns[4], readLarge);
		this.span = optional(columns[5], readSmall);
	}

	// Adds up the differences between the entries of each cell.
	static offsets(start, low, high) {
		const offset = new Uint16Array(low.length);
		for (let i = 0; i + 1 < start.length; i++) {
			const end = start[i + 1];
			for (let e = start[i], at = 0; e < end; e++) {
				at += high.length === 0 ? low[e] : low[e] + (high[e] << 8);
				offset[e] = at;
			}
		}
		return offset;
	}
}

// The cells of a page without finer times, as entries.
function entriesOfCells(cells) {
	return {
		start: Uint32Array.from({ length: cells.n + 1 }, (_, i) => i),
		offset: new Uint8Array(cells.n),
		samples: cells.count, weight: cells.weight, span: null,
	};
}

export class Moments {
	// The steps of a page without finer times are its buckets.
	constructor(profile) {
		const { time } = profile;
		const head = profile.head.moments || { start_ms: time.start_ms, lead_ns: 0,
			step_ms: time.bucket_ms, steps: time.buckets };
		this.profile = profile;
		this.isFine = !!profile.head.moments;
		this.block = null;
		this.start_ms = head.start_ms;
		this.step_ms = head.step_ms;
		this.steps = head.steps;
		this.stepsOfBucket = time.bucket_ms / head.step_ms;
		this.lead = head.lead_ns / 1e6 / head.step_ms;
		if (!(this.steps >= 0 && this.steps <= MOST_STEPS && this.step_ms > 0))
			throw new DataError('The times of this page are damaged.');
		// Nanoseconds are exact in doubles: a recording lasts less than 104 days.
		const bucket = Math.round(time.bucket_ms * 1e6), step = Math.round(head.step_ms * 1e6);
		this.base = new Int32Array(time.buckets + 1);
		for (let b = 1; b <= time.buckets; b++)
			this.base[b] = Math.floor((head.lead_ns + (b - 1) * bucket) / step);
		this.cache = [];
	}

	// Reads the second data block and the cells once.
	load() {
		const { profile } = this;
		this.loading = this.loading || Promise.all([
			this.isFine ? readLater('moments').then((block) => { this.block = block; }) : null,
			profile.hasCells() ? null : profile.loadCells(),
		]).then(() => { this.isRead = true; });
		return this.loading;
	}

	// Returns the sums by step of all samples of an event, or null if they must be
	// added up.
	sums(index, measure) {
		const { sums } = this.profile.cells(index);
		return !this.isFine || !sums || !sums.step ? null :
			measure === 'weight' ? sums.step.weight : sums.step.count;
	}

	// Returns the entries of an event.
	event(index) {
		if (!this.cache[index])
			this.cache[index] = this.read(index);
		return this.cache[index];
	}

	read(index) {
		const cells = this.profile.cells(index);
		if (!this.isFine)
			return entriesOfCells(cells);
		let at = 0;
		this.profile.head.moments.events.slice(0, index).forEach(({ columns }) =>
			columns.forEach((bytes) => { at += bytes; }));
		const { columns, entries } = this.profile.head.moments.events[index];
		const slices = columns.map((bytes) => this.block.subarray(at, at += bytes));
		if (columns.length !== COLUMNS || at > this.block.length)
			throw new DataError('The times of this page are truncated.');
		return new EventMoments(slices, entries, cells);
	}

	// Converts a time in buckets, as in state.time, to steps, and back.
	stepAt(time) {
		return Math.round(time * this.stepsOfBucket + this.lead);
	}

	timeAt(step) {
		return (step - this.lead) / this.stepsOfBucket;
	}

	// Calls visit(step, entry) for each entry of a cell.
	static visit({ start, offset }, cell, base, visit) {
		for (let e = start[cell]; e < start[cell + 1]; e++)
			visit(base + offset[e], e);
	}

	// Returns a function of a cell and its weight: the part of the weight between
	// two times.
	partBetween(index, measure, [from, to]) {
		const cells = this.profile.cells(index);
		const entries = this.event(index);
		const value = weigher(entries, cells, measure);
		const first = this.stepAt(from), end = this.stepAt(to);
		const { bucket } = cells;
		return (cell) => {
			const low = bucket[cell] - 1 >= from - EDGE ? -Infinity : first;
			const high = bucket[cell] <= to + EDGE ? Infinity : end;
			const share = value(cell);
			let sum = 0;
			Moments.visit(entries, cell, this.base[bucket[cell]], (step, e) => {
				const span = entries.span ? entries.span[e] + 1 : 1;
				const inside = Math.min(step + span, high) - Math.max(step, low);
				if (inside > 0)
					sum += share(e) * (measure === 'weight' ? inside / span : step >= low);
			});
			return sum;
		};
	}
}

// Returns a function that returns the function of a cell's weights: entry -> weight.
export function weigher({ start, samples, weight }, cells, measure) {
	const count = samples ? (e) => samples[e] : () => 1;
	if (measure !== 'weight' || cells.weight === cells.count)
		return () => count;
	if (weight)
		return () => (e) => weight[e];
	return (cell) => {
		let sum = 0;
		for (let e = start[cell]; e < start[cell + 1]; e++)
			sum += count(e);
		const each = sum > 0 ? cells.weight[cell] / sum : 0;
		return (e) => count(e) * each;
	};
}
