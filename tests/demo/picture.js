// SPDX-License-Identifier: Apache-2.0
// Takes the pictures of the documents, of pages and of a screen copied by tmux:
//
//     node picture.js DIRECTORY PICTURES
//
// DIRECTORY has the files that ttop.sh and pages.sh write.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { chromium } = require('playwright-core');
const { shrink } = require('./png.js');

const COLORS = ['#1d1f21', '#e05561', '#8cc265', '#d18f52', '#4d8fd6', '#c162de',
	'#42b3c2', '#d7dae0'];
const escapeHtml = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

// Converts SGR sequences, the only sequences that tmux writes, to spans.
function terminalHtml(text) {
	const style = { bold: false, dim: false, inverse: false, color: null, back: null };

	function apply(codes) {
		for (const code of codes.split(';').map(Number)) {
			if (code === 0)
				Object.assign(style, { bold: false, dim: false, inverse: false,
					color: null, back: null });
			else if (code === 1)
				style.bold = true;
			else if (code === 2)
				style.dim = true;
			else if (code === 7)
				style.inverse = true;
			else if (code >= 30 && code <= 37)
				style.color = COLORS[code - 30];
			else if (code === 39)
				style.color = null;
			else if (code >= 40 && code <= 47)
				style.back = COLORS[code - 40];
			else if (code === 49)
				style.back = null;
		}
	}

	function span(part) {
		const fore = style.color || COLORS[7];
		const back = style.back || COLORS[0];
		return `<span style="color:${style.inverse ? back : fore};` +
			`background:${style.inverse ? fore : back};` +
			`font-weight:${style.bold ? 700 : 400};opacity:${style.dim ? 0.6 : 1}">` +
			`${escapeHtml(part)}</span>`;
	}

	// tmux omits trailing spaces, whose background is that of the last character.
	const lines = text.replace(/\n+$/, '').split('\n');
	const width = (line) => [...line.replace(/\x1b\[[\d;]*m/g, '')].length;
	const columns = Math.max(...lines.map(width));
	const padded = lines.map((line) => line + ' '.repeat(columns - width(line)));
	const body = padded.join('\n').split(/\x1b\[([\d;]*)m/).map((part, i) => {
		if (i % 2 === 0)
			return part ? span(part) : '';
		apply(part || '0');
		return '';
	}).join('');
	return `<!doctype html><meta charset="utf-8"><body style="margin:0;background:${COLORS[0]}">` +
		`<pre id="screen" style="display:inline-block;margin:0;padding:12px;background:${COLORS[0]};` +
		`font:15px/19px 'DejaVu Sans Mono','Liberation Mono',monospace">${body}</pre>`;
}

// Zooms into the widest frame with this name.
async function zoom(tab, name) {
	const frames = await tab.evaluate(() => window.sjkcPage.frames('graph'));
	const [found] = frames.filter((f) => f.name.includes(name)).sort((a, b) => b.width - a.width);
	await tab.mouse.click(found.x + found.width / 2, found.y + found.height / 2);
	await tab.waitForFunction(() => !window.sjkcPage.moving());
}

// Shows the tooltip of the widest frame with this name.
async function point(tab, name) {
	const frames = await tab.evaluate(() => window.sjkcPage.frames('graph'));
	const [found] = frames.filter((f) => f.name.includes(name)).sort((a, b) => b.width - a.width);
	await tab.mouse.move(found.x + found.width / 3, found.y + found.height / 2);
}

// Hides the native callers of Java, and the packages.
async function simplify(tab) {
	await tab.keyboard.press('j');
	await tab.keyboard.press('S');
	await tab.waitForTimeout(300);
}

async function showRequest(tab) {
	await simplify(tab);
	await tab.locator('#search').fill('PricingService');
	await zoom(tab, 'OrderController.serve');
	await point(tab, 'PricingService.price');
}

async function showHeatMap(tab) {
	await simplify(tab);
	await tab.locator('#search').fill('RevenueReport');
	await tab.locator('[data-view=heatmap]').click();
	await tab.waitForFunction(() => window.sjkcPage.heat());
}

async function showChange(tab) {
	await simplify(tab);
	await zoom(tab, 'OrderController.serve');
	await point(tab, 'Pattern.compile');
}

const PICTURES = [
	{ from: 'ttop.ansi', to: 'ttop.png' },
	{ from: 'prof.html', to: 'prof.png', height: 560, steps: showRequest },
	{ from: 'prof.html', to: 'prof-dark.png', height: 560, dark: true, steps: showRequest },
	{ from: 'prof.html', to: 'heatmap.png', height: 520, steps: showHeatMap },
	{ from: 'diff.html', to: 'diff.png', height: 560, steps: showChange },
	{ from: 'gc.html', to: 'gc.png', height: 720 },
	{ from: 'threads.html', to: 'threads.png', height: 560 },
];

async function take(browser, { from, to, height, dark, steps }, [pages, pictures]) {
	const page = path.resolve(pages, from);
	let picture;
	const tab = await browser.newPage({ viewport: { width: 1200, height: height || 640 },
		colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
	if (page.endsWith('.ansi')) {
		await tab.setContent(terminalHtml(fs.readFileSync(page, 'utf8')));
		picture = await tab.locator('#screen').screenshot();
	} else {
		await tab.goto(`file://${page}`);
		if (steps) {
			await tab.waitForFunction(() => window.sjkcPage);
			await steps(tab);
			await tab.waitForTimeout(500);
		}
		picture = await tab.screenshot();
	}
	fs.writeFileSync(path.resolve(pictures, to), shrink(picture));
	await tab.close();
}

async function main() {
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		args: ['--headless', '--no-sandbox', '--disable-gpu'] });
	for (const picture of PICTURES)
		await take(browser, picture, process.argv.slice(2));
	await browser.close();
}

main().catch((error) => {
	console.error(error);
	process.exitCode = 1;
});
