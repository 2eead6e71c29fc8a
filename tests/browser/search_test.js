// SPDX-License-Identifier: Apache-2.0
// Tests of the search.
'use strict';

const assert = require('node:assert');
const { sample, lines } = require('./sample.js');

const result = (tab) => tab.locator('#matches').textContent();

module.exports = (test) => {
	test('literal_search_counts_nested_matches_once', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.locator('#search').fill('work.WALK'.toLowerCase());
			const frames = await tab.frames_();
			assert.deepStrictEqual([...new Set(frames.filter((f) => f.lit).map((f) => f.name))], ['app.Work.walk']);
			// The three frames are nested: 40 of 100 samples.
			assert.strictEqual(await result(tab), '3 · 40.0%');
			assert.deepStrictEqual(await tab.evaluate(() => window.sjkcPage.matches()), { count: 3, weight: 40 });
			await tab.locator('#search').fill('a.b');
			assert.strictEqual(await result(tab), '0 · 0%');
		});
	});

	test('matches_are_painted_in_the_match_color', async (browser) => {
		await browser.with(sample(), async (tab) => {
			const shot = async () => {
				const { x, y, width } = await tab.frame_('app.Work.sort');
				return tab.evaluate(([px, py]) => {
					const canvas = document.querySelector('#graph canvas');
					const box = canvas.getBoundingClientRect();
					return [...canvas.getContext('2d').getImageData(px - box.left, py - box.top, 1, 1).data].join();
				}, [x + width - 5, y + 2]);
			};
			const plain = await shot();
			await tab.locator('#search').fill('work.sort');
			assert.notStrictEqual(await shot(), plain);
			assert.strictEqual(await shot(), '231,139,240,255');
		});
	});

	test('regular_expression_search_by_its_button', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.locator('#search').fill('work.(sort|step)$');
			assert.strictEqual(await result(tab), '0 · 0%');
			await tab.locator('#regex').click();
			assert.strictEqual(await result(tab), '2 · 70.0%');
			await tab.locator('#search').fill('^gc');
			assert.strictEqual(await result(tab), '1 · 10.0%');
			await tab.locator('#search').fill('^Gc');
			assert.strictEqual(await result(tab), '0 · 0%');
		});
	});

	test('invalid_pattern_is_reported', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.locator('#regex').click();
			await tab.locator('#search').fill('a(b');
			assert.match(await tab.locator('#search-error').textContent(), /^Invalid regular expression: Unterminated group\.$/);
			assert.strictEqual(await tab.locator('#search').getAttribute('aria-invalid'), 'true');
			await tab.locator('#search').fill('sort');
			assert(!await tab.locator('#search-error').isVisible());
		});
	});

	test('patterns_with_exponential_time_are_rejected', async (browser) => {
		const long = 'a'.repeat(60000);
		await browser.with(lines(`${long};b 1`, `${'a'.repeat(40)}! 1`), async (tab) => {
			await tab.locator('#regex').click();
			for (const pattern of ['(a+)+$', '(a|a)*b', '(a*)*b', '(.*a){20}', '(a|aa)+$', '([a-z]+)*$', '(a?){50}a{50}', '^(a+)\\1b',
				`${'a?'.repeat(40)}${'a'.repeat(40)}`, '.*.*.*.*.*.*x']) {
				await tab.locator('#search').fill(pattern);
				assert.match(await tab.locator('#search-error').textContent(), /may take forever/, pattern);
			}
			for (const pattern of ['.*x', 'a.*a.*x', '.*.*.*.*x', '(com|org|a)\\.b', '[(+]+', '\\(a\\)+', 'a{3}', '(?:ab)+']) {
				await tab.locator('#search').fill(pattern);
				assert(!await tab.locator('#search-error').isVisible(), pattern);
			}
		});
	});

	test('next_and_previous_select_matches_in_turn', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.locator('#search').fill('work.walk');
			await tab.locator('#next').click();
			assert.strictEqual(await result(tab), '1 / 3 · 40.0%');
			await tab.locator('#graph').focus();
			await tab.keyboard.press('n');
			assert.strictEqual(await result(tab), '2 / 3 · 40.0%');
			await tab.keyboard.press('N');
			await tab.keyboard.press('N');
			assert.strictEqual(await result(tab), '3 / 3 · 40.0%');
			await tab.locator('#search').press('Enter');
			assert.strictEqual(await result(tab), '1 / 3 · 40.0%');
		});
	});

	test('next_zooms_to_a_frame_that_is_too_narrow', async (browser) => {
		await browser.with(lines('big.B.b 10000000', 'c.C.c;tiny.T.t 1'), async (tab) => {
			assert(!(await tab.frames_()).some((f) => f.name === 'tiny.T.t'));
			await tab.locator('#search').fill('tiny');
			await tab.locator('#search').press('Enter');
			assert((await tab.frame_('tiny.T.t')).width > 1000);
		});
	});

	test('slash_and_ctrl_f_focus_the_search_and_escape_clears_it', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.keyboard.press('/');
			await tab.keyboard.type('sort');
			assert.strictEqual(await result(tab), '2 · 50.0%');
			await tab.keyboard.press('Escape');
			await tab.keyboard.press('Escape');
			assert.strictEqual(await tab.locator('#search').inputValue(), '');
			await tab.keyboard.press('Control+f');
			assert(await tab.locator('#search').evaluate((e) => e === document.activeElement));
		});
	});

	test('share_of_matches_is_the_same_in_the_callers_view', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.locator('#search').fill('work.walk');
			await tab.locator('[data-view=callers]').click();
			assert.strictEqual(await result(tab), '3 · 40.0%');
			assert((await tab.frames_()).some((f) => f.lit));
		});
	});
};
