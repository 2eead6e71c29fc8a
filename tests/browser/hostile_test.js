// SPDX-License-Identifier: Apache-2.0
// Tests that hostile names run no script, cause no request and are shown literally.
'use strict';

const assert = require('node:assert');
const { quiet } = require('./browser.js');

const seeds = [
	'</script><img src=x onerror=attack()>', '</title><script>attack()</script>',
	'<img src=http://127.0.0.1:9/x onerror=attack()>', "'-attack()-'", '"-attack()-"',
	'${attack()}', '`${attack()}`', '{{attack()}}', '<svg/onload=attack()>', 'javascript:attack()',
	'\u2028attack()//', '\u2029attack()', '\u202egnp.exe\u202c', '\u05e9\u05dc\u05d5\u05dd.\u0645\u0631\u062d\u0628\u0627',
	'--><script>attack()</script><!--', ']]><script>attack()</script>', '<!--<script>', '__proto__', 'constructor',
	'toString', 'hasOwnProperty', '&lt;script&gt;', '<iframe srcdoc="<script>parent.attack()</script>">',
	'</noscript><script>attack()</script>', '</style><script>attack()</script>', '\\u003cscript\\u003e',
	'<a href=javascript:attack()>click', '%3Cscript%3E', '=cmd|" /C calc"!A0', '\ud83d\ude00.\u{1F468}\u200D\u{1F469}',
	'a'.repeat(65536), `<b>${'<'.repeat(65000)}`, '', ' ', '\u00a0', '\ufeff', '.', '..', '$&', '$1', "$'",
];

const clean = (name) => name.replace(/[;|]/g, '¦');

function names() {
	const list = [];
	for (let i = 0; list.length < 1000; i++)
		list.push(clean(i < seeds.length ? seeds[i] : `${seeds[i % seeds.length].slice(0, 400)}${i}`));
	return list;
}

function description() {
	const all = names();
	const frames = all.map((name) => ({ name, kind: 'java', line: 0 }));
	const samples = frames.map((frame, i) => ({
		stack: [frame, frames[(i * 7 + 1) % 1000], frames[(i * 13 + 5) % 1000]],
		count: 1 + i % 5, thread: i % 40, state: i % 2, bucket: i % 10,
	}));
	return {
		title: seeds[1], notes: [seeds[0]],
		events: [{ name: seeds[0], types: [seeds[2]], samples }, { name: seeds[6], samples }],
		threads: seeds.slice(0, 40).map((name, i) => ({ name: clean(name), id: i, tid: i + 1 })),
		states: [seeds[0], seeds[4]],
		time: { start_ms: 0, bucket_ms: 1, buckets: 10 },
	};
}

const guard = () => {
	window.attacked = 0;
	window.attack = () => { window.attacked++; };
};

async function useAll(tab) {
	for (const view of ['callers', 'table', 'sandwich', 'callees'])
		await tab.locator(`[data-view=${view}]`).click();
	for (const key of ['Shift+T', 'Shift+S', 't', 't', '2', '1'])
		await tab.keyboard.press(key);
	await tab.locator('#filters').click();
	await tab.locator('#search').fill('<');
	await tab.locator('#search').press('Enter');
	const { x, y } = (await tab.frames_()).find((f) => f.level === 2);
	await tab.mouse.move(x + 3, y + 4);
	await tab.mouse.click(x + 3, y + 4, { button: 'right' });
	await tab.getByRole('menuitem', { name: 'Focus' }).click();
	await tab.keyboard.press('?');
	await tab.keyboard.press('Escape');
}

// Waits for the last work that the page schedules after a change.
async function mirrorFilled(tab) {
	await tab.evaluate(() => {
		document.querySelector('#graph .mirror').replaceChildren();
		window.sjkcPage.page.draw();
	});
	await tab.locator('#graph [role=treeitem]').first().waitFor({ state: 'attached' });
}

module.exports = (test) => {
	test('hostile_names_cause_no_script_request_report_or_dialog', async (browser) => {
		const file = browser.write(description());
		const tab = await browser.visit(file, { init: guard });
		await useAll(tab);
		await mirrorFilled(tab);
		assert.strictEqual(await tab.evaluate(() => window.attacked), 0);
		assert.deepStrictEqual(tab.seen.requests, [`file://${file}`]);
		await quiet(tab);
		assert.strictEqual(await tab.evaluate(() => document.querySelectorAll(
			'img, iframe, svg, b > *, a[href]').length), 0);
		// The page has its script and the heat map's; its data is removed.
		assert.strictEqual(await tab.locator('script').count(), 2);
		await tab.done();
	});

	test('hostile_names_are_shown_literally', async (browser) => {
		await browser.with(description(), async (tab) => {
			assert.strictEqual(await tab.title(), seeds[1]);
			assert.strictEqual(await tab.getByRole('tab').first().textContent(), seeds[0]);
			await tab.locator('[data-view=table]').click();
			await tab.locator('#search').fill('</script><img');
			assert.strictEqual(await tab.locator('#table .link').filter({ hasText: /^<\/script><img src=x onerror=attack\(\)>$/ }).count(), 1);
			await tab.locator('#search').fill('gnp.exe');
			assert.match(await tab.locator('#table .link').first().textContent(), /^<U\+202E>gnp\.exe<U\+202C>/);
		}, { init: guard });
	});

	test('hostile_link_runs_no_script', async (browser) => {
		const file = browser.write(description());
		const hash = `#v=sandwich&f=${encodeURIComponent(seeds[0])}&q=${encodeURIComponent(seeds[2])}` +
			`&do=focus:${encodeURIComponent(seeds[2])}&do=__proto__:x&do=constructor:x&tp=${encodeURIComponent('(a+)+$')}&theme=javascript:attack()`;
		const tab = await browser.visit(file, { init: guard, hash });
		assert.strictEqual(await tab.evaluate(() => window.attacked), 0);
		await quiet(tab);
		await tab.done();
	});

	test('hostile_link_is_parsed_in_bounded_time', async (browser) => {
		const file = browser.write(description());
		for (const hash of [`t=${'0-999999.'.repeat(5000)}`, `s=${'0-999999.'.repeat(5000)}`,
			'do=focus:x&'.repeat(5000), `q=${'a'.repeat(200000)}`]) {
			const tab = await browser.visit(file, { hash: `#${hash}` });
			assert((await tab.link()).length < 300000);
			await quiet(tab);
			await tab.done();
		}
	});

	test('link_with_unknown_threads_and_states_is_reduced', async (browser) => {
		await browser.with(description(), async (tab) => {
			const threads = seeds.slice(0, 40).length;
			assert.strictEqual(await tab.evaluate(() => window.sjkcPage.state()),
				`t=1.38-${threads - 1}`);
		}, { hash: '#t=38-999999.1.700000&s=2-9' });
	});
};
