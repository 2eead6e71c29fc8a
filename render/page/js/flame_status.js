// SPDX-License-Identifier: Apache-2.0
// Fills the bars above and below the graph.

import { kindMeanings, kindTitles } from './flame_color.js';
import { byId, element } from './flame_dom.js';
import { Filter } from './flame_filter.js';
import {
	formatExact, formatWeight, grouped, percent, shortened,
	shown, simpleName, unitSteps,
} from './flame_format.js';
import { nativeTitles } from './flame_toolbar.js';

const transformTitles = {
	focus: 'Focus', remove: 'Without', merge: 'Merged', collapse: 'Collapsed',
};

export class Status {
	constructor(page) {
		this.page = page;
		this.fillHead();
	}

	fillHead() {
		const { head } = this.page.profile;
		byId('title').textContent = shown(head.title);
		byId('title').title = shown(head.source ? `${head.title}\n${head.source}` : head.title);
		const notes = (head.notes || []).slice();
		if (head.elided && head.elided.nodes > 0)
			notes.push(`${grouped(head.elided.nodes)} stack traces narrower than ` +
				`${Number(head.elided.below.toPrecision(2))}% in every tab are omitted; their weight is in ` +
				'[small frames] of their callers.');
		byId('notes').hidden = notes.length === 0;
		byId('notes').replaceChildren(...notes.map((note) =>
			element('p', null, shown(note))));
	}

	update() {
		const { state } = this.page;
		const press = (selector, value, key) => {
			for (const button of document.querySelectorAll(selector))
				button.setAttribute('aria-pressed', String(button.dataset[key] === value));
		};
		press('[data-view]', state.view, 'view');
		press('[data-grows]', state.grows, 'grows');
		press('[data-measure]', state.measure, 'measure');
		press('[data-side]', state.side, 'side');
		for (const button of document.querySelectorAll('[data-grows]'))
			button.disabled = state.view === 'sandwich' || state.view === 'table';
		this.showMeasures();
		for (const box of document.querySelectorAll('[data-flag]'))
			box.checked = state[box.dataset.flag];
		this.enable('[data-flag=threads]', this.page.canThreads(),
			'The samples of this event have no threads');
		this.enable('[data-flag=lines]', this.page.canLines(),
			'This page has no line numbers: make it with --lines');
		this.enable('#native', this.page.canHideNative(),
			'This page does not have both Java and native frames');
		byId('theme').value = state.theme;
		byId('native').value = state.native;
		this.showIdle();
		this.showLegend();
		this.showEvents();
		this.showSummary();
		this.showStage();
		this.showMatches();
		this.showTransforms();
	}

	// The tooltip of a disabled control is the reason.
	enable(selector, able, reason) {
		const control = document.querySelector(selector);
		control.disabled = !able;
		control.closest('label').title = able ? '' : reason;
	}

	showMeasures() {
		const { unit } = this.page.event();
		byId('measures').hidden = !this.page.hasWeight();
		const [count, weight] = { ns: ['Samples', 'Time'], bytes: ['Samples', 'Bytes'],
			samples: ['Records', 'Samples'] }[unit] || ['Samples', 'Weight'];
		for (const [measure, title] of [['samples', count], ['weight', weight]]) {
			const button = document.querySelector(`[data-measure=${measure}]`);
			button.textContent = title;
			button.title = `Frame widths show ${title.toLowerCase()} (w)`;
		}
	}

	showIdle() {
		const { state, profile, filter } = this.page;
		const { idleState } = profile;
		const cells = this.page.cells();
		const off = state.stateOff.has(idleState);
		byId('idle').hidden = idleState < 0 ||
			!Filter.seen(cells, 'state', profile.states.length)[idleState];
		byId('idle').setAttribute('aria-pressed', String(!off));
		if (!byId('idle').hidden)
			byId('idle').textContent = `Idle: ${this.page.weightText(filter.stateSum[idleState])}` +
				(off ? ' hidden' : '');
	}

	showEvents() {
		this.page.profile.events.forEach((event, i) => {
			const tab = byId(`event-${i}`);
			const on = i === this.page.state.event;
			tab.setAttribute('aria-selected', String(on));
			tab.setAttribute('tabindex', on ? '0' : '-1');
		});
	}

	// Totals of an event are exact; totals after filters are sums of doubles.
	showSummary() {
		const { page } = this;
		if (page.comparison && page.comparison.isOn()) {
			byId('summary').textContent = byId('summary').title =
				page.comparison.summary();
			return;
		}
		const event = page.event();
		const whole = page.state.measure === 'weight' ? event.weight : event.samples;
		const left = page.graph.total[0];
		const exact = formatExact(whole, page.unit());
		const parts = [!unitSteps[page.unit()] ? exact : formatWeight(Number(whole), page.unit())];
		if (Math.abs(left - Number(whole)) > Number(whole) * 1e-9)
			parts.unshift(`${page.weightText(left)} (${percent(left, Number(whole))}) of `);
		byId('summary').textContent = parts.join('');
		byId('summary').title = Number(event.without_stack) > 0 ?
			`${exact}; ${formatExact(event.without_stack, 'samples')} without a stack trace` : exact;
		document.body.classList.toggle('filtered', parts.length > 1);
	}

	showStage() {
		const { view } = this.page.state;
		byId('graph').hidden = view === 'table';
		byId('upper').hidden = view !== 'sandwich';
		byId('table').hidden = view !== 'table';
		byId('heat').hidden = view !== 'heatmap';
		byId('stage').className = view;
		const empty = !(this.page.pane.whole() > 0) && view !== 'table';
		byId('empty').hidden = !empty;
		byId('empty').textContent = empty ? this.whyEmpty() : '';
	}

