// SPDX-License-Identifier: Apache-2.0
// The bars above and below the graph.

const byId = (id) => document.getElementById(id);

const nativeTitles = {
	all: 'All frames', entry: 'Without native callers of Java', java: 'Java only',
};

const transformTitles = {
	focus: 'Focus', remove: 'Without', merge: 'Merged', collapse: 'Collapsed',
};

class Toolbar {
	constructor(page) {
		this.page = page;
		this.search = byId('search');
		this.fillHead();
		this.fillEvents();
		this.listen();
		this.listenSearch();
	}

	fillHead() {
		const { head } = this.page.profile;
		byId('title').textContent = shown(head.title);
		byId('title').title = shown(head.source ? `${head.title}\n${head.source}` : head.title);
		const notes = (head.notes || []).slice();
		if (head.elided && head.elided.nodes > 0)
			notes.push(`${grouped(head.elided.nodes)} stack traces narrower than ` +
				`${Number(head.elided.below.toPrecision(2))}% in every tab were left out; their weight is in ` +
				'[small frames] of their callers.');
		byId('notes').hidden = notes.length === 0;
		byId('notes').replaceChildren(...notes.map((note) =>
			element('p', null, shown(note))));
	}

	fillEvents() {
		const { events } = this.page.profile;
		// As -e takes them: without what stands before the last dot, if that
		// leaves each its own name.
		const last = (event) => event.name.slice(event.name.lastIndexOf('.') + 1);
		const alone = (event) => events.filter((other) => last(other) === last(event)).length === 1;
		byId('events').replaceChildren(...events.map((event, i) => {
			const tab = element('button', {
				type: 'button', role: 'tab', id: `event-${i}`,
				title: (event.types || [event.name]).map(shown).join(', '),
			}, shown(alone(event) ? last(event) : event.name));
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
		if (this.hasWeight())
			this.page.set({ measure: this.page.state.measure === 'weight' ?
				'samples' : 'weight' }, 'push');
	}

	setNative(native) {
		this.page.set({ native, zoom: null, range: null, callersZoom: null,
			callersRange: null }, 'push');
	}

	// Hiding native frames takes frames of both sorts.
	canHideNative() {
		const { profile } = this.page;
		return [nativeKinds, javaKinds].every((sort) =>
			profile.kinds.some((kind, k) => profile.kindUsed[k] && sort.has(kind)));
	}

	switchNative() {
		const order = Object.keys(nativeTitles);
		const at = order.indexOf(this.page.state.native);
		if (this.canHideNative())
			this.setNative(order[(at + 1) % order.length]);
	}

	switchTheme() {
		const dark = document.documentElement.dataset.theme === 'dark';
		this.page.set({ theme: dark ? 'light' : 'dark' }, 'replace');
	}

	canThreads() {
		return this.page.cells().thread !== null;
	}

	canLines() {
		return this.page.profile.frameLine !== null;
	}

	hasWeight() {
		const cells = this.page.cells();
		return cells.weight !== cells.count;
	}

	menuAt(pane, node) {
		const box = pane.box.getBoundingClientRect();
		const row = pane.rectangle(node, pane.tree.depthOf(node));
		this.page.menu.show(pane, node, box.left + row.x + 8, box.top + row.y + ROW);
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
		for (const button of document.querySelectorAll('[data-grows]'))
			button.disabled = state.view === 'sandwich' || state.view === 'table';
		this.showMeasures();
		for (const box of document.querySelectorAll('[data-flag]'))
			box.checked = state[box.dataset.flag];
		document.querySelector('[data-flag=threads]').disabled = !this.canThreads();
		document.querySelector('[data-flag=lines]').disabled = !this.canLines();
		byId('theme').value = state.theme;
		byId('native').value = state.native;
		byId('native').disabled = !this.canHideNative();
		this.showLegend();
		this.showEvents();
		this.showSummary();
		this.showStage();
		this.showMatches();
		this.showTransforms();
	}

	showMeasures() {
		const { unit } = this.page.event();
		byId('measures').hidden = !this.hasWeight();
		const [count, weight] = { ns: ['Samples', 'Time'], bytes: ['Samples', 'Bytes'],
			samples: ['Records', 'Samples'] }[unit] || ['Samples', 'Weight'];
		document.querySelector('[data-measure=samples]').textContent = count;
		document.querySelector('[data-measure=weight]').textContent = weight;
	}

	showEvents() {
		this.page.profile.events.forEach((event, i) => {
			const tab = byId(`event-${i}`);
			const on = i === this.page.state.event;
			tab.setAttribute('aria-selected', String(on));
			tab.setAttribute('tabindex', on ? '0' : '-1');
		});
	}

	// The event's own totals are exact; what filters leave is a sum of doubles.
	showSummary() {
		const { page } = this;
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
			return 'The samples of this event have no weight: see them by count.';
		if (state.view === 'sandwich' && graph.total[0] > 0)
			return `No sample has the frame ${shortened(state.frame, 200)}.`;
		return 'No sample passes the filters.';
	}

	showMatches() {
		const { page } = this;
		const { state, matches, found } = page;
		if (this.search.value !== state.query)
			this.search.value = state.query;
		byId('regex').setAttribute('aria-pressed', String(state.regex));
		const error = found && found.error;
		byId('search-error').hidden = !error;
		byId('search-error').textContent = error || '';
		this.search.setAttribute('aria-invalid', String(!!error));
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
			page.say(`${grouped(matches.count)} matches, ` +
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
			chip.addEventListener('click', () => this.setNative('all'));
			chips.unshift(chip);
		}
		byId('transforms').replaceChildren(...chips);
	}

	// The zoomed frame and its callers; the middle of a long path is left out.
	showPath() {
		const { page } = this;
		const { pane } = page;
		const box = byId('path');
		if (page.state.view === 'table' || !(pane.whole() > 0)) {
			box.replaceChildren();
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
			page.tip.facts(selected.pane, selected.node).slice(0, 2)
				.map(([title, ...cells]) => `${title} ${cells.join(', ')}`).join(' · ');
	}

	showLegend() {
		const { profile, colours } = this.page;
		const searched = this.page.state.query !== '';
		if (!this.page.changed('legend', searched, colours.match, colours.dark))
			return;
		const items = profile.kinds.map((kind, k) => profile.kindUsed[k] ?
			[kindTitles[kind] || kind, colours.legend(k)] : null).filter(Boolean);
		if (searched)
			items.push(['Match', colours.match]);
		byId('legend').replaceChildren(...items.map(([title, colour]) => {
			const swatch = element('i', { 'aria-hidden': 'true' });
			swatch.style.backgroundColor = colour;
			return element('li', null, swatch, title);
		}));
	}

	openHelp() {
		const box = byId('help');
		if (box.open)
			return;
		const rows = Object.entries(keyTable).filter(([, entry]) => entry.help)
			.map(([key, { help }]) => [key.replace('ArrowLeft', '← → ↑ ↓')
				.replace('PageDown', 'PgUp PgDn').replace('Home', '0 Home'), help]);
		rows.push(['1 … 9', 'event tabs'], ['Esc', 'close, or clear the search'],
			['wheel', 'scroll; zoom if everything fits'],
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
