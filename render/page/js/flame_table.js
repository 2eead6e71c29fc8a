// SPDX-License-Identifier: Apache-2.0
// The table of the hottest frames.

import { byId, element } from './flame_dom.js';
import { counted, csvField, grouped, percent, shortened, simpleName } from './flame_format.js';

const TABLE_ROWS = 500;

export class Table {
	constructor(page) {
		this.page = page;
		this.box = byId('table');
	}

	// Returns self and total of each name; recursive calls count once.
	sums() {
		const { graph } = this.page;
		const { label, labels, total, self } = graph;
		const names = labels.names.length;
		const selfs = new Float64Array(names), totals = new Float64Array(names);
		graph.walk((i, outermost) => {
			const name = labels.nameOf(label[i]);
			selfs[name] += self[i];
			if (outermost)
				totals[name] += total[i];
		});
		const rows = [];
		for (let name = 0; name < names; name++)
			if (totals[name] > 0 && name !== this.page.profile.frameName[this.page.profile.allFrame])
				rows.push(name);
		return { selfs, totals, rows };
	}

	hottest() {
		const { selfs, rows } = this.sums();
		let best = rows.length ? rows[0] : -1;
		for (const name of rows)
			if (selfs[name] > selfs[best])
				best = name;
		return best < 0 ? '' : this.page.profile.names[best];
	}

	sorted() {
		const { sort, ascending } = this.page.state;
		const { rows } = this.data;
		const { found } = this.page;
		const listed = found ? rows.filter((name) => found.hit[name]) : rows.slice();
		listed.sort(this.orders()[sort]);
		return ascending ? listed.reverse() : listed;
	}

	orders() {
		const { selfs, totals } = this.data;
		return {
			name: (a, b) => a - b,
			total: (a, b) => totals[b] - totals[a] || a - b,
			self: (a, b) => selfs[b] - selfs[a] || totals[b] - totals[a] || a - b,
		};
	}

	title() {
		return 'Hottest frames';
	}

	look() {
		return '';
	}

	headings() {
		return [this.heading('self', 'Self', 2), this.heading('total', 'Total', 2),
			this.heading('name', 'Frame', 1)];
	}

	update(weighed) {
		const { state } = this.page;
		if (weighed)
			this.data = null;
		if (state.view !== 'table')
			return;
		const fresh = !this.data;
		if (fresh)
			this.data = this.sums();
		if (!this.page.changed('table', state.sort, state.ascending, state.query,
			state.regex, state.simple) && !fresh)
			return;
		const listed = this.sorted();
		const top = listed.slice(0, TABLE_ROWS);
		this.box.replaceChildren(this.head(listed),
			element('table', { 'aria-label': this.title(), class: this.look() },
				element('thead', null, element('tr', null, ...this.headings())),
				element('tbody', null, ...top.map((name) => this.row(name)))));
	}

	head(listed) {
		const count = listed.length > TABLE_ROWS ?
			`The first ${grouped(TABLE_ROWS)} of ${grouped(listed.length)} frames` :
			counted(grouped(listed.length), 'frames');
		const copy = element('button', { type: 'button' }, 'Copy as CSV');
		copy.addEventListener('click', () =>
			this.page.actions.copy('CSV', this.csv(listed)));
		return element('div', { class: 'table-head' },
			element('span', null, count), element('span', { class: 'grow' }), copy);
	}

	heading(sort, title, span) {
		const { state } = this.page;
		const on = state.sort === sort;
		const button = element('button', { type: 'button' }, title,
			element('i', { 'aria-hidden': 'true' },
				on ? (state.ascending === (sort === 'name') ? ' ▾' : ' ▴') : ''));
		button.addEventListener('click', () =>
			this.page.set({ sort, ascending: on && !state.ascending }, 'replace'));
		return element('th', { scope: 'col', colspan: span, class: sort,
			'aria-sort': !on ? 'none' :
				state.ascending === (sort === 'name') ? 'descending' : 'ascending' }, button);
	}

	row(name) {
		const { page } = this;
		const { selfs, totals } = this.data;
		const whole = page.graph.total[0];
		const text = page.profile.names[name];
		const open = element('button', { type: 'button', class: 'link',
			title: 'Callers and callees' },
		shortened(page.state.simple ? simpleName(text.slice(0, 4096)) : text, 300));
		open.addEventListener('click', () => page.set({
			view: 'sandwich', frame: text, zoom: null, range: null }, 'push'));
		return element('tr', null,
			element('td', null, page.weightText(selfs[name])),
			this.share(selfs[name], whole),
			element('td', null, page.weightText(totals[name])),
			this.share(totals[name], whole),
			element('td', { class: 'frame' }, open));
	}

	share(part, whole) {
		const bar = element('i', { 'aria-hidden': 'true' });
		bar.style.width = `${part / whole * 100}%`;
		return element('td', { class: 'share' }, bar,
			element('span', null, percent(part, whole)));
	}

	csv(listed) {
		const { selfs, totals } = this.data;
		const unit = this.page.unit();
		const whole = this.page.graph.total[0];
		const lines = [`frame,self_${unit},self_percent,total_${unit},total_percent`];
		const share = (w) => (w / whole * 100).toFixed(4);
		for (const name of listed)
			lines.push([csvField(this.page.profile.names[name]), selfs[name],
				share(selfs[name]), totals[name], share(totals[name])].join(','));
		return lines.join('\n') + '\n';
	}
}
