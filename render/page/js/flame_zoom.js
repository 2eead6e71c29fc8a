// SPDX-License-Identifier: Apache-2.0
// Zooming: the visible range of a pane, and its format in links.
//
// Each change of the settings renumbers the nodes of the shown tree. A zoom is
// therefore stored as [node of the recording, levels, thread + 1]: the shown node
// of the recording's node; in a grown tree, that many levels from there.

export class Zoom {
	constructor(page) {
		this.page = page;
	}

	// Returns the fields of the state for a pane; the upper pane of the sandwich
	// has its own.
	fieldsOf(pane) {
		return pane === this.page.upper ? ['callersZoom', 'callersRange'] :
			['zoom', 'range'];
	}

	pathOf(tree, node) {
		const path = [];
		for (let i = node; i >= 0; i = tree.parent[i])
			path.push(i);
		return path.reverse();
	}

	// Returns a node of the graph whose callers match the path of a grown node.
	anchor(tree, node, path) {
		const chain = path.slice(tree.fromLeaves ? 1 : 0);
		const { graph, label } = tree;
		if (tree.towards === 'callees')
			return tree.groups[node].nodes[0];
		for (const start of tree.groups[chain[0]].nodes) {
			let i = start;
			const fits = chain.every((step) => {
				const fit = i > 0 && (step === 0 || graph.label[i] === label[step]);
				i = graph.parent[i];
				return fit;
			});
			if (fits)
				return start;
		}
		return 0;
	}

	specOf(tree, node) {
		const { graph } = this.page;
		const path = this.pathOf(tree, node);
		const start = tree === graph ? node : this.anchor(tree, node, path);
		const base = graph.baseOf(start);
		const levels = tree === graph ? 0 : path.length - 1;
		return graph.threaded ?
			[graph.threaded.origin[base], levels, graph.threaded.thread[base] + 1] :
			[base, levels, 0];
	}

	baseOf([base, , thread]) {
		const { threaded } = this.page.graph;
		return threaded ? threaded.find(base, thread - 1) : base;
	}

	nodeOf(tree, spec) {
		const { graph } = this.page;
		const node = graph.shownAs(this.baseOf(spec));
		if (!(node > 0))
			return 0;
		if (tree === graph) {
			let i = node;
			while (i > 0 && graph.total[i] === 0)
				i = graph.parent[i];
			return i;
		}
		return this.follow(tree, this.labelsFrom(tree, node, spec[1]));
	}

	labelsFrom(tree, node, levels) {
		const { graph } = this.page;
		const labels = [];
		for (let i = node; i > 0 && labels.length < levels + 1; i = graph.parent[i])
			labels.push(graph.label[i]);
		if (tree.towards === 'callees')
			labels.reverse();
		return tree.fromLeaves ? labels.slice(0, levels) : labels.slice(1);
	}

	follow(tree, labels) {
		let node = 0;
		for (const label of labels) {
			tree.expand(node);
			const end = tree.endOf(node);
			let k = tree.firstOf(node);
			while (k < end && tree.label[k] !== label)
				k = tree.next[k];
			if (k >= end)
				break;
			node = k;
		}
		return node;
	}

	// Sets the range of a pane from the state.
	restore(pane) {
		const { state } = this.page;
		const [zoom, range] = this.fieldsOf(pane);
		const whole = pane.whole();
		pane.stopGlide();
		pane.node = 0;
		if (state[zoom] && whole > 0)
			pane.node = this.nodeOf(pane.tree, state[zoom]);
		pane.zoomLevel = pane.node > 0 ? pane.tree.depthOf(pane.node) : 0;
		if (state[range])
			pane.setDomain(state[range][0] * whole, state[range][1] * whole);
		else
			pane.setDomain(...pane.domainOf(pane.node));
	}

	into(pane, node) {
		const [zoom, range] = this.fieldsOf(pane);
		const callersToo = this.page.state.view === 'sandwich' && node === 0 ?
			{ callersZoom: null, callersRange: null } : {};
		this.page.glide(pane, () => {
			this.page.set({
				...callersToo,
				[zoom]: node > 0 ? this.specOf(pane.tree, node) : null,
				[range]: null,
			}, 'push');
			pane.reveal(Math.max(0, pane.tree.depthOf(node) - 1));
		});
	}

	// Zooms to a range of weight, which need not be a node.
	toDomain(pane, from, to) {
		const [zoom, range] = this.fieldsOf(pane);
		const whole = pane.whole();
		if (!(whole > 0))
			return;
		pane.setDomain(from, to);
		const part = (x) => Number((x / whole).toPrecision(12));
		const all = pane.from <= 0 && pane.to >= whole;
		this.page.set({
			[zoom]: null,
			[range]: all ? null : [part(pane.from), part(pane.to)],
		}, 'settle');
	}

	// Zooms into a gray box of narrow frames; into a part of a wide box.
	intoTiny(pane, [from, to], x) {
		const half = Math.min(to - from, (pane.to - pane.from) / 8) / 2;
		const at = pane.from + x / pane.scale;
		const middle = Math.min(Math.max(at, from + half), to - half);
		this.toDomain(pane, middle - half, middle + half);
	}

	// Zooms by a factor; the weight at pixel x stays in place.
	by(pane, factor, x) {
		const at = pane.from + x / pane.scale;
		this.toDomain(pane, at - (at - pane.from) * factor,
			at + (pane.to - at) * factor);
	}

	pan(pane, pixels) {
		const span = pane.to - pane.from;
		const from = Math.min(Math.max(0, pane.from + pixels / pane.scale),
			pane.whole() - span);
		if (from !== pane.from)
			this.toDomain(pane, from, from + span);
	}

	out(pane) {
		const node = pane.node > 0 ? pane.node : pane.covering();
		if (node > 0)
			this.into(pane, pane.tree.parent[node]);
		else
			this.into(pane, 0);
	}
}
