// SPDX-License-Identifier: Apache-2.0
// Handles pointer, wheel and keys.

import { ROW } from './flame_pane.js';

const DRAG_PIXELS = 4;

export class Input {
	constructor(page) {
		this.page = page;
		for (const pane of [page.pane, page.upper])
			this.listen(pane);
		document.addEventListener('keydown', (event) => this.key(event));
	}

	listen(pane) {
		const { box } = pane;
		const on = (type, handler, options) =>
			box.addEventListener(type, handler, options);
		on('pointerdown', (event) => this.down(pane, event));
		on('pointermove', (event) => this.move(pane, event));
		on('pointerup', (event) => this.up(pane, event));
		on('pointercancel', () => { this.drag = null; });
		on('pointerleave', () => this.leave(pane));
		on('wheel', (event) => this.wheel(pane, event), { passive: false });
		on('contextmenu', (event) => this.contextMenu(pane, event));
		on('focus', () => { this.page.front = pane; });
	}

	point(pane, event) {
		const box = pane.box.getBoundingClientRect();
		return [event.clientX - box.left, event.clientY - box.top];
	}

	down(pane, event) {
		if (event.button !== 0)
			return;
		const [x, y] = this.point(pane, event);
		this.drag = { pane, x, y, moved: false };
		pane.box.focus({ preventScroll: true });
	}

	move(pane, event) {
		const [x, y] = this.point(pane, event);
		const { drag } = this;
		if (drag && drag.pane === pane) {
			const far = Math.abs(x - drag.x) + Math.abs(y - drag.y) > DRAG_PIXELS;
			if (!drag.moved && far) {
				drag.moved = true;
				pane.box.setPointerCapture(event.pointerId);
			}
			if (drag.moved) {
				this.page.tip.hide();
				this.page.zoom.pan(pane, drag.x - x);
				this.scrollBy(pane, pane.grows === 'down' ? drag.y - y : y - drag.y);
				drag.x = x;
				drag.y = y;
			}
			return;
		}
		if (event.pointerType !== 'touch')
			this.hover(pane, x, y, event);
	}

	hover(pane, x, y, event) {
		const { page } = this;
		const hit = pane.tree ? pane.at(x, y) : null;
		pane.hover = hit && hit.node !== undefined ? hit.node : undefined;
		page.placeMarks();
		if (pane.hover !== undefined && page.menu.box.hidden)
			page.tip.show(pane, hit.node, event.clientX, event.clientY);
		else if (hit && hit.tiny)
			page.tip.showTiny(event.clientX, event.clientY);
		else
			page.tip.hide();
		pane.box.classList.toggle('on-frame', hit !== null);
	}

	leave(pane) {
		pane.hover = undefined;
		this.page.tip.hide();
		this.page.placeMarks();
	}

	up(pane, event) {
		const { drag, page } = this;
		this.drag = null;
		if (!drag || drag.moved || drag.pane !== pane)
			return;
		const hit = pane.at(...this.point(pane, event));
		page.tip.hide();
		if (hit && hit.tiny) {
			page.zoom.intoTiny(pane, hit.tiny, this.point(pane, event)[0]);
		} else if (hit) {
			page.zoom.into(pane, hit.node);
			page.select({ pane, node: hit.node });
		}
	}

	// The wheel zooms if all levels are visible; otherwise it scrolls, and zooms
	// with Ctrl, which browsers also report for pinch gestures.
	wheel(pane, event) {
		event.preventDefault();
		const unit = event.deltaMode === 1 ? ROW : 1;
		const [x] = this.point(pane, event);
		const dx = event.deltaX * unit, dy = event.deltaY * unit;
		this.page.tip.hide();
		if (event.ctrlKey || event.metaKey ||
			(pane.maxScroll() === 0 && !event.shiftKey && Math.abs(dy) > Math.abs(dx)))
			this.page.zoom.by(pane, Math.exp(Math.max(-1, Math.min(1, dy / 250))), x);
		else if (event.shiftKey || Math.abs(dx) > Math.abs(dy))
			this.page.zoom.pan(pane, dx || dy);
		else
			this.scrollBy(pane, pane.grows === 'down' ? dy : -dy);
	}

	scrollBy(pane, pixels) {
		const scroll = Math.min(Math.max(0, pane.scroll + pixels), pane.maxScroll());
		if (scroll === pane.scroll)
			return;
		pane.scroll = scroll;
		this.page.drawSoon();
	}

