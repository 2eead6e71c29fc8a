// SPDX-License-Identifier: Apache-2.0
// The settings of the user, and their format in the URL fragment.

import { isFine } from './flame_time.js';
import { transforms } from './flame_transform.js';

// Parses indexes below count. `left` bounds the work for hostile links that repeat
// ranges.
function indexesOf(text, count) {
	const list = new Set();
	let left = count;
	for (const part of text.split('.')) {
		const [, from, to] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) || [];
		const last = Math.min(Number(to || from), count - 1);
		for (let i = Number(from); i <= last && left > 0; i++, left--)
			list.add(i);
	}
	return list;
}

function rangesOf(set) {
	const sorted = [...set].sort((a, b) => a - b);
	const parts = [];
	for (let i = 0; i < sorted.length;) {
		let k = i;
		while (k + 1 < sorted.length && sorted[k + 1] === sorted[k] + 1)
			k++;
		parts.push(k > i ? `${sorted[i]}-${sorted[k]}` : String(sorted[i]));
		i = k + 1;
	}
	return parts.join('.');
}

// The formats of fields: write a value as text; read text as a value, or return
// undefined for invalid text.
const flag = {
	write: (v) => v ? '1' : '0',
	read: (t) => t === '1' ? true : t === '0' ? false : undefined,
};
const text = { write: (v) => v, read: (t) => t };
const word = (...words) => ({
	write: (v) => v,
	read: (t) => words.includes(t) ? t : undefined,
});
const numbers = (pattern) => ({
	write: (v) => v === null ? '' : v.join('~'),
	read: (t) => pattern.test(t) ? t.split('~').map(Number) : undefined,
});
// Rejects an empty range, and bounds that are not numbers.
const rangeOf = ([from, to, ...more]) =>
	from < to && Number.isFinite(to - from) && more.length === 0 ? [from, to] : undefined;
const part = {
	write: (v) => v === null ? '' : v.join('~'),
	read: (t) => rangeOf(t.split('~').map(Number)),
};
const indexes = (list) => ({
	write: rangesOf,
	read: (t, profile) => indexesOf(t, profile[list].length),
});

// A time range is in buckets. Finer times are in milliseconds since the first step,
// which rounds the range to the page's steps.
const range = {
	write: (v, profile) => {
		const { lead_ns, step_ms } = profile.head.moments || { lead_ns: 0, step_ms: 0 };
		const ms = (t) => t * profile.time.bucket_ms + lead_ns / 1e6;
		const rounded = (t) => step_ms ? Math.round(ms(t) / step_ms) * step_ms : ms(t);
		return v === null ? '' : !isFine(v) ? v.map(Math.round).join('~') :
			v.map((t) => `${rounded(t)}ms`).join('~');
	},
	read: (t, profile) => {
		if (/^\d+~\d+$/.test(t))
			return rangeOf(t.split('~').map(Number));
		const [, ...bounds] = /^(\d{1,12})ms~(\d{1,12})ms$/.exec(t) || [];
		if (bounds.length === 0 || !profile.time)
			return undefined;
		const { lead_ns } = profile.head.moments || { lead_ns: 0 };
		const times = bounds.map((ms) => (Number(ms) - lead_ns / 1e6) / profile.time.bucket_ms);
		return rangeOf(profile.head.moments ? times :
			[Math.floor(times[0]), Math.ceil(times[1])]);
	},
};

// The key of each field in the fragment, and its format.
const fields = {
	event: ['e', { write: String, read: (t) => /^\d{1,6}$/.test(t) ? Number(t) : undefined }],
	view: ['v', word('callees', 'callers', 'sandwich', 'table', 'heatmap')],
	grows: ['o', word('down', 'up')],
	side: ['d', word('before', 'after', 'difference')],
	measure: ['m', word('samples', 'weight')],
	zoom: ['z', numbers(/^\d+~\d+~\d+$/)],
	range: ['x', part],
	callersZoom: ['zc', numbers(/^\d+~\d+~\d+$/)],
	callersRange: ['xc', part],
	frame: ['f', text],
	query: ['q', text],
	regex: ['re', flag],
	threadPattern: ['tp', text],
	threadOff: ['t', indexes('threads')],
	stateOff: ['s', indexes('states')],
	time: ['time', range],
	heat: ['hm', { write: String, read: (t) => /^\d{1,9}$/.test(t) ? Number(t) : undefined }],
	threads: ['tr', flag],
	simple: ['sn', flag],
	lines: ['ln', flag],
	native: ['nf', word('all', 'entry', 'java')],
	sort: ['by', word('self', 'total', 'name')],
	ascending: ['asc', flag],
	theme: ['theme', word('auto', 'light', 'dark')],
	blind: ['cb', flag],
};

export function defaultState(profile) {
	const { options, selected, measure, comparison } = profile.head;
	return {
		event: comparison ? selected >> 1 : selected || 0,
		side: comparison ? 'difference' : 'after',
		view: options.reverse ? 'callers' : 'callees',
		grows: 'down',
		measure: measure || 'samples',
		zoom: null, range: null, callersZoom: null, callersRange: null,
		frame: '', query: '', regex: false,
		threadPattern: '', threadOff: new Set(), time: null,
		stateOff: new Set(profile.idleState < 0 ? [] : [profile.idleState]),
		heat: 0,
		threads: !!options.threads, simple: !!options.simple, lines: !!options.lines,
		native: 'all',
		sort: 'self', ascending: false, theme: 'auto', blind: false,
		transforms: [],
	};
}

// Each transform walks the tree; only hostile links have this many.
const MOST_TRANSFORMS = 100;

// Transforms store the name of their frame, so that a link works on later pages of
// the same program, too.
export function writeState(state, initial, profile) {
	const params = new URLSearchParams();
	for (const [field, [key, form]] of Object.entries(fields)) {
		const value = form.write(state[field], profile);
		if (value !== form.write(initial[field], profile))
			params.append(key, value);
	}
	for (const { op, frame } of state.transforms)
		params.append('do', `${op}:${frame}`);
	return params.toString();
}

export function readState(fragment, profile) {
	const state = defaultState(profile);
	const params = new URLSearchParams(fragment.replace(/^#/, ''));
	for (const [field, [key, form]] of Object.entries(fields)) {
		if (!params.has(key))
			continue;
		const value = form.read(params.get(key), profile);
		if (value !== undefined)
			state[field] = value;
	}
	for (const part of params.getAll('do')) {
		const colon = part.indexOf(':');
		const op = part.slice(0, colon);
		if (Object.hasOwn(transforms, op) && state.transforms.length < MOST_TRANSFORMS)
			state.transforms.push({ op, frame: part.slice(colon + 1) });
	}
	if ((state.view === 'heatmap' && !profile.time) || (state.view === 'sandwich' && !state.frame))
		state.view = 'callees';
	state.event = Math.min(state.event, profile.events.length - 1);
	return state;
}
