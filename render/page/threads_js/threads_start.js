// SPDX-License-Identifier: Apache-2.0
// Filters the threads of the page, which is complete without this script.

const get = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];

// Rows and groups are shown if their text contains the filter.
function filterRows(wanted) {
	let groups = 0;
	for (const row of all('.row')) {
		const shown = row.textContent.toLowerCase().includes(wanted);
		row.hidden = !shown;
		if (shown && row.closest('#stacks'))
			groups++;
	}
	return groups;
}

// The text of an item of the tree, without the items below it.
function ownText(item) {
	return [...item.childNodes].filter((node) => node.nodeName !== 'UL')
		.map((node) => node.textContent).join('').toLowerCase();
}

// Shows each match with the items above it, which block it, and below it.
function filterTree(wanted) {
	const matches = new Set();
	for (const item of all('.tree li')) {
		const above = item.parentElement.closest('.tree li');
		if ((above && matches.has(above)) || ownText(item).includes(wanted))
			matches.add(item);
		item.hidden = true;
	}
	for (const match of matches) {
		for (let item = match; item && item.hidden; item = item.parentElement.closest('.tree li'))
			item.hidden = false;
	}
}

function openAll(open) {
	for (const group of all('details:not([hidden])'))
		group.open = open;
}

export function startPage() {
	const filter = () => {
		const wanted = get('filter').value.trim().toLowerCase();
		const groups = filterRows(wanted);
		filterTree(wanted);
		get('found').textContent = wanted ? `matching stack traces: ${groups.toLocaleString('en-US')}` : '';
	};
	get('filter').addEventListener('input', filter);
	get('unfold').addEventListener('click', () => openAll(true));
	get('fold').addEventListener('click', () => openAll(false));
	// A printed page has all stack traces.
	window.addEventListener('beforeprint', () => openAll(true));
	get('bar').hidden = false;
	filter();
	// For tests.
	window.sjkcPage = {};
}
