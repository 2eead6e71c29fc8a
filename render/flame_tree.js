// SPDX-License-Identifier: Apache-2.0
// From the recording's tree, which tells kinds and lines apart, to the tree that
// is shown, in which siblings of the same label are one.

// A label is what makes two siblings the same: a name, or a name and a line.
class Labels {
	constructor(profile, lines) {
		const { frameName, frameLine, names } = profile;
		this.names = names;
		if (!lines || !frameLine) {
			this.ofFrame = frameName;
			this.count = names.length;
			this.name = null;
			this.line = null;
			return;
		}
		const frames = frameName.length;
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

// Finds or adds the child of a parent by its label; open addressing.
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

// The children of a group of the recording's nodes, in one list.
function gatherChildren(base, head, inGroup, kids) {
	const { n, parent, child, sibling } = base;
	let count = 0;
	for (let i = head; i >= 0; i = inGroup[i]) {
		let k = child !== null ? child[i] :
			i + 1 < n && parent[i + 1] === i ? i + 1 : 0;
		for (; k > 0; k = sibling[k])
			kids[count++] = k;
	}
	return count;
}

// Siblings of one label become one node.  Nodes are numbered level by level,
// siblings by label: so the children of a node are neighbours, and they are
// `first[i] .. first[i + 1]`.
function mergeTree(base, labels) {
	const { n, frame } = base;
	const { ofFrame } = labels;
	const tree = {
		parent: new Int32Array(n), label: new Int32Array(n),
		first: new Int32Array(n + 1), map: new Int32Array(n),
	};
	const { parent, label, first, map } = tree;
	const inGroup = new Int32Array(n).fill(-1);
	const head = new Int32Array(n);
	const kids = [];
	const labelOf = (k) => ofFrame[frame[k]];
	parent[0] = -1;
	label[0] = labelOf(0);
	let made = 1;
	for (let v = 0; v < made; v++) {
		const count = gatherChildren(base, head[v], inGroup, kids);
		first[v] = made;
		sortKids(kids, count, labelOf);
		for (let k = 0; k < count; k++) {
			const kid = kids[k];
			if (made > first[v] && label[made - 1] === labelOf(kid)) {
				inGroup[kid] = head[made - 1];
				head[made - 1] = kid;
				map[kid] = made - 1;
				continue;
			}
			parent[made] = v;
			label[made] = labelOf(kid);
			head[made] = kid;
			map[kid] = made++;
		}
	}
	first[made] = made;
	return trimmed(tree, made);
}

// Mostly they are in order, since the recording's siblings are.
function sortKids(kids, count, labelOf) {
	for (let k = 1; k < count; k++) {
		if (labelOf(kids[k - 1]) <= labelOf(kids[k]))
			continue;
		kids.length = count;
		kids.sort((a, b) => labelOf(a) - labelOf(b) || a - b);
		return;
	}
}

// Without the room for nodes that were merged, when it is worth a copy.
function trimmed(tree, n) {
	const { parent, label, first, map } = tree;
	const cut = (array, length) => array.length < length * 1.2 ?
		array.subarray(0, length) : array.slice(0, length);
	const starts = cut(first, n + 1);
	return {
		n, map, parent: cut(parent, n), label: cut(label, n),
		first: starts, end: starts.subarray(1),
	};
}

// A transform answers for each node where it goes in the new tree: `under` a
// parent with its own label, `into` a node, or nowhere: then it is DROPPED, and
// its weight with it.
const DROPPED = -1;

const transforms = {
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

function transformTree(before, transform, labels) {
	const tree = before;
	const chosen = new Uint8Array(labels.count);
	for (let label = 0; label < labels.count; label++)
		chosen[label] = labels.nameOf(label) === transform.name ? 1 : 0;
	const rule = transforms[transform.op](tree, chosen);
	const table = new NodeTable(tree.n);
	const map = new Int32Array(tree.n);
	table.add(-1, tree.label[0]);
	for (let i = 1; i < tree.n; i++) {
		const to = rule(i, tree.parent[i], map);
		map[i] = to === null ? DROPPED :
			to.under === undefined ? to.into :
				table.find(to.under, tree.label[i]);
	}
	const composed = before.map;
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

// Numbers the nodes of a table as mergeTree does.
function layOut({ n, parent, label }, map) {
	const start = new Int32Array(n + 1);
	for (let i = 1; i < n; i++)
		start[parent[i] + 1]++;
	for (let i = 0; i < n; i++)
		start[i + 1] += start[i];
	const kids = new Int32Array(n);
	const fill = start.slice();
	for (let i = 1; i < n; i++)
		kids[fill[parent[i]]++] = i;
	const order = fill.subarray(0, n);
	const tree = {
		map, first: new Int32Array(n + 1),
		parent: new Int32Array(n), label: new Int32Array(n),
	};
	order[0] = 0;
	tree.parent[0] = -1;
	tree.label[0] = label[0];
	let next = 1;
	for (let i = 0; i < n; i++) {
		const old = order[i];
		const from = start[old], to = start[old + 1];
		tree.first[i] = next;
		sortByLabel(kids, from, to, label);
		for (let k = from; k < to; k++) {
			order[next] = kids[k];
			tree.parent[next] = i;
			tree.label[next++] = label[kids[k]];
		}
	}
	tree.first[n] = next;
	for (let i = 0; i < n; i++)
		kids[order[i]] = i;
	for (let i = 0; i < map.length; i++)
		if (map[i] !== DROPPED)
			map[i] = kids[map[i]];
	return trimmed(tree, n);
}

// The recording's tree once more, with a node for each thread above its stack
// traces: node i stands for the recording's node `origin[i]` in `thread[i]`, and
// for the thread itself where that is 0.  Only nodes that the cells reach are
// made.
class ThreadedBase {
	constructor(profile, cells) {
		const nodes = [0], threads = [0], up = [-1];
		const { parent } = profile.base;
		const made = new Int32Array(profile.base.n);
		const path = [];
		let thread = -1;
		this.node = new Int32Array(cells.n);
		for (const cell of ThreadedBase.byThread(profile, cells)) {
			// Numbers from here on belong to this thread.
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

	// The cells' indexes, thread by thread, otherwise in their order.
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

	link(profile) {
		const { n, parent, origin } = this;
		this.frame = new Uint32Array(n);
		this.child = new Int32Array(n);
		this.sibling = new Int32Array(n);
		this.frame[0] = profile.allFrame;
		for (let i = n - 1; i > 0; i--) {
			this.frame[i] = origin[i] === 0 ?
				profile.threadFrame0 + this.thread[i] : profile.base.frame[origin[i]];
			this.sibling[i] = this.child[parent[i]];
			this.child[parent[i]] = i;
		}
	}

	// The node for one of the recording's in a thread, or in the first that has
	// it when `thread` is negative; 0 if there is none.
	find(origin, thread) {
		for (let i = 1; i < this.n; i++)
			if (this.origin[i] === origin && (thread < 0 || this.thread[i] === thread))
				return i;
		return 0;
	}
}

// The tree that is shown, with its weights.
class Graph {
	constructor(profile, labels, cells, options) {
		this.profile = profile;
		this.labels = labels;
		this.threaded = options.threads && cells.thread ?
			new ThreadedBase(profile, cells) : null;
		this.base = this.threaded || profile.base;
		let merged = mergeTree(this.base, labels);
		for (const transform of options.transforms)
			merged = transformTree(merged, transform, labels);
		Object.assign(this, merged);
		this.total = new Float64Array(this.n);
		this.self = new Float64Array(this.n);
		this.left = new Float64Array(this.n);
		this.kind = new Uint8Array(this.n);
		this.baseTotal = new Float64Array(this.base.n);
	}

	expand() {}

	// `self` of the recording's nodes is in baseTotal; all else follows from it.
	weigh() {
		const { n, parent, first, map, total, self, left, baseTotal } = this;
		const up = this.base.parent;
		self.fill(0);
		for (let i = 0; i < baseTotal.length; i++)
			if (map[i] !== DROPPED)
				self[map[i]] += baseTotal[i];
		for (let i = baseTotal.length - 1; i > 0; i--)
			baseTotal[up[i]] += baseTotal[i];
		total.set(self);
		for (let i = n - 1; i > 0; i--)
			total[parent[i]] += total[i];
		left[0] = 0;
		for (let i = 0; i < n; i++) {
			let x = left[i];
			for (let k = first[i]; k < first[i + 1]; k++) {
				left[k] = x;
				x += total[k];
			}
		}
		this.chooseKinds();
	}

	// The kind that a node is coloured by is the one with the most weight.
	chooseKinds() {
		const { map, baseTotal, kind } = this;
		const frame = this.base.frame;
		const frameKind = this.profile.frameKind;
		const mixed = new Map();
		const kinds = this.profile.kinds.length;
		kind.fill(255);
		for (let i = 0; i < map.length; i++) {
			const node = map[i];
			if (node === DROPPED || baseTotal[i] === 0)
				continue;
			const k = frameKind[frame[i]];
			if (kind[node] === 255)
				kind[node] = k;
			else if (kind[node] !== k && !mixed.has(node))
				mixed.set(node, new Float64Array(kinds));
		}
		if (mixed.size === 0)
			return;
		for (let i = 0; i < map.length; i++) {
			const sums = mixed.get(map[i]);
			if (sums !== undefined)
				sums[frameKind[frame[i]]] += baseTotal[i];
		}
		for (const [node, sums] of mixed)
			kind[node] = sums.indexOf(Math.max(...sums));
	}

	depthOf(node) {
		let depth = 0;
		for (let i = node; i > 0; i = this.parent[i])
			depth++;
		return depth;
	}

	kindOf(node) {
		return this.kind[node];
	}

	// Calls visit(node, outermost) in pre-order; `outermost` is false under a
	// node of the same name, so that recursion is not counted twice.
	walk(visit) {
		const { first, end, label, labels, total } = this;
		const open = new Uint32Array(labels.names.length);
		const stack = [0];
		while (stack.length) {
			const i = stack.pop();
			if (i < 0) {
				open[labels.nameOf(label[~i])]--;
				continue;
			}
			visit(i, open[labels.nameOf(label[i])]++ === 0);
			stack.push(~i);
			for (let k = end[i] - 1; k >= first[i]; k--)
				if (total[k] > 0)
					stack.push(k);
		}
	}
}
