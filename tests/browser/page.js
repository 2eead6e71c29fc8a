// SPDX-License-Identifier: Apache-2.0
// Writes flame pages from descriptions in JavaScript. This encoder of
// render/page/PAGE.md is independent of flame.c, so it checks the format, too.
'use strict';

const zlib = require('node:zlib');
const fs = require('node:fs');

const KINDS = ['interpreted', 'c1', 'jit', 'inlined', 'native', 'cpp', 'kernel', 'java', 'class', 'synthetic'];

class Bytes {
	constructor() {
		this.bytes = Buffer.alloc(1024);
		this.length = 0;
	}

	number(value) {
		if (this.length + 12 > this.bytes.length)
			this.bytes = Buffer.concat([this.bytes, Buffer.alloc(this.bytes.length)]);
		let rest = BigInt(value);
		while (rest >= 128n) {
			this.bytes[this.length++] = Number(rest & 127n) | 128;
			rest >>= 7n;
		}
		this.bytes[this.length++] = Number(rest);
	}

	done() {
		return this.bytes.subarray(0, this.length);
	}
}

function varints(values) {
	const bytes = new Bytes();
	for (const value of values)
		bytes.number(value);
	return bytes.done();
}

// Encodes fixed-width ids below `count`.
function fixed(ids, count) {
	const width = count <= 256 ? 1 : count <= 65536 ? 2 : 4;
	const bytes = Buffer.alloc(ids.length * width);
	ids.forEach((id, i) => bytes.writeUIntLE(id, i * width, width));
	return bytes;
}

function namesColumn(names) {
	let before = '';
	const lines = names.map((name) => {
		let shared = 0;
		while (shared < 94 && shared < name.length && shared < before.length &&
			name[shared] === before[shared] && name.charCodeAt(shared) < 128)
			shared++;
		before = name;
		return String.fromCharCode(32 + shared) + name.slice(shared) + '\n';
	});
	return Buffer.from(lines.join(''), 'utf8');
}

// Parses a frame: 'name', 'name|kind', 'name|kind|line' or an object.
function frameOf(text) {
	if (typeof text === 'object')
		return { kind: 'java', line: 0, ...text };
	const [name, kind, line] = text.split('|');
	return { name, kind: kind || 'java', line: Number(line || 0) };
}

function compareFrames(a, b) {
	return Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) ||
		KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.line - b.line;
}

class Tree {
	constructor(events) {
		this.frames = new Map();
		const keyOf = (f) => `${f.kind}|${f.line}|${f.name}`;
		const cache = new Map();
		const frame = (text) => {
			if (typeof text === 'string' && cache.has(text))
				return cache.get(text);
			const made = frameOf(text);
			const key = keyOf(made);
			if (!this.frames.has(key))
				this.frames.set(key, made);
			if (typeof text === 'string')
				cache.set(text, this.frames.get(key));
			return this.frames.get(key);
		};
		const stacks = events.map((event) => event.samples.map((s) => s.stack.map(frame)));
		this.sorted = [...this.frames.values()].sort(compareFrames);
		this.sorted.forEach((f, id) => { f.id = id; });
		this.names = [...new Set(this.sorted.map((f) => f.name))];
		const nameId = new Map(this.names.map((name, id) => [name, id]));
		for (const f of this.sorted)
			f.nameId = nameId.get(f.name);
		this.root = { children: new Map() };
		this.leaf = stacks.map((list) => list.map((stack) => this.place(stack)));
		this.number();
	}

	place(stack) {
		let node = this.root;
		for (const frame of stack) {
			let next = node.children.get(frame.id);
			if (!next)
				node.children.set(frame.id, next = { frame: frame.id, children: new Map() });
			node = next;
		}
		return node;
	}

	// Numbers the nodes in pre-order; `root` is the empty stack trace.
	number() {
		this.root.id = -1;
		this.up = [];
		this.nodeFrame = [];
		const sorted = (node) => [...node.children.values()].sort((a, b) => b.frame - a.frame);
		const todo = sorted(this.root).map((node) => [node, 1]);
		let depth = 0;
		while (todo.length) {
			const [node, level] = todo.pop();
			node.id = this.up.length;
			this.up.push(depth + 1 - level);
			this.nodeFrame.push(node.frame);
			depth = level;
			for (const child of sorted(node))
				todo.push([child, level + 1]);
		}
	}
}

