// SPDX-License-Identifier: Apache-2.0
// The page: keeps the state and rebuilds each part when the state it depends on
// has changed.

import { Colors } from './flame_color.js';
import { Comparison } from './flame_diff.js';
import { DiffTable } from './flame_diff_table.js';
import { Filter } from './flame_filter.js';
import { formatWeight, percent, shortened, simpleName } from './flame_format.js';
import { GrownTree } from './flame_grow.js';
import { Input } from './flame_input.js';
import { FrameActions, Menu } from './flame_menu.js';
import { Mirror } from './flame_mirror.js';
import { Pane } from './flame_pane.js';
import { FilterPanel } from './flame_panel.js';
import { Matches, compilePattern, matchNames } from './flame_search.js';
import { defaultState, readState, writeState } from './flame_state.js';
import { Status } from './flame_status.js';
import { Table } from './flame_table.js';
import { isFine } from './flame_time.js';
import { Tooltip } from './flame_tip.js';
import { Toolbar } from './flame_toolbar.js';
import { javaKinds, nativeKinds } from './flame_transform.js';
import { Graph, Labels } from './flame_tree.js';
import { Zoom } from './flame_zoom.js';

export class Page {
	// `heat` is the module of the heat map, undefined on pages without times.
	constructor(profile, heat) {
		this.profile = profile;
		this.initial = defaultState(profile);
		this.state = readState(location.hash, profile);
		this.keys = {};
		this.systemDark = window.matchMedia('(prefers-color-scheme: dark)');
		this.stillness = window.matchMedia('(prefers-reduced-motion: reduce)');
		this.filter = new Filter(profile);
		this.comparison = profile.head.comparison ? new Comparison(this) : null;
		this.pane = new Pane(document.getElementById('graph'), this);
		this.upper = new Pane(document.getElementById('upper'), this);
		// The lower pane of the sandwich shows the common frame of both panes.
		this.upper.hidden = 1;
		this.zoom = new Zoom(this);
		this.actions = new FrameActions(this);
		this.tip = new Tooltip(this);
		this.menu = new Menu(this);
		this.panel = new FilterPanel(this);
		this.table = this.comparison ? new DiffTable(this) : new Table(this);
		this.heat = heat ? new heat.Heat(this) : null;
		this.mirror = new Mirror(this);
		this.toolbar = new Toolbar(this);
		this.status = new Status(this);
		this.input = new Input(this);
		this.selected = null;
	}

	async start() {
		await this.read();
		window.addEventListener('hashchange', () => this.restore());
		this.systemDark.addEventListener('change', () => this.refresh());
		new ResizeObserver(() => this.resized())
			.observe(document.getElementById('stage'));
		window.addEventListener('beforeprint', () => this.print(true));
		window.addEventListener('afterprint', () => this.print(false));
		this.refresh();
	}

	// The observer also reports the first size and changes by drawing.
	resized() {
		if (this.drawnSize !== Page.stageSize())
			this.draw();
	}

	static stageSize() {
		const { clientWidth, clientHeight } = document.getElementById('stage');
		return `${clientWidth} ${clientHeight} ${window.devicePixelRatio}`;
	}

	print(on) {
		this.printing = on;
		this.refresh();
	}

	// `how`: 'push' adds a history entry, 'replace' does not, 'settle' adds one
	// 350 ms after the last call, when a gesture has ended.
	set(changes, how) {
		Object.assign(this.state, changes);
		clearTimeout(this.settling);
		if (how === 'settle')
			this.settling = setTimeout(() => this.commit('push'), 350);
		else
			this.commit(how);
		this.refresh();
	}

	commit(how) {
		const fragment = '#' + writeState(this.state, this.initial, this.profile);
		if (fragment === (location.hash || '#'))
			return;
		try {
			if (how === 'push')
				history.pushState(null, '', fragment);
			else
				history.replaceState(null, '', fragment);
		} catch (e) {
			// Browsers limit the rate of changes; the page works without them.
		}
	}

