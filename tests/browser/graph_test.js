// SPDX-License-Identifier: Apache-2.0
// Tests of the graph: rectangles, direction, zoom, history, colors.
'use strict';

const assert = require('node:assert');
const { sample, lines } = require('./sample.js');

const near = (a, b, slack = 1) => assert(Math.abs(a - b) <= slack, `${a} is not ${b}`);

async function pixel(tab, x, y) {
	return tab.evaluate(([px, py]) => {
		const canvas = document.querySelector('#graph canvas');
		const box = canvas.getBoundingClientRect();
		const data = canvas.getContext('2d').getImageData(px - box.left, py - box.top, 1, 1).data;
		return [...data].slice(0, 3);
	}, [x, y]);
}

module.exports = (test) => {
	test('widths_follow_weights_and_siblings_of_a_name_are_merged', async (browser) => {
		await browser.with(sample(), async (tab) => {
			const at = {};
			for (const name of ['all', 'app.Main.main', 'app.Work.sort', 'java.util.Arrays.sort'])
				at[name] = await tab.frame_(name);
			near(at['app.Main.main'].width, 0.9 * 1280);
			near(at['app.Work.sort'].width, 0.5 * 1280);
			near(at['java.util.Arrays.sort'].width, 0.3 * 1280);
			assert.strictEqual(at['app.Work.sort'].self, 20);
			assert.strictEqual(at['app.Work.sort'].kind, 'jit');
			assert.deepStrictEqual(['all', 'app.Main.main', 'app.Work.sort'].map((n) => at[n].level), [0, 1, 2]);
			assert((await tab.frames_()).filter((f) => f.name === 'app.Work.sort').length === 1);
		});
	});

	test('frames_are_painted_at_their_reported_rectangles', async (browser) => {
		await browser.with(sample(), async (tab) => {
			const { x, y, width } = await tab.frame_('app.Work.sort');
			const inside = await pixel(tab, x + width - 6, y + 3);
			assert.notDeepStrictEqual(inside, [255, 255, 255]);
			const below = await tab.frame_('java.util.Arrays.sort');
			assert.deepStrictEqual(await pixel(tab, below.x + below.width + 20, below.y + 3), [255, 255, 255]);
		});
	});

	test('icicle_grows_down_and_flame_up', async (browser) => {
		await browser.with(sample(), async (tab) => {
			const up = async () => (await tab.frame_('app.Work.sort')).y < (await tab.frame_('all')).y;
			assert.strictEqual(await up(), false);
			await tab.locator('[data-grows=up]').click();
			assert.strictEqual(await up(), true);
			await tab.keyboard.press('i');
			assert.strictEqual(await up(), false);
		});
	});

	test('callers_view_starts_at_the_leaf_frames', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.locator('[data-view=callers]').click();
			const sort = await tab.frame_('java.util.Arrays.sort');
			assert.deepStrictEqual([sort.level, sort.total], [1, 30]);
			const walks = (await tab.frames_()).filter((f) => f.name === 'app.Work.walk' && f.level === 1);
			assert.deepStrictEqual(walks.map((f) => f.total), [40]);
			const callers = (await tab.frames_()).filter((f) => f.level === 2 && f.x >= walks[0].x - 1 &&
				f.x < walks[0].x + walks[0].width - 1);
			assert.deepStrictEqual(callers.map((f) => [f.name, f.total]).sort(),
				[['app.Main.main', 5], ['app.Work.step', 20], ['app.Work.walk', 15]]);
			await tab.locator('[data-view=callees]').click();
			assert.strictEqual((await tab.frame_('java.util.Arrays.sort')).level, 3);
		});
	});

	test('zoom_by_click_path_back_and_forward', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.clickFrame('app.Work.sort');
			near((await tab.frame_('app.Work.sort')).width, 1280);
			near((await tab.frame_('app.Main.main')).width, 1280);
			await tab.clickFrame('java.util.Arrays.sort');
			near((await tab.frame_('java.util.Arrays.sort')).width, 1280);
			assert.deepStrictEqual(await tab.locator('#path .crumb').allTextContents(),
				['all', 'app.Main.main', 'app.Work.sort', 'java.util.Arrays.sort']);
			await tab.goBack();
			near((await tab.frame_('java.util.Arrays.sort')).width, 0.6 * 1280);
			await tab.goForward();
			near((await tab.frame_('java.util.Arrays.sort')).width, 1280);
			await tab.locator('#path .crumb').first().click();
			near((await tab.frame_('app.Work.sort')).width, 640);
		});
	});

	test('zoom_by_wheel_keeps_the_frame_under_the_pointer', async (browser) => {
		await browser.with(sample(), async (tab) => {
			const before = await tab.frame_('java.util.Arrays.sort');
			const x = before.x + before.width / 2;
			await tab.mouse.move(x, before.y + 5);
			await tab.mouse.wheel(0, -200);
			await tab.waitForFunction((w) => window.sjkcPage.frames().find((f) =>
				f.name === 'java.util.Arrays.sort').width > w + 50, before.width);
			const after = await tab.frame_('java.util.Arrays.sort');
			assert(after.x < x && after.x + after.width > x);
			await tab.waitForFunction(() => /x=/.test(location.hash));
			await tab.goBack();
			near((await tab.frame_('java.util.Arrays.sort')).width, before.width);
		});
	});

	test('zoom_and_pan_by_keys_and_reset', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.locator('#graph').focus();
			const step = (await tab.frame_('app.Work.step')).width;
			const wide = (await tab.frame_('app.Work.sort')).width;
			await tab.keyboard.press('+');
			near((await tab.frame_('app.Work.step')).width, step / 0.7);
			await tab.keyboard.press('-');
			near((await tab.frame_('app.Work.step')).width, step);
			await tab.keyboard.press('+');
			const { x } = await tab.frame_('app.Work.walk');
			await tab.keyboard.press('Shift+ArrowRight');
			assert((await tab.frame_('app.Work.walk')).x < x);
			await tab.keyboard.press('0');
			near((await tab.frame_('app.Work.sort')).width, wide);
			await tab.clickFrame('app.Work.sort');
			await tab.locator('#search').fill('sort');
			await tab.locator('#reset').click();
			near((await tab.frame_('app.Work.sort')).width, wide);
			assert.strictEqual(await tab.evaluate(() => window.sjkcPage.state()), '');
		});
	});

	for (const [width, wraps] of [[1280, false], [400, true]])
		test(`zoom_draws_once_and_its_path_${wraps ? 'wraps' : 'fits'}_at_${width}_pixels`, async (browser) => {
			const stack = Array.from({ length: 8 }, (_, i) => `${'p'.repeat(40)}.Frame${i}.run`);
			await browser.with(lines(`${stack.join(';')} 1`, 'other.O.o 1'), async (tab) => {
				const { node } = await tab.frame_(stack[7]);
				const [drawn, lower] = await tab.evaluate(async (target) => {
					const { page } = window.sjkcPage;
					const { pane } = page;
					const height = pane.height;
					let count = 0;
					const drawPane = pane.draw;
					pane.draw = () => {
						count++;
						drawPane.call(pane);
					};
					page.zoom.into(pane, target);
					for (let i = 0; i < 3; i++)
						await new Promise((done) => requestAnimationFrame(done));
					return [count, pane.height < height];
				}, node);
				assert.deepStrictEqual([drawn, lower], [1, wraps]);
				for (const crumb of await tab.locator('#path .crumb').all()) {
					const box = await crumb.boundingBox();
					assert(box.width > 25 && box.x + box.width <= width, JSON.stringify(box));
				}
			}, { context: { viewport: { width, height: 700 } } });
		});

	test('drawing_clears_the_previous_picture', async (browser) => {
		await browser.with(lines('a.A.a;b.B.b 1', 'c.C.c 1'), async (tab) => {
			const picture = () => tab.evaluate(() =>
				document.querySelector('#graph canvas').toDataURL());
			// The pane covers the last row of pixels only partly.
			const { height } = await tab.locator('#graph').boundingBox();
			assert.notStrictEqual(height * 1.5 % 1, 0);
			await tab.locator('[data-grows=up]').click();
			const before = await picture();
			await tab.clickFrame('c.C.c');
			await tab.locator('#path .crumb').first().click();
			assert(await picture() === before);
		}, { context: { deviceScaleFactor: 1.5, viewport: { width: 1280, height: 800 } } });
	});

	test('drag_pans_the_graph', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.clickFrame('app.Work.walk');
			const before = (await tab.frame_('app.Work.step')).x;
			const y = (await tab.frame_('app.Main.main')).y + 5;
			await tab.mouse.move(300, y);
			await tab.mouse.down();
			await tab.mouse.move(500, y, { steps: 4 });
			await tab.mouse.up();
			near((await tab.frame_('app.Work.step')).x, before + 200, 3);
			assert((await tab.frames_()).some((f) => f.name === 'app.Work.sort'));
		});
	});

	test('arrow_keys_select_frames_enter_and_backspace_zoom', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.locator('#graph').focus();
			for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight'])
				await tab.keyboard.press(key);
			assert.match(await tab.locator('#details').textContent(), /^app\.Work\.walk/);
			await tab.keyboard.press('Enter');
			near((await tab.frame_('app.Work.walk')).width, 1280);
			await tab.keyboard.press('Backspace');
			near((await tab.frame_('app.Main.main')).width, 1280);
			near((await tab.frame_('app.Work.walk')).width, 1280 * 4 / 9);
		});
	});

	test('link_restores_all_settings', async (browser) => {
		const file = browser.write(sample());
		let link, frames;
		await browser.with(file, async (tab) => {
			await tab.locator('[data-grows=up]').click();
			await tab.locator('[data-measure=weight]').click();
			await tab.locator('#search').fill('so.t');
			await tab.locator('#regex').click();
			await tab.locator('#filters').click();
			await tab.locator('#states label').nth(2).locator('input').uncheck();
			await tab.locator('#threads label').filter({ hasText: 'main' }).locator('input').uncheck();
			await tab.clickFrame('app.Work.walk', { button: 'right' });
			await tab.getByRole('menuitem', { name: 'Collapse' }).click();
			await tab.locator('#filters').click();
			await tab.clickFrame('app.Work.sort');
			link = await tab.link();
			frames = await tab.frames_();
		});
		assert.match(link, /z=/);
		await browser.with(file, async (tab) => {
			const same = (await tab.frames_()).map(({ name, width, total, lit }) => [name, Math.round(width), total, lit]);
			assert.deepStrictEqual(same, frames.map(({ name, width, total, lit }) => [name, Math.round(width), total, lit]));
			assert.strictEqual(await tab.locator('#search').inputValue(), 'so.t');
			assert.strictEqual(await tab.locator('#transforms .chip').count(), 1);
		}, { hash: link.slice(link.indexOf('#')) });
	});

	test('link_restores_zooms_of_callers_threads_and_sandwich', async (browser) => {
		const file = browser.write(sample());
		for (const [hash, name] of [['#v=callers', 'app.Work.step'], ['#tr=1', 'app.Work.sort'],
			['#v=sandwich&f=app.Work.walk', 'app.Work.step']]) {
			let link, width;
			await browser.with(file, async (tab) => {
				await tab.clickFrame(name);
				link = await tab.link();
				width = (await tab.frame_(name)).width;
				near(width, 1280);
			}, { hash });
			await browser.with(file, async (tab) => {
				near((await tab.frame_(name)).width, width);
			}, { hash: link.slice(link.indexOf('#')) });
		}
	});

	test('invalid_link_opens_the_page_as_no_link_does', async (browser) => {
		const file = browser.write(sample());
		let frames;
		await browser.with(file, async (tab) => { frames = await tab.frames_(); });
		assert(frames.length > 5);
		for (const hash of ['#v=x&z=9999999~7~3&x=e~-.&time=9~1&t=999-1000000.x&s=77' +
			'&do=nonsense:1&do=focus&f=%zz', '#x=e~e', '#xc=1~0', '#x=0~1~2', '#x=0~1e999'])
			await browser.with(file, async (tab) => {
				assert.deepStrictEqual(await tab.frames_(), frames, hash);
			}, { hash });
		await browser.with(file, async (tab) => {
			assert((await tab.frames_()).length > 1);
		}, { hash: '#e=99' });
	});

	test('narrow_frames_share_a_gray_box_and_wide_frames_stay', async (browser) => {
		const list = [];
		for (let i = 0; i < 5000; i++)
			list.push(`r.R.r;n.N.n${String(i).padStart(5, '0')} 1`);
		list.push('r.R.r;n.N.n02500x 5000');
		await browser.with(lines(...list), async (tab) => {
			const frames = await tab.frames_();
			assert.strictEqual(frames.length, 3);
			const wide = frames[2];
			near(wide.width, 640);
			near(wide.x, 320, 2);
			assert.deepStrictEqual(await pixel(tab, 100, wide.y + 5), [201, 204, 211]);
			await tab.mouse.move(100, wide.y + 5);
			assert.match(await tab.locator('#tip').textContent(), /half a pixel/);
		});
	});

	test('colors_differ_by_kind_and_not_by_page', async (browser) => {
		const colors = [];
		for (const description of [sample(), { ...sample(), title: 'other' }])
			await browser.with(description, async (tab) => {
				const seen = {};
				for (const name of ['app.Work.sort', 'app.Work.walk', 'java.util.Arrays.sort', 'thread_start', 'do_syscall_64', 'GC::mark(Heap*)']) {
					const { x, y, width } = await tab.frame_(name);
					seen[name] = (await pixel(tab, x + width - 4, y + 2)).join();
				}
				colors.push(seen);
			});
		assert.deepStrictEqual(colors[0], colors[1]);
		assert.strictEqual(new Set(Object.values(colors[0])).size, 6);
	});

	test('legend_lists_the_kinds_of_the_page', async (browser) => {
		await browser.with(sample(), async (tab) => {
			const legend = () => tab.locator('#legend li').allTextContents();
			const kinds = ['Interpreted', 'C1', 'JIT (C2)', 'Inlined', 'Native', 'C++', 'Kernel', 'Java', 'Synthetic'];
			assert.deepStrictEqual(await legend(), kinds);
			await tab.locator('#search').fill('walk');
			assert.deepStrictEqual(await legend(), [...kinds, 'Match']);
		});
		await browser.with(lines('a.A.a 3'), async (tab) => {
			assert.deepStrictEqual(await tab.locator('#legend li').allTextContents(), ['Java']);
		});
	});
};
