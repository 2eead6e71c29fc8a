// SPDX-License-Identifier: Apache-2.0
//
//	node manifest_check.js NODE-MODULES <DOCUMENTS.json
//
// Checks a list of Kubernetes objects by the validators of the npm package
// kubernetes-models, which its authors generate from the API of Kubernetes.  Also prints
// the fields that the API does not have: the validators never look at them.
'use strict';
const fs = require('fs');
const path = require('path');

const schemas = path.join(path.resolve(process.argv[2]), 'kubernetes-models', '_schemas');
const faults = [];

const capital = (word) => word[0].toUpperCase() + word.slice(1);

// "apps/v1" and "DaemonSet" are IoK8sApiAppsV1DaemonSet; "v1" is the group core.
function validatorOf(object) {
	const parts = object.apiVersion.split('/');
	const group = parts.length > 1 ? parts[0].split('.')[0] : 'core';
	const version = parts[parts.length - 1];
	const name = `IoK8sApi${capital(group)}${capital(version)}${object.kind}.js`;

	return require(path.join(schemas, name)).validate;
}

// Wraps an object, and notes which of its fields are read, at any depth.
function watch(value) {
	if (value === null || typeof value !== 'object')
		return { value };
	const children = new Map();
	const watched = new Proxy(value, {
		get(target, key) {
			if (typeof key !== 'string' || !Object.hasOwn(target, key))
				return target[key];
			if (!children.has(key))
				children.set(key, watch(target[key]));
			return children.get(key).value;
		},
	});

	return { value: watched, original: value, children };
}

function findUnread(node, where) {
	for (const key of Object.keys(node.original ?? {})) {
		if (node.children.has(key))
			findUnread(node.children.get(key), `${where}/${key}`);
		else
			faults.push(`${where}/${key}: unknown field`);
	}
}

for (const object of JSON.parse(fs.readFileSync(0, 'utf8'))) {
	const validate = validatorOf(object);
	const node = watch(object);

	if (!validate(node.value))
		for (const error of validate.errors)
			faults.push(`${object.kind}${error.instancePath}: ${error.keyword} ` +
				JSON.stringify(error.params));
	findUnread(node, object.kind);
}
for (const fault of faults)
	console.log(fault);
process.exit(faults.length ? 1 : 0);
