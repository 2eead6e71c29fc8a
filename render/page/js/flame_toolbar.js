// SPDX-License-Identifier: Apache-2.0
// Handles clicks on the bars above the graph; flame_status.js fills the bars.

import { byId, element } from './flame_dom.js';
import { shown } from './flame_format.js';
import { keyTable } from './flame_input.js';
import { ROW } from './flame_pane.js';

export const nativeTitles = {
	all: 'All frames', entry: 'Without native callers of Java', java: 'Java frames only',
};

export class Toolbar {
	constructor(page) {
		this.page = page;
		this.search = byId('search');
		this.fillEvents();
		this.listen();
		this.listenSearch();
	}

	fillEvents() {
		const { events } = this.page.profile;
		// The names that -e accepts: the part after the last dot, if unique.
		const last = (event) => event.name.slice(event.name.lastIndexOf('.') + 1);
		const unique = (event) => events.filter((e) => last(e) === last(event)).length === 1;
		byId('events').replaceChildren(...events.map((event, i) => {
			const tab = element('button', {
				type: 'button', role: 'tab', id: `event-${i}`,
				title: (event.types || [event.name]).map(shown).join(', '),
			}, shown(unique(event) ? last(event) : event.name));
			tab.addEventListener('click', () => this.openEvent(i));
			tab.addEventListener('keydown', (key) => this.tabKey(key, i));
			return tab;
		}));
	}

	tabKey(key, i) {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[key.key];
		if (!step)
			return;
		key.preventDefault();
		key.stopPropagation();
		const { length } = this.page.profile.events;
		this.openEvent((i + step + length) % length);
		byId(`event-${this.page.state.event}`).focus();
	}

	openEvent(i) {
		if (i >= this.page.profile.events.length || i === this.page.state.event)
			return;
		this.page.set({ event: i, range: null, callersRange: null,
			...this.page.state.threads ? { zoom: null } : {} }, 'push');
	}

	openView(name) {
		const { page } = this;
		const changes = { view: name };
		if (name === page.state.view)
			return;
		if (name === 'sandwich') {
			const { selected } = page;
			if (selected && selected.node > 0)
				changes.frame = page.actions.nameOf(selected.pane, selected.node);
			else if (!page.state.frame)
				changes.frame = page.table.hottest();
		}
		page.set({ ...changes, zoom: null, range: null, callersZoom: null,
			callersRange: null }, 'push');
	}

	listen() {
		const { page } = this;
		document.querySelector('[data-view=heatmap]').hidden = !page.profile.time;
		for (const button of document.querySelectorAll('[data-view]'))
			button.addEventListener('click', () => this.openView(button.dataset.view));
		for (const button of document.querySelectorAll('[data-grows]'))
			button.addEventListener('click', () =>
				page.set({ grows: button.dataset.grows }, 'push'));
		for (const button of document.querySelectorAll('[data-measure]'))
			button.addEventListener('click', () =>
				page.set({ measure: button.dataset.measure }, 'push'));
		for (const box of document.querySelectorAll('[data-flag]'))
			box.addEventListener('change', () =>
				page.set({ [box.dataset.flag]: box.checked }, 'push'));
		byId('native').addEventListener('change', (event) =>
			this.setNative(event.target.value));
		byId('theme').addEventListener('change', (event) =>
			page.set({ theme: event.target.value }, 'replace'));
		byId('filters').addEventListener('click', () => page.panel.toggle());
		byId('idle').addEventListener('click', () => this.switchIdle());
		byId('reset').addEventListener('click', () => page.reset());
		byId('help-open').addEventListener('click', () => this.openHelp());
		document.addEventListener('pointerdown', (event) => {
			if (!byId('display').contains(event.target))
				byId('display').open = false;
		});
	}

	listenSearch() {
		const { page, search } = this;
		search.addEventListener('input', () =>
			page.set({ query: search.value }, 'replace'));
		search.addEventListener('keydown', (event) => {
			if (event.key === 'Enter')
				page.nextMatch(event.shiftKey ? -1 : 1);
		});
		byId('regex').addEventListener('click', () =>
			page.set({ regex: !page.state.regex }, 'replace'));
		byId('next').addEventListener('click', () => page.nextMatch(1));
		byId('previous').addEventListener('click', () => page.nextMatch(-1));
	}

	switchMeasure() {
		if (this.page.hasWeight())
			this.page.set({ measure: this.page.state.measure === 'weight' ?
				'samples' : 'weight' }, 'push');
	}

	setNative(native) {
		this.page.set({ native, zoom: null, range: null, callersZoom: null,
			callersRange: null }, 'push');
	}

	switchNative() {
		const order = Object.keys(nativeTitles);
		const at = order.indexOf(this.page.state.native);
		if (this.page.canHideNative())
			this.setNative(order[(at + 1) % order.length]);
	}

	switchIdle() {
		const { state, profile } = this.page;
		const off = new Set(state.stateOff);
		if (byId('idle').hidden)
			return;
		off[off.has(profile.idleState) ? 'delete' : 'add'](profile.idleState);
		this.page.set({ stateOff: off }, 'push');
	}

	switchTheme() {
		const dark = document.documentElement.dataset.theme === 'dark';
		this.page.set({ theme: dark ? 'light' : 'dark' }, 'replace');
	}

	menuAt(pane, node) {
		const box = pane.box.getBoundingClientRect();
		const row = pane.rectangle(node, pane.tree.depthOf(node));
		this.page.menu.show(pane, node, box.left + row.x + 8, box.top + row.y + ROW);
	}

	openHelp() {
		const box = byId('help');
		if (box.open)
			return;
		const rows = Object.entries(keyTable).filter(([, entry]) => entry.help)
			.map(([key, { help }]) => [key.replace('ArrowLeft', '← → ↑ ↓')
				.replace('PageDown', 'PgUp PgDn').replace('Home', '0 Home'), help]);
		rows.push(['1 … 9', 'open an event tab'], ['Esc', 'close a dialog, or clear the search'],
			['wheel', 'scroll, or zoom if everything fits'],
			['Ctrl + wheel', 'zoom at the pointer'], ['drag', 'pan']);
		const close = element('button', { type: 'button' }, 'Close');
		close.addEventListener('click', () => box.close());
		box.replaceChildren(
			element('h2', null, 'Keys'),
			element('dl', null, ...rows.flatMap(([key, help]) =>
				[element('dt', null, element('kbd', null, key)), element('dd', null, help)])),
			element('p', null, 'Search and filters ignore case unless the pattern has ' +
				'a capital letter. The URL stores the current view: copy it to share the view.'),
			element('p', { class: 'quiet-text' }, shown(this.page.profile.head.generator || '')),
			close);
		box.showModal();
	}

	closeDialogs() {
		const { page } = this;
		if (byId('help').open) {
			byId('help').close();
		} else if (!page.menu.box.hidden) {
			page.menu.hide();
		} else if (byId('display').open) {
			byId('display').open = false;
		} else {
			return false;
		}
		return true;
	}
}