	restore() {
		clearTimeout(this.settling);
		this.state = readState(location.hash, this.profile);
		this.refresh();
	}

	reset() {
		const { event, side, theme, blind } = this.state;
		this.set({ ...defaultState(this.profile), event, side, theme, blind }, 'push');
	}

	changed(part, ...on) {
		const key = JSON.stringify(on);
		if (this.keys[part] === key)
			return false;
		this.keys[part] = key;
		return true;
	}

	cells() {
		return this.comparison ? this.comparison.cells() :
			this.profile.cells(this.state.event);
	}

	event() {
		return this.comparison ? this.comparison.event() :
			this.profile.events[this.state.event];
	}

	// If weights are samples, a record may stand for many samples.
	unit() {
		const { unit } = this.event();
		if (this.state.measure === 'weight')
			return unit;
		const { weight, count } = this.cells();
		return unit === 'samples' && weight !== count ? 'records' : 'samples';
	}

	// Native frames can be hidden if there are Java frames, too.
	canHideNative() {
		const { profile } = this;
		return [nativeKinds, javaKinds].every((sort) =>
			profile.kinds.some((kind, k) => profile.kindUsed[k] && sort.has(kind)));
	}

	canThreads() {
		return this.cells().thread !== null;
	}

	canLines() {
		return this.profile.frameLine !== null;
	}

	hasWeight() {
		const cells = this.cells();
		return cells.weight !== cells.count;
	}

	weightText(weight) {
		const factor = this.comparison ? this.comparison.factor() : 1;
		return formatWeight(weight / factor, this.unit());
	}

	// Returns the hidden states that samples of this event have.
	statesOff() {
		const seen = Filter.seen(this.cells(), 'state', this.profile.states.length);
		return [...this.state.stateOff].filter((s) => seen[s]);
	}

	// Filters and thread roots need the cells, which large pages read later.
	needsCells() {
		const { threads, threadPattern, threadOff, time } = this.state;
		return !this.profile.hasCells() && !this.cellsError &&
			(threads || threadPattern !== '' || threadOff.size > 0 || this.statesOff().length > 0 ||
			time !== null);
	}

	// Reads the cells if the state needs them. Without them, the page shows all
	// samples.
	async read() {
		if (!this.needsCells())
			return;
		const box = document.getElementById('reading');
		box.textContent = 'Reading the samples …';
		box.hidden = false;
		try {
			await this.profile.loadCells();
			box.hidden = true;
		} catch (error) {
			this.cellsError = error.message;
			box.textContent = error.message;
		}
	}

	refresh() {
		if (this.profile.events.length === 0)
			return;
		if (this.needsCells()) {
			this.read().then(() => this.refresh());
			return;
		}
		if (this.cellsError)
			Object.assign(this.state, { threads: false, threadPattern: '',
				threadOff: new Set(), stateOff: new Set(), time: null });
		const made = this.makeGraph();
		const weighed = this.weigh(made);
		const shownTree = this.showTrees(weighed);
		this.findMatches(weighed);
		const { zoom, range, callersZoom, callersRange } = this.state;
		if (this.changed('zoom', zoom, range, callersZoom, callersRange) || shownTree) {
			this.select(null);
			this.zoom.restore(this.pane);
			if (this.state.view === 'sandwich')
				this.zoom.restore(this.upper);
		}
		this.dress();
		this.status.update(weighed);
		if (this.heat)
			this.heat.update();
		this.panel.update();
		this.table.update(weighed);
		this.draw();
	}

	makeGraph() {
		const { event, side, threads, lines, native, transforms: list } = this.state;
		const { profile } = this;
		if (!this.changed('graph', lines, native, list, threads,
			threads ? [event, side] : 0))
			return false;
		const labels = new Labels(profile, lines);
		this.graph = new Graph(profile, labels, this.cells(), {
			threads, native,
			transforms: list.map(({ op, frame }) =>
				({ op, name: profile.names.indexOf(frame) })),
		});
		return true;
	}

