// SPDX-License-Identifier: Apache-2.0
// The state of the page: the visible range of times, the selected record, and
// how heights are scaled.

import { pauseOf } from './gc_data.js';

export class View {
	constructor(data) {
		this.data = data;
		this.log = false;
		this.selected = -1;
		this.changed = () => {};
		let first = data.size ? data.at[0] : 0, last = data.size ? data.at[data.size - 1] : 1;
		if (data.observed) {
			first = Math.min(first, data.observed[0]);
			last = Math.max(last, data.observed[1]);
		}
		// A log with one record does not tell how long the JVM was observed.
		const margin = Math.max((last - first) * 0.01, last > first || !data.has_times ? 1 : 500);
		this.first = first;
		this.last = last;
		this.whole = [first - margin, last + margin];
		this.range = [...this.whole];
	}

	isZoomed() {
		return this.range[0] !== this.whole[0] || this.range[1] !== this.whole[1];
	}

	// Shows times from a to b, in either order, inside of the whole.
	show(a, b) {
		const least = this.data.has_times ? 1 : 2;
		let from = Math.max(Math.min(a, b), this.whole[0]), to = Math.min(Math.max(a, b), this.whole[1]);
		if (to - from < least) {
			const middle = (from + to) / 2;
			[from, to] = [middle - least / 2, middle + least / 2];
		}
		this.range = [from, to];
		this.changed();
	}

	reset() {
		this.range = [...this.whole];
		this.changed();
	}

	zoom(factor) {
		const middle = this.selected >= 0 ? this.data.at[this.selected] : (this.range[0] + this.range[1]) / 2;
		const half = (this.range[1] - this.range[0]) / 2 * factor;
		this.show(middle - half, middle + half);
	}

	pan(part) {
		const width = this.range[1] - this.range[0];
		let from = this.range[0] + width * part;
		from = Math.max(this.whole[0], Math.min(from, this.whole[1] - width));
		this.show(from, from + width);
	}

	// The index of the first record at or after a time.
	indexAt(ms) {
		let low = 0, high = this.data.size;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.data.at[middle] < ms)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	visible() {
		return [this.indexAt(this.range[0]), this.indexAt(this.range[1])];
	}

	// The longest of the pauses within a time of ms; -1 if there is none.
	nearest(ms, within) {
		let best = -1;
		for (let i = this.indexAt(ms - within); i < this.data.size && this.data.at[i] <= ms + within; i++) {
			if (best < 0 || pauseOf(this.data, i) > pauseOf(this.data, best))
				best = i;
		}
		return best;
	}

	select(index) {
		this.selected = Math.max(-1, Math.min(index, this.data.size - 1));
		if (this.selected < 0)
			return;
		const at = this.data.at[this.selected];
		if (at < this.range[0] || at > this.range[1]) {
			const half = (this.range[1] - this.range[0]) / 2;
			this.show(at - half, at + half);
		}
		this.changed();
	}
}
