// SPDX-License-Identifier: Apache-2.0
// Decodes the data block: base64, deflate, columns of varints; see PAGE.md.

const MOST_BUCKETS = 65536; // sjkc writes 256
const TREE_COLUMNS = 6, CELL_COLUMNS = 6, SUM_COLUMNS = 11;

export class DataError extends Error {}

export function bytesFromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const chars = atob(text.trim());
	const bytes = new Uint8Array(chars.length);
	for (let i = 0; i < chars.length; i++)
		bytes[i] = chars.charCodeAt(i);
	return bytes;
}

export async function inflate(bytes) {
	if (typeof DecompressionStream === 'undefined')
		throw new DataError('This browser does not support DecompressionStream: ' +
			'use Chrome 103, Firefox 113, Safari 16.4 or newer.');
	const stream = new DecompressionStream('deflate-raw');
	const writer = stream.writable.getWriter();
	// Reading reports errors of a damaged stream.
	writer.write(bytes).catch(() => {});
	writer.close().catch(() => {});
	try {
		return new Uint8Array(
			await new Response(stream.readable).arrayBuffer());
	} catch (e) {
		throw new DataError('The data of this page is damaged: decompression failed.');
	}
}

function wrongLength() {
	return new DataError('The data of this page is damaged: ' +
		'a column has the wrong length.');
}

// Checks a count before allocating: each number takes at least a byte.
function checkCount(bytes, count) {
	if (!(count >= 0 && count <= bytes.length))
		throw wrongLength();
}

// Returns the number of varints in a column.
function countNumbers(bytes) {
	let count = 0;
	for (const byte of bytes)
		count += byte < 128 ? 1 : 0;
	return count;
}

// Reads varints below 2^32. A column of one-byte varints is returned as it is. Using
// one array type for all other columns makes this function twice as fast.
export function readSmall(bytes, count) {
	checkCount(bytes, count);
	if (bytes.length === count)
		return bytes;
	const out = new Uint32Array(count);
	let p = 0;
	for (let i = 0; i < count; i++) {
		let b = bytes[p++];
		let value = b & 127;
		for (let shift = 7; b > 127; shift += 7) {
			b = bytes[p++];
			value |= (b & 127) << shift;
		}
		out[i] = value;
	}
	if (p !== bytes.length)
		throw wrongLength();
	return out;
}

// Reads varints of any size, rounded to doubles.
export function readLarge(bytes, count) {
	checkCount(bytes, count);
	const out = new Float64Array(count);
	let p = 0;
	for (let i = 0; i < count; i++) {
		let b = bytes[p++];
		let value = b & 127;
		for (let scale = 128; b > 127; scale *= 128) {
			b = bytes[p++];
			value += (b & 127) * scale;
		}
		out[i] = value;
	}
	if (p !== bytes.length)
		throw wrongLength();
	return out;
}

// Reads differences between consecutive numbers.
function readDeltas(bytes, count) {
	const out = Uint32Array.from(readSmall(bytes, count));
	for (let i = 1; i < count; i++)
		out[i] += out[i - 1];
	return out;
}

function readNames(bytes, count) {
	const lines = new TextDecoder().decode(bytes).split('\n');
	const names = new Array(count);
	let before = '';
	for (let i = 0; i < count; i++) {
		const line = lines[i];
		const shared = line.charCodeAt(0) - 32;
		before = names[i] = before.slice(0, shared) + line.slice(1);
	}
	return names;
}

// Returns the smallest array type for numbers below `limit`.
export function smallest(limit) {
	return limit <= 256 ? Uint8Array : limit <= 65536 ? Uint16Array : Uint32Array;
}

// Reads fixed-width ids below `limit` into `out` from its second element on. All
// platforms of browsers are little-endian, like the data.
function readIds(bytes, count, limit, out) {
	const Ids = smallest(limit);
	if (bytes.length !== count * Ids.BYTES_PER_ELEMENT)
		throw wrongLength();
	if (out instanceof Ids)
		new Uint8Array(out.buffer, Ids.BYTES_PER_ELEMENT).set(bytes);
	else
		out.set(new Ids(bytes.slice().buffer), 1);
}

