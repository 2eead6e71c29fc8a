// SPDX-License-Identifier: Apache-2.0
// Search: matches a pattern with each distinct name once, not with each node.

import { grouped } from './flame_format.js';

// A browser cannot interrupt a regular expression. Patterns that may take forever
// are therefore rejected, and patterns with more repeats see fewer characters of
// long names: SEEN[repeats].
const SEEN = [1 << 17, 8192, 1024, 300, 150];
const SEARCH_MS = 1000;
// Browsers do not compile much longer patterns.
const LONGEST_LITERAL = 20000;

class PatternRisk {
	constructor(source) {
		this.source = source;
		this.at = 0;
		this.repeats = 0;
		this.paths = 1;
		this.refusal = null;
		const open = [this.group()];
		while (this.at < source.length && this.refusal === null)
			this.step(open);
		if (this.repeats >= SEEN.length)
			this.refuse('it repeats more than four times');
		if (this.paths > 1e5)
			this.refuse('it has too many alternatives');
	}

	group() {
		return { varies: false, alternatives: 1 };
	}

	refuse(why) {
		this.refusal = this.refusal ||
			`This pattern may take forever: ${why}.`;
	}

	skipClass() {
		for (; this.at < this.source.length && this.source[this.at] !== ']'; this.at++)
			if (this.source[this.at] === '\\')
				this.at++;
		this.at++;
	}

	step(open) {
		const c = this.source[this.at++];
		const inner = open[open.length - 1];
		if (c === '(') {
			open.push(this.group());
			return;
		}
		if (c === '|') {
			inner.alternatives++;
			inner.varies = true;
			return;
		}
		let varies = false;
		if (c === ')' && open.length > 1) {
			open.pop();
			this.paths *= inner.alternatives;
			varies = inner.varies;
		} else if (c === '[') {
			this.skipClass();
		} else if (c === '\\') {
			if (/[1-9k]/.test(this.source[this.at++] || ''))
				this.refuse('it refers back to a group');
		}
		const outer = open[open.length - 1];
		const quantified = this.quantifier();
		if (quantified && quantified !== 'once' && varies)
			this.refuse('a repeated group contains a repeat or an alternative');
		outer.varies = outer.varies || varies || quantified !== null;
	}

	quantifier() {
		const rest = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(
			this.source.slice(this.at, this.at + 24));
		if (!rest)
			return null;
		this.at += rest[0].length;
		if (rest[0][0] === '?') {
			this.paths *= 2;
			return 'once';
		}
		if (rest[1] && !rest[2]) {
			if (Number(rest[1]) > 1000)
				this.refuse('it repeats too often');
			return 'exactly';
		}
		this.repeats++;
		return 'many';
	}
}

// Compiles a pattern; it ignores case unless it has a capital letter.
export function compilePattern(text, isRegex) {
	const failed = (error) => ({ regex: null, seen: 0, error });
	if (!isRegex && text.length > LONGEST_LITERAL)
		return failed(`The search text is longer than ${grouped(LONGEST_LITERAL)} characters.`);
	const flags = /[A-Z]/.test(isRegex ? text.replace(/\\./g, '') : text) ? '' : 'i';
	if (!isRegex) {
		const literal = text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
		return { regex: new RegExp(literal, flags), seen: 1 << 17, error: null };
	}
	if (text.length > 1000)
		return failed('The pattern is longer than 1,000 characters.');
	let regex;
	try {
		regex = new RegExp(text, flags);
	} catch (e) {
		return failed(`Invalid regular expression: ${e.message.replace(/^[^]*: /, '')}.`);
	}
	const risk = new PatternRisk(text);
	if (risk.refusal)
		return failed(risk.refusal);
	return { regex, seen: SEEN[risk.repeats], error: null };
}

// Returns a byte per name, 1 for a match; `error` is set if time ran out.
export function matchNames(names, pattern) {
	const hit = new Uint8Array(names.length);
	if (!pattern.regex)
		return { hit, error: pattern.error };
	const { regex, seen } = pattern;
	const deadline = performance.now() + SEARCH_MS;
	for (let i = 0; i < names.length; i++) {
		const name = names[i];
		hit[i] = regex.test(name.length > seen ? name.slice(0, seen) : name) ? 1 : 0;
		if ((i & 255) === 0 && performance.now() > deadline)
			return { hit, error: `This pattern is slow: the search stopped after ${grouped(i)} of ` +
				`${grouped(names.length)} names.` };
	}
	return { hit, error: null };
}

// The matching labels of a graph, and the weight of stack traces with a match.
export class Matches {
	constructor(graph, nameHit) {
		const { labels, label, total, next, n } = graph;
		this.hit = nameHit;
		if (labels.name) {
			this.hit = new Uint8Array(labels.count);
			for (let i = 0; i < labels.count; i++)
				this.hit[i] = nameHit[labels.name[i]];
		}
		const hit = this.hit;
		this.count = 0;
		this.weight = 0;
		// Nodes below `covered` are callees of a match that is counted already.
		for (let i = 1, covered = 1; i < n; i++) {
			if (hit[label[i]] === 0 || total[i] === 0)
				continue;
			this.count++;
			if (i < covered)
				continue;
			this.weight += total[i];
			covered = next[i];
		}
	}

	isHit(tree, node) {
		return node > 0 && this.hit[tree.label[node]] === 1 && tree.total[node] > 0;
	}

	// Returns the next match in node order, starting over at the end; -1 without
	// any.
	next(tree, node, step) {
		for (let k = 0, i = node; k < tree.n; k++) {
			i = (i + step + tree.n) % tree.n;
			if (this.isHit(tree, i))
				return i;
		}
		return -1;
	}

	position(tree, node) {
		let position = 0;
		for (let i = 1; i <= node; i++)
			if (this.isHit(tree, i))
				position++;
		return position;
	}
}
