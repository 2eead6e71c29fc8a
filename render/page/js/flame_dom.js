// SPDX-License-Identifier: Apache-2.0
// Finds and creates elements of the page.

export const byId = (id) => document.getElementById(id);

export function element(tag, attributes, ...children) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {}))
		if (value !== null && value !== false)
			node.setAttribute(name, value === true ? '' : value);
	node.append(...children);
	return node;
}
