// SPDX-License-Identifier: Apache-2.0
// Tests of focus, remove, merge and collapse, by menu and key, with undo.
'use strict';

const assert = require('node:assert');
const { sample } = require('./sample.js');

const shape = async (tab) => (await tab.frames_()).map((f) => `${f.level} ${f.name} ${f.total}`);

async function byMenu(tab, frame, item) {
	await tab.clickFrame(frame, { button: 'right' });
	await tab.getByRole('menuitem', { name: item }).click();
}

const cases = {
	focus: ['app.Work.walk', 'Focus on this frame', 'f', ['0 all 40', '1 app.Work.walk 40',
		'2 app.Work.step 20', '2 app.Work.walk 15', '3 app.Work.walk 20']],
	remove: ['app.Work.sort', 'Remove stack traces with this frame', 'x', ['0 all 50', '1 app.Main.main 40',
		'1 thread_start 10', '2 app.Work.walk 40', '2 GC::mark(Heap*) 10', '3 app.Work.step 20',
		'3 app.Work.walk 15', '3 do_syscall_64 10', '4 app.Work.walk 20']],
	merge: ['app.Work.walk', 'Merge this frame into its callers', 'e', ['0 all 100', '1 app.Main.main 90',
		'1 thread_start 10', '2 app.Work.sort 50', '2 app.Work.step 20', '2 GC::mark(Heap*) 10',
		'3 java.util.Arrays.sort 30', '3 do_syscall_64 10']],
	collapse: ['app.Work.walk', 'Collapse recursion of this frame', 'r', ['0 all 100', '1 app.Main.main 90',
		'1 thread_start 10', '2 app.Work.sort 50', '2 app.Work.walk 40', '2 GC::mark(Heap*) 10',
		'3 java.util.Arrays.sort 30', '3 do_syscall_64 10']],
};

module.exports = (test) => {
	for (const [op, [frame, item, key, expected]] of Object.entries(cases))
		test(`${op}_is_applied_and_undone`, async (browser) => {
			await browser.with(sample(), async (tab) => {
				const before = await shape(tab);
				await byMenu(tab, frame, item);
				assert.deepStrictEqual(await shape(tab), expected);
				await tab.locator('#transforms .chip').click();
				assert.deepStrictEqual(await shape(tab), before);
				await tab.clickFrame(frame);
				await tab.keyboard.press(key);
				assert.deepStrictEqual(await shape(tab), expected);
				await tab.keyboard.press('u');
				assert.deepStrictEqual(await shape(tab), before);
				await tab.goBack();
				assert.deepStrictEqual(await shape(tab), expected);
			});
		});

	test('transforms_apply_in_order', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await byMenu(tab, 'app.Work.walk', 'Focus');
			await byMenu(tab, 'app.Work.step', 'Remove');
			assert.deepStrictEqual(await shape(tab), ['0 all 20', '1 app.Work.walk 20', '2 app.Work.walk 15']);
			await tab.locator('#transforms .chip').first().click();
			assert.strictEqual((await tab.frame_('app.Work.sort')).total, 50);
			assert.strictEqual((await tab.frame_('app.Work.walk')).total, 20);
		});
	});

	test('transforms_apply_to_callers_and_lines', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.keyboard.press('c');
			assert(!(await shape(tab)).some((line) => line.includes('Work.sort')));
			await tab.keyboard.press('Shift+L');
			assert(!(await shape(tab)).some((line) => line.includes('Work.sort')));
		}, { hash: '#do=remove:app.Work.sort' });
	});

	test('menu_is_operated_by_keys', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.clickFrame('app.Work.walk', { button: 'right' });
			assert.strictEqual(await tab.locator('#menu .menu-title').textContent(), 'app.Work.walk');
			await tab.keyboard.press('ArrowDown');
			assert.strictEqual(await tab.evaluate(() => document.activeElement.querySelector('span').textContent), 'Show callers and callees');
			await tab.keyboard.press('Escape');
			assert(!await tab.locator('#menu').isVisible());
			await tab.keyboard.press('m');
			await tab.getByRole('menuitem', { name: 'Search' }).click();
			assert.strictEqual(await tab.locator('#search').inputValue(), 'app.Work.walk');
		});
	});
};
