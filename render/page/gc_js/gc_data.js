// SPDX-License-Identifier: Apache-2.0
// Reads the data block: JSON with columns, compressed.

const NUMBERS = ['end', 'kind', 'cause', 'operation', 'collector', 'stopped', 'sync', 'gc', 'before', 'after', 'committed', 'count'];

// The page has no other place where a name is put into a text for people.
// Characters that reorder or hide text become visible.
function visible(name) {
	return name.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
		(c) => `<U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`);
}

// Returns the document with columns as arrays, records in the order of their
// ends, and `at`, the time of each record in ms.
export async function readData() {
	const letters = atob(document.getElementById('data').textContent.trim());
	const bytes = Uint8Array.from(letters, (c) => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
	const raw = JSON.parse(await new Response(stream).text());
	const data = { ...raw, names: raw.names.map(visible), title: visible(raw.title), description: visible(raw.description) };
	const known = raw.end.map((ns, i) => i).filter((i) => raw.end[i] >= 0 || raw.end[i] < -1);
	known.sort((a, b) => raw.end[a] - raw.end[b]);
	data.timeless = raw.end.length - known.length;
	// Without any time, records are drawn one after another.
	data.has_times = known.length > 0 || !!(data.observed && !raw.end.length);
	const order = known.length ? known : raw.end.map((ns, i) => i);
	for (const name of NUMBERS)
		data[name] = Float64Array.from(order, (i) => raw[name][i]);
	data.size = order.length;
	if (!data.has_times)
		data.observed = null;
	data.at = data.has_times ? data.end.map((ns) => ns / 1e6) : data.end.map((ns, i) => i);
	return data;
}

// The value that the page draws as the length of a pause: the stopped time, or
// the collector's time if the source has no stopped times.
export function pauseOf(data, i) {
	if (data.kinds[data.kind[i]] === 'cycle')
		return -1;
	return data.has_stopped ? data.stopped[i] : data.gc[i];
}

export function reasonOf(data, i) {
	const cause = data.names[data.cause[i]], operation = data.names[data.operation[i]];
	return (data.kinds[data.kind[i]] === 'safepoint' ? operation : cause || operation) || '-';
}
