// SPDX-License-Identifier: Apache-2.0
// The actions on a frame and the context menu that offers them.

import { element } from './flame_dom.js';
import { shortened } from './flame_format.js';

async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch (e) {
		// Without permission for the clipboard API, try the old command.
		const area = element('textarea', { class: 'off-screen' });
		area.value = text;
		document.body.append(area);
		const before = document.activeElement;
		area.select();
		const done = document.execCommand('copy');
		area.remove();
		if (before)
			before.focus();
		return done;
	}
}

// Returns the frames of a stack trace, leaf first like a thread dump.
function stackText(tree, node) {
	const lines = [];
	for (let i = node; i > 0; i = tree.parent[i])
		lines.push(tree.labels.text(tree.label[i]));
	if (!tree.fromLeaves && tree.towards)
		lines.push(tree.labels.text(tree.label[0]));
	if (tree.towards === 'callers')
		lines.reverse();
	return lines.join('\n') + '\n';
}

export class FrameActions {
	constructor(page) {
		this.page = page;
	}

	nameOf(pane, node) {
		const { tree } = pane;
		return this.page.profile.names[tree.labels.nameOf(tree.label[node])];
	}

	transform(op, pane, node) {
		const { state } = this.page;
		if (!(node > 0) && pane.tree === this.page.graph)
			return;
		this.page.set({
			transforms: [...state.transforms, { op, frame: this.nameOf(pane, node) }],
			zoom: null, range: null, callersZoom: null, callersRange: null,
		}, 'push');
	}

	sandwich(pane, node) {
		this.page.set({
			view: 'sandwich', frame: this.nameOf(pane, node),
			zoom: null, range: null, callersZoom: null, callersRange: null,
		}, 'push');
	}

	search(pane, node) {
		this.page.set({ query: this.nameOf(pane, node), regex: false }, 'push');
	}

	async copy(title, text) {
		const done = await copyText(text);
		this.page.announce(done ? `${title} copied` : `${title} not copied: the browser denies access to the clipboard`);
	}

	copyStack(pane, node) {
		return this.copy('Stack trace', stackText(pane.tree, node));
	}

	copyName(pane, node) {
		return this.copy('Name', this.nameOf(pane, node));
	}
}

export class Menu {
	constructor(page) {
		this.page = page;
		this.box = document.getElementById('menu');
		const run = page.actions;
		this.items = [
			['Zoom in', 'Enter', (p, n) => page.zoom.into(p, n)],
			['Show callers and callees', 's', (p, n) => run.sandwich(p, n)],
			null,
			['Focus on this frame', 'f', (p, n) => run.transform('focus', p, n)],
			['Remove stack traces with this frame', 'x', (p, n) => run.transform('remove', p, n)],
			['Merge this frame into its callers', 'e', (p, n) => run.transform('merge', p, n)],
			['Collapse recursion of this frame', 'r', (p, n) => run.transform('collapse', p, n)],
			null,
			['Search for this name', '', (p, n) => run.search(p, n)],
			['Copy stack trace', 'y', (p, n) => run.copyStack(p, n)],
			['Copy name', '', (p, n) => run.copyName(p, n)],
		];
		this.box.addEventListener('keydown', (event) => this.key(event));
		document.addEventListener('pointerdown', (event) => {
			if (!this.box.hidden && !this.box.contains(event.target))
				this.hide();
		});
	}

	show(pane, node, x, y) {
		this.pane = pane;
		this.box.replaceChildren(
			element('div', { class: 'menu-title' },
				shortened(this.page.actions.nameOf(pane, node), 80)),
			...this.items.map((item) => this.itemElement(item, pane, node)));
		this.box.hidden = false;
		const { offsetWidth, offsetHeight } = this.box;
		this.box.style.left =
			`${Math.max(4, Math.min(x, window.innerWidth - offsetWidth - 8))}px`;
		this.box.style.top =
			`${Math.max(4, Math.min(y, window.innerHeight - offsetHeight - 8))}px`;
		this.box.querySelector('button').focus();
	}

	itemElement(item, pane, node) {
		if (item === null)
			return element('hr', null);
		const [title, key, run] = item;
		const button = element('button', { role: 'menuitem', type: 'button' },
			element('span', null, title), element('kbd', null, key));
		button.addEventListener('click', () => {
			this.hide();
			run(pane, node);
		});
		return button;
	}

	hide() {
		if (this.box.hidden)
			return;
		this.box.hidden = true;
		this.pane.box.focus();
	}

	key(event) {
		const buttons = [...this.box.querySelectorAll('button')];
		const at = buttons.indexOf(document.activeElement);
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		event.stopPropagation();
		if (step) {
			event.preventDefault();
			buttons[(at + step + buttons.length) % buttons.length].focus();
		} else if (event.key === 'Escape' || event.key === 'Tab') {
			event.preventDefault();
			this.hide();
		}
	}
}
