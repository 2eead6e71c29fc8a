// SPDX-License-Identifier: Apache-2.0
// The page of sjkc threads: its tree and groups equal the JSON, the filter, print,
// small screens, hostile names.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { quiet } = require('./browser.js');

const dump = (name) => path.join(__dirname, `../data/dumps/${name}.txt`);

const hostile = ['</script><img src=x onerror=attack()>', '</li></ul></main><script>attack()</script>', '\u202egnp.exe', '&lt;b&gt;'];

const guard = () => {
	window.attacked = 0;
	window.attack = () => { window.attacked++; };
};

function pageOf(browser, sjkc, files, ...options) {
	return browser.once(`threads ${[...options, ...files]}`, () => {
		const file = path.join(browser.folder, `threads${browser.count++}.html`);
		execFileSync(sjkc, ['threads', '-q', ...options, '-o', file, ...files], { stdio: 'pipe', env: { ...process.env, TZ: 'UTC' } });
		return file;
	});
}

const jsonOf = (sjkc, files) => JSON.parse(execFileSync(sjkc, ['threads', '-q', '--json', ...files], { encoding: 'utf8', stdio: 'pipe' }));

const sorted = (list) => list.map((item) => JSON.stringify(item)).sort();

// Controls are shown as their pictures.
const shown = (name) => name.replace(/[\0-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)));

const idOf = (thread) => `${thread.name || !thread.virtual ? `"${shown(thread.name)}"` : 'virtual thread'}${thread.id ? ` #${thread.id}` : thread.tid ? ` tid=${thread.tid}` : ''}`;

// [blocked thread, owner or null, deadlock] of the JSON, and of the page's tree.
const edgesOfJson = (json) => sorted(json.threads.filter((t) => t.blocked).map((t) =>
	[t.name, t.blocked.owner, t.blocked.deadlock !== null]));
