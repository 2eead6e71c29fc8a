// SPDX-License-Identifier: Apache-2.0
// Tests of themes, help, screen readers, print, animation and small screens.
'use strict';

const assert = require('node:assert');
const { sample } = require('./sample.js');

const theme = (tab) => tab.evaluate(() => document.documentElement.dataset.theme);

// Returns the contrast of two `rgb(…)` colors by WCAG 2.
function contrast(a, b) {
	const light = (text) => {
		const [r, g, blue] = text.match(/[\d.]+/g).slice(0, 3).map((v) => {
			const c = v / 255;
			return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
		});
		return 0.2126 * r + 0.7152 * g + 0.0722 * blue + 0.05;
	};
	const [x, y] = [light(a), light(b)];
	return Math.max(x, y) / Math.min(x, y);
}

// Counts the animation frames that the page has requested and not yet received.
const countFrames = () => {
	const request = window.requestAnimationFrame.bind(window);
	window.pendingFrames = 0;
	window.requestAnimationFrame = (step) => {
		window.pendingFrames++;
		return request((now) => {
			window.pendingFrames--;
			step(now);
		});
	};
};

module.exports = (test) => {
	test('theme_follows_the_system_and_the_key', async (browser) => {
		await browser.with(sample(), async (tab) => {
			assert.strictEqual(await theme(tab), 'dark');
			const ground = await tab.evaluate(() => {
				const canvas = document.querySelector('#graph canvas');
				return [...canvas.getContext('2d').getImageData(5, canvas.height - 5, 1, 1).data].join();
			});
			assert.strictEqual(ground, '23,25,30,255');
			await tab.keyboard.press('d');
			assert.strictEqual(await theme(tab), 'light');
			await tab.emulateMedia({ colorScheme: 'light' });
			await tab.locator('#display summary').click();
			await tab.locator('#theme').selectOption('auto');
			await tab.emulateMedia({ colorScheme: 'dark' });
			await tab.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
		}, { context: { colorScheme: 'dark' } });
	});

	for (const scheme of ['light', 'dark'])
		test(`text_has_contrast_4_5_in_the_${scheme}_theme`, async (browser) => {
			await browser.with(sample(), async (tab) => {
				for (const palette of ['normal', 'blind']) {
					const { ink, fills } = await tab.evaluate(() => window.sjkcPage.colors());
					for (const fill of fills)
						assert(contrast(ink, fill) >= 4.5, `${palette} ${fill}: ${contrast(ink, fill)}`);
					await tab.keyboard.press('p');
				}
				const worst = await tab.evaluate(() => {
					const ground = (e) => {
						for (let i = e; i; i = i.parentElement)
							if (!/, 0\)$|transparent/.test(getComputedStyle(i).backgroundColor))
								return getComputedStyle(i).backgroundColor;
						return 'rgb(255, 255, 255)';
					};
					return [...document.querySelectorAll('button:enabled, h1, #summary, #legend li, #time-text, summary')]
						.map((e) => [e.textContent, getComputedStyle(e).color, ground(e)]);
				});
				for (const [text, color, ground] of worst)
					assert(contrast(color, ground) >= 4.5, `${text} ${color} on ${ground}`);
			}, { context: { colorScheme: scheme } });
		});

	test('color_blind_palette_differs_from_the_normal_one', async (browser) => {
		await browser.with(sample(), async (tab) => {
			const normal = await tab.evaluate(() => window.sjkcPage.colors().fills);
			await tab.keyboard.press('p');
			const blind = await tab.evaluate(() => window.sjkcPage.colors().fills);
			assert.notDeepStrictEqual(blind, normal);
			assert.match(await tab.link(), /cb=1/);
		});
	});

	test('long_title_is_not_truncated', async (browser) => {
		const title = 'Shop (12729): cpu, offcpu, wall, alloc, lock, 99 samples a second of CPU time, 6.0 s of 10 threads';
		await browser.with(sample({ title }), async (tab) => {
			const box = await tab.evaluate(() => {
				const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.getElementById('title');
				return [scrollWidth <= clientWidth, scrollHeight <= clientHeight];
			});
			assert.deepStrictEqual(box, [true, true]);
		});
	});

	test('help_lists_the_keys', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.keyboard.press('?');
			const text = await tab.locator('#help').innerText();
			for (const word of ['search', 'next match', 'select a frame', 'focus on the selected frame', 'copy the stack trace'])
				assert(text.includes(word), word);
			await tab.keyboard.press('Escape');
			assert(!await tab.locator('#help').isVisible());
			await tab.locator('#help-open').click();
			assert(await tab.locator('#help').isVisible());
		});
	});

	test('screen_reader_tree_mirrors_the_visible_frames', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.waitForFunction(() => document.querySelectorAll('#graph [role=treeitem]').length === 11);
			const items = await tab.locator('#graph [role=treeitem]').allTextContents();
			assert.strictEqual(items[0], 'all, 100 samples, 100%');
			assert.strictEqual(items[2], 'app.Work.sort, 50 samples, 50.0%');
			assert.strictEqual(await tab.locator('#graph [role=treeitem]').nth(2).getAttribute('aria-level'), '3');
			await tab.locator('#graph').focus();
			await tab.keyboard.press('ArrowDown');
			await tab.keyboard.press('ArrowDown');
			const active = await tab.locator('#graph').getAttribute('aria-activedescendant');
			assert.match(await tab.locator(`#${active}`).textContent(), /^app\.Main\.main/);
			assert.match(await tab.locator('#announcement').textContent(), /^app\.Main\.main, total 90 samples, 90\.0%, self 0 samples$/);
			assert.strictEqual(await tab.locator('#announcement').getAttribute('aria-live'), 'polite');
		});
	});

	test('controls_have_accessible_names', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.locator('#filters').click();
			const nameless = await tab.evaluate(() => [...document.querySelectorAll('button, input, select')]
				.filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length && e.labels[0].textContent.trim()))
				.map((e) => e.outerHTML));
			assert.deepStrictEqual(nameless, []);
		});
	});

	test('print_is_light_and_without_controls', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.emulateMedia({ media: 'print' });
			await tab.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
			assert.strictEqual(await theme(tab), 'light');
			assert(!await tab.locator('[role=toolbar]').isVisible());
			assert(await tab.locator('#graph canvas').isVisible());
			assert(await tab.locator('#summary').isVisible());
			await tab.evaluate(() => window.dispatchEvent(new Event('afterprint')));
			assert.strictEqual(await theme(tab), 'dark');
		}, { context: { colorScheme: 'dark' } });
	});

	test('zoom_is_animated_unless_reduced_motion_is_preferred', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.clickFrame('app.Work.sort');
			assert.strictEqual(await tab.evaluate(() => window.sjkcPage.moving()), false);
			assert.strictEqual(Math.round((await tab.frame_('app.Work.sort')).width), 1280);
		});
		await browser.with(sample(), async (tab) => {
			const moved = await tab.evaluate(async () => {
				const frame = window.sjkcPage.frames().find((f) => f.name === 'app.Work.sort');
				const at = { clientX: frame.x + 9, clientY: frame.y + 5, button: 0, bubbles: true, pointerId: 1 };
				const graph = document.getElementById('graph');
				graph.dispatchEvent(new PointerEvent('pointerdown', at));
				graph.dispatchEvent(new PointerEvent('pointerup', at));
				return window.sjkcPage.moving();
			});
			assert.strictEqual(moved, true);
			await tab.waitForFunction(() => !window.sjkcPage.moving());
			assert.strictEqual(Math.round((await tab.frame_('app.Work.sort')).width), 1280);
			// A change during an animation ends the animation.
			await tab.clickFrame('app.Main.main');
			await tab.keyboard.press('c');
			await tab.waitForFunction(() => window.pendingFrames === 0);
			assert.strictEqual(Math.round((await tab.frame_('java.util.Arrays.sort')).width), 384);
		}, { context: { reducedMotion: 'no-preference' }, init: countFrames });
	});

	test('table_shows_frame_names_at_390_pixels', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await tab.locator('[data-view=table]').click();
			const { x, width } = await tab.locator('#table .link').first().boundingBox();
			assert(x >= 0 && width > 0 && x + width <= 390, `the name is at ${x} to ${x + width}`);
		}, { context: { viewport: { width: 390, height: 700 } } });
	});

	for (const [width, height] of [[1280, 800], [400, 700]])
		test(`controls_do_not_overlap_at_${width}_x_${height}`, async (browser) => {
			await browser.with(sample({ notes: ['2 chunks were cut'] }), async (tab) => {
				const overlaps = await tab.evaluate(() => {
					const boxes = [...document.querySelectorAll('header button, header input, h1, #summary, #time, footer li, #graph')]
						.filter((e) => e.checkVisibility() && !e.closest('.drop-box'))
						.map((e) => [e, e.getBoundingClientRect()]);
					const bad = [];
					for (const [a, p] of boxes) {
						if (p.right > innerWidth + 1 || p.left < -1)
							bad.push(`${a.outerHTML.slice(0, 80)} sticks out`);
						for (const [b, q] of boxes)
							if (a !== b && p.left < q.right - 2 && q.left < p.right - 2 && p.top < q.bottom - 2 && q.top < p.bottom - 2)
								bad.push(`${a.outerHTML.slice(0, 60)} over ${b.outerHTML.slice(0, 60)}`);
					}
					return bad;
				});
				assert.deepStrictEqual(overlaps, []);
				const graph = await tab.locator('#graph').boundingBox();
				assert(graph.height > 250, `the graph is ${graph.height} high`);
			}, { context: { viewport: { width, height } } });
		});
};
