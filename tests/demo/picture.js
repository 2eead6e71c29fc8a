// SPDX-License-Identifier: Apache-2.0
// Takes a picture of a page, or of a terminal screen copied by tmux, for the README:
//
//     node picture.js PAGE.html|SCREEN.ansi PNG
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { chromium } = require('playwright-core');

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

async function main() {
	const [page, png] = process.argv.slice(2).map((p) => path.resolve(p));
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		args: ['--headless', '--no-sandbox', '--disable-gpu'] });
	const tab = await browser.newPage({
		viewport: { width: 1200, height: 640 }, colorScheme: 'light', reducedMotion: 'reduce' });
	if (page.endsWith('.ansi')) {
		await tab.setContent(terminalHtml(fs.readFileSync(page, 'utf8')));
		await tab.locator('#screen').screenshot({ path: png });
	} else {
		await tab.goto(`file://${page}`);
		await tab.waitForFunction(() => window.sjkcPage);
		await tab.screenshot({ path: png });
	}
	await browser.close();
}

main().catch((error) => {
	console.error(error);
	process.exitCode = 1;
});
