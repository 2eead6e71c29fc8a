// SPDX-License-Identifier: Apache-2.0
// The transforms of the shown tree: focus, remove, merge, collapse, hide native.

import { trimmed } from './flame_merge.js';

// A transform returns a rule: a function of each node that returns its place in the
// new tree: `under` a parent, with its own label; `into` another node; or null,
// which drops the node and its weight.
export const DROPPED = -1;

export const transforms = {
	focus(tree, chosen) {
		const inside = new Uint8Array(tree.n);
		return (i, up, map) => {
			if (inside[up]) {
				inside[i] = 1;
				return { under: map[up] };
			}
			if (!chosen[tree.label[i]])
				return null;
			inside[i] = 1;
			return { under: 0 };
		};
	},
	remove(tree, chosen) {
		return (i, up, map) => chosen[tree.label[i]] ||
			map[up] === DROPPED ? null : { under: map[up] };
	},
	merge(tree, chosen) {
		return (i, up, map) => chosen[tree.label[i]] ?
			{ into: map[up] } : { under: map[up] };
	},
	collapse(tree, chosen) {
		const outermost = new Int32Array(tree.n).fill(-1);
		return (i, up, map) => {
			outermost[i] = outermost[up];
			if (!chosen[tree.label[i]])
				return { under: map[up] };
			if (outermost[up] >= 0)
				return { into: map[outermost[up]] };
			outermost[i] = i;
			return { under: map[up] };
		};
	},
};

// A hash table with open addressing: finds or adds a child by parent and label.
class NodeTable {
	constructor(capacity) {
		let size = 16;
		while (size < capacity * 1.5)
			size *= 2;
		this.slots = new Int32Array(size);
		this.mask = size - 1;
		this.parent = new Int32Array(capacity);
		this.label = new Int32Array(capacity);
		this.n = 0;
	}

	add(parent, label) {
		this.parent[this.n] = parent;
		this.label[this.n] = label;
		return this.n++;
	}

	find(parent, label) {
		const { slots, mask } = this;
		let h = Math.imul(parent, 0x9e3779b1) ^ Math.imul(label, 0x85ebca6b);
		h = (h ^ (h >>> 15)) & mask;
		for (;;) {
			const id = slots[h];
			if (id === 0) {
				slots[h] = this.n;
				return this.add(parent, label);
			}
			if (this.parent[id] === parent && this.label[id] === label)
				return id;
			h = (h + 1) & mask;
		}
	}
}

export function transformTree(tree, transform, labels) {
	const chosen = new Uint8Array(labels.count);
	for (let label = 0; label < labels.count; label++)
		chosen[label] = labels.nameOf(label) === transform.name ? 1 : 0;
	return applyRule(tree, transforms[transform.op](tree, chosen));
}

export const javaKinds = new Set(['interpreted', 'c1', 'jit', 'inlined', 'java']);
export const nativeKinds = new Set(['native', 'cpp', 'kernel']);

// Returns a byte per node of a merged tree: 1 if it has a frame of these kinds.
function nodesOfKind(tree, base, profile, kinds) {
	const wanted = profile.kinds.map((kind) => kinds.has(kind));
	const found = new Uint8Array(tree.n);
	for (let i = 1; i < base.n; i++)
		if (wanted[profile.frameKind[base.frame[i]]])
			found[tree.map ? tree.map[i] : i] = 1;
	return found;
}

// Rules for frames of native, C++ and kernel code. 'entry' merges frames above the
// first Java frame into their callers; 'java' merges all native frames and drops
// stack traces without a Java frame.
const nativeRules = {
	entry(tree, native, java) {
		const below = java.slice();
		for (let i = tree.n - 1; i > 0; i--)
			below[tree.parent[i]] |= below[i];
		const above = new Uint8Array(tree.n);
		return (i, up, map) => {
			above[i] = java[i] | above[up];
			return native[i] && !above[i] && below[i] ?
				{ into: map[up] } : { under: map[up] };
		};
	},
	java(tree, native, java) {
		const above = new Uint8Array(tree.n);
		const caller = new Int32Array(tree.n);
		return (i, up, map) => {
			above[i] = java[i] | above[up];
			caller[i] = map[up] === DROPPED ? caller[up] : map[up];
			if (!native[i])
				return { under: caller[i] };
			return above[i] ? { into: caller[i] } : null;
		};
	},
};

export function hideNative(tree, how, base, profile) {
	return applyRule(tree, nativeRules[how](tree,
		nodesOfKind(tree, base, profile, nativeKinds),
		nodesOfKind(tree, base, profile, javaKinds)));
}

function applyRule(before, rule) {
	const tree = before;
	const table = new NodeTable(tree.n);
	const map = new Int32Array(tree.n);
	table.add(-1, tree.label[0]);
	for (let i = 1; i < tree.n; i++) {
		const to = rule(i, tree.parent[i], map);
		map[i] = to === null ? DROPPED :
			to.under === undefined ? to.into :
				table.find(to.under, tree.label[i]);
	}
	const composed = before.map || map.slice();
	if (before.map)
		for (let i = 0; i < composed.length; i++)
			if (composed[i] !== DROPPED)
				composed[i] = map[composed[i]];
	return layOut(table, composed);
}

function sortByLabel(kids, from, to, label) {
	for (let k = from + 1; k < to; k++) {
		if (label[kids[k - 1]] <= label[kids[k]])
			continue;
		kids.subarray(from, to).sort((a, b) => label[a] - label[b]);
		return;
	}
}

// Returns child lists: those of i are kids[start[i]] to kids[start[i + 1] - 1].
function childLists(n, parent) {
	const start = new Int32Array(n + 1);
	for (let i = 1; i < n; i++)
		start[parent[i] + 1]++;
	for (let i = 0; i < n; i++)
		start[i + 1] += start[i];
	const kids = new Int32Array(n);
	const fill = start.slice();
	for (let i = 1; i < n; i++)
		kids[fill[parent[i]]++] = i;
	return { start, kids };
}

// Renumbers the nodes of a table in pre-order, siblings sorted by label.
function layOut({ n, parent, label }, map) {
	const { start, kids } = childLists(n, parent);
	const tree = { map, parent: new Int32Array(n), label: new Int32Array(n) };
	const number = new Int32Array(n);
	const todo = [0];
	for (let made = 0; todo.length > 0; made++) {
		const old = todo.pop();
		const from = start[old], to = start[old + 1];
		number[old] = made;
		tree.parent[made] = old === 0 ? -1 : number[parent[old]];
		tree.label[made] = label[old];
		sortByLabel(kids, from, to, label);
		for (let k = to - 1; k >= from; k--)
			todo.push(kids[k]);
	}
	for (let i = 0; i < map.length; i++)
		if (map[i] !== DROPPED)
			map[i] = number[map[i]];
	return trimmed(tree, n);
}
