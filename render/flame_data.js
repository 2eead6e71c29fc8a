// SPDX-License-Identifier: Apache-2.0
// The data block: base64, inflate, columns of varints.  PAGE.md is the format.

class DataError extends Error {}

function bytesFromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const chars = atob(text.trim());
	const bytes = new Uint8Array(chars.length);
	for (let i = 0; i < chars.length; i++)
		bytes[i] = chars.charCodeAt(i);
	return bytes;
}

async function inflate(bytes) {
	if (typeof DecompressionStream === 'undefined')
		throw new DataError('This browser lacks DecompressionStream. ' +
			'Chrome 103, Firefox 113, Safari 16.4 and newer have it.');
	const stream = new DecompressionStream('deflate-raw');
	const writer = stream.writable.getWriter();
	// A broken stream is reported by the reader below.
	writer.write(bytes).catch(() => {});
	writer.close().catch(() => {});
	try {
		return new Uint8Array(
			await new Response(stream.readable).arrayBuffer());
	} catch (e) {
		throw new DataError('The data of this page is damaged: it cannot be inflated.');
	}
}

// Fills `out` from the varints of `bytes`, which must hold exactly as many.
function readVarints(bytes, out) {
	let p = 0;
	for (let i = 0; i < out.length; i++) {
		let b = bytes[p++];
		if (b < 128) {
			out[i] = b;
			continue;
		}
		let value = b & 127;
		let scale = 128;
		do {
			b = bytes[p++];
			value += (b & 127) * scale;
			scale *= 128;
		} while (b >= 128);
		out[i] = value;
	}
	if (p !== bytes.length)
		throw new DataError('The data of this page is damaged: ' +
			'a column has the wrong length.');
	return out;
}

// The same, each number counted from the one before it.
function readDeltas(bytes, out) {
	readVarints(bytes, out);
	for (let i = 1; i < out.length; i++)
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

function smallest(limit) {
	return limit < 256 ? Uint8Array : limit < 65536 ? Uint16Array : Uint32Array;
}

// Node 0 is "all", which the data leaves out: node n of the data is n + 1 here.
function readParents(bytes, nodes, total) {
	const up = readVarints(bytes, new Uint32Array(nodes));
	const parent = new Int32Array(total);
	const path = [0];
	let depth = 0;
	for (let i = 0; i < nodes; i++) {
		depth += 1 - up[i];
		if (!(depth >= 1))
			throw new DataError('The data of this page is damaged: ' +
				'a node leaves more levels than there are.');
		parent[i + 1] = path[depth - 1];
		path[depth] = i + 1;
	}
	parent[0] = -1;
	return parent;
}

function threadLabel(thread) {
	return thread.tid ? `[${thread.name} tid=${thread.tid}]` : `[${thread.name}]`;
}

class Profile {
	constructor(head, columns) {
		this.head = head;
		this.events = head.events;
		this.kinds = head.kinds;
		this.states = head.states || [];
		this.threads = head.threads || [];
		this.time = head.time;
		this.columns = columns;
		this.cellsOf = [];
		this.readFrames(columns);
		this.readNodes(columns);
	}

	// Behind the recording's own names and frames come those of the page:
	// one for each thread, for "all", and for samples without a stack trace.
	readFrames(columns) {
		const { names, frames } = this.head;
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
		const fill = (array, column) => {
			column(array.subarray(0, frames));
			return array;
		};
		this.frameName = fill(new Uint32Array(count),
			(out) => readDeltas(columns[1], out));
		this.frameKind = fill(new Uint8Array(count),
			(out) => out.set(columns[2]));
		this.frameLine = columns[3].length === 0 ? null :
			fill(new Uint32Array(count),
				(out) => readVarints(columns[3], out));
		for (let i = 0; i < threads + 2; i++) {
			this.frameName[frames + i] = names + i;
			this.frameKind[frames + i] = synthetic;
		}
	}

	readNodes(columns) {
		const nodes = this.head.nodes;
		const count = nodes + 2;
		this.parent = readParents(columns[4], nodes, count);
		this.parent[nodes + 1] = 0;
		this.frame = new Uint32Array(count);
		readVarints(columns[5], this.frame.subarray(1, nodes + 1));
		this.frame[0] = this.allFrame;
		this.frame[nodes + 1] = this.allFrame + 1;
		this.nodes = count;
	}

	// An event's cells are decoded when its tab is first opened.
	cells(index) {
		return this.cellsOf[index] ||
			(this.cellsOf[index] = this.readCells(index));
	}

	readCells(index) {
		const n = this.events[index].cells;
		const column = (k) => this.columns[6 + 6 * index + k];
		const optional = (k, limit) => column(k).length === 0 ? null :
			readVarints(column(k), new (smallest(limit))(n));
		const node = readDeltas(column(0), new Int32Array(n));
		const none = this.nodes - 1;
		for (let i = 0; i < n && node[i] === 0; i++)
			node[i] = none;
		const count = readVarints(column(4), new Float64Array(n));
		const weight = column(5).length === 0 ? count :
			readVarints(column(5), new Float64Array(n));
		return {
			n, node, count, weight,
			thread: optional(1, this.threads.length),
			state: optional(2, this.states.length),
			bucket: optional(3, this.time ? this.time.buckets + 1 : 0),
		};
	}
}

async function readProfile(base64) {
	const block = await inflate(bytesFromBase64(base64));
	const length = new DataView(block.buffer).getUint32(0, true);
	const text = new TextDecoder().decode(block.subarray(4, 4 + length));
	const head = JSON.parse(text);
	if (head.schema !== 'sjkc.flame/1')
		throw new DataError(`This page cannot read data of the schema ${head.schema}.`);
	const columns = [];
	let at = 4 + length;
	for (const bytes of head.columns) {
		columns.push(block.subarray(at, at + bytes));
		at += bytes;
	}
	if (at !== block.length)
		throw new DataError('The data of this page is damaged: it is cut short.');
	return new Profile(head, columns);
}
