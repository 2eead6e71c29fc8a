// SPDX-License-Identifier: Apache-2.0
// Reads the data of the page and shows it.

import { DataError, readProfile } from './flame_data.js';
import { byId, element } from './flame_dom.js';
import { shown } from './flame_format.js';
import { Page } from './flame_page.js';
import { writeState } from './flame_state.js';

// window.sjkcPage, for tests: the drawn page in numbers.
//   state()            the settings in the format of the URL fragment
//   total()            the weight of the samples that pass the filters
//   frames(which)      the visible frames of the pane 'graph' or 'upper': name, label
//                      (as drawn), level, total, self, kind, lit (a match), and their
//                      rectangle in pixels of the window
//   ticks()            the labels of the time axis and their positions in pixels
//   heat()             the heat map: lengths of columns and rows, the weights of its
//                      cells, column after column, and the rectangle of a cell
//   matches()          the number and weight of the search matches
//   levels(which)      the number of levels of a pane
//   nodes()            the number of nodes of the shown tree
//   moving()           true during a zoom animation
//   colors()          the colors of text and of all fills, as rgb(…)
//   opened             milliseconds from the start of the script to the first drawing
class Probe {
	constructor(page, began) {
		this.page = page;
		this.opened = performance.now() - began;
	}

	state() {
		return writeState(this.page.state, this.page.initial, this.page.profile);
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

	heat() {
		const { scale, cells, matches, canvas, left, wide, tall } = this.page.heat || {};
		const { moments } = this.page.profile;
		if (!moments || !scale)
			return null;
		const box = canvas.getBoundingClientRect();
		return {
			column: scale.column, row: scale.row * moments.step_ms, rows: scale.rows,
			columns: scale.columns, start_ms: moments.start_ms, step_ms: moments.step_ms,
			first_ms: moments.start_ms + scale.firstStep(0) * moments.step_ms,
			cells: [...cells], matches: matches && [...matches],
			x: box.left + left, y: box.top, width: wide, height: tall / scale.rows, tall,
		};
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

	colors() {
		const { colors } = this.page;
		const rgb = (color) => {
			const swatch = element('i', null);
			swatch.style.color = color;
			document.body.append(swatch);
			const text = getComputedStyle(swatch).color;
			swatch.remove();
			return text;
		};
		const fills = [colors.match, colors.theme.all, ...colors.fills.flat()];
		return { ink: rgb(colors.theme.ink), fills: fills.map(rgb) };
	}
}

function showTrouble(error) {
	const box = byId('trouble');
	box.textContent = error instanceof DataError ? error.message :
		`Cannot show this page: ${error.message}`;
	box.hidden = false;
}

// `parts` are the modules of the page's other scripts, by name.
export async function startPage(parts) {
	const began = performance.now();
	try {
		const data = byId('data');
		const profile = await readProfile(data.textContent);
		data.remove();
		document.title = shown(document.title.trim());
		byId('app').hidden = false;
		if (profile.events.length === 0)
			throw new DataError('This recording has no samples.');
		const page = new Page(profile, parts.heat);
		await page.start();
		window.sjkcPage = new Probe(page, began);
	} catch (error) {
		byId('app').hidden = true;
		showTrouble(error);
	}
}
