// SPDX-License-Identifier: Apache-2.0
// A canvas that shows a part of a tree. The canvas has the size of the visible part;
// zooming and scrolling choose which nodes are drawn.

import { shortened } from './flame_format.js';
import { Graph } from './flame_tree.js';

export const ROW = 19;
const MIN_PIXELS = 0.5;
const FONT = '12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

export class Pane {
	// `looks` is the page; it supplies theme(), fill() and text().
	constructor(box, looks) {
		this.box = box;
		this.canvas = box.querySelector('canvas');
		this.looks = looks;
		this.tree = null;
		this.grows = 'down';
		this.from = 0;
		this.to = 1;
		this.scroll = 0;
		this.levels = 0;
		// Number of levels from the root that are not drawn.
		this.hidden = 0;
		this.rows = [];
		this.zoomLevel = 0;
		this.turn = 0;
		this.gliding = false;
		this.width = 0;
		this.height = 0;
	}

	show(tree, grows) {
		this.tree = tree;
		this.grows = grows;
		this.rows = [];
	}

	// Ends an animation: its steps check that the turn is still the same.
	stopGlide() {
		this.gliding = false;
		return ++this.turn;
	}

	whole() {
		return this.tree ? this.tree.total[0] : 0;
	}

	setDomain(from, to) {
		const whole = this.whole();
		const span = Math.min(Math.max(to - from, whole * 1e-9), whole);
		this.from = Math.min(Math.max(from, 0), whole - span);
		this.to = this.from + span;
	}

	domainOf(node) {
		const { left, total } = this.tree;
		return [left[node], left[node] + total[node]];
	}

	// Returns the deepest node that covers the visible range.
	covering() {
		const { tree } = this;
		const slack = (this.to - this.from) * 1e-6;
		let node = 0;
		for (;;) {
			const inner = this.childAt(node, this.from + slack);
			if (inner < 0 || this.domainOf(inner)[1] < this.to - slack)
				return node;
			node = inner;
		}
	}

	// Returns the last child of `node` that starts at or before weight x; or -1.
	childAt(node, x) {
		const { tree } = this;
		tree.expand(node);
		const end = tree.endOf(node);
		let found = -1;
		for (let k = tree.firstOf(node); k < end && tree.left[k] <= x; k = tree.next[k])
			found = k;
		return found;
	}

	resize() {
		const width = this.box.clientWidth;
		const height = this.box.clientHeight;
		const ratio = window.devicePixelRatio || 1;
		if (this.width === width && this.height === height && this.ratio === ratio)
			return;
		this.width = width;
		this.height = height;
		this.ratio = ratio;
		this.canvas.width = Math.max(1, Math.round(width * ratio));
		this.canvas.height = Math.max(1, Math.round(height * ratio));
	}

	rowTop(level) {
		const y = (level - this.hidden) * ROW - this.scroll;
		return this.grows === 'down' ? y : this.height - y - ROW;
	}

	levelAt(y) {
		return Math.floor(((this.grows === 'down' ? y : this.height - y) +
			this.scroll) / ROW) + this.hidden;
	}

	maxScroll() {
		return Math.max(0, (this.levels - this.hidden) * ROW - this.height);
	}

	// Adds the children of `node` in the visible range to `wide`. Adjacent children
	// narrower than half a pixel become one box [from, to] of `tiny`.
	descend(node, scale, wide, tiny) {
		const { tree, from, to } = this;
		tree.expand(node);
		const { left, total, next } = tree;
		const end = tree.endOf(node);
		const least = MIN_PIXELS / scale;
		for (let k = tree.firstOf(node); k < end && left[k] < to; k = next[k]) {
			const until = left[k] + total[k];
			if (until <= from || total[k] === 0)
				continue;
			if (total[k] >= least) {
				wide.push(k);
				continue;
			}
			const last = tiny.length - 1;
			if (last >= 0 && left[k] - tiny[last][1] < least)
				tiny[last][1] = until;
			else
				tiny.push([left[k], until]);
		}
	}

	draw() {
		this.resize();
		this.rows = [];
		const context = this.canvas.getContext('2d');
		// Also clears partly covered pixels at the edges.
		context.resetTransform();
		context.fillStyle = this.looks.theme().ground;
		context.fillRect(0, 0, this.canvas.width, this.canvas.height);
		context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		if (!this.tree || !(this.whole() > 0) || this.width === 0)
			return;
		this.layRows();
		if (this.scroll > this.maxScroll()) {
			this.scroll = this.maxScroll();
			this.layRows();
		}
		context.font = FONT;
		context.textBaseline = 'middle';
		if (!this.charWidth)
			this.charWidth = context.measureText('0'.repeat(64)).width / 64;
		for (const row of this.rows)
			this.paintRow(context, row);
	}

