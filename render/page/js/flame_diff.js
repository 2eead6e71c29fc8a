// SPDX-License-Identifier: Apache-2.0
// Two recordings on one page: before, after, and their difference.
//
// In the difference, a node's weight is the sum of both recordings, each scaled to
// the same base; graph.old has the part from before.

import { byId, element } from './flame_dom.js';
import { percent } from './flame_format.js';

// Weights are multiplied by a power of two and rounded, so that sums of scaled
// weights are exact, as long as they stay below 2^53.
const MOST_SUM = 2 ** 51;
const MOST_FACTOR = 1024;

// The least relative difference of each step of the colors.
const steps = [0, 0.05, 0.15, 0.35, 0.7];

// Hue and saturation.
const tones = {
	usual: { more: [4, 78], less: [214, 72] },
	blind: { more: [30, 90], less: [208, 80] },
};

const signs = { more: '▲ ', less: '▼ ', new: '✚ ', gone: '✖ ' };

const titles = {
	before: 'Before', after: 'After', difference: 'Difference',
};

// Returns the cells of both recordings, sorted by node. Cells without a stack trace,
// whose node is the last, come first, as in each of them.
function mergeCells(before, after, last) {
	const n = before.n + after.n;
	const order = new Uint32Array(n);
	const isOld = new Uint8Array(n);
	const keyOf = (cells, i) => cells.node[i] === last ? -1 : cells.node[i];
	for (let i = 0, a = 0, b = 0; i < n; i++) {
		const old = b >= after.n ||
			(a < before.n && keyOf(before, a) <= keyOf(after, b));
		isOld[i] = old ? 1 : 0;
		order[i] = old ? a++ : b++;
	}
	const pick = (column) => before[column] === null || after[column] === null ? null :
		Uint32Array.from(order, (from, i) => (isOld[i] ? before : after)[column][from]);
	return { n, order, isOld, node: pick('node'), thread: pick('thread'),
		state: pick('state'), bucket: null };
}

export class Comparison {
	constructor(page) {
		this.page = page;
		this.head = page.profile.head.comparison;
		this.made = [];
		this.changed = [];
		const box = byId('sides');
		box.hidden = false;
		box.replaceChildren(...Object.keys(titles).map((side) => {
			const button = element('button', { type: 'button', 'data-side': side,
				title: this.titleOf(side) }, titles[side]);
			button.addEventListener('click', () => page.set({ side,
				range: null, callersRange: null }, 'push'));
			return button;
		}));
	}

	titleOf(side) {
		return side === 'difference' ?
			'Red: more than before; blue: less; width: the sum of both (b)' :
			`${this.head[side]} (b)`;
	}

	next() {
		const sides = Object.keys(titles);
		const at = sides.indexOf(this.page.state.side);
		this.page.set({ side: sides[(at + 1) % sides.length],
			range: null, callersRange: null }, 'push');
	}

	isOn() {
		return this.page.state.side === 'difference';
	}

	// The index of the event in the data.
	index(side) {
		return 2 * this.page.state.event + (side === 'before' ? 0 : 1);
	}

	event() {
		return this.page.profile.head.events[this.index(this.page.state.side)];
	}

	pair() {
		return this.head.pairs[this.page.state.event];
	}

	cells() {
		const { profile, state } = this.page;
		if (!this.isOn())
			return profile.cells(this.index(state.side));
		return this.made[state.event] || (this.made[state.event] = this.join(profile));
	}

	join(profile) {
		const before = profile.cells(this.index('before'));
		const after = profile.cells(this.index('after'));
		const cells = mergeCells(before, after, profile.base.n - 1);
		const { sample_scale: samples, weight_scale: weights } = this.pair();
		this.scale(cells, 'count', before.count, after.count, samples);
		if (before.weight === before.count && after.weight === after.count)
			Object.assign(cells, { weight: cells.count, oldWeight: cells.oldCount,
				weightFactor: cells.countFactor });
		else
			this.scale(cells, 'weight', before.weight, after.weight, weights);
		return cells;
	}

	// Adds the scaled column, its part from before, and its factor to the cells.
	scale(cells, column, before, after, scale) {
		const sum = (list) => list.reduce((total, w) => total + w, 0);
		const whole = sum(before) * scale + sum(after);
		let factor = MOST_FACTOR;
		while (factor > 1 && whole * factor > MOST_SUM)
			factor /= 2;
		const { n, order, isOld } = cells;
		const all = new Float64Array(n), old = new Float64Array(n);
		for (let i = 0; i < n; i++) {
			if (isOld[i])
				old[i] = all[i] = Math.round(before[order[i]] * scale * factor);
			else
				all[i] = after[order[i]] * factor;
		}
		const name = column === 'count' ? 'Count' : 'Weight';
		cells[column] = all;
		cells[`old${name}`] = old;
		cells[`${column}Factor`] = factor;
	}

	// The factor of the sums from before.
	sumScale() {
		const { oldWeight, oldCount } = this.cells();
		const { sample_scale: samples, weight_scale: weights } = this.pair();
		return this.page.state.measure === 'weight' && oldWeight !== oldCount ? weights : samples;
	}

	// The true sum from before of a scaled one.
	unscaled(old) {
		return old / this.sumScale();
	}

	// The true sum from before, as text.
	oldText(old) {
		return this.page.weightText(this.unscaled(old));
	}

	factor() {
		if (!this.isOn())
			return 1;
		const cells = this.cells();
		return this.page.state.measure === 'weight' ? cells.weightFactor : cells.countFactor;
	}