const edgesOfPage = async (tab) => sorted(await tab.evaluate(() => {
	const nameOf = (item) => item && item.querySelector('.name').textContent.replace(/^"|"[^"]*$/g, '');
	const edges = [];
	for (const item of document.querySelectorAll('#blocked li.thread')) {
		const owner = item.parentElement.closest('li.thread');
		const held = [...item.childNodes].map((n) => n.nodeType === 3 ? n.data : '').join('').match(/held by "(.*)"/);
		if (owner || held)
			edges.push([nameOf(item), held ? held[1] : nameOf(owner), Boolean(held)]);
		else if (item.parentElement.closest('li.lock'))
			edges.push([nameOf(item), null, false]);
	}
	return edges;
}));

// [state, names, frames] of each group.
const groupsOfJson = (json) => {
	const groups = new Map();
	for (const thread of json.threads.filter((t) => t.stack !== null)) {
		const key = `${thread.stack} ${thread.state}`;
		if (!groups.has(key))
			groups.set(key, [thread.state || 'no state', [], json.stacks[thread.stack].map((frame) => `at ${frame}`)]);
		const carrier = thread.carrier_id && json.threads.find((t) => t.id === thread.carrier_id);
		groups.get(key)[1].push(idOf(thread) + (carrier ? ` mounted on "${shown(carrier.name)}"` : ''));
	}
	return sorted([...groups.values()]);
};
const groupsOfPage = async (tab) => sorted(await tab.evaluate(() => {
	const texts = (group, selector) => [...group.querySelectorAll(selector)].map((e) => e.textContent);
	return [...document.querySelectorAll('#stacks details')].map((group) => {
		const summary = group.querySelector('summary').cloneNode(true);
		const names = texts(group, '.names li');
		if (Number.parseInt(summary.querySelector('.count').textContent, 10) === 1) {
			summary.querySelectorAll('span').forEach((e) => e.remove());
			names.push(summary.textContent.replace('(idle)', '').trim());
		}
		return [group.querySelector('.state').textContent, names, texts(group, '.frames li:not(.wait)')];
	});
}));

module.exports = (test) => {
	test('tree_and_groups_equal_the_json', async (browser, { sjkc }) => {
		for (const name of ['jcmd-threadprint-le-jdk17', 'jstack-jdk25', 'log-with-kill3-jdk17']) {
			const json = jsonOf(sjkc, [dump(name)]);
			await browser.with(pageOf(browser, sjkc, [dump(name)]), async (tab) => {
				assert.deepStrictEqual(await edgesOfPage(tab), edgesOfJson(json));
				assert.deepStrictEqual(await groupsOfPage(tab), groupsOfJson(json));
				assert.strictEqual(await tab.locator('.deadlock').count(), json.dumps[json.dump - 1].deadlocks);
				const states = Object.values(json.dumps[json.dump - 1].states).filter(Boolean).sort();
				assert.deepStrictEqual((await tab.locator('#states + table td:nth-child(2)').allTextContents()).map(Number).sort(), states);
				const pools = json.pools.filter((pool) => pool.threads > 1).map((pool) => `${pool.name || '[no name]'} ${pool.threads}`);
				assert.deepStrictEqual(await tab.locator('#pools tbody tr').evaluateAll((rows) =>
					rows.map((row) => `${row.cells[0].textContent} ${row.cells[1].textContent}`)), pools);
			});
		}
	});

	test('long_chain_of_blocked_threads_is_shown_whole', async (browser, { sjkc }) => {
		const file = path.join(browser.folder, 'chain.txt');
		const thread = (i) => `"t${i}" #${i + 1} tid=0x${i + 1} nid=${i + 1} waiting\n   java.lang.Thread.State: ${i ? 'BLOCKED' : 'RUNNABLE'}\n\tat a.B.c(B.java:1)\n${i ? `\t- waiting to lock <0x${i}> (a.Lock)\n` : ''}\t- locked <0x${i + 1}> (a.Lock)\n\n`;
		fs.writeFileSync(file, `Full thread dump X (1):\n\n${Array.from({ length: 600 }, (_, i) => thread(i)).join('')}JNI global refs: 1\n`);
		await browser.with(pageOf(browser, sjkc, [file]), async (tab) => {
			const names = await tab.locator('#blocked li.thread > .name').allTextContents();
			assert.deepStrictEqual(names, Array.from({ length: 600 }, (_, i) => `"t${i}" #${i + 1}`));
			assert.strictEqual(await tab.locator('main > section').count(), 3);
		});
	});

	test('several_dumps_show_stuck_threads_and_cpu', async (browser, { sjkc }) => {
		const files = [dump('jstack-jdk25'), dump('jstack-jdk25')];
		const json = jsonOf(sjkc, files);
		await browser.with(pageOf(browser, sjkc, files), async (tab) => {
			assert.strictEqual(await tab.locator('#dumps + div tbody tr').count(), 2);
			const stuck = json.threads.filter((t) => t.dumps_without_a_move > 1 && ['runs', 'blocked', 'waits'].includes(t.activity));
			const counts = await tab.locator('#stuck .count').allTextContents();
			assert(stuck.length > 0);
			assert.strictEqual(counts.reduce((sum, text) => sum + Number.parseInt(text, 10), 0), stuck.length);
		});
	});

	for (const width of [480, 900, 1400])
		test(`tables_show_all_columns_in_a_window_of_${width}_pixels`, async (browser, { sjkc }) => {
			const files = [dump('jcmd-threadprint-le-jdk17'), dump('jstack-jdk25'), dump('log-with-kill3-jdk17')];
			await browser.with(pageOf(browser, sjkc, files), async (tab) => {
				const cut = await tab.locator('.scroll').evaluateAll((boxes) =>
					boxes.map((box) => box.scrollWidth - box.clientWidth));
				assert.strictEqual(cut.length, 3);
				assert(cut.every((pixels) => pixels <= 0), String(cut));
			}, { context: { viewport: { width, height: 800 } } });
		});

	test('filter_finds_threads_and_frames', async (browser, { sjkc }) => {
		await browser.with(pageOf(browser, sjkc, [dump('jcmd-threadprint-le-jdk17')]), async (tab) => {
			const visible = (selector) => tab.locator(`${selector}:visible`).count();
			const whole = await visible('#stacks details');
			await tab.locator('#filter').fill('HOLDER-nested');
			assert.strictEqual(await visible('#stacks details'), 1);
			assert.strictEqual(await tab.locator('#found').textContent(), 'matching stack traces: 1');
			// A holder is shown with the threads that it blocks.
			assert.deepStrictEqual(await tab.locator('#blocked li.thread:visible > .name').allTextContents(), ['"holder-nested" #24', '"blocked-on-class" #25']);
			await tab.locator('#filter').fill('ReentrantReadWriteLock$WriteLock.lock(');
			assert.match(await tab.locator('#stacks details:visible').textContent(), /rw-writer/);
			await tab.locator('#filter').fill('');
			assert.strictEqual(await visible('#stacks details'), whole);
			await tab.locator('#blocked a', { hasText: 'rw-writer' }).click();
			assert.strictEqual(await tab.locator('.frames:visible').count(), 1);
			await tab.locator('#unfold').click();
			assert.strictEqual(await tab.locator('.frames:visible').count(), whole);
		});
	});

	test('page_without_scripts_dark_and_on_a_small_screen_is_complete', async (browser, { sjkc }) => {
		const file = pageOf(browser, sjkc, [dump('jstack-jdk25')]);
		const tab = await browser.visit(file, { wait: false, context: {
			javaScriptEnabled: false, colorScheme: 'dark', viewport: { width: 390, height: 800 } } });
		await tab.locator('#stacks summary').first().click();
		assert(await tab.locator('#stacks .frames').first().isVisible());
		assert.strictEqual(await tab.locator('#bar').isVisible(), false);
		assert.strictEqual((await tab.locator('.deadlock h3').allInnerTexts()).filter((t) => t.includes('DEADLOCK')).length, 2);
		await tab.done();
		await browser.with(file, async (small) => {
			assert.strictEqual(await small.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(23, 25, 30)');
			assert(await small.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
		}, { context: { colorScheme: 'dark', viewport: { width: 390, height: 800 } } });
	});

	test('hostile_names_are_shown_literally_and_create_no_element', async (browser, { sjkc }) => {
		const file = path.join(browser.folder, '<img src=x onerror=attack()>.txt');
		const seeds = hostile.flatMap((name) => [name, name]);
		fs.writeFileSync(file, `Full thread dump ${hostile[0]} (1):\n\n${seeds.map((name, i) =>
			`"${name}" #${i + 1} tid=0x${i + 1} nid=${i + 1} waiting\n   java.lang.Thread.State: BLOCKED\n\tat a.${hostile[1]}.c(${hostile[0]}:1)\n` +
			`\t- waiting to lock <0x${i ^ 1}> (a ${name})\n\t- locked <0x${i}> (a ${name})\n\n`).join('')}JNI global refs: 1\n`);
		const page = pageOf(browser, sjkc, [file]);
		const tab = await browser.visit(page, { init: guard });
		assert.deepStrictEqual(tab.seen.requests, [`file://${page}`]);
		await tab.locator('#unfold').click();
		const text = await tab.locator('body').innerText();
		for (const name of [hostile[0], hostile[1], '<U+202E>gnp.exe', hostile[3]])
			assert(text.includes(name), name);
		assert.strictEqual(await tab.locator('.deadlock').count(), 4);
		assert.strictEqual(await tab.evaluate(() => window.attacked), 0);
		assert.strictEqual(await tab.locator('img, b, iframe').count(), 0);
		assert.strictEqual(await tab.locator('script').count(), 1);
		assert((await tab.title()).includes(`${path.basename(file)}: threads`));
		await quiet(tab);
		await tab.done();
	});
};