// Reads the tree. Node 0 is "all", which the data omits: node n of the data is
// n + 1 here. The last node is for samples without a stack trace.
function readTree(bytes, nodes) {
	const up = readSmall(bytes, nodes);
	const parent = new Int32Array(nodes + 2);
	const next = new Int32Array(nodes + 2);
	const path = [0, 0];
	let depth = 0;
	for (let i = 1; i <= nodes; i++) {
		depth += 1 - up[i - 1];
		if (!(depth >= 1))
			throw new DataError('The data of this page is damaged: ' +
				'the levels of its stack traces do not match.');
		for (let level = depth + up[i - 1] - 1; level >= depth; level--)
			next[path[level]] = i;
		parent[i] = path[depth - 1];
		path[depth] = i;
	}
	for (; depth > 0; depth--)
		next[path[depth]] = nodes + 1;
	next[0] = next[nodes + 1] = nodes + 2;
	parent[0] = -1;
	return { n: nodes + 2, parent, next };
}

function threadLabel(thread) {
	return thread.tid ? `[${thread.name} tid=${thread.tid}]` : `[${thread.name}]`;
}

class Profile {
	constructor(head, columns) {
		this.head = head;
		// Of two recordings, the events come in pairs: before and after.
		this.events = head.comparison ? head.events.filter((_, i) => i % 2 === 1) :
			head.events;
		this.kinds = head.kinds;
		this.states = head.states || [];
		this.idleState = this.states.indexOf('idle');
		this.threads = head.threads || [];
		this.time = head.time;
		this.moments = null; // see flame_moments.js
		this.columns = columns;
		// The columns of the cells; null until the block of cells has been read.
		this.cellColumns = head.cell_columns ? null : columns.slice(TREE_COLUMNS);
		this.cellsOf = [];
		this.sumsOf = [];
		this.readFrames(columns);
		this.readNodes(columns);
	}

	// Appends the page's own names and frames to the recording's: one for each
	// thread, "all" and "[no stack trace]".
	readFrames(columns) {
		const { names, frames } = this.head;
		checkCount(columns[0], names);
		checkCount(columns[1], frames);
		const threads = this.threads.length;
		const synthetic = this.kinds.indexOf('synthetic');
		this.names = readNames(columns[0], names);
		for (const thread of this.threads)
			this.names.push(threadLabel(thread));
		this.names.push('all', '[no stack trace]');
		this.threadName0 = names;
		this.threadFrame0 = frames;
		this.allFrame = frames + threads;
		const count = frames + threads + 2;
		this.frameName = new Uint32Array(count);
		this.frameName.set(readDeltas(columns[1], frames));
		this.frameKind = new Uint8Array(count);
		this.frameKind.set(columns[2]);
		this.frameLine = null;
		if (columns[3].length > 0) {
			this.frameLine = new Uint32Array(count);
			this.frameLine.set(readSmall(columns[3], frames));
		}
		for (let i = 0; i < threads + 2; i++) {
			this.frameName[frames + i] = names + i;
			this.frameKind[frames + i] = synthetic;
		}
		this.kindUsed = new Uint8Array(this.kinds.length);
		for (let i = 0; i < frames; i++)
			this.kindUsed[this.frameKind[i]] = 1;
		this.framesAreNames = this.frameName.every((name, i) => name === i);
	}

	readNodes(columns) {
		const nodes = this.head.nodes;
		this.base = readTree(columns[4], nodes);
		const frame = new (smallest(this.allFrame + 2))(nodes + 2);
		readIds(columns[5], nodes, this.head.frames, frame);
		frame[0] = this.allFrame;
		frame[nodes + 1] = this.allFrame + 1;
		this.base.frame = frame;
	}

	// Decodes the cells of an event on first use. Until loadCells() is done, cells
	// of a large page have sums: see readSums().
	cells(index) {
		if (this.cellColumns === null)
			return this.sumsOf[index] || (this.sumsOf[index] = this.readSums(index));
		return this.cellsOf[index] ||
			(this.cellsOf[index] = this.readCells(index));
	}

