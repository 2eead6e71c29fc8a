// SPDX-License-Identifier: Apache-2.0
// Prints the CPU time of a page's renderer process in milliseconds:
//
//     node tests/browser/bench.js [PAGE.html]
//
// Without a page it makes one of 10^6 nodes. A plain page is measured for comparison.
// Chromium's other renderers are not included.
'use strict';

const path = require('node:path');

const { Browser } = require('./browser.js');
const { large } = require('./sample.js');

const ROUNDS = 7;
const PLAIN = '<!doctype html><title>plain</title><p>plain</p>' +
	'<script>window.sjkcPage = { opened: 0 }</script>';

// Returns the CPU time of the tab's process so far. Chromium counts in steps of 10 ms.
async function cpu(tab) {
	if (!tab.session) {
		tab.session = await tab.context().newCDPSession(tab);
		await tab.session.send('Performance.enable');
	}
	const { metrics } = await tab.session.send('Performance.getMetrics');
	return metrics.find((m) => m.name === 'ProcessTime').value * 1000;
}

function median(values) {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[sorted.length >> 1];
}

function print(name, used, wall) {
	console.log(`${name.padEnd(34)} ${used.toFixed(1).padStart(8)} ms CPU` +
		(wall ? ` ${wall.toFixed(1).padStart(8)} ms in the page` : ''));
}

// Opens the pages in turn, each in its own process.
async function benchOpen(browser, pages) {
	const seen = pages.map(() => ({ used: [], wall: [] }));
	await (await browser.visit(pages[0][1], { alone: true })).done();
	for (let round = 0; round < ROUNDS; round++)
		for (const [k, [, file]] of pages.entries()) {
			const tab = await browser.visit(file, { alone: true });
			seen[k].wall.push(await tab.evaluate(() => window.sjkcPage.opened));
			seen[k].used.push(await cpu(tab));
			await tab.done();
		}
	pages.forEach(([name], k) =>
		print(name, median(seen[k].used), median(seen[k].wall)));
}

// Waits until the screen shows the result of a step.
async function settled(tab) {
	await tab.evaluate(() => new Promise((done) =>
		requestAnimationFrame(() => requestAnimationFrame(done))));
}

async function benchSteps(tab) {
	const measure = async (name, body, times) => {
		await settled(tab);
		const before = await cpu(tab);
		let wall = 0;
		for (let i = 0; i < times; i++) {
			wall += await body(i) || 0;
			await settled(tab);
		}
		print(name, (await cpu(tab) - before) / times, wall / times);
	};
	await tab.evaluate(() => {
		window.targets = window.sjkcPage.frames()
			.filter((x) => x.width > 20 && x.level > 3).map((x) => x.node);
	});
	const inPage = (body, argument) => tab.evaluate(([text, a]) => {
		const { targets } = window;
		const page = window.sjkcPage.page;
		// The policy of the page forbids eval, so steps have names.
		const steps = {
			nothing: () => {},
			search: () => page.set({ query: `method${a}`, regex: false }, 'replace'),
			regex: () => page.set({ query: `p${a}\\..*5$`, regex: true }, 'replace'),
			zoom: () => page.zoom.into(page.pane, a % 2 ? 0 : targets[(a * 7) % targets.length]),
			next: () => page.nextMatch(1),
			draw: () => page.draw(),
			callers: () => page.set({ view: a % 2 ? 'callees' : 'callers', zoom: null }, 'replace'),
			filter: () => page.set({ stateOff: new Set([a % 3]) }, 'replace'),
			collapse: () => page.set({ transforms: a % 2 ? [] : [{ op: 'collapse', frame: page.profile.names[5] }] }, 'replace'),
			threads: () => page.set({ threads: a % 2 === 0 }, 'replace'),
			table: () => page.set({ view: a % 2 ? 'callees' : 'table' }, 'replace'),
		};
		const began = performance.now();
		steps[text]();
		return performance.now() - began;
	}, [body, argument]);
	const step = (name, body, times, first = 0) =>
		measure(name, (i) => inPage(body, i + first), times);
	await step('nothing, with the same harness', 'nothing', 20);
	await step('search, literal', 'search', 10, 10);
	await step('search, regular expression', 'regex', 10, 10);
	await step('next match', 'next', 10);
	await tab.evaluate(() => window.sjkcPage.page.set({ query: '', regex: false }, 'replace'));
	await step('zoom', 'zoom', 40);
	await step('draw', 'draw', 40);
	await tab.mouse.move(10, 300);
	await measure('hover', (i) => tab.mouse.move(20 + i * 30, 250 + i * 3), 40);
	await step('filter by state', 'filter', 6);
	await step('collapse recursion and back', 'collapse', 4);
	await step('callers and back', 'callers', 4);
	await step('table and back', 'table', 4);
	await step('threads as root and back', 'threads', 2);
}

async function benchMemory(browser, file) {
	const tab = await browser.visit(file, { alone: true });
	const session = await tab.context().newCDPSession(tab);
	await session.send('HeapProfiler.collectGarbage');
	const heap = await session.send('Runtime.getHeapUsage');
	const columns = heap.backingStorageSize || 0;
	const bytes = heap.usedSize + columns;
	const nodes = await tab.evaluate(() => window.sjkcPage.nodes());
	console.log(`memory ${(bytes / 1e6).toFixed(1)} MB, of which ` +
		`${(columns / 1e6).toFixed(1)} MB columns, ` +
		`${(bytes / nodes).toFixed(1)} bytes a node of ${nodes}`);
	await tab.done();
}

async function main() {
	const browser = new Browser();
	await browser.open();
	const file = process.argv[2] ? path.resolve(process.argv[2]) : browser.write(large(1e6));
	await benchOpen(browser, [
		['open a plain page', browser.file(PLAIN)],
		['open a page without samples', browser.write({ title: 'blank', events: [{ name: 'cpu', samples: [] }] })],
		['open', file],
	]);
	const tab = await browser.visit(file, { alone: true });
	await benchSteps(tab);
	await tab.done();
	await benchMemory(browser, file);
	await browser.close();
}

main().catch((error) => {
	console.error(error);
	process.exit(1); // not waiting for the browser
});
