// SPDX-License-Identifier: Apache-2.0
// Tests of tabs, measures, table, sandwich, display settings, tooltip, copying.
'use strict';

const assert = require('node:assert');
const { sample, lines } = require('./sample.js');

const clipboard = { context: { permissions: ['clipboard-read', 'clipboard-write'] } };
const pasted = (tab) => tab.evaluate(() => navigator.clipboard.readText());
const cells = async (tab, row) =>
	(await tab.locator(`#table tbody tr:nth-child(${row}) td`).allInnerTexts()).map((t) => t.trim());

module.exports = (test) => {
	test('each_event_has_a_tab', async (browser) => {
		await browser.with(sample({ selected: 1 }), async (tab) => {
			assert.deepStrictEqual(await tab.getByRole('tab').allTextContents(), ['cpu', 'alloc']);
			assert.strictEqual(await tab.locator('[role=tab][aria-selected=true]').textContent(), 'alloc');
			assert.strictEqual((await tab.frame_('byte[]')).total, 3);
			await tab.getByRole('tab', { name: 'cpu' }).click();
			assert.strictEqual((await tab.frame_('app.Work.sort')).total, 50);
			await tab.keyboard.press('2');
			assert.strictEqual((await tab.frame_('app.Main.main')).total, 4);
			await tab.goBack();
			assert.strictEqual((await tab.frame_('app.Main.main')).total, 90);
		});
	});

	test('tabs_have_the_event_names_that_option_e_accepts', async (browser) => {
		const events = ['cpu', 'jdk.Deoptimization', 'jdk.Same', 'other.Same'].map((name) =>
			({ name, samples: [{ stack: ['a.A.a'], count: 1 }] }));
		await browser.with({ title: 'events', events }, async (tab) => {
			assert.deepStrictEqual(await tab.getByRole('tab').allTextContents(),
				['cpu', 'Deoptimization', 'jdk.Same', 'other.Same']);
		});
	});

	test('measures_switch_between_samples_and_weight', async (browser) => {
		await browser.with(sample(), async (tab) => {
			assert.strictEqual(await tab.locator('#summary').textContent(), '100 samples');
			await tab.locator('[data-measure=weight]').click();
			assert.strictEqual(await tab.locator('#summary').textContent(), '10 s');
			assert.strictEqual((await tab.frame_('app.Work.walk')).total, 5e9);
			await tab.keyboard.press('2');
			assert.strictEqual(await tab.locator('#summary').textContent(), '4 MB');
			await tab.keyboard.press('w');
			assert.strictEqual(await tab.locator('#summary').textContent(), '4 samples');
		});
		await browser.with(sample({ measure: 'weight' }), async (tab) => {
			assert.strictEqual(await tab.evaluate(() => window.sjkcPage.total()), 10e9);
		});
		await browser.with(lines('a.A.a 1'), async (tab) => {
			assert(!await tab.locator('#measures').isVisible());
		});
		// A record of samples may stand for many samples, or for none.
		const wall = lines('a.A.a 3');
		wall.events[0].samples[0].weight = 8;
		await browser.with(wall, async (tab) => {
			assert.deepStrictEqual(await tab.locator('#measures button').allTextContents(), ['Records', 'Samples']);
			assert.strictEqual(await tab.locator('#summary').textContent(), '3 records');
			await tab.keyboard.press('w');
			assert.strictEqual(await tab.locator('#summary').textContent(), '8 samples');
		});
		const idle = lines('a.A.a 3');
		idle.events[0].samples[0].weight = 0;
		await browser.with({ ...idle, measure: 'weight' }, async (tab) => {
			assert.match(await tab.locator('#empty').textContent(), /no weight/);
		});
	});

	test('table_lists_the_hottest_frames', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.keyboard.press('t');
			assert.deepStrictEqual(await cells(tab, 1), ['40 samples', '40.0%', '40 samples', '40.0%', 'app.Work.walk']);
			assert.deepStrictEqual(await cells(tab, 2), ['30 samples', '30.0%', '30 samples', '30.0%', 'java.util.Arrays.sort']);
			await tab.locator('#table th.total button').click();
			assert.deepStrictEqual((await cells(tab, 1)).slice(2), ['90 samples', '90.0%', 'app.Main.main']);
			await tab.locator('#table th.name button').click();
			assert.strictEqual((await cells(tab, 1))[4], 'GC::mark(Heap*)');
			await tab.locator('#table th.name button').click();
			assert.strictEqual((await cells(tab, 1))[4], 'thread_start');
			await tab.locator('#search').fill('sort');
			assert.strictEqual(await tab.locator('#table tbody tr').count(), 2);
			await tab.locator('#table .link').first().click();
			assert.strictEqual((await tab.frame_('java.util.Arrays.sort')).total, 30);
		});
	});

	test('copied_csv_has_no_formulas', async (browser) => {
		await browser.with(lines('=cmd|/C calc;a.A."q" 3', '+x;-y;@z 1'), async (tab) => {
			await tab.locator('[data-view=table]').click();
			await tab.locator('#table th.name button').click();
			await tab.getByRole('button', { name: 'Copy as CSV' }).click();
			await tab.waitForFunction(() => document.getElementById('announcement').textContent.includes('copied'));
			assert.strictEqual(await pasted(tab), [
				'frame,self_samples,self_percent,total_samples,total_percent',
				'"\'+x",0,0.0000,1,25.0000', '"\'-y",0,0.0000,1,25.0000',
				'"\'=cmd",0,0.0000,3,75.0000', '"\'@z",1,25.0000,1,25.0000',
				'"a.A.""q""",3,75.0000,3,75.0000', ''].join('\n'));
		}, clipboard);
	});

	test('sandwich_has_callers_above_and_callees_below', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.clickFrame('app.Work.sort');
			await tab.keyboard.press('s');
			const callers = await tab.frames_('upper');
			assert.deepStrictEqual(callers.map((f) => [f.name, f.total]), [['app.Main.main', 50]]);
			const callees = await tab.frames_();
			assert.deepStrictEqual(callees.map((f) => [f.name, f.total]),
				[['app.Work.sort', 50], ['java.util.Arrays.sort', 30]]);
			assert(callers[0].y + callers[0].height <= callees[0].y + 3 && callers[0].y > callees[0].y - 25);
			// A click on the frame itself zooms both halves out.
			await tab.clickFrame('app.Main.main', { which: 'upper' });
			assert.match(await tab.link(), /zc=/);
			await tab.clickFrame('app.Work.sort');
			assert.doesNotMatch(await tab.link(), /zc=/);
		});
		// Recursion is not counted twice.
		await browser.with(sample(), async (tab) => {
			assert.deepStrictEqual((await tab.frames_()).map((f) => [f.name, f.level, f.total]), [
				['app.Work.walk', 0, 40], ['app.Work.step', 1, 20], ['app.Work.walk', 1, 15], ['app.Work.walk', 2, 20]]);
			assert.strictEqual((await tab.frame_('app.Main.main', 'upper')).total, 40);
			await tab.clickFrame('app.Main.main', { which: 'upper' });
			assert.match(await tab.link(), /zc=/);
		}, { hash: '#v=sandwich&f=app.Work.walk' });
	});

	test('sandwich_cuts_no_row_of_callers', async (browser) => {
		const stack = Array.from({ length: 60 }, (_, i) => `a.A.m${i}`).join(';');
		for (const height of [601, 700, 813]) {
			await browser.with(lines(`${stack};hot.H.h 5`), async (tab) => {
				const tops = (await tab.frames_('upper')).map((f) => f.y);
				const edge = await tab.locator('#upper').boundingBox();
				assert(tops.length > 5 && tops.length < 60);
				assert.strictEqual(Math.min(...tops), edge.y);
			}, { hash: '#v=sandwich&f=hot.H.h', context: { viewport: { width: 1000, height } } });
		}
	});

	test('callers_are_sorted_by_weight', async (browser) => {
		await browser.with(lines('z.Z.z;hot.H.h 5', 'b.B.b;hot.H.h 2', 'a.A.a;hot.H.h 3', 'a.A.a;cold.C.c 1'), async (tab) => {
			await tab.keyboard.press('c');
			const names = async () => (await tab.frames_()).filter((f) => f.level > 0)
				.sort((a, b) => a.level - b.level || a.x - b.x).map((f) => f.name);
			assert.deepStrictEqual(await names(), ['hot.H.h', 'cold.C.c', 'z.Z.z', 'a.A.a', 'b.B.b', 'a.A.a']);
		});
	});

	test('narrow_frame_omits_the_package', async (browser) => {
		await browser.with(lines('org.example.long.name.Service.handle 40', 'org.example.long.name.Other.work 60'), async (tab) => {
			const label = async () => (await tab.frame_('org.example.long.name.Service.handle')).label;
			assert.strictEqual(await label(), 'org.example.long.name.Service.handle');
			await tab.setViewportSize({ width: 500, height: 600 });
			await tab.waitForFunction(() => window.sjkcPage.frames().every((f) => f.width <= 500));
			assert.strictEqual(await label(), 'Service.handle');
			await tab.setViewportSize({ width: 200, height: 600 });
			await tab.waitForFunction(() => window.sjkcPage.frames().every((f) => f.width <= 200));
			assert.match(await label(), /^Servi.*…$/);
		});
	});

	const mixed = {
		title: 'mixed', events: [{ name: 'wall', samples: [
			['clone3|native JavaThread::run|cpp call_stub|native a.A.run|jit a.A.read|jit read|native ksys_read|kernel', 5],
			['clone3|native JavaThread::run|cpp call_stub|native a.A.run|jit JVM_Define|cpp a.B.load|interpreted', 3],
			['clone3|native GangWorker::run|cpp mark|cpp', 2],
		].map(([stack, count]) => ({ stack: stack.split(' '), count })) }],
	};
	const shape = async (tab) => (await tab.frames_()).map((f) => `${f.level} ${f.name} ${f.total} ${f.self}`);

	test('native_callers_of_java_are_hidden', async (browser) => {
		await browser.with(mixed, async (tab) => {
			await tab.keyboard.press('j');
			assert.deepStrictEqual(await shape(tab), ['0 all 10 0', '1 GangWorker::run 2 0', '1 a.A.run 8 0',
				'2 mark 2 2', '2 JVM_Define 3 0', '2 a.A.read 5 0', '3 a.B.load 3 3', '3 read 5 0', '4 ksys_read 5 5']);
			assert.match(await tab.locator('#transforms').innerText(), /Without native callers of Java/);
			assert.match(await tab.link(), /nf=entry/);
		});
	});

	test('java_only_merges_native_frames_and_drops_native_stack_traces', async (browser) => {
		await browser.with(mixed, async (tab) => {
			await tab.locator('#display summary').click();
			await tab.locator('#native').selectOption('java');
			assert.deepStrictEqual(await shape(tab), ['0 all 8 0', '1 a.A.run 8 0', '2 a.A.read 5 5', '2 a.B.load 3 3']);
			assert.match(await tab.locator('#summary').textContent(), /8 samples \(80\.0%\) of 10 samples/);
			await tab.locator('#transforms .chip').click();
			assert.strictEqual((await tab.frame_('clone3')).total, 10);
		});
		await browser.with(lines('a.A.a 3'), async (tab) => {
			await tab.locator('#display summary').click();
			assert(await tab.locator('#native').isDisabled());
			await tab.keyboard.press('j');
			assert.strictEqual(await tab.evaluate(() => window.sjkcPage.state()), '');
		});
	});

	test('sandwich_of_an_unknown_frame_explains_itself', async (browser) => {
		await browser.with(sample(), async (tab) => {
			assert.match(await tab.locator('#empty').textContent(), /No sample contains the frame no\.Such\.name/);
			await tab.keyboard.press('R');
		}, { hash: '#v=sandwich&f=no.Such.name' });
		await browser.with(sample(), async (tab) => {
			assert(await tab.locator('#empty').isHidden());
			assert.strictEqual(await tab.evaluate(() => window.sjkcPage.state()), '');
		}, { hash: '#v=sandwich' });
	});

	test('threads_are_root_frames', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.keyboard.press('Shift+T');
			const first = (await tab.frames_()).filter((f) => f.level === 1);
			assert.deepStrictEqual(first.map((f) => [f.name, f.total]), [['[main tid=101]', 30],
				['[pool-1-thread-1 tid=120]', 25], ['[pool-1-thread-2 tid=121]', 35], ['[GC Thread]', 10]]);
			await tab.locator('#search').fill('work.sort');
			assert.strictEqual(await tab.locator('#matches').textContent(), '2 · 50.0%');
			await tab.locator('#filters').click();
			await tab.locator('#threads label').filter({ hasText: 'main' }).click();
			assert.strictEqual((await tab.frames_()).filter((f) => f.level === 1).length, 3);
		});
		await browser.with(sample({ options: { threads: true } }), async (tab) => {
			await tab.frame_('[main tid=101]');
		});
	});

	test('simple_names_omit_the_package', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.locator('#display summary').click();
			await tab.getByLabel('Class names without package').check();
			assert.strictEqual((await tab.frame_('Arrays.sort')).total, 30);
			await tab.frame_('GC::mark(Heap*)');
		});
		await browser.with(sample({ options: { simple: true } }), async (tab) => {
			await tab.frame_('Main.main');
		});
	});

	test('frames_are_split_by_line', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.keyboard.press('Shift+L');
			const names = Object.fromEntries((await tab.frames_()).map((f) => [f.name, f.total]));
			assert.strictEqual(names['app.Main.main:7'], 50);
			assert.strictEqual(names['app.Main.main:8'], 40);
			assert.strictEqual(names['app.Work.sort:20'], 30);
			assert.strictEqual(names['java.util.Arrays.sort:6'], 20);
			await tab.keyboard.press('t');
			assert.strictEqual((await cells(tab, 1))[4], 'app.Work.walk');
			assert.strictEqual((await cells(tab, 1))[2], '40 samples');
		});
		await browser.with(sample({ options: { lines: true, reverse: true } }), async (tab) => {
			await tab.frame_('java.util.Arrays.sort:6');
		});
	});

	test('disabled_controls_tell_the_reason', async (browser) => {
		await browser.with(lines('a.A.a 3'), async (tab) => {
			await tab.locator('#display summary').click();
			const reason = (selector) => tab.locator(`#display label:has(${selector})`).getAttribute('title');
			assert.match(await reason('[data-flag=threads]'), /no threads/);
			assert.match(await reason('[data-flag=lines]'), /--lines/);
			assert.match(await reason('#native'), /both Java and native/);
		});
	});

	test('measures_and_legend_explain_themselves_on_hover', async (browser) => {
		await browser.with(sample(), async (tab) => {
			const titles = (selector) => tab.locator(selector).evaluateAll((all) => all.map((e) => e.title));
			assert.deepStrictEqual(await titles('[data-measure]'),
				['Frame widths show samples (w)', 'Frame widths show time (w)']);
			assert((await titles('#legend li')).every((title) => title !== ''));
		});
	});

	test('path_bar_is_hidden_while_it_is_empty', async (browser) => {
		await browser.with(sample(), async (tab) => {
			assert(await tab.locator('#path').isVisible());
			await tab.locator('[data-view=table]').click();
			assert(!await tab.locator('#path').isVisible());
			await tab.locator('[data-view=callees]').click();
			assert(await tab.locator('#path').isVisible());
		});
	});

	test('tooltip_has_totals_shares_kinds_and_lines', async (browser) => {
		await browser.with(sample(), async (tab) => {
			const { x, y } = await tab.frame_('app.Work.sort');
			await tab.mouse.move(x + 20, y + 5);
			const text = (await tab.locator('#tip').innerText()).replace(/\s+/g, ' ');
			assert.match(text, /^app\.Work\.sort Total 50 samples 50\.0% of root 55\.6% of caller Self 20 samples 20\.0% of root/);
			assert.match(text, /Kind JIT \(C2\) 60\.0% · Interpreted 40\.0%/);
			assert.match(text, /Lines 20 60\.0% · 21 40\.0%/);
			await tab.mouse.move(x + 20, y + 150);
			assert(!await tab.locator('#tip').isVisible());
			await tab.keyboard.press('c');
			const sort = await tab.frame_('java.util.Arrays.sort');
			const caller = (await tab.frames_()).find((f) => f.level === 2 && Math.abs(f.x - sort.x) < 2);
			await tab.mouse.move(caller.x + 20, caller.y + 5);
			const reversed = (await tab.locator('#tip').innerText()).replace(/\s+/g, ' ');
			assert.match(reversed, /Total 30 samples 30\.0% of root 100% of callee/);
		});
	});

	test('stack_trace_is_copied_leaf_first', async (browser) => {
		await browser.with(sample(), async (tab) => {
			const expected = 'java.util.Arrays.sort\napp.Work.sort\napp.Main.main\n';
			await tab.clickFrame('java.util.Arrays.sort');
			await tab.keyboard.press('y');
			await tab.waitForFunction(() => document.getElementById('announcement').textContent.includes('copied'));
			assert.strictEqual(await pasted(tab), expected);
			await tab.evaluate(() => navigator.clipboard.writeText(''));
			await tab.keyboard.press('0');
			await tab.keyboard.press('c');
			const sort = await tab.frame_('java.util.Arrays.sort');
			await tab.mouse.click(sort.x + 30, sort.y + 2 * 19 + 5, { button: 'right' });
			await tab.getByRole('menuitem', { name: 'Copy stack trace' }).click();
			await tab.waitForFunction(() => navigator.clipboard.readText().then((t) => t !== ''));
			assert.strictEqual(await pasted(tab), expected);
		}, clipboard);
	});
};
