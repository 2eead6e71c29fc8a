// SPDX-License-Identifier: Apache-2.0
// Merges siblings of the same label. In the recording's tree, siblings may differ
// in kind and line only.
//
// Trees are numbered in pre-order: the first child of node i is i + 1, and next[i]
// is the first node after the subtree of i.

import { smallest } from './flame_data.js';

// Returns `next` of a tree in pre-order, computed from its parents.
export function subtreeEnds(parent) {
	const n = parent.length;
	const next = new Int32Array(n);
	for (let i = n - 1; i > 0; i--) {
		if (next[i] === 0)
			next[i] = i + 1;
		if (next[parent[i]] === 0)
			next[parent[i]] = next[i];
	}
	next[0] = n;
	return next;
}

// Returns whether all siblings are sorted by label, without duplicates.
function hasOrder({ n, parent, next }, label) {
	for (let i = 1; i < n; i++) {
		const k = next[i];
		if (k < n && parent[k] === parent[i] && label[k] <= label[i])
			return false;
	}
	return true;
}

function labelsOf({ n, frame }, labels) {
	if (labels.isFrame)
		return frame;
	const { ofFrame } = labels;
	const label = new (smallest(labels.count))(n);
	for (let i = 0; i < n; i++)
		label[i] = ofFrame[frame[i]];
	return label;
}

// Returns the tree with siblings merged, and `map` from old nodes to new ones. If
// there is nothing to merge, it shares the arrays of `base`, and map is null.
export function mergeTree(base, labels) {
	const label = labelsOf(base, labels);
	const { n, parent, next } = base;
	if (hasOrder(base, label))
		return { n, parent, next, label, map: null };
	return mergeSiblings(base, label);
}

// Nodes to merge form a linked list: `chained[i]` is the node after i; 0 ends.
function mergeSiblings({ n, next }, labelOf) {
	const map = new Int32Array(n);
	const parent = new Int32Array(n);
	const label = new labelOf.constructor(n);
	const chained = new Int32Array(n);
	const kids = [];
	const todo = [0], above = [-1];
	let made = 0;
	while (todo.length > 0) {
		const first = todo.pop();
		parent[made] = above.pop();
		label[made] = labelOf[first];
		let count = 0;
		for (let i = first; ; i = chained[i]) {
			map[i] = made;
			for (let k = i + 1; k < next[i]; k = next[k])
				kids[count++] = k;
			if (chained[i] === 0)
				break;
		}
		sortKids(kids, count, labelOf);
		for (let k = count - 1, last = -1; k >= 0; k--) {
			const kid = kids[k];
			if (labelOf[kid] === last) {
				chained[kid] = todo.pop();
				above.pop();
			}
			last = labelOf[kid];
			todo.push(kid);
			above.push(made);
		}
		made++;
	}
	return trimmed({ map, parent, label }, made);
}

// Sorts siblings by label; they mostly are in order already.
function sortKids(kids, count, labelOf) {
	for (let k = 1; k < count; k++) {
		if (labelOf[kids[k - 1]] <= labelOf[kids[k]])
			continue;
		kids.length = count;
		kids.sort((a, b) => labelOf[a] - labelOf[b] || a - b);
		return;
	}
}

// Truncates the arrays to n nodes; copies them if that frees much memory.
export function trimmed({ map, parent, label }, n) {
	const cut = (array) => array.length < n * 1.2 ?
		array.subarray(0, n) : array.slice(0, n);
	const up = cut(parent);
	return { n, map, parent: up, next: subtreeEnds(up), label: cut(label) };
}
