// SPDX-License-Identifier: Apache-2.0
// Tests the page in Firefox. Debian has no Firefox that Playwright can drive, but its
// own takes screenshots.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { lines } = require('./sample.js');

const SIZE = { width: 1280, height: 800 };
const firefox = process.env.FIREFOX ||
	['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((file) => fs.existsSync(file));

function picture(browser, file) {
	const home = path.join(browser.folder, 'firefox');
	const output = path.join(home, 'page.png');
	fs.mkdirSync(home, { recursive: true });
	fs.rmSync(output, { force: true });
	const done = spawnSync(firefox, ['--headless', '--no-remote', '--profile', home,
		'--window-size', `${SIZE.width},${SIZE.height}`, '--screenshot', output, `file://${file}`],
	{ env: { ...process.env, HOME: home }, timeout: 120000, encoding: 'utf8' });
	if (!fs.existsSync(output))
		throw new Error(`no picture by ${firefox}: ${done.error || done.stderr}`);
	return fs.readFileSync(output);
}

// Returns the colors at places of a PNG picture.
const colorsAt = async ([base64, places]) => {
	const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
	const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
	const canvas = document.createElement('canvas');
	canvas.width = image.width;
	canvas.height = image.height;
	const context = canvas.getContext('2d', { willReadFrequently: true });
	context.drawImage(image, 0, 0);
	return places.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data]);
};

// Returns a description of a wrong color, or ''.
function fault(frame, got, wanted) {
	const off = got.map((c, k) => Math.abs(c - wanted[k]));
	if (Math.max(...off) > 8 || Math.min(...got) >= 240)
		return `${frame.name}: ${got}, not ${wanted}`;
	return '';
}

module.exports = (test) => {
	test('firefox_draws_the_colors_of_chromium', async (browser, { Skip }) => {
		if (!firefox)
			throw new Skip('no Firefox');
		const file = browser.write(lines('a.A.main;b.B.left 3', 'a.A.main;c.C.right|native 2'));
		await browser.with(file, async (tab) => {
			const frames = (await tab.frames_()).filter((f) => f.level > 0);
			const places = frames.map((f) => [Math.round(f.x + f.width - 6), Math.round(f.y + 5)]);
			const colors = (png) => tab.evaluate(colorsAt, [png.toString('base64'), places]);
			const wanted = await colors(await tab.screenshot());
			let faults;
			assert.strictEqual(frames.length, 3);
			// Firefox takes the picture on load, which may be before the
			// page has drawn: try again.
			for (let tries = 0; tries < 12; tries++) {
				const got = await colors(picture(browser, file));
				faults = frames.map((f, k) => fault(f, got[k], wanted[k])).filter(Boolean);
				if (!faults.length)
					return;
			}
			assert.fail(faults.join('; '));
		});
	});
};