	// Visits the wide nodes level by level and stores the visible levels in rows. A
	// grown tree is visited only one screen below the visible levels.
	layRows() {
		const scale = this.width / (this.to - this.from);
		const top = Math.floor(this.scroll / ROW) + this.hidden;
		const bottom = Math.ceil((this.scroll + this.height) / ROW) + this.hidden;
		const limit = this.tree instanceof Graph ? Infinity :
			bottom + Math.ceil(this.height / ROW);
		this.scale = scale;
		this.rows = [];
		let wide = [0], tiny = [];
		let level = 0;
		for (; wide.length + tiny.length > 0 && level < limit; level++) {
			if (level >= top && level < bottom)
				this.rows.push({ level, wide, tiny });
			const below = [], tinyBelow = [];
			for (const node of wide)
				this.descend(node, scale, below, tinyBelow);
			wide = below;
			tiny = tinyBelow;
		}
		this.levels = level;
	}

	rectangle(node, level) {
		const x0 = Math.max(0, (this.tree.left[node] - this.from) * this.scale);
		const x1 = Math.min(this.width, (this.tree.left[node] +
			this.tree.total[node] - this.from) * this.scale);
		return { x: x0, y: this.rowTop(level), width: x1 - x0, height: ROW };
	}

	paintRow(context, { level, wide, tiny }) {
		const theme = this.looks.theme();
		const y = this.rowTop(level);
		context.fillStyle = theme.tiny;
		for (const [from, to] of tiny) {
			const x = (from - this.from) * this.scale;
			context.fillRect(x, y, Math.max((to - from) * this.scale, MIN_PIXELS),
				ROW - 1);
		}
		// The callers of the zoomed frame are pale.
		context.globalAlpha = level < this.zoomLevel ? 0.5 : 1;
		const named = [];
		for (const node of wide) {
			const box = this.rectangle(node, level);
			const gap = box.width > 3 ? 1 : 0;
			context.fillStyle = this.looks.fill(this, node);
			context.fillRect(box.x, y, box.width - gap, ROW - 1);
			if (box.width > 3 * this.charWidth)
				named.push(node, box);
		}
		context.globalAlpha = 1;
		context.fillStyle = theme.ink;
		for (let k = 0; k < named.length; k += 2)
			this.paintText(context, named[k], named[k + 1]);
	}

	// Returns the text of a box of `width` pixels, without the package or truncated
	// to fit.
	label(node, width) {
		const chars = Math.floor((width - 7) / this.charWidth);
		return shortened(this.looks.text(this, node, chars), Math.max(chars, 1));
	}

	paintText(context, node, box) {
		const text = this.label(node, box.width);
		const chars = Math.floor((box.width - 7) / this.charWidth);
		const plain = text.length <= chars && /^[\x20-\x7e…]*$/.test(text);
		if (plain) {
			context.fillText(text, box.x + 3, box.y + ROW / 2);
			return;
		}
		context.save();
		context.beginPath();
		context.rect(box.x, box.y, box.width - 2, ROW);
		context.clip();
		context.fillText(text, box.x + 3, box.y + ROW / 2);
		context.restore();
	}

	// Returns the node at a point: {node, level}, {tiny: [from, to], level} or null.
	at(x, y) {
		const level = this.levelAt(y);
		const row = this.rows.find((r) => r.level === level);
		if (!row)
			return null;
		const weight = this.from + x / this.scale;
		const { left, total } = this.tree;
		for (const node of row.wide)
			if (left[node] <= weight && weight < left[node] + total[node])
				return { node, level };
		const near = 1 / this.scale;
		for (const box of row.tiny)
			if (box[0] - near <= weight && weight <= box[1] + near)
				return { tiny: box, level };
		return null;
	}

	// Scrolls to make a level visible, with some of its callers.
	reveal(level) {
		const y = (level - this.hidden) * ROW;
		if (y < this.scroll)
			this.scroll = Math.max(0, y - 2 * ROW);
		else if (y + ROW > this.scroll + this.height)
			this.scroll = y + 3 * ROW - this.height;
	}
}
