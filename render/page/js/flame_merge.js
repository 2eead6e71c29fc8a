// SPDX-License-Identifier: Apache-2.0
// From the recording's tree, which tells kinds and lines apart, to one in which
// siblings of the same label are one.
//
// Trees are numbered in pre-order: the first child of i is i + 1, and next[i] is
// the first node behind all that is under i.

import { smallest } from './flame_data.js';

// `next` of a tree in pre-order, from its parents.
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

// Whether siblings have different labels, and are in their order.
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

// Siblings of one label become one node.  Where there are none to merge, as in a
// recording without lines, the tree is the recording's own, and its `map` null.
export function mergeTree(base, labels) {
	const label = labelsOf(base, labels);
	const { n, parent, next } = base;
	if (hasOrder(base, label))
		return { n, parent, next, label, map: null };
	return mergeSiblings(base, label);
}

// The nodes that become one are a chain: `chained[i]` is the one behind i.
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

// Mostly they are in order, since the recording's siblings are.
function sortKids(kids, count, labelOf) {
	for (let k = 1; k < count; k++) {
		if (labelOf[kids[k - 1]] <= labelOf[kids[k]])
			continue;
		kids.length = count;
		kids.sort((a, b) => labelOf[a] - labelOf[b] || a - b);
		return;
	}
}

// Without the room for nodes that were merged, when it is worth a copy.
export function trimmed({ map, parent, label }, n) {
	const cut = (array) => array.length < n * 1.2 ?
		array.subarray(0, n) : array.slice(0, n);
	const up = cut(parent);
	return { n, map, parent: up, next: subtreeEnds(up), label: cut(label) };
}