	whyEmpty() {
		const { state, graph } = this.page;
		const { samples, weight } = this.page.event();
		if (samples === '0')
			return 'This event has no samples.';
		if (weight === '0' && state.measure === 'weight')
			return 'The samples of this event have no weight: press Samples.';
		if (state.view === 'sandwich' && graph.total[0] > 0)
			return `No sample contains the frame ${shortened(state.frame, 200)}.`;
		return 'No sample matches the filters.';
	}

	showMatches() {
		const { page } = this;
		const { state, matches, found } = page;
		if (byId('search').value !== state.query)
			byId('search').value = state.query;
		byId('regex').setAttribute('aria-pressed', String(state.regex));
		const error = found && found.error;
		byId('search-error').hidden = !error;
		byId('search-error').textContent = error || '';
		byId('search').setAttribute('aria-invalid', String(!!error));
		let text = '';
		if (matches && !(error && matches.count === 0)) {
			const { selected } = page;
			const at = selected && selected.pane === page.pane &&
				matches.isHit(page.pane.tree, selected.node) && page.pane.tree === page.graph ?
				`${grouped(matches.position(page.graph, selected.node))} / ` : '';
			text = `${at}${grouped(matches.count)} · ` +
				percent(matches.weight, page.graph.total[0]);
		}
		const box = byId('matches');
		if (box.textContent === text)
			return;
		box.textContent = text;
		box.title = matches ? `${grouped(matches.count)} matching frames in stack traces of ` +
			page.weightText(matches.weight) : '';
		if (matches)
			page.announce(`${grouped(matches.count)} matches, ` +
				percent(matches.weight, page.graph.total[0]));
	}

	showTransforms() {
		const { page } = this;
		const list = page.state.transforms;
		const chips = list.map(({ op, frame }, i) => {
			const chip = element('button', { type: 'button', class: 'chip',
				title: `${transformTitles[op]}: ${shortened(frame, 300)}\nClick to undo` },
			element('b', null, transformTitles[op]), ' ',
			shortened(page.state.simple ? simpleName(frame.slice(0, 4096)) : frame, 40), ' ×');
			chip.addEventListener('click', () => page.set({
				transforms: list.filter((_, k) => k !== i) }, 'push'));
			return chip;
		});
		if (page.state.native !== 'all') {
			const chip = element('button', { type: 'button', class: 'chip',
				title: 'Click to show all frames' },
			element('b', null, nativeTitles[page.state.native]), ' ×');
			chip.addEventListener('click', () => page.toolbar.setNative('all'));
			chips.unshift(chip);
		}
		byId('transforms').replaceChildren(...chips);
	}

	// Hides the bar of the path and the transforms while both are empty.
	showPathBar() {
		this.showPath();
		byId('path').parentElement.hidden =
			!byId('path').firstChild && !byId('transforms').firstChild;
	}

	// Shows the zoomed frame and its callers, without the middle of a long path.
	showPath() {
		const { page } = this;
		const { pane } = page;
		const box = byId('path');
		if (page.state.view === 'table' || !(pane.whole() > 0)) {
			box.replaceChildren();
			box.shows = null;
			return;
		}
		const node = page.state.zoom ? pane.node : page.state.range ? pane.covering() : 0;
		if (box.shows === `${node}` && box.tree === pane.tree && box.simple === page.state.simple)
			return;
		Object.assign(box, { shows: `${node}`, tree: pane.tree, simple: page.state.simple });
		const path = page.zoom.pathOf(pane.tree, node);
		const kept = path.length <= 6 ? path : [path[0], -1, ...path.slice(-4)];
		box.replaceChildren(...kept.map((step, i) => {
			if (step < 0)
				return element('span', { class: 'gap', title: `${path.length - 5} more` }, '…');
			const last = i === kept.length - 1;
			const button = element('button', { type: 'button', class: 'crumb',
				'aria-current': last ? 'location' : null,
				title: shortened(page.text(pane, step), 300) },
			shortened(page.text(pane, step), 48));
			button.addEventListener('click', () => page.zoom.into(pane, step));
			return button;
		}));
	}

	showDetails() {
		const { page } = this;
		const { selected } = page;
		byId('details').textContent = !selected ? '' :
			`${shortened(page.text(selected.pane, selected.node), 300)} — ` +
			page.tip.facts(selected.pane, selected.node).slice(0, page.comparison ? 4 : 2)
				.map(([title, ...cells]) => `${title} ${cells.join(', ')}`).join(' · ');
	}

	showLegend() {
		const { profile, colors } = this.page;
		const searched = this.page.state.query !== '';
		const comparison = this.page.comparison && this.page.comparison.isOn() ?
			this.page.comparison : null;
		if (!this.page.changed('legend', searched, colors.match, colors.dark,
			!!comparison))
			return;
		const items = comparison ? comparison.legend() : profile.kinds.map((kind, k) => profile.kindUsed[k] ?
			[kindTitles[kind] || kind, colors.legend(k), kindMeanings[kind]] : null)
			.filter(Boolean);
		if (searched)
			items.push(['Match', colors.match, 'Frame that matches the search']);
		byId('legend').replaceChildren(...items.map(([title, color, meaning]) => {
			const swatch = element('i', { 'aria-hidden': 'true' });
			swatch.style.backgroundColor = color;
			return element('li', { title: meaning || null }, swatch, title);
		}));
	}
}
