// SPDX-License-Identifier: Apache-2.0
// Prints what a page costs the browser, in milliseconds of the renderer's CPU:
//
//     node tests/browser/bench.js [PAGE.html]
//
// Without a page it makes one of 10^6 nodes.
'use strict';

const { Browser } = require('./browser.js');

// A tree as profilers see them: few frames near the root, many towards the leaf.
function description(nodes) {
	let seed = 12345;
	const random = (n) => {
		seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
		return Math.floor(seed / 4294967296 * n);
	};
	const kinds = ['interpreted', 'c1', 'jit', 'inlined', 'native', 'kernel'];
	const frames = Array.from({ length: 60000 }, (_, i) =>
		`org.example.p${i % 300}.Class${i % 5000}.method${i}|${kinds[i % 6]}`);
	const samples = [];
	let stack = [];
	for (let made = 0; made < nodes;) {
		stack = stack.slice(0, Math.max(1, stack.length - 1 - random(random(12) + 1)));
		const grow = 1 + random(14);
		for (let i = 0; i < grow && stack.length < 120; i++, made++)
			stack = [...stack, frames[random(stack.length < 8 ? 40 : frames.length)]];
		samples.push({ stack, count: 1 + random(9), thread: random(50), state: random(3), bucket: random(200) });
	}
	return {
		title: 'bench', events: [{ name: 'cpu', samples }],
		threads: Array.from({ length: 50 }, (_, i) => ({ name: `worker-${i}`, id: i, tid: i + 1 })),
		states: ['RUNNABLE', 'WAITING', 'BLOCKED'],
		time: { start_ms: 0, bucket_ms: 100, buckets: 200 },
	};
}

async function cpu(session) {
	const { processInfo } = await session.send('SystemInfo.getProcessInfo');
	return processInfo.filter((p) => p.type === 'renderer')
		.reduce((sum, p) => sum + p.cpuTime * 1000, 0);
}

async function main() {
	const browser = new Browser();
	await browser.open();
	const file = process.argv[2] || browser.write(description(1e6));
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
	const blank = await browser.visit(browser.write({ title: 'blank', events: [{ name: 'cpu', samples: [] }] }));
	await blank.done();
	let tab;
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
	process.exitCode = 1;
});
