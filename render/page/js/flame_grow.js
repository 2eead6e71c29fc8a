// SPDX-License-Identifier: Apache-2.0
// Trees that are too large to build at once: callers from the leaf up, and the
// callers or callees of one frame. A node is a group of nodes of the graph, each
// with a weight. expand() creates the children of a node.

import { heaviest } from './flame_tree.js';

export class GrownTree {
	// `towards` is 'callers' or 'callees'. `root` is a name, or -1 to start from
	// the leaf frames of all stack traces.
	constructor(graph, towards, root) {
		this.graph = graph;
		this.labels = graph.labels;
		this.towards = towards;
		this.fromLeaves = root < 0;
		this.n = 0;
		this.capacity = 0;
		this.groups = [];
		this.sums = new Float64Array(graph.profile.kinds.length);
		this.slots = new Int32Array(graph.labels.count);
		this.reserve(1024);
		const group = this.fromLeaves ? this.leaves() : this.outermost(root);
		let total = 0;
		for (const weight of group.weights)
			total += weight;
		const label = group.nodes.length && root >= 0 ?
			graph.label[group.nodes[0]] : graph.label[0];
		this.add(-1, label, total, 0, group);
	}

	reserve(count) {
		if (count <= this.capacity)
			return;
		const capacity = Math.max(count, this.capacity * 2);
		for (const [field, Type] of [['parent', Int32Array], ['label', Int32Array],
			['first', Int32Array], ['end', Int32Array],
			['kinds', Uint8Array],
			['total', Float64Array], ['self', Float64Array], ['old', Float64Array],
			['left', Float64Array]]) {
			const wider = new Type(capacity);
			if (this[field])
				wider.set(this[field]);
			this[field] = wider;
		}
		// Siblings have consecutive numbers.
		this.next = Int32Array.from(this.parent, (_, i) => i + 1);
		this.capacity = capacity;
	}

	add(parent, label, total, left, group) {
		this.reserve(this.n + 1);
		const i = this.n++;
		this.parent[i] = parent;
		this.label[i] = label;
		this.total[i] = total;
		this.left[i] = left;
		this.first[i] = this.end[i] = -1;
		this.self[i] = this.ownOf(i, group);
		this.old[i] = group.olds ? group.olds.reduce((sum, w) => sum + w, 0) : 0;
		this.kinds[i] = group.nodes.length ? this.heaviestKind(group) : 255;
		this.groups[i] = group;
		return i;
	}

	leaves() {
		const { self, oldSelf, n } = this.graph;
		let count = 0;
		for (let i = 1; i < n; i++)
			if (self[i] > 0)
				count++;
		const nodes = new Int32Array(count);
		const weights = new Float64Array(count);
		for (let i = 1, k = 0; i < n; i++)
			if (self[i] > 0) {
				nodes[k] = i;
				weights[k++] = self[i];
			}
		return { nodes, weights, olds: oldSelf && Float64Array.from(nodes, (i) => oldSelf[i]) };
	}

	outermost(name) {
		const { label, total, labels } = this.graph;
		const nodes = [];
		this.graph.walk((i, outermost) => {
			if (outermost && labels.nameOf(label[i]) === name && total[i] > 0)
				nodes.push(i);
		});
		return {
			nodes: Int32Array.from(nodes),
			weights: Float64Array.from(nodes, (i) => this.graph.total[i]),
			olds: this.graph.old && Float64Array.from(nodes, (i) => this.graph.old[i]),
		};
	}

	// Returns the self weight of a node; towards callers, only the leaf has any.
	ownOf(i, group) {
		let sum = 0;
		const leaf = this.fromLeaves && this.parent[i] === 0;
		const { self } = this.graph;
		if (this.towards === 'callees' || (!this.fromLeaves && i === 0))
			for (const node of group.nodes)
				sum += self[node];
		return leaf ? this.total[i] : sum;
	}

	heaviestKind({ nodes, weights }) {
		const { sums } = this;
		sums.fill(0);
		for (let k = 0; k < nodes.length; k++)
			sums[this.graph.kindOf(nodes[k])] += weights[k];
		return heaviest(sums, 0, sums.length);
	}

	firstOf(i) {
		return this.first[i];
	}

	endOf(i) {
		return this.end[i];
	}

	selfOf(node) {
		return this.self[node];
	}

	kindOf(node) {
		return this.kinds[node];
	}

	depthOf(node) {
		let depth = 0;
		for (let i = node; i > 0; i = this.parent[i])
			depth++;
		return depth;
	}

	// Returns the callers, or the callees, of a group's nodes.
	step(i) {
		const { nodes, weights, olds } = this.groups[i];
		const { parent, next, total, old } = this.graph;
		if (this.fromLeaves && i === 0)
			return this.groups[i];
		if (this.towards === 'callers') {
			const callers = nodes.map((node) => parent[node]);
			return { nodes: callers, weights, olds };
		}
		const callees = [], calleeWeights = [];
		for (const node of nodes)
			for (let c = node + 1; c < next[node]; c = next[c])
				if (total[c] > 0) {
					callees.push(c);
					calleeWeights.push(total[c]);
				}
		return { nodes: callees, weights: calleeWeights,
			olds: old && callees.map((c) => old[c]) };
	}

	// Splits a group by label, the largest first; "all" is not a caller.
	part({ nodes, weights, olds }) {
		const { label } = this.graph;
		const { slots } = this;
		const seen = [];
		for (const node of nodes)
			if (node > 0 && slots[label[node]]++ === 0)
				seen.push(label[node]);
		const parts = seen.map((l, k) => {
			const size = slots[l];
			slots[l] = k;
			return { label: l, size: 0, total: 0,
				nodes: new Int32Array(size), weights: new Float64Array(size),
				olds: olds && new Float64Array(size) };
		});
		for (let k = 0; k < nodes.length; k++) {
			if (nodes[k] === 0)
				continue;
			const to = parts[slots[label[nodes[k]]]];
			to.nodes[to.size] = nodes[k];
			if (olds)
				to.olds[to.size] = olds[k];
			to.weights[to.size++] = weights[k];
			to.total += weights[k];
		}
		for (const l of seen)
			slots[l] = 0;
		return parts.sort((a, b) => b.total - a.total || a.label - b.label);
	}

	expand(i) {
		if (this.first[i] >= 0)
			return;
		let left = this.left[i];
		this.first[i] = this.n;
		for (const part of this.part(this.step(i))) {
			this.add(i, part.label, part.total, left, part);
			left += part.total;
		}
		this.end[i] = this.n;
	}
}
