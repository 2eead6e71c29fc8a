// SPDX-License-Identifier: Apache-2.0
// The tree to show, and the recording's tree with threads as root frames.

import { mergeTree, subtreeEnds } from './flame_merge.js';
import { DROPPED, hideNative, transformTree } from './flame_transform.js';

// A label identifies equal siblings: a name, or a name and a line.
export class Labels {
	constructor(profile, lines) {
		const { frameName, frameLine, names } = profile;
		this.names = names;
		if (!lines || !frameLine) {
			this.ofFrame = frameName;
			this.isFrame = profile.framesAreNames;
			this.count = names.length;
			this.name = null;
			this.line = null;
			return;
		}
		const frames = frameName.length;
		this.isFrame = false;
		this.ofFrame = new Uint32Array(frames);
		this.name = [];
		this.line = [];
		for (let from = 0, to; from < frames; from = to) {
			for (to = from + 1; to < frames && frameName[to] === frameName[from];)
				to++;
			this.addLines(from, to, frameName[from], frameLine);
		}
		this.count = this.name.length;
	}

	addLines(from, to, name, frameLine) {
		const lines = frameLine.slice(from, to).sort();
		const label = new Map();
		for (const line of lines) {
			if (label.has(line))
				continue;
			label.set(line, this.name.length);
			this.name.push(name);
			this.line.push(line);
		}
		for (let f = from; f < to; f++)
			this.ofFrame[f] = label.get(frameLine[f]);
	}

	nameOf(label) {
		return this.name ? this.name[label] : label;
	}

	lineOf(label) {
		return this.line ? this.line[label] : 0;
	}

	text(label) {
		const line = this.lineOf(label);
		const name = this.names[this.nameOf(label)];
		return line ? `${name}:${line}` : name;
	}
}

// A copy of the recording's tree with a node for each thread above its stack
// traces. Node i is a copy of the recording's node `origin[i]` in `thread[i]`; if
// origin[i] is 0, it is the node of the thread. Only nodes with samples are copied.
class ThreadedBase {
	constructor(profile, cells) {
		const nodes = [0], threads = [0], up = [-1];
		const { parent } = profile.base;
		const made = new Int32Array(profile.base.n);
		const path = [];
		let thread = -1;
		this.node = new Int32Array(cells.n);
		for (const cell of ThreadedBase.byThread(profile, cells)) {
			// Node numbers from here on belong to this thread.
			if (cells.thread[cell] !== thread) {
				thread = cells.thread[cell];
				made[0] = nodes.push(0) - 1;
				threads.push(thread);
				up.push(0);
			}
			let node = cells.node[cell];
			for (; made[node] < made[0]; node = parent[node])
				path.push(node);
			let id = made[node];
			while (path.length > 0) {
				const origin = path.pop();
				up.push(id);
				threads.push(thread);
				id = made[origin] = nodes.push(origin) - 1;
			}
			this.node[cell] = id;
		}
		this.n = nodes.length;
		this.origin = Int32Array.from(nodes);
		this.thread = Int32Array.from(threads);
		this.parent = Int32Array.from(up);
		this.link(profile);
	}

	// Returns the indexes of the cells, sorted by thread (stable).
	static byThread(profile, cells) {
		const start = new Int32Array(profile.threads.length + 1);
		for (const thread of cells.thread)
			start[thread + 1]++;
		for (let t = 1; t < start.length; t++)
			start[t] += start[t - 1];
		const order = new Int32Array(cells.n);
		for (let i = 0; i < cells.n; i++)
			order[start[cells.thread[i]]++] = i;
		return order;
	}

	// Computes next and frame; the nodes are in pre-order.
	link(profile) {
		const { n, origin } = this;
		this.next = subtreeEnds(this.parent);
		this.frame = new Uint32Array(n);
		for (let i = 1; i < n; i++)
			this.frame[i] = origin[i] === 0 ?
				profile.threadFrame0 + this.thread[i] : profile.base.frame[origin[i]];
		this.frame[0] = profile.allFrame;
	}

	// Returns the copy of a node in a thread, or in the first thread that has one
	// if `thread` is negative; 0 without any.
	find(origin, thread) {
		for (let i = 1; i < this.n; i++)
			if (this.origin[i] === origin && (thread < 0 || this.thread[i] === thread))
				return i;
		return 0;
	}
}

// Returns the index, from `at`, of the greatest of `count` sums.
export function heaviest(sums, at, count) {
	let best = 0;
	for (let k = 1; k < count; k++)
		if (sums[at + k] > sums[at + best])
			best = k;
	return best;
}

