// SPDX-License-Identifier: Apache-2.0
// Prints what a page costs the browser, in milliseconds of the renderer's CPU:
//
//     node tests/browser/bench.js [PAGE.html]
//
// Without a page it makes one of 10^6 nodes.
'use strict';

const path = require('node:path');

const { Browser } = require('./browser.js');
const { large } = require('./sample.js');

async function cpu(session) {
	const { processInfo } = await session.send('SystemInfo.getProcessInfo');
	return processInfo.filter((p) => p.type === 'renderer')
		.reduce((sum, p) => sum + p.cpuTime * 1000, 0);
}

async function main() {
	const browser = new Browser();
	await browser.open();
	const file = process.argv[2] ? path.resolve(process.argv[2]) : browser.write(large(1e6));
	const session = await browser.chromium.newBrowserCDPSession();
	const measure = async (name, body, times = 1) => {
		const before = await cpu(session);
		let wall = 0;
		for (let i = 0; i < times; i++)
			wall += await body(i) || 0;
		const used = (await cpu(session) - before) / times;
		console.log(`${name.padEnd(34)} ${used.toFixed(1).padStart(8)} ms CPU` +
			(wall ? ` ${(wall / times).toFixed(1).padStart(8)} ms in the page` : ''));
	};
	const blank = browser.write({ title: 'blank', events: [{ name: 'cpu', samples: [] }] });
	await (await browser.visit(blank)).done();
	let tab;
	await measure('open a page without samples', async () => {
		tab = await browser.visit(blank);
		return tab.evaluate(() => window.sjkcPage.opened);
	});
	await tab.done();
	await measure('open', async () => {
		tab = await browser.visit(file);
		return tab.evaluate(() => window.sjkcPage.opened);
	});
	const inPage = (body, argument) => tab.evaluate(async ([text, a]) => {
		const began = performance.now();
		// The body is handed over as text since the page has no eval.
		const page = window.sjkcPage.page;
		const steps = {
			search: () => page.set({ query: `method${a}`, regex: false }, 'replace'),
			regex: () => page.set({ query: `p${a}\\..*5$`, regex: true }, 'replace'),
			zoom: () => { const f = window.sjkcPage.frames().filter((x) => x.width > 20 && x.level > 3); page.zoom.into(page.pane, a % 2 ? 0 : f[(a * 7) % f.length].node); },
			next: () => page.nextMatch(1),
			draw: () => page.draw(),
			callers: () => page.set({ view: a % 2 ? 'callees' : 'callers', zoom: null }, 'replace'),
			filter: () => page.set({ stateOff: new Set([a % 3]) }, 'replace'),
			lines: () => page.set({ transforms: a % 2 ? [] : [{ op: 'collapse', frame: page.profile.names[5] }] }, 'replace'),
			threads: () => page.set({ threads: a % 2 === 0 }, 'replace'),
			table: () => page.set({ view: a % 2 ? 'callees' : 'table' }, 'replace'),
		};
		steps[text]();
		return performance.now() - began;
	}, [body, argument]);
	console.log(`nodes ${await tab.evaluate(() => window.sjkcPage.nodes())}`);
	await measure('search, literal', (i) => inPage('search', i + 10), 10);
	await measure('search, regular expression', (i) => inPage('regex', i + 10), 10);
	await measure('next match', () => inPage('next', 0), 10);
	await tab.evaluate(() => window.sjkcPage.page.set({ query: '', regex: false }, 'replace'));
	await measure('zoom', (i) => inPage('zoom', i), 20);
	await measure('draw', () => inPage('draw', 0), 20);
	await tab.mouse.move(10, 300);
	await measure('hover', async (i) => { await tab.mouse.move(20 + i * 30, 250 + i * 3); }, 40);
	await measure('filter by state', (i) => inPage('filter', i), 6);
	await measure('collapse recursion and back', (i) => inPage('lines', i), 4);
	await measure('callers and back', (i) => inPage('callers', i), 4);
	await measure('table and back', (i) => inPage('table', i), 4);
	await measure('threads as root and back', (i) => inPage('threads', i), 2);
	await tab.done();
	tab = await browser.visit(file);
	const page = await tab.context().newCDPSession(tab);
	await page.send('HeapProfiler.collectGarbage');
	const heap = await page.send('Runtime.getHeapUsage');
	const bytes = heap.usedSize + (heap.backingStorageSize || 0);
	console.log(`memory ${(bytes / 1e6).toFixed(1)} MB, of which ` +
		`${((heap.backingStorageSize || 0) / 1e6).toFixed(1)} MB columns`);
	await tab.done();
	await browser.close();
}

main().catch((error) => {
	console.error(error);
	process.exit(1); // not waiting for the browser
});