	// Returns whether cells() returns all cells.
	hasCells() {
		return this.cellColumns !== null;
	}

	// Reads the block of cells once.
	loadCells() {
		this.loading = this.loading || readLater('cells').then((block) => {
			this.cellColumns = slicesOf(block, 0, this.head.cell_columns);
		});
		return this.loading;
	}

	// Returns a cell per node, and sums by thread, state, bucket and step. The
	// columns `thread`, `state` and `bucket` are blank, or null if the event's
	// samples have none.
	readSums(index) {
		const columns = this.columns.slice(TREE_COLUMNS + SUM_COLUMNS * index,
			TREE_COLUMNS + SUM_COLUMNS * (index + 1));
		const buckets = this.time ? this.time.buckets : 0;
		const n = countNumbers(columns[0]);
		const node = this.placeCells(readDeltas(columns[0], n));
		const pair = (k) => {
			const count = readLarge(columns[k], countNumbers(columns[k]));
			return { count, weight: columns[k + 1].length === 0 ? count :
				readLarge(columns[k + 1], count.length) };
		};
		const { count, weight } = pair(1);
		const thread = pair(3), state = pair(5), bucket = pair(7);
		const same = weight.every((w, i) => w === count[i]);
		const blank = ({ count: list }, used) => used(list) ? new Uint8Array(0) : null;
		const seen = ({ count: list }) => Uint8Array.from(list, (c) => c > 0 ? 1 : 0);
		return {
			n, node, count, weight: same ? count : weight,
			thread: blank(thread, (list) => list.length > 0),
			state: blank(state, (list) => list.some((c, s) => s > 0 && c > 0)),
			bucket: blank(bucket, (list) => list.some((c, b) => b > 0 && c > 0)),
			threadSeen: seen(thread), stateSeen: seen(state),
			sums: { thread, state, buckets, bucket,
				step: columns[9].length > 0 ? pair(9) : null },
		};
	}

	// Moves cells without a stack trace to the last node.
	placeCells(node) {
		for (let i = 0; i < node.length && node[i] === 0; i++)
			node[i] = this.base.n - 1;
		return node;
	}

	readCells(index) {
		const n = this.head.events[index].cells;
		const column = (k) => this.cellColumns[CELL_COLUMNS * index + k];
		const optional = (k, limit) => {
			if (column(k).length === 0)
				return null;
			const numbers = readSmall(column(k), n);
			return numbers === column(k) ? numbers : new (smallest(limit))(numbers);
		};
		const node = this.placeCells(readDeltas(column(0), n));
		const count = readLarge(column(4), n);
		const weight = column(5).length === 0 ? count : readLarge(column(5), n);
		return {
			n, node, count, weight,
			thread: optional(1, this.threads.length),
			state: optional(2, this.states.length),
			bucket: optional(3, this.time ? this.time.buckets + 1 : 0),
		};
	}
}

// Reads a block behind the script, which the browser may still be loading.
export async function readLater(id) {
	if (document.readyState === 'loading')
		await new Promise((done) =>
			document.addEventListener('DOMContentLoaded', done, { once: true }));
	const data = document.getElementById(id);
	const block = await inflate(bytesFromBase64(data.textContent.trim()));
	data.remove();
	return block;
}

// Returns the columns of these lengths that follow each other up to the end.
function slicesOf(block, at, lengths) {
	const columns = lengths.map((bytes) => block.subarray(at, at += bytes));
	if (at !== block.length)
		throw new DataError('The data of this page is damaged: it is truncated.');
	return columns;
}

export async function readProfile(base64) {
	const block = await inflate(bytesFromBase64(base64));
	const length = new DataView(block.buffer).getUint32(0, true);
	const text = new TextDecoder().decode(block.subarray(4, 4 + length));
	const head = JSON.parse(text);
	if (head.schema !== 'sjkc.flame/1')
		throw new DataError(`The data of this page has an unknown schema: ${head.schema}.`);
	if (head.time && !(head.time.buckets <= MOST_BUCKETS))
		throw wrongLength();
	return new Profile(head, slicesOf(block, 4 + length, head.columns));
}