	weigh(made) {
		const { state, graph } = this;
		const { event, side, measure, threadPattern, threadOff, stateOff, time } = state;
		const fine = isFine(time);
		if (fine && this.heat)
			this.heat.load();
		const { moments } = this.profile;
		const isRead = fine && moments !== null && !!moments.isRead;
		if (!this.changed('weights', event, side, measure, threadPattern,
			[...threadOff], [...stateOff], time, isRead) && !made)
			return false;
		const cells = this.cells();
		const node = graph.threaded ? graph.threaded.node : cells.node;
		const weights = measure === 'weight' ? cells.weight : cells.count;
		const part = isRead && moments.isFine && cells.bucket ?
			moments.partBetween(event, measure, time) : null;
		if (this.comparison)
			this.comparison.weigh(cells, node);
		this.filter.apply(cells, node, weights, state, graph.sums(), part);
		graph.weigh();
		return true;
	}

	showTrees(weighed) {
		const { view, grows, frame } = this.state;
		if (!this.changed('trees', view, grows, view === 'sandwich' ? frame : '') &&
			!weighed)
			return false;
		const { graph } = this;
		if (view === 'sandwich') {
			const { names } = this.profile;
			const known = names.indexOf(frame);
			const name = known < 0 ? names.length : known;
			this.pane.show(new GrownTree(graph, 'callees', name), 'down');
			this.upper.show(new GrownTree(graph, 'callers', name), 'up');
		} else {
			this.pane.show(view === 'callers' ?
				new GrownTree(graph, 'callers', -1) : graph, grows);
		}
		this.pane.scroll = this.upper.scroll = 0;
		return true;
	}

	findMatches(weighed) {
		const { query, regex } = this.state;
		const searched = this.changed('search', query, regex);
		if (searched) {
			this.found = query === '' ? null :
				matchNames(this.profile.names, compilePattern(query, regex));
			this.matchAt = 0;
		}
		if (searched || weighed)
			this.matches = this.found ? new Matches(this.graph, this.found.hit) : null;
	}

	nextMatch(step) {
		const { pane, matches } = this;
		if (!matches || this.state.view === 'table')
			return;
		const from = this.selected && this.selected.pane === pane ? this.selected.node : 0;
		const node = matches.next(pane.tree, from, step);
		if (node < 0)
			return;
		const wide = pane.tree.total[node] * pane.scale;
		const inside = pane.tree.left[node] >= pane.from - 1e-9 &&
			pane.tree.left[node] + pane.tree.total[node] <= pane.to * (1 + 1e-9);
		if (wide < 24 || !inside)
			this.set({ zoom: this.zoom.specOf(pane.tree, node), range: null }, 'replace');
		this.select({ pane, node });
		this.status.showMatches();
	}

	select(selection) {
		this.selected = selection;
		if (selection) {
			selection.pane.reveal(selection.pane.tree.depthOf(selection.node));
			this.draw();
			this.announceFrame(selection.pane, selection.node);
		}
		this.status.showDetails();
	}

	theme() {
		return this.colors.theme;
	}

	dress() {
		const { theme, blind } = this.state;
		const dark = !this.printing &&
			(theme === 'auto' ? this.systemDark.matches : theme === 'dark');
		if (!this.changed('dress', dark, blind))
			return;
		const root = document.documentElement;
		root.setAttribute('data-theme', dark ? 'dark' : 'light');
		this.colors = new Colors(this.profile, dark ? 'dark' : 'light', blind);
	}

