// SPDX-License-Identifier: Apache-2.0
// Mirrors the visible frames as tree items for screen readers.

import { byId, element } from './flame_dom.js';
import { percent, shortened } from './flame_format.js';

const MIRRORED = 150;

export class Mirror {
	constructor(page) {
		this.page = page;
	}

	// Fills the mirror 200 ms after the last drawing.
	later() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.fill(), 200);
		this.markActive();
	}

	fill() {
		for (const pane of [this.page.pane, this.page.upper])
			this.fillPane(pane, this.page.panes().includes(pane));
		this.markActive();
	}

	fillPane(pane, on) {
		const box = pane.box.querySelector('.mirror');
		if (!on || !(pane.whole() > 0)) {
			box.replaceChildren();
			return;
		}
		const { left, total } = pane.tree;
		let items = pane.rows.flatMap((row) =>
			row.wide.map((node) => ({ node, level: row.level })));
		if (items.length > MIRRORED)
			items = items.sort((a, b) => total[b.node] - total[a.node])
				.slice(0, MIRRORED);
		const { selected } = this.page;
		if (selected && selected.pane === pane &&
			!items.some((item) => item.node === selected.node))
			items.push({ node: selected.node, level: pane.tree.depthOf(selected.node) });
		items.sort((a, b) => left[a.node] - left[b.node] || a.level - b.level);
		box.replaceChildren(...items.map((item) => this.item(pane, item)));
	}

	item(pane, { node, level }) {
		const { page } = this;
		const { tree } = pane;
		tree.expand(node);
		return element('div', {
			role: 'treeitem', id: `${pane.box.id}-${node}`,
			'aria-level': level + 1,
			'aria-expanded': tree.endOf(node) > tree.firstOf(node) ? 'true' : null,
			'aria-selected': 'false',
		}, `${shortened(page.text(pane, node), 300)}, ${page.weightText(tree.total[node])}, ` +
			percent(tree.total[node], tree.total[0]));
	}

	markActive() {
		const { selected } = this.page;
		for (const pane of [this.page.pane, this.page.upper]) {
			for (const item of pane.box.querySelectorAll('[aria-selected=true]'))
				item.setAttribute('aria-selected', 'false');
			const id = selected && selected.pane === pane ?
				`${pane.box.id}-${selected.node}` : null;
			const item = id && byId(id);
			if (item) {
				pane.box.setAttribute('aria-activedescendant', id);
				item.setAttribute('aria-selected', 'true');
			} else {
				pane.box.removeAttribute('aria-activedescendant');
			}
		}
	}
}
