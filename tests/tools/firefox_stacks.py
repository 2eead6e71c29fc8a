#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the tables of a Firefox Profiler file and prints its samples.

    firefox_stacks.py FILE

Prints a line "track: root;leaf weight" for each stack trace of each track, and
"track allocations: …" for its native allocations, sorted. Fails if a table
refers to something that does not exist, or if samples are not in the order of
their times.
"""
import collections
import gzip
import json
import sys


def column(table, name, length=None):
    values = table[name]
    expected = table['length'] if length is None else length
    assert len(values) == expected, f'{name}: {len(values)} of {expected}'
    return values


def check_index(values, length, what, nullable=False):
    for value in values:
        if value is None and nullable:
            continue
        assert isinstance(value, int) and 0 <= value < length, (what, value)


def names_of_stacks(thread, categories):
    stacks, frames, funcs = (thread[t] for t in
                             ('stackTable', 'frameTable', 'funcTable'))
    strings = thread['stringArray']
    check_index(column(stacks, 'frame'), frames['length'], 'frame')
    check_index(column(stacks, 'category'), categories, 'category')
    check_index(column(frames, 'category'), categories, 'category')
    check_index(column(frames, 'func'), funcs['length'], 'func')
    check_index(column(funcs, 'name'), len(strings), 'name')
    for name in ('address', 'inlineDepth', 'subcategory', 'nativeSymbol',
                 'innerWindowID', 'implementation', 'line', 'column'):
        column(frames, name)
    for name in ('isJS', 'relevantForJS', 'resource', 'fileName',
                 'lineNumber', 'columnNumber'):
        column(funcs, name)
    paths = []
    for i, prefix in enumerate(column(stacks, 'prefix')):
        name = strings[funcs['name'][frames['func'][stacks['frame'][i]]]]
        assert prefix is None or prefix < i, 'a callee before its caller'
        paths.append(name if prefix is None else paths[prefix] + ';' + name)
    return paths


def print_samples(track, samples, paths, sums):
    check_index(column(samples, 'stack'), len(paths), 'stack', True)
    times = column(samples, 'time')
    assert times == sorted(times), 'samples are not sorted by time'
    assert samples['weightType'] in ('samples', 'tracing-ms', 'bytes')
    for stack, weight in zip(samples['stack'], column(samples, 'weight')):
        path = '[no stack trace]' if stack is None else paths[stack]
        sums[track + ': ' + path] += weight


def main():
    data = open(sys.argv[1], 'rb').read()
    profile = json.loads(gzip.decompress(data))
    meta = profile['meta']
    assert meta['preprocessedProfileVersion'] == 49
    sums = collections.Counter()
    for thread in profile['threads']:
        paths = names_of_stacks(thread, len(meta['categories']))
        print_samples(thread['name'], thread['samples'], paths, sums)
        if 'nativeAllocations' in thread:
            print_samples(thread['name'] + ' allocations',
                          thread['nativeAllocations'], paths, sums)
        for table in ('markers', 'resourceTable', 'nativeSymbols'):
            assert thread[table]['length'] == 0
    for line in sorted(sums):
        print(line, f'{sums[line]:.6f}'.rstrip('0').rstrip('.'))


main()
