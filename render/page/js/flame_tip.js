// SPDX-License-Identifier: Apache-2.0
// The tooltip of a frame: totals, and the kinds and lines of its samples.

import { kindTitles } from './flame_color.js';
import { element } from './flame_dom.js';
import { percent, shortened } from './flame_format.js';

// Distributes the weights of shown nodes to the nodes of the recording's tree that
// were merged into them.
function addShares({ n, map, total, baseTotal }, nodes, weights, add) {
	const share = new Float64Array(n);
	nodes.forEach((node, k) => { share[node] = weights[k] / total[node]; });
	for (let i = 0; i < map.length; i++)
		if (map[i] >= 0 && share[map[i]] > 0)
			add(i, baseTotal[i] * share[map[i]]);
}

// Returns the weight of a node by kind and by line, largest first.
function mixOf(graph, tree, node) {
	const { frameKind, frameLine } = graph.profile;
	const { frame } = graph.base;
	const kinds = new Map(), lines = new Map();
	const add = (i, weight) => {
		const kind = frameKind[frame[i]];
		kinds.set(kind, (kinds.get(kind) || 0) + weight);
		const line = frameLine ? frameLine[frame[i]] : 0;
		if (line > 0)
			lines.set(line, (lines.get(line) || 0) + weight);
	};
	const { map, total, baseTotal } = graph;
	const { nodes, weights } = tree === graph ?
		{ nodes: [node], weights: [total[node]] } : tree.groups[node];
	if (map === null)
		nodes.forEach((i, k) => add(i, weights[k]));
	else if (nodes.length === 1)
		for (let i = map.indexOf(nodes[0]); i >= 0; i = map.indexOf(nodes[0], i + 1))
			add(i, baseTotal[i] * weights[0] / total[nodes[0]]);
	else
		addShares(graph, nodes, weights, add);
	for (const found of [kinds, lines])
		found.forEach((weight, key) => weight > 0 || found.delete(key));
	const sorted = (map) => [...map].sort((a, b) => b[1] - a[1]);
	return { kinds: sorted(kinds), lines: sorted(lines) };
}

export class Tooltip {
	constructor(page) {
		this.page = page;
		this.box = document.getElementById('tip');
	}

	hide() {
		this.box.hidden = true;
		this.shows = null;
	}

	row(title, ...cells) {
		return element('tr', null, element('th', null, title),
			...cells.map((cell) => element('td', null, cell)));
	}

	mixRow(entries, name, whole) {
		const shownLines = entries.slice(0, 4).map(([key, weight]) =>
			`${name(key)} ${percent(weight, whole)}`);
		if (entries.length > 4)
			shownLines.push(`${entries.length - 4} more`);
		return shownLines.join(' · ');
	}

	// Returns the rows of the tooltip: a title and cells, as text.
	facts(pane, node) {
		const { page } = this;
		const { tree } = pane;
		const total = tree.total[node];
		const weight = (w) => page.weightText(w);
		if (page.comparison && page.comparison.isOn())
			return [...page.comparison.facts(tree, node), ...this.mixFacts(tree, node)];
		const rows = [['Total', weight(total), `${percent(total, tree.total[0])} of root`]];
		if (node > 0)
			rows[0].push(`${percent(total, tree.total[tree.parent[node]])} of ` +
				(tree.towards === 'callers' ? 'callee' : 'caller'));
		rows.push(['Self', weight(tree.selfOf(node)),
			`${percent(tree.selfOf(node), tree.total[0])} of root`]);
		return [...rows, ...this.mixFacts(tree, node)];
	}

	// Returns the rows about kinds and lines.
	mixFacts(tree, node) {
		const { page } = this;
		const rows = [];
		const mix = mixOf(page.graph, tree, node);
		const kindTotal = mix.kinds.reduce((sum, [, w]) => sum + w, 0);
		if (node > 0 && mix.kinds.length)
			rows.push(['Kind', this.mixRow(mix.kinds,
				(k) => kindTitles[page.profile.kinds[k]] || page.profile.kinds[k],
				kindTotal)]);
		if (mix.lines.length)
			rows.push([mix.lines.length > 1 ? 'Lines' : 'Line',
				this.mixRow(mix.lines, String, kindTotal)]);
		return rows;
	}

	show(pane, node, x, y) {
		if (this.shows !== pane || this.node !== node) {
			this.shows = pane;
			this.node = node;
			this.box.replaceChildren(
				element('div', { class: 'tip-name' },
					shortened(pane.tree.labels.text(pane.tree.label[node]), 600)),
				element('table', null, ...this.facts(pane, node).map(
					([title, ...cells]) => cells.length === 1 ?
						element('tr', null, element('th', null, title),
							element('td', { colspan: 3 }, cells[0])) :
						this.row(title, ...cells))));
		}
		this.place(x, y);
	}

	showTiny(x, y) {
		this.shows = null;
		this.box.replaceChildren(element('div', { class: 'tip-name' },
			'Frames narrower than half a pixel: click to zoom in'));
		this.place(x, y);
	}

	place(x, y) {
		const { box } = this;
		box.hidden = false;
		const width = box.offsetWidth, height = box.offsetHeight;
		const left = Math.min(x + 14, window.innerWidth - width - 8);
		const top = y + 18 + height > window.innerHeight ? y - height - 10 : y + 18;
		box.style.left = `${Math.max(4, left)}px`;
		box.style.top = `${Math.max(4, top)}px`;
	}
}
