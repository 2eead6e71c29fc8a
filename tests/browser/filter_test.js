// SPDX-License-Identifier: Apache-2.0
// Tests of the filters by thread, thread state and time.
'use strict';

const assert = require('node:assert');
const { sample, lines } = require('./sample.js');

const total = (tab) => tab.evaluate(() => window.sjkcPage.total());

async function open(tab) {
	await tab.locator('#filters').click();
	await tab.locator('#panel').waitFor();
}

async function rows(tab, list) {
	return (await tab.locator(`#${list} label`).allInnerTexts()).map((t) => t.replace(/\s+/g, ' ').trim());
}

module.exports = (test) => {
	test('thread_filter_switches_pools_and_threads', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await open(tab);
			assert.deepStrictEqual(await rows(tab, 'threads'),
				['pool-*-thread-* 2 threads 60 samples', 'main 30 samples', 'GC Thread 10 samples']);
			await tab.locator('#threads .twist[aria-expanded=false]').click();
			assert.deepStrictEqual((await rows(tab, 'threads')).slice(1, 3),
				['pool-1-thread-2 tid=121 35 samples', 'pool-1-thread-1 tid=120 25 samples']);
			const heading = tab.locator('#panel section').filter({ hasText: 'Threads' });
			await heading.getByRole('button', { name: 'None' }).click();
			assert.strictEqual(await total(tab), 0);
			assert.match(await tab.locator('#empty').textContent(), /filters/);
			await tab.locator('#threads label').filter({ hasText: 'pool-1-thread-1' }).click();
			assert.strictEqual(await total(tab), 25);
			assert(await tab.locator('#threads input').first().evaluate((e) => e.indeterminate));
			await heading.getByRole('button', { name: 'All' }).click();
			assert.strictEqual(await total(tab), 100);
			assert.strictEqual((await tab.frame_('app.Work.sort')).total, 50);
		});
	});

	test('pools_are_named_as_in_ttop', async (browser) => {
		const uuid = (digit) => `${digit}`.repeat(8) + '-abcd-4bcd-8bcd-0123456789ab';
		const threads = [1, 2].map((n) => ({ name: `w-${uuid(n)}-x${n}`, id: n, tid: n }));
		const samples = [0, 1].map((thread) =>
			({ stack: ['a.A.a'], thread, state: 0, bucket: 0, count: 1, weight: 1 }));
		await browser.with(sample({ threads, events: [{ name: 'cpu', unit: 'ns', samples }] }), async (tab) => {
			await open(tab);
			assert.deepStrictEqual(await rows(tab, 'threads'), ['w-*-x* 2 threads 2 samples']);
		});
	});

	test('thread_filter_by_regular_expression', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await open(tab);
			const input = tab.locator('#panel input[type=search]');
			await input.fill('pool-.*2 tid');
			assert.strictEqual(await total(tab), 35);
			assert.deepStrictEqual(await rows(tab, 'threads'), ['pool-1-thread-2 35 samples']);
			assert.strictEqual((await tab.frame_('app.Work.walk')).total, 35);
			await input.fill('(');
			assert.match(await tab.locator('#panel .error').textContent(), /Invalid regular expression: Unterminated group\./);
			assert.strictEqual(await total(tab), 100);
			assert.strictEqual(await tab.locator('#filter-count').textContent(), ' 1');
		});
	});

	test('idle_threads_are_hidden_until_switched_on', async (browser) => {
		const at = (stack, state, weight) => ({ stack, thread: 0, state, bucket: 0, count: 1, weight });
		const states = ['none', 'NEW', 'RUNNABLE', 'BLOCKED', 'WAITING', 'TIMED_WAITING', 'TERMINATED', 'idle'];
		const events = [
			{ name: 'cpu', unit: 'samples', samples: [at(['a.A.run'], 0, 1)] },
			{ name: 'offcpu', unit: 'ns', samples: [
				at(['a.A.run', 'a.A.read'], 0, 3e9), at(['b.Pool.run', 'b.Pool.getTask'], 7, 97e9)] },
		];
		await browser.with(sample({ states, events, selected: 1, measure: 'weight' }), async (tab) => {
			const idle = tab.locator('#idle');
			assert.strictEqual(await total(tab), 3e9);
			assert.match(await idle.innerText(), /^Idle: 97 s hidden$/);
			assert.strictEqual(await tab.locator('#filter-count').textContent(), '');
			await idle.click();
			assert.strictEqual(await total(tab), 100e9);
			assert.strictEqual(await idle.getAttribute('aria-pressed'), 'true');
			const link = tab.url();
			await tab.keyboard.press('z');
			assert.strictEqual(await total(tab), 3e9);
			await tab.goto(link);
			await tab.reload();
			await tab.waitForFunction(() => window.sjkcPage);
			assert.strictEqual(await total(tab), 100e9);
			await tab.locator('#event-0').click();
			assert(await idle.isHidden());
		});
	});

	test('state_filter_lists_states_with_counts', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await open(tab);
			assert.deepStrictEqual(await rows(tab, 'states'),
				['RUNNABLE 50 samples', 'WAITING 40 samples', 'BLOCKED 10 samples']);
			await tab.locator('#states label').first().click();
			assert.strictEqual(await total(tab), 50);
			assert.match(await tab.locator('#summary').textContent(), /^50 samples \(50.0%\) of 100 samples$/);
			// The counts of the states ignore the state filter.
			assert.deepStrictEqual((await rows(tab, 'states'))[0], 'RUNNABLE 50 samples');
			assert.deepStrictEqual(await rows(tab, 'threads'),
				['pool-*-thread-* 2 threads 40 samples', 'GC Thread 10 samples', 'main 0 samples']);
		});
	});

	test('timeline_is_brushed_cleared_and_moved_by_keys', async (browser) => {
		await browser.with(sample(), async (tab) => {
			const box = await tab.locator('#time').boundingBox();
			const x = (bucket) => box.x + box.width * (bucket + 0.5) / 10;
			await tab.mouse.move(x(1), box.y + 10);
			await tab.mouse.down();
			await tab.mouse.move(x(3), box.y + 10, { steps: 3 });
			await tab.mouse.up();
			assert.strictEqual(await total(tab), 45);
			assert.match(await tab.locator('#time-text').innerText(),
				/^100 ms – 400 ms\n\d\d:\d\d:20 – \d\d:\d\d:20$/);
			assert.match(await tab.link(), /time=1%7E4|time=1~4/);
			await tab.locator('#time').focus();
			await tab.keyboard.press('ArrowRight');
			assert.strictEqual(await total(tab), 40);
			await tab.keyboard.press('Shift+ArrowRight');
			assert.strictEqual(await total(tab), 60);
			await tab.locator('#time-clear').click();
			assert.strictEqual(await total(tab), 100);
		});
	});

	test('timeline_counts_samples_that_pass_the_other_filters', async (browser) => {
		await browser.with(sample(), async (tab) => {
			const dark = () => tab.evaluate(() => {
				const canvas = document.querySelector('#time');
				const { data } = canvas.getContext('2d').getImageData(0, canvas.height - 17, canvas.width, 1);
				const lit = [];
				for (let b = 0; b < 10; b++)
					lit.push(data[4 * Math.floor((b + 0.5) * canvas.width / 10) + 3] > 0);
				return lit.map(Number).join('');
			});
			assert.strictEqual(await dark(), '1111110001');
			await open(tab);
			await tab.locator('#threads label').filter({ hasText: 'pool' }).click();
			assert.strictEqual(await dark(), '1010000001');
		});
	});

	test('time_axis_has_ticks_at_round_times', async (browser) => {
		const ticksOf = async (bucket_ms) => {
			const time = { start_ms: 1700000000000, bucket_ms, buckets: 10 };
			let found;
			await browser.with(sample({ time }), async (tab) => {
				const { width } = await tab.locator('#time').boundingBox();
				const ticks = await tab.evaluate(() => window.sjkcPage.ticks());
				ticks.forEach(([, x], i) =>
					assert(Math.abs(x - i * ticks[1][1]) < 1e-6 && x < width, `${ticks} of ${width}`));
				found = ticks.map(([label]) => label);
			});
			return found;
		};
		assert.deepStrictEqual(await ticksOf(100), ['0 ms', '100 ms', '200 ms', '300 ms',
			'400 ms', '500 ms', '600 ms', '700 ms', '800 ms', '900 ms']);
		assert.deepStrictEqual((await ticksOf(30000)).slice(0, 4),
			['0 ms', '30 s', '1 min', '1 min 30 s']);
		assert.deepStrictEqual((await ticksOf(3600e3)).slice(0, 3), ['0 ms', '1 h', '2 h']);
	});

	test('timeline_is_hidden_for_a_recording_of_one_moment', async (browser) => {
		const dump = sample({ time: { start_ms: 1700000000000, bucket_ms: 1.048576, buckets: 1 } });
		for (const event of dump.events)
			event.samples = event.samples.map((s) => ({ ...s, bucket: 0 }));
		await browser.with(dump, async (tab) => {
			assert(!await tab.locator('#timeline').isVisible());
		});
	});

	test('filters_combine', async (browser) => {
		await browser.with(sample(), async (tab) => {
			assert.strictEqual(await total(tab), 20);
			assert.strictEqual(await tab.locator('#filter-count').textContent(), ' 3');
		}, { hash: '#t=0&s=2&time=5~9' });
	});

	test('filter_panel_explains_an_event_without_threads_and_states', async (browser) => {
		await browser.with(lines('a.A.a 1'), async (tab) => {
			await open(tab);
			assert.match(await tab.locator('#panel').innerText(), /neither threads nor states/);
			assert(!await tab.locator('#timeline').isVisible());
		});
	});
};