function cellsOf(event, leaves) {
	const cells = new Map();
	event.samples.forEach((sample, i) => {
		const { thread = 0, state = 0, bucket = -1, count = 1 } = sample;
		const weight = sample.weight === undefined ? count : sample.weight;
		const key = [leaves[i].id + 1, thread, state, bucket + 1];
		const cell = cells.get(key.join());
		if (cell) {
			cell.count += BigInt(count);
			cell.weight += BigInt(weight);
		} else {
			cells.set(key.join(), { key, count: BigInt(count), weight: BigInt(weight) });
		}
	});
	return [...cells.values()].sort((a, b) => a.key[0] - b.key[0] ||
		a.key[1] - b.key[1] || a.key[2] - b.key[2] || a.key[3] - b.key[3]);
}

function deltas(values) {
	return values.map((value, i) => value - (i ? values[i - 1] : 0));
}

// description: {title, events: [{name, unit, samples: [{stack, thread, state,
// bucket, count, weight}]}], threads, states, time, options, notes, ...}
function block(description) {
	const tree = new Tree(description.events);
	const { sorted } = tree;
	const hasLines = sorted.some((f) => f.line);
	const columns = [
		namesColumn(tree.names),
		varints(deltas(sorted.map((f) => f.nameId))),
		Buffer.from(sorted.map((f) => KINDS.indexOf(f.kind))),
		hasLines ? varints(sorted.map((f) => f.line)) : Buffer.alloc(0),
		varints(tree.up),
		fixed(tree.nodeFrame, sorted.length),
	];
	const sum = (cells, field) => cells.reduce((total, cell) => total + cell[field], 0n);
	const events = description.events.map((event, e) => {
		const cells = cellsOf(event, tree.leaf[e]);
		const column = (k) => varints(cells.map((cell) => cell.key[k]));
		const used = (field) => event.samples.some((s) => s[field] !== undefined);
		columns.push(
			varints(deltas(cells.map((cell) => cell.key[0]))),
			used('thread') ? column(1) : Buffer.alloc(0),
			used('state') ? column(2) : Buffer.alloc(0),
			used('bucket') ? column(3) : Buffer.alloc(0),
			varints(cells.map((cell) => cell.count)),
			cells.some((cell) => cell.weight !== cell.count) ?
				varints(cells.map((cell) => cell.weight)) : Buffer.alloc(0));
		return {
			name: event.name, types: event.types || [event.name], unit: event.unit || 'samples',
			samples: String(sum(cells, 'count')), weight: String(sum(cells, 'weight')),
			without_stack: String(sum(cells.filter((c) => c.key[0] === 0), 'count')),
			cells: cells.length,
		};
	});
	const json = Buffer.from(JSON.stringify({
		schema: 'sjkc.flame/1', title: description.title || 'test', source: 'test.jfr',
		generator: 'sjkc test', events, selected: description.selected || 0,
		measure: description.measure || 'samples',
		options: { reverse: false, threads: false, lines: false, simple: false,
			min_width: 0, ...description.options },
		kinds: KINDS, states: description.states || [], threads: description.threads || [],
		time: description.time || null,
		elided: description.elided || { nodes: 0, below: 0 },
		notes: description.notes || [],
		names: tree.names.length, frames: sorted.length, nodes: tree.up.length,
		columns: columns.map((c) => c.length),
	}));
	const head = Buffer.alloc(4);
	head.writeUInt32LE(json.length);
	return Buffer.concat([head, json, ...columns]);
}

function escapeHtml(text) {
	return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

// Returns a page with the given base64 data; hasTimes: with the script of the heat map.
function pageOf(template, title, base64, hasTimes = true) {
	const fill = (page, placeholder, text) => page.split(`<!--sjkc:${placeholder}-->`).join(text);
	let page = fs.readFileSync(template, 'utf8').replace(
		/<!--sjkc:if-(\w+)-->\n([^]*?)<!--sjkc:end-->\n/g,
		(_, what, section) => what === 'times' && hasTimes ? section : '');
	page = fill(page, 'title', escapeHtml(title));
	page = fill(page, 'summary', `<h1>${escapeHtml(title)}</h1>`);
	return fill(page, 'data', base64);
}

function makePage(template, description) {
	const data = zlib.deflateRawSync(block(description)).toString('base64');
	return pageOf(template, description.title || 'test', data, !!description.time);
}

// Parses stack traces in the collapsed format, 'a;b;c 12' per line.
function collapsed(text) {
	return text.trim().split('\n').map((line) => {
		const space = line.lastIndexOf(' ');
		return { stack: line.slice(0, space).split(';'), count: Number(line.slice(space + 1)) };
	});
}

module.exports = { makePage, pageOf, block, collapsed, KINDS };