// The tree to show, with the weights of its nodes.
export class Graph {
	constructor(profile, labels, cells, options) {
		this.profile = profile;
		this.labels = labels;
		this.threaded = options.threads && cells.thread ?
			new ThreadedBase(profile, cells) : null;
		this.base = this.threaded || profile.base;
		let merged = mergeTree(this.base, labels);
		if (options.native !== 'all')
			merged = hideNative(merged, options.native, this.base, profile);
		for (const transform of options.transforms)
			merged = transformTree(merged, transform, labels);
		Object.assign(this, merged);
		this.total = new Float64Array(this.n);
		this.selfs = null;
		this.left = new Float64Array(this.n);
		this.kind = this.map && new Uint8Array(this.n);
		this.baseTotal = this.map ? new Float64Array(this.base.n) : this.total;
	}

	expand() {}

	// The children of i are firstOf(i), next[firstOf(i)], … below endOf(i).
	firstOf(i) {
		return i + 1;
	}

	endOf(i) {
		return this.next[i];
	}

	// Returns the shown node of a node of the base tree; 0 or less without any.
	shownAs(base) {
		return this.map ? this.map[base] : base < this.n ? base : 0;
	}

	baseOf(node) {
		return this.map ? this.map.indexOf(node) : node;
	}

	// Returns the array for self weights of the base tree's nodes, which weigh()
	// adds up.
	sums() {
		return this.baseTotal.fill(0);
	}

	weigh() {
		const { map, total, baseTotal } = this;
		if (map) {
			total.fill(0);
			for (let i = 0; i < map.length; i++)
				if (map[i] !== DROPPED)
					total[map[i]] += baseTotal[i];
			Graph.addUp(this.base.parent, baseTotal);
		}
		this.selfs = null;
		Graph.addUp(this.parent, total);
		this.place();
		if (map)
			this.chooseKinds();
	}

	static addUp(parent, total) {
		for (let i = parent.length - 1; i > 0; i--)
			total[parent[i]] += total[i];
	}

	// Places children side by side from the left edge of their parent.
	place() {
		const { n, parent, next, total, left } = this;
		left[0] = 0;
		for (let i = 0; i < n - 1; i++) {
			const after = next[i];
			if (after > i + 1)
				left[i + 1] = left[i];
			if (after < n && parent[after] === parent[i])
				left[after] = left[i] + total[i];
		}
	}

	// Weights are integers, exact up to 2^53. Larger sums are rounded and may be
	// less than the sum of their parts.
	selfOf(node) {
		const { next, total } = this;
		let self = total[node];
		for (let k = node + 1; k < next[node]; k = next[k])
			self -= total[k];
		return Math.max(self, 0);
	}

	// The self weights of all nodes, computed on first use.
	get self() {
		if (this.selfs)
			return this.selfs;
		const { n, parent, total } = this;
		const self = this.selfs = total.slice();
		for (let i = 1; i < n; i++)
			self[parent[i]] -= total[i];
		if (total[0] > Number.MAX_SAFE_INTEGER)
			self.forEach((weight, i) => { self[i] = Math.max(weight, 0); });
		return self;
	}

	// Chooses the kind of each node: the kind with the largest weight.
	chooseKinds() {
		const { n, map, baseTotal, kind } = this;
		const frame = this.base.frame;
		const { frameKind, kinds } = this.profile;
		const slot = new Int32Array(n);
		let mixed = 0;
		kind.fill(255);
		for (let i = 0; i < map.length; i++) {
			const node = map[i];
			if (node === DROPPED || baseTotal[i] === 0)
				continue;
			const k = frameKind[frame[i]];
			if (kind[node] === 255)
				kind[node] = k;
			else if (kind[node] !== k && slot[node] === 0)
				slot[node] = ++mixed;
		}
		if (mixed === 0)
			return;
		const sums = new Float64Array((mixed + 1) * kinds.length);
		for (let i = 0; i < map.length; i++)
			if (map[i] !== DROPPED && slot[map[i]] > 0)
				sums[slot[map[i]] * kinds.length + frameKind[frame[i]]] += baseTotal[i];
		for (let i = 0; i < n; i++)
			if (slot[i] > 0)
				kind[i] = heaviest(sums, slot[i] * kinds.length, kinds.length);
	}

	depthOf(node) {
		let depth = 0;
		for (let i = node; i > 0; i = this.parent[i])
			depth++;
		return depth;
	}

	// Returns the kind of a node; 255 for a node without weight.
	kindOf(node) {
		if (this.kind)
			return this.kind[node];
		return this.total[node] === 0 ? 255 :
			this.profile.frameKind[this.base.frame[node]];
	}

	// Calls visit(node, outermost) in pre-order for nodes with weight. `outermost`
	// is false below a node of the same name, to count recursion once.
	walk(visit) {
		const { n, next, label, labels, total } = this;
		const open = new Uint32Array(labels.names.length);
		const path = [];
		for (let i = 0; i < n;) {
			while (path.length > 0 && next[path[path.length - 1]] <= i)
				open[labels.nameOf(label[path.pop()])]--;
			if (total[i] === 0) {
				i = next[i];
				continue;
			}
			visit(i, open[labels.nameOf(label[i])]++ === 0);
			path.push(i++);
		}
	}
}