	contextMenu(pane, event) {
		event.preventDefault();
		const hit = pane.at(...this.point(pane, event));
		if (!hit || hit.node === undefined)
			return;
		this.drag = null;
		this.page.tip.hide();
		this.page.select({ pane, node: hit.node });
		this.page.menu.show(pane, hit.node, event.clientX, event.clientY);
	}

	key(event) {
		const typing = event.target.closest &&
			event.target.closest('input:not([type=checkbox]), textarea, select');
		const { page } = this;
		if (event.key === 'Escape') {
			this.escape(typing);
			return;
		}
		if ((event.ctrlKey || event.metaKey) && event.key === 'f') {
			event.preventDefault();
			page.toolbar.search.focus();
			page.toolbar.search.select();
			return;
		}
		if ((event.ctrlKey || event.metaKey) && event.key === 'z' && !typing) {
			event.preventDefault();
			keyTable.u.run(page);
			return;
		}
		if (typing || event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (event.key >= '1' && event.key <= '9') {
			page.toolbar.openEvent(Number(event.key) - 1);
			return;
		}
		const onGraph = !event.target.closest || !event.target.closest('button, a, summary, [role=tab], input, table');
		const key = event.key === '0' ? 'Home' : event.key;
		const entry = Object.hasOwn(keyTable, key) ? keyTable[key] : null;
		if (!entry || (entry.graph && !onGraph && event.key !== '0'))
			return;
		if (entry.frame)
			this.onFrame(entry, event);
		else {
			event.preventDefault();
			entry.run(page, page.front || page.pane, event);
		}
	}

	onFrame(entry, event) {
		const { selected } = this.page;
		if (!selected)
			return;
		event.preventDefault();
		entry.run(this.page, selected.pane, selected.node, event);
	}

	escape(typing) {
		const { page } = this;
		if (page.toolbar.closeDialogs())
			return;
		if (typing) {
			typing.blur();
			page.pane.box.focus();
		} else if (page.state.query) {
			page.set({ query: '' }, 'push');
		} else if (page.state.view === 'heatmap' && page.state.time) {
			page.set({ time: null }, 'push');
		} else {
			page.select(null);
			page.draw();
		}
	}

	// Left and right select siblings; up and down select callers and callees.
	static walk(page, key) {
		const pane = page.selected ? page.selected.pane : page.front || page.pane;
		const { tree } = pane;
		if (page.state.view === 'table' || !(pane.whole() > 0))
			return;
		if (!page.selected) {
			page.select({ pane, node: pane.node || 0 });
			return;
		}
		const { node } = page.selected;
		const deeper = pane.grows === 'down' ? 'ArrowDown' : 'ArrowUp';
		let next = -1;
		if (key === 'ArrowLeft' || key === 'ArrowRight') {
			next = Input.sibling(tree, node, key === 'ArrowRight' ? 1 : -1);
		} else if (key === deeper) {
			tree.expand(node);
			const end = tree.endOf(node);
			for (let k = tree.firstOf(node); k < end; k = tree.next[k])
				if (tree.total[k] > 0 && (next < 0 || tree.total[k] > tree.total[next]))
					next = k;
		} else {
			next = tree.parent[node];
		}
		if (next < 0)
			return;
		const [from, to] = pane.domainOf(next);
		if (to <= pane.from || from >= pane.to || (to - from) * pane.scale < 1)
			page.zoom.into(pane, tree.parent[next] < 0 ? 0 : tree.parent[next]);
		page.select({ pane, node: next });
	}

	static sibling(tree, node, step) {
		const parent = tree.parent[node];
		if (parent < 0)
			return -1;
		const end = tree.endOf(parent);
		let before = -1;
		for (let k = tree.firstOf(parent); k < end; k = tree.next[k]) {
			if (k === node && step < 0)
				return before;
			if (k > node && tree.total[k] > 0)
				return k;
			if (tree.total[k] > 0)
				before = k;
		}
		return -1;
	}
}

const toggle = (field) => (page) =>
	page.set({ [field]: !page.state[field] }, 'push');
const view = (name, fallback) => (page) => page.toolbar.openView(
	page.state.view === name ? fallback : name);
const action = (op) => (page, pane, node) => page.actions.transform(op, pane, node);
const walk = (page, pane, event) => event.shiftKey ?
	keyTable.pan(page, pane, event.key) : Input.walk(page, event.key);

// `frame`: acts on the selected frame; `graph`: ignored while a control has focus;
// `help`: text of the help dialog, if any.
export const keyTable = {
	'/': { run: (page) => { page.toolbar.search.focus(); page.toolbar.search.select(); }, help: 'search' },
	n: { run: (page) => page.nextMatch(1), help: 'next match' },
	N: { run: (page) => page.nextMatch(-1), help: 'previous match' },
	Enter: { frame: true, graph: true, run: (page, pane, node) => page.zoom.into(pane, node), help: 'zoom to the selected frame' },
	Backspace: { graph: true, run: (page, pane) => page.zoom.out(pane), help: 'zoom out to the caller' },
	Home: { graph: true, run: (page, pane) => page.zoom.into(pane, 0), help: 'zoom out to all' },
	'+': { run: (page, pane) => page.zoom.by(pane, 0.7, pane.width / 2), help: 'zoom in' },
	'=': { run: (page, pane) => page.zoom.by(pane, 0.7, pane.width / 2) },
	'-': { run: (page, pane) => page.zoom.by(pane, 1 / 0.7, pane.width / 2), help: 'zoom out' },
	ArrowLeft: { graph: true, run: walk, help: 'select a frame; with Shift, pan' },
	ArrowRight: { graph: true, run: walk },
	ArrowUp: { graph: true, run: walk },
	ArrowDown: { graph: true, run: walk },
	PageDown: { graph: true, run: (page, pane) => page.input.scrollBy(pane, pane.height * (pane.grows === 'down' ? 0.9 : -0.9)), help: 'scroll' },
	PageUp: { graph: true, run: (page, pane) => page.input.scrollBy(pane, pane.height * (pane.grows === 'down' ? -0.9 : 0.9)) },
	i: { run: (page) => page.set({ grows: page.state.grows === 'down' ? 'up' : 'down' }, 'push'), help: 'icicle or flame graph' },
	c: { run: view('callers', 'callees'), help: 'callers or callees' },
	s: { frame: true, run: (page, pane, node) => page.actions.sandwich(pane, node), help: 'callers and callees of a frame' },
	t: { run: view('table', 'callees'), help: 'table of the hottest frames' },
	h: { run: (page) => page.profile.time && view('heatmap', 'callees')(page), help: 'heat map of time' },
	f: { frame: true, run: action('focus'), help: 'focus on the selected frame' },
	x: { frame: true, run: action('remove'), help: 'remove stack traces with the frame' },
	e: { frame: true, run: action('merge'), help: 'merge the frame into its callers' },
	r: { frame: true, run: action('collapse'), help: 'collapse recursion of the frame' },
	u: { run: (page) => page.set({ transforms: page.state.transforms.slice(0, -1) }, 'push'), help: 'undo f, x, e or r' },
	y: { frame: true, run: (page, pane, node) => page.actions.copyStack(pane, node), help: 'copy the stack trace' },
	ContextMenu: { frame: true, run: (page, pane, node) => page.toolbar.menuAt(pane, node) },
	m: { frame: true, run: (page, pane, node) => page.toolbar.menuAt(pane, node), help: 'menu of the selected frame' },
	b: { run: (page) => page.comparison && page.comparison.next(), help: 'before, after, difference of two recordings' },
	w: { run: (page) => page.toolbar.switchMeasure(), help: 'samples, or time or bytes' },
	g: { run: (page) => page.panel.toggle(), help: 'open the filters' },
	z: { run: (page) => page.toolbar.switchIdle(), help: 'show or hide idle threads' },
	T: { run: (page) => page.canThreads() && toggle('threads')(page), help: 'threads as root frames' },
	S: { run: toggle('simple'), help: 'class names without package' },
	L: { run: (page) => page.canLines() && toggle('lines')(page), help: 'line numbers' },
	j: { run: (page) => page.toolbar.switchNative(), help: 'hide native callers, or native frames' },
	d: { run: (page) => page.toolbar.switchTheme(), help: 'light or dark theme' },
	p: { run: toggle('blind'), help: 'color-blind palette' },
	R: { run: (page) => page.reset(), help: 'reset view, zoom, search, filters' },
	'?': { run: (page) => page.toolbar.openHelp(), help: 'this help' },
};

Object.defineProperty(keyTable, 'pan', { value: (page, pane, key) => {
	const step = { ArrowLeft: -80, ArrowRight: 80 }[key];
	if (step)
		page.zoom.pan(pane, step);
	else
		page.input.scrollBy(pane, (key === 'ArrowDown') === (pane.grows === 'down') ? 3 * ROW : -3 * ROW);
} });
