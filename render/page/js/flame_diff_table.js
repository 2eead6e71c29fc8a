// SPDX-License-Identifier: Apache-2.0
// The table of the frames whose weights differ most between two recordings.

import { element } from './flame_dom.js';
import { csvField, shortened, simpleName } from './flame_format.js';
import { Table } from './flame_table.js';

export class DiffTable extends Table {
	isOn() {
		return this.page.comparison.isOn();
	}

	// Adds the sums from before.
	sums() {
		const data = super.sums();
		if (!this.isOn())
			return data;
		const { label, labels, old, oldSelf } = this.page.graph;
		data.oldSelfs = new Float64Array(labels.names.length);
		data.oldTotals = new Float64Array(labels.names.length);
		this.page.graph.walk((i, outermost) => {
			const name = labels.nameOf(label[i]);
			data.oldSelfs[name] += oldSelf[i];
			if (outermost)
				data.oldTotals[name] += old[i];
		});
		return data;
	}

	// Returns the sums of a frame before and after.
	pairOf(sort, name) {
		const { selfs, totals, oldSelfs, oldTotals } = this.data;
		const [all, old] = sort === 'total' ? [totals, oldTotals] : [selfs, oldSelfs];
		return [old[name], all[name] - old[name]];
	}

	verdictOf(sort, name) {
		return this.page.comparison.verdict(...this.pairOf(sort, name), name,
			[sort === 'total' ? 'changed_totals' : 'changed_selfs']);
	}

	// Significant changes first, then the largest.
	orders() {
		if (!this.isOn())
			return super.orders();
		const by = (sort) => {
			const size = (name) => {
				const [old, now] = this.pairOf(sort, name);
				return Math.abs(now - old);
			};
			const isNoise = (name) =>
				['noise', 'same'].includes(this.verdictOf(sort, name)) ? 1 : 0;
			return (a, b) => isNoise(a) - isNoise(b) || size(b) - size(a) || a - b;
		};
		return { ...super.orders(), self: by('self'), total: by('total') };
	}

	headings() {
		return this.isOn() ? [this.heading('self', 'Self: before, after, change', 4),
			this.heading('total', 'Total: before, after, change', 4),
			this.heading('name', 'Frame', 1)] : super.headings();
	}

	title() {
		return this.isOn() ? 'Largest changes' : super.title();
	}

	look() {
		return this.isOn() ? 'changes' : super.look();
	}

	cells(sort, name) {
		const { page } = this;
		const [old, now] = this.pairOf(sort, name);
		const verdict = this.verdictOf(sort, name);
		const [change, share] = page.comparison.changeText(old, now);
		const quiet = verdict === 'noise' || verdict === 'same' ? 'quiet-text' : null;
		return [page.comparison.oldText(old), page.weightText(now),
			verdict === 'same' ? '=' : change,
			verdict === 'noise' ? `${share} within noise` : share]
			.map((text) => element('td', { class: quiet }, text));
	}

	row(name) {
		if (!this.isOn())
			return super.row(name);
		const text = this.page.profile.names[name];
		const open = element('button', { type: 'button', class: 'link',
			title: 'Callers and callees' },
		shortened(this.page.state.simple ? simpleName(text.slice(0, 4096)) : text, 300));
		open.addEventListener('click', () => this.page.set({
			view: 'sandwich', frame: text, zoom: null, range: null }, 'push'));
		return element('tr', null, ...this.cells('self', name), ...this.cells('total', name),
			element('td', { class: 'frame' }, open));
	}

	csv(listed) {
		if (!this.isOn())
			return super.csv(listed);
		const { comparison } = this.page;
		const factor = comparison.factor();
		const unit = this.page.unit();
		const lines = [`frame,self_before_${unit},self_after_${unit},self_verdict,` +
			`total_before_${unit},total_after_${unit},total_verdict`];
		for (const name of listed)
			lines.push([csvField(this.page.profile.names[name]),
				...['self', 'total'].flatMap((sort) => [
					...this.pairOf(sort, name).map((sum, i) => Math.round(
						(i ? sum : comparison.unscaled(sum)) / factor)),
					this.verdictOf(sort, name)])].join(','));
		return lines.join('\n') + '\n';
	}
}
