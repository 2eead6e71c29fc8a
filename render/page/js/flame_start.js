// SPDX-License-Identifier: Apache-2.0
// Opens the page.

import { DataError, readProfile } from './flame_data.js';
import { byId, element } from './flame_dom.js';
import { shown } from './flame_format.js';
import { Page } from './flame_page.js';
import { writeState } from './flame_state.js';

// window.sjkcPage is for tests and the curious: what is drawn, in numbers.
//   state()            the settings, as the fragment keeps them
//   total()            weight of all that passes the filters
//   frames(which)      of the pane 'graph' or 'upper': visible frames with name,
//                      label (as drawn), level, total, self, kind, lit, and their rectangle in
//                      pixels of the window
//   ticks()            labels of the time axis, with their place in pixels
//   matches()          count and weight of the search's matches
//   levels(which)      how many levels there are to scroll through
//   nodes()            of the shown tree
//   moving()           whether a glide is under way
//   colours()          of the text on frames and of all fills, as rgb(…)
//   opened             milliseconds from the start of the script to the drawing
class Probe {
	constructor(page, began) {
		this.page = page;
		this.opened = performance.now() - began;
	}

	state() {
		return writeState(this.page.state, this.page.initial);
	}

	total() {
		return this.page.graph.total[0];
	}

	pane(which) {
		return which === 'upper' ? this.page.upper : this.page.pane;
	}

	frames(which) {
		const { page } = this;
		const pane = this.pane(which);
		const { tree } = pane;
		const origin = pane.box.getBoundingClientRect();
		return pane.rows.flatMap(({ level, wide }) => wide.map((node) => {
			const box = pane.rectangle(node, level);
			return {
				node, level, name: page.text(pane, node),
				label: pane.label(node, box.width),
				total: tree.total[node], self: tree.selfOf(node),
				kind: page.profile.kinds[tree.kindOf(node)] || null,
				lit: !!page.matches && page.matches.isHit(tree, node),
				x: origin.left + box.x, y: origin.top + box.y,
				width: box.width, height: box.height,
			};
		}));
	}

	ticks() {
		return this.page.panel.ticks;
	}

	matches() {
		const { matches } = this.page;
		return matches && { count: matches.count, weight: matches.weight };
	}

	levels(which) {
		return this.pane(which).levels;
	}

	moving() {
		const { pane, upper } = this.page;
		return [pane, upper].some((p) => p.gliding);
	}

	nodes() {
		return this.page.graph.n;
	}

	colours() {
		const { colours } = this.page;
		const rgb = (colour) => {
			const swatch = element('i', null);
			swatch.style.color = colour;
			document.body.append(swatch);
			const text = getComputedStyle(swatch).color;
			swatch.remove();
			return text;
		};
		const fills = [colours.match, colours.theme.all, ...colours.fills.flat()];
		return { ink: rgb(colours.theme.ink), fills: fills.map(rgb) };
	}
}

function showTrouble(error) {
	const box = byId('trouble');
	box.textContent = error instanceof DataError ? error.message :
		`Cannot show this page: ${error.message}`;
	box.hidden = false;
}

export async function startPage() {
	const began = performance.now();
	try {
		const data = byId('data');
		const profile = await readProfile(data.textContent);
		data.remove();
		document.title = shown(document.title.trim());
		byId('app').hidden = false;
		if (profile.events.length === 0)
			throw new DataError('This recording has no samples.');
		const page = new Page(profile);
		page.start();
		window.sjkcPage = new Probe(page, began);
	} catch (error) {
		byId('app').hidden = true;
		showTrouble(error);
	}
}
