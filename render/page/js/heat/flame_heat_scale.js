// SPDX-License-Identifier: Apache-2.0
// The scales of the heat map: how long a column and a row are.

import { formatClock, formatTick } from '../flame_format.js';

const ROWS = 50;
const FEWEST_ROWS = 20, MOST_ROWS = 60;
const MOST_COLUMNS = 20000;
const NARROW = 3; // pixels of a column

const lengths = [50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 20e3, 30e3, 60e3, 120e3, 300e3, 600e3,
	1200e3, 1800e3, 3600e3, 7200e3, 3 * 3600e3, 6 * 3600e3, 12 * 3600e3, 86400e3];
const rowLengths = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 20e3, 30e3, 60e3,
	120e3, 300e3, 600e3, 1200e3, 1800e3];

function lengthText(ms) {
	return Number.isInteger(ms) ? formatTick(ms) : formatTick(Number(ms.toPrecision(4)));
}

// A column of `rows` rows of `row` steps each. `column` is in milliseconds.
export class HeatScale {
	constructor(moments, row, rows) {
		this.moments = moments;
		this.row = row;
		this.rows = rows;
		this.column = Math.round(row * rows * moments.step_ms * 1000) / 1000;
		// Columns begin at multiples of their length since the epoch.
		this.phase = moments.isFine ? Math.round(
			((moments.start_ms % this.column) + this.column) % this.column / moments.step_ms) : 0;
		this.start = this.cellOf(0);
		this.end = this.cellOf(moments.steps - 1) + 1;
		this.columns = Math.ceil(this.end / rows);
	}

	cellOf(step) {
		return Math.floor((step + this.phase) / this.row);
	}

	firstStep(cell) {
		return cell * this.row - this.phase;
	}

	// Adds up the weights of steps by cell, column after column.
	binned(sums) {
		const out = new Float64Array(this.columns * this.rows);
		for (let i = 0; i < this.moments.steps; i++)
			out[this.cellOf(i)] += sums[i];
		return out;
	}

	rowText() {
		return lengthText(this.row * this.moments.step_ms);
	}

	columnText() {
		return lengthText(this.column);
	}

	title() {
		return `${this.columnText()} × ${this.rowText()}`;
	}

	offsetText(part) {
		return part === 0 ? '0' : lengthText(Number((this.column * part).toPrecision(6)));
	}

	// Returns labels for some columns, at least `apart` columns apart.
	ticks(first, count, apart) {
		const steps = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 86400];
		const every = (steps.find((s) => s * 1000 >= apart * this.column &&
			s * 1000 % this.column === 0) || 0) * 1000 / this.column || apart;
		const offset = this.firstStep(0) * this.moments.step_ms + this.moments.start_ms;
		const out = [];
		for (let c = first; c < first + count; c++) {
			const ms = offset + c * this.column;
			if (this.moments.isFine ? Math.round(ms / this.column) % every === 0 : c % every === 0)
				out.push([c, formatClock(ms)]);
		}
		return out;
	}
}

// Returns the scale of a column's length with about 50 rows, or null.
function scaleOf(moments, column) {
	let best = null;
	for (const length of rowLengths) {
		const rows = column / length;
		if (length % moments.step_ms === 0 && Number.isInteger(rows) &&
			rows >= FEWEST_ROWS && rows <= MOST_ROWS &&
			(!best || Math.abs(rows - ROWS) < Math.abs(best - ROWS)))
			best = rows;
	}
	return best && new HeatScale(moments, column / best / moments.step_ms, best);
}

// Returns the scales that suit the page's steps, finest first.
export function heatScales(moments) {
	const whole = moments.steps * moments.step_ms;
	const fits = (scale, i) => scale && scale.columns <= MOST_COLUMNS &&
		(i === 0 || scale.column <= whole * 2);
	const scales = moments.isFine ? lengths.map((column) => scaleOf(moments, column)) : [];
	// Steps of odd lengths, such as 16.8 ms.
	const rows = Math.max(1, Math.min(ROWS, Math.ceil(Math.sqrt(moments.steps))));
	for (let row = 1; !moments.isFine && (row === 1 || row * rows < moments.steps); row *= 2)
		scales.push(new HeatScale(moments, row, rows));
	const found = scales.filter(Boolean).filter(fits);
	return found.length ? found : [new HeatScale(moments, 1, rows)];
}

// Returns the finest scale that fits the width and is not finer than the samples,
// whose usual distance is `gap` steps. Long recordings start with columns of a second
// or more.
export function usualScale(scales, moments, gap, width) {
	const whole = moments.steps * moments.step_ms;
	const least = whole >= 30e3 ? 1000 : whole >= 5e3 ? 200 : 0;
	const fits = (scale) => scale.columns * NARROW <= width && scale.column >= least;
	return scales.find((scale) => fits(scale) && scale.row >= gap) ||
		scales.find((scale) => scale.row >= gap) ||
		scales[scales.length - 1];
}