	// Adds up the weights from before; the caller adds up all weights next.
	weigh(cells, node) {
		const { graph, state, filter } = this.page;
		graph.old = graph.oldSelf = null;
		if (!this.isOn())
			return;
		const weights = state.measure === 'weight' ? cells.oldWeight : cells.oldCount;
		filter.apply(cells, node, weights, state, graph.sums());
		graph.weigh();
		graph.old = graph.total.slice();
		graph.oldSelf = graph.self;
	}

	// Returns the ids of the names that changed significantly, as a set.
	significant(list) {
		const key = `${this.page.state.event} ${list}`;
		if (!this.changed[key]) {
			const { names, threadName0 } = this.page.profile;
			const wanted = new Set(this.pair()[list]);
			const found = this.changed[key] = new Set();
			for (let i = 0; i < threadName0; i++)
				if (wanted.has(names[i]))
					found.add(i);
		}
		return this.changed[key];
	}

	// Returns 'more', 'less', 'new', 'gone', 'same' or, if chance explains the change,
	// 'noise'.
	verdict(before, after, name, lists) {
		if (before === after)
			return 'same';
		if (!lists.some((list) => this.significant(list).has(name)))
			return 'noise';
		if (before === 0)
			return 'new';
		if (after === 0)
			return 'gone';
		return after > before ? 'more' : 'less';
	}

	// A frame below one that is new or gone is so too, whatever chance does to the sum
	// of its name.
	nodeVerdict(tree, node) {
		const own = this.nameVerdict(tree, node);
		const isOnOneSide = (i) => tree.old[i] === 0 || tree.old[i] === tree.total[i];
		let [verdict, at] = [own, node];
		while (verdict === 'noise' && at !== 0 && isOnOneSide(at)) {
			at = tree.parent[at];
			verdict = this.nameVerdict(tree, at);
		}
		return verdict === 'new' || verdict === 'gone' ? verdict : own;
	}

	nameVerdict(tree, node) {
		const old = tree.old[node];
		const name = tree.labels.nameOf(tree.label[node]);
		return node === 0 && tree === this.page.graph ? 'same' :
			this.verdict(old, tree.total[node] - old, name,
				['changed_totals', 'changed_selfs']);
	}

	mark(tree, node) {
		return this.isOn() ? signs[this.nodeVerdict(tree, node)] || '' : '';
	}

	color(kind, step) {
		const { dark, blind } = this.page.colors;
		const [hue, saturation] = tones[blind ? 'blind' : 'usual'][kind];
		return dark ? `hsl(${hue} ${saturation * 0.75}% ${20 + step * 5}%)` :
			`hsl(${hue} ${saturation}% ${91 - step * 7}%)`;
	}

	fill(tree, node) {
		const verdict = this.nodeVerdict(tree, node);
		const { theme } = this.page.colors;
		if (verdict === 'same' || verdict === 'noise')
			return theme.all;
		const change = 2 * tree.old[node] / tree.total[node] - 1;
		const size = Math.abs(change);
		return this.color(change < 0 ? 'more' : 'less',
			steps.filter((least) => size >= least).length - 1);
	}

	legend() {
		return [
			[`${signs.more}More`, this.color('more', 3), 'More than before'],
			[`${signs.new}New`, this.color('more', 4), 'Only after'],
			[`${signs.less}Less`, this.color('less', 3), 'Less than before'],
			[`${signs.gone}Gone`, this.color('less', 4), 'Only before'],
			['Within noise', this.page.colors.theme.all,
				'Chance explains the change'],
		];
	}

	// Returns the self weight from before of a node of any tree.
	oldSelfOf(tree, node) {
		const { graph } = this.page;
		if (tree === graph)
			return graph.oldSelf[node];
		if (tree.fromLeaves)
			return tree.parent[node] === 0 ? tree.old[node] : 0;
		if (tree.towards === 'callers' && node !== 0)
			return 0;
		return tree.groups[node].nodes.reduce((sum, i) => sum + graph.oldSelf[i], 0);
	}

	changeText(before, after) {
		const change = after - before;
		const sign = change < 0 ? '−' : '+';
		const share = before === 0 ? after === 0 ? '' : 'new' : after === 0 ? 'gone' :
			`${sign}${(Math.abs(change) / before * 100).toFixed(1)}%`;
		return [`${sign}${this.page.weightText(Math.abs(change))}`, share];
	}

	// Returns the first rows of a tooltip.
	facts(tree, node) {
		const { page } = this;
		const [old, whole] = [tree.old[node], tree.old[0]];
		const now = tree.total[node] - old;
		const oldSelf = this.oldSelfOf(tree, node);
		const self = tree.selfOf(node) - oldSelf;
		const verdict = this.nodeVerdict(tree, node);
		return [
			['Before', this.oldText(old), percent(old, whole)],
			['After', page.weightText(now), percent(now, tree.total[0] - whole)],
			[this.sumScale() === 1 ? 'Change' : 'Change, scaled',
				...this.changeText(old, now),
				verdict === 'noise' ? 'within noise' : ''],
			['Self', `${this.oldText(oldSelf)} → ${page.weightText(self)}`,
				...this.changeText(oldSelf, self)],
		];
	}

	summary() {
		const { page } = this;
		const old = page.graph.old[0];
		const now = page.graph.total[0] - old;
		const { base } = this.pair();
		const sums = `${this.oldText(old)} → ${page.weightText(now)}`;
		// The sums of shares are always equal.
		if (base === 'total')
			return `${sums}, compared by shares`;
		const word = { time: 'per second', event: 'per event', none: 'not scaled' }[base];
		return `${sums}, ${this.changeText(old, now)[1]} (${word})`;
	}
}
