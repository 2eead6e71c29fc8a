// SPDX-License-Identifier: Apache-2.0
// Tests of pages that sjkc writes from collapsed stack traces and recordings.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const recordings = path.join(__dirname, '../../../shared/data/own/jfr');

// Exit status 7 means a truncated recording: sjkc has written the page.
function run(sjkc, ...args) {
	try {
		execFileSync(sjkc, args, { stdio: ['ignore', 'pipe', 'pipe'] });
	} catch (error) {
		if (error.status !== 7)
			throw new Error(`sjkc ${args.join(' ')}: ${error.stderr || error}`);
	}
}

function flame(browser, sjkc, input, ...options) {
	return browser.once(['flame', ...options, input].join(' '), () => {
		const output = path.join(browser.folder, `made${browser.count++}.html`);
		run(sjkc, 'flame', ...options, '-o', output, input);
		return output;
	});
}

function write(browser, name, text) {
	const file = path.join(browser.folder, name);
	fs.writeFileSync(file, text);
	return file;
}

// Returns the stack traces of the page's tree in the form of collapsed text.
const stacksOfPage = () => {
	const { graph, profile } = window.sjkcPage.page;
	const lines = {};
	for (let i = 1; i < graph.n; i++) {
		if (graph.self[i] === 0)
			continue;
		const names = [];
		for (let k = i; k > 0; k = graph.parent[k])
			names.unshift(profile.names[graph.labels.nameOf(graph.label[k])]);
		lines[names.join(';')] = graph.self[i];
	}
	return lines;
};

// Removes suffixes such as _[j]: the page stores kinds separately.
function stacksOfText(text) {
	const lines = {};
	for (const line of text.trim().split('\n')) {
		const space = line.lastIndexOf(' ');
		const key = line.slice(0, space).split(';')
			.map((name) => name.replace(/_\[[jik01]\]$/, '')).join(';');
		lines[key] = (lines[key] || 0) + Number(line.slice(space + 1));
	}
	return lines;
}