	fill(pane, node) {
		if (this.matches && this.matches.isHit(pane.tree, node))
			return this.colors.match;
		if (this.comparison && this.comparison.isOn())
			return this.comparison.fill(pane.tree, node);
		return this.colors.fill(node === 0 && pane.tree.labels.nameOf(pane.tree.label[0]) >=
			this.profile.threadName0 ? 255 : pane.tree.kindOf(node),
		pane.tree.labels.nameOf(pane.tree.label[node]));
	}

	// Returns a frame's name, without its package if longer than `chars`.
	text(pane, node, chars = Infinity) {
		const { labels, label } = pane.tree;
		const name = labels.nameOf(label[node]);
		let text = this.profile.names[name];
		const line = labels.lineOf(label[node]);
		const suffix = line ? `:${line}` : '';
		// Only the first characters of very long names are visible.
		if (this.state.simple || text.length + suffix.length > chars)
			text = simpleName(text.slice(0, 4096));
		return (this.comparison ? this.comparison.mark(pane.tree, node) : '') +
			text + suffix;
	}

	panes() {
		const { view } = this.state;
		return view === 'table' ? [] : view === 'sandwich' ?
			[this.upper, this.pane] : [this.pane];
	}

	// The height of the path determines the height of the panes.
	draw() {
		if (this.held)
			return;
		this.status.showPathBar();
		this.drawnSize = Page.stageSize();
		for (const pane of this.panes())
			pane.draw();
		if (this.heat)
			this.heat.draw();
		this.placeMarks();
		this.panel.drawTime();
		this.mirror.later();
	}

	// Draws once per animation frame, however many events there are.
	drawSoon() {
		if (this.drawing)
			return;
		this.drawing = requestAnimationFrame(() => {
			this.drawing = 0;
			this.draw();
		});
	}

	// Outlines are elements above the canvas: moving them needs no drawing.
	placeMarks() {
		for (const pane of [this.pane, this.upper]) {
			this.placeMark(pane, '.mark-selected',
				this.selected && this.selected.pane === pane ? this.selected.node : -1);
			this.placeMark(pane, '.mark-hover', pane.hover === undefined ? -1 : pane.hover);
		}
	}

	placeMark(pane, which, node) {
		const mark = pane.box.querySelector(which);
		const row = node >= 0 && node < pane.tree.n && pane.scale ?
			pane.rows.find((r) => r.wide.includes(node)) : undefined;
		mark.hidden = row === undefined;
		if (!row)
			return;
		const box = pane.rectangle(node, row.level);
		mark.style.left = `${box.x}px`;
		mark.style.top = `${box.y}px`;
		mark.style.width = `${Math.max(box.width - 1, 2)}px`;
		mark.style.height = `${box.height - 1}px`;
	}

	// Runs `change`, then animates the domain from its old to its new range.
	glide(pane, change) {
		const { from, to } = pane;
		this.held = true;
		try {
			change();
		} finally {
			this.held = false;
		}
		if (this.stillness.matches || document.hidden) {
			this.draw();
			return;
		}
		const goal = [pane.from, pane.to];
		const began = performance.now();
		const turn = pane.stopGlide();
		const step = (now) => {
			if (pane.turn !== turn)
				return;
			pane.gliding = true;
			const t = Math.min(1, Math.max(0, now - began) / 130);
			const ease = 1 - (1 - t) * (1 - t) * (1 - t);
			if (t < 1) {
				pane.from = from + (goal[0] - from) * ease;
				pane.to = to + (goal[1] - to) * ease;
				requestAnimationFrame(step);
			} else {
				[pane.from, pane.to] = goal;
				pane.gliding = false;
			}
			this.draw();
		};
		step(began);
	}

	announce(text) {
		document.getElementById('announcement').textContent = text;
	}

	announceFrame(pane, node) {
		const { tree } = pane;
		this.announce(`${shortened(this.text(pane, node), 200)}, ` +
			`total ${this.weightText(tree.total[node])}, ` +
			`${percent(tree.total[node], tree.total[0])}, ` +
			`self ${this.weightText(tree.selfOf(node))}`);
	}
}