module.exports = (test) => {
	test('page_opens_with_the_longest_time_if_cpu_has_few_samples', async (browser, { sjkc }) => {
		const waits = [{ stack: ['app.Main.main', 'app.Main.read'], count: 1, weight: 9e9 }];
		for (const [count, name] of [[19, 'offcpu'], [20, 'cpu']]) {
			const input = browser.write({ title: 'waits', events: [
				{ name: 'cpu', unit: 'ns', samples: [{ stack: ['app.Main.main'], count, weight: count * 1e7 }] },
				{ name: 'offcpu', unit: 'ns', samples: waits }] });
			await browser.with(flame(browser, sjkc, input), async (tab) => {
				assert.strictEqual(await tab.locator('[role=tab][aria-selected=true]').textContent(), name);
			});
		}
	});

	test('page_of_collapsed_stack_traces_has_their_totals', async (browser, { sjkc }) => {
		const text = 'app.Main.main;app.Work.sort;java.util.Arrays.sort 30\n' +
			'app.Main.main;app.Work.sort 20\napp.Main.main;app.Work.walk 40\nGC::mark 10\n';
		const input = write(browser, 'small.collapsed', text);
		await browser.with(flame(browser, sjkc, input), async (tab) => {
			assert.deepStrictEqual(await tab.evaluate(stacksOfPage), stacksOfText(text));
			assert.strictEqual((await tab.frame_('app.Work.sort')).total, 50);
			await tab.clickFrame('app.Work.sort');
			await tab.locator('#search').fill('arrays');
			assert.strictEqual(await tab.locator('#matches').textContent(), '1 · 30.0%');
		});
	});

	test('summary_lists_the_hottest_frames', async (browser, { sjkc }) => {
		const input = write(browser, 'summary.collapsed', 'a.A.main;b.B.hottest 3\na.A.main 1\n');
		const tab = await browser.visit(flame(browser, sjkc, input),
			{ wait: false, context: { javaScriptEnabled: false } });
		const text = await tab.locator('noscript').innerText();
		assert.match(text, /b\.B\.hottest/);
		assert(await tab.locator('noscript table').first().isVisible());
		await tab.done();
	});

	test('hostile_names_of_collapsed_input_stay_inert', async (browser, { sjkc }) => {
		const names = ['</script><img src=x onerror=attack()>', '</title><script>attack()</script>',
			'</noscript><img src=x onerror=attack()>', "'-attack()-'", '${attack()}', '--><script>attack()</script>',
			'\u2028x', '\u202egnp', 'a'.repeat(65536)];
		const input = write(browser, "<script>attack()", names.map((name, i) => `${name};z${i} ${i + 1}\n`).join(''));
		const file = flame(browser, sjkc, input, '--title', names[1]);
		await browser.with(file, async (tab) => {
			assert.strictEqual(await tab.evaluate(() => window.attacked), undefined);
			assert.strictEqual(await tab.title(), names[1]);
			assert.strictEqual((await tab.frame_(names[0])).total, 1);
			assert.strictEqual(tab.seen.requests.length, 1);
		}, { init: () => { window.attack = () => { window.attacked = 1; }; } });
		const tab = await browser.visit(file, { wait: false, context: { javaScriptEnabled: false } });
		assert.strictEqual(await tab.locator('img').count(), 0);
		assert.strictEqual(tab.seen.requests.length, 1);
		await tab.done();
	});

	test('hostile_names_of_a_thread_dump_stay_inert', async (browser, { sjkc }) => {
		const names = ['</script><img src=x onerror=attack()>', "'-attack()-'", '${attack()}',
			'\u2028attack()', '\u05e9\u05dc\u05d5\u05dd', '\u202egnp', `long${'a'.repeat(65536)}`];
		const dump = names.map((name, i) => `"${name}" #${i + 1} prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s ` +
			`tid=0x${i + 1} nid=0x${i + 1} runnable  [0x1]\n   java.lang.Thread.State: RUNNABLE\n` +
			`\tat ${name.replace(/[().]/g, '')}.${name.replace(/[().]/g, '')}(File.java:1)\n\n`);
		const input = write(browser, 'hostile.txt', '2026-11-21 10:07:30\nFull thread dump OpenJDK 64-Bit ' +
			`Server VM (17.0.9+9 mixed mode):\n\n${dump.join('')}JNI global refs: 1, weak refs: 0\n\n`);
		await browser.with(flame(browser, sjkc, input), async (tab) => {
			assert.strictEqual(await tab.evaluate(() => window.sjkcPage.total()), names.length);
			const shown = await tab.evaluate(() => window.sjkcPage.page.profile.threads.map((t) => t.name));
			const safe = (name) => name.replace(/[\u2028\u202e]/g, (c) => `<U+${c.charCodeAt(0).toString(16).toUpperCase()}>`);
			assert.deepStrictEqual([...shown].sort(), names.map(safe).sort());
			await tab.locator('#filters').click();
			const panel = await tab.locator('#threads').textContent();
			for (const name of names.slice(0, 3))
				assert(panel.includes(name), name);
			assert((await tab.frames_()).some((f) => f.name.startsWith('${attack}.')));
			assert.strictEqual(await tab.evaluate(() => window.attacked), undefined);
			assert.strictEqual(await tab.locator('img').count(), 0);
		}, { init: () => { window.attack = () => { window.attacked = 1; }; } });
	});

	// Some truncated recordings have no readable chunk, so sjkc writes no page.  make
	// check opens every third recording, make check-all each.
	const files = fs.existsSync(recordings) ? fs.readdirSync(recordings).filter((f) =>
		f.endsWith('.jfr') && !/^truncated-|^ap-killed9/.test(f)).sort()
		.filter((_, i) => process.env.EVERY_JDK || i % 3 === 0) : ['recordings'];
	for (const file of files)
		test(`tabs_of_${file}_have_the_totals_of_their_events`, async (browser, { sjkc, Skip }) => {
			if (!fs.existsSync(recordings))
				throw new Skip('../shared has no recordings');
			await browser.with(flame(browser, sjkc, path.join(recordings, file)), async (tab) => {
				const events = await tab.evaluate(() => window.sjkcPage.page.profile.events);
				for (let i = 0; i < events.length; i++) {
					await tab.locator(`#event-${i}`).click();
					// The totals of events include idle threads.
					if (await tab.locator('#idle[aria-pressed=false]').isVisible())
						await tab.locator('#idle').click();
					const sums = await tab.evaluate(() => {
						const { page } = window.sjkcPage;
						page.set({ measure: 'weight' }, 'replace');
						const weight = window.sjkcPage.total();
						page.set({ measure: 'samples' }, 'replace');
						return [window.sjkcPage.total(), weight];
					});
					assert.strictEqual(sums[0], Number(events[i].samples), events[i].name);
					assert(Math.abs(sums[1] - Number(events[i].weight)) <= Number(events[i].weight) * 1e-9);
					const wide = (await tab.frames_()).filter((f) => f.width >= 3);
					assert(wide.length > 1 || sums[0] === 0, `${events[i].name} is empty`);
					for (const key of ['c', 't', 'c', 'Shift+T', 'Shift+T'])
						await tab.keyboard.press(key);
					await tab.locator('[data-view=callees]').click();
				}
			});
		});

	test('page_and_collapsed_text_of_a_recording_agree', async (browser, { sjkc, Skip }) => {
		const input = path.join(recordings, 'ap-busy17-cpu1ms.jfr');
		if (!fs.existsSync(input))
			throw new Skip('../shared has no recordings');
		const text = path.join(browser.folder, 'same.collapsed');
		run(sjkc, 'flame', '-o', text, input);
		await browser.with(flame(browser, sjkc, input), async (tab) => {
			assert.deepStrictEqual(await tab.evaluate(stacksOfPage),
				stacksOfText(fs.readFileSync(text, 'utf8')));
		});
	});
};
