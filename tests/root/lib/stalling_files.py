# SPDX-License-Identifier: Apache-2.0
"""
	stalling_files.py SOURCE MOUNTPOINT STALL

Serves the directory SOURCE read-only as a file system at MOUNTPOINT (FUSE, by the
kernel's own protocol), in a process that stops replying once the file STALL
exists.  Prints READY when the file system is mounted.  Ends at a signal, or after
five minutes.
"""
import ctypes
import errno
import os
import struct
import sys
import threading

LOOKUP, FORGET, GETATTR, READLINK, OPEN, READ, STATFS, RELEASE = 1, 2, 3, 5, 14, 15, 17, 18
FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, BATCH_FORGET, INTERRUPT = 25, 26, 27, 28, 29, 42, 36
SILENT = (FORGET, BATCH_FORGET, INTERRUPT)

source, mountpoint, stall = sys.argv[1:4]
paths = {1: source}
numbers = {source: 1}


def number_of(path):
	if path not in numbers:
		numbers[path] = len(numbers) + 1
		paths[numbers[path]] = path
	return numbers[path]


def attributes(path):
	st = os.lstat(path)
	return struct.pack('<6Q10I', number_of(path), st.st_size, (st.st_size + 511) // 512,
			   0, 0, 0, 0, 0, 0, st.st_mode, 1, 0, 0, 0, 4096, 0)


def listing(path, offset, size):
	out = b''
	for i, name in enumerate(sorted(os.listdir(path))):
		if i < offset:
			continue
		raw = name.encode()
		entry = struct.pack('<QQII', number_of(os.path.join(path, name)), i + 1, len(raw), 0) + raw
		entry += b'\0' * (-len(entry) % 8)
		if len(out) + len(entry) > size:
			break
		out += entry
	return out


def answer(op, node, body):
	path = paths.get(node, source)
	if op == INIT:
		return struct.pack('<4I2H10I', 7, 31, 65536, 0, 12, 9, 65536, 1, 0, 0, 0, 0, 0, 0, 0, 0)
	if op == LOOKUP:
		child = os.path.join(path, body.split(b'\0')[0].decode())
		found = attributes(child)
		# Without caching, path lookups through the directory stall as well.
		return struct.pack('<4Q2I', number_of(child), 0, 0, 0, 0, 0) + found
	if op == GETATTR:
		return struct.pack('<QII', 0, 0, 0) + attributes(path)
	if op == READLINK:
		return os.readlink(path).encode()
	if op in (OPEN, OPENDIR):
		# Mapped pages stay in the page cache (FOPEN_KEEP_CACHE).
		return struct.pack('<QII', 0, 2, 0)
	if op == READ:
		_, offset, size = struct.unpack_from('<QQI', body)
		with open(path, 'rb') as f:
			f.seek(offset)
			return f.read(size)
	if op == READDIR:
		_, offset, size = struct.unpack_from('<QQI', body)
		return listing(path, offset, size)
	if op == STATFS:
		return struct.pack('<5Q3I28x', 1 << 20, 1 << 19, 1 << 19, 1000, 500, 4096, 255, 4096)
	if op in (RELEASE, FLUSH, RELEASEDIR):
		return b''
	raise OSError(errno.ENOSYS, '')


def main():
	device = os.open('/dev/fuse', os.O_RDWR)
	libc = ctypes.CDLL(None, use_errno=True)
	options = f'fd={device},rootmode=40000,user_id=0,group_id=0,allow_other'
	if libc.mount(b'stalling', mountpoint.encode(), b'fuse', 0, options.encode()):
		sys.exit(f'mount: {os.strerror(ctypes.get_errno())}')
	threading.Timer(300, os._exit, [0]).start()
	print('READY', flush=True)
	while True:
		request = os.read(device, 1 << 17)
		_, op, unique, node = struct.unpack_from('<IIQQ', request)
		if os.path.exists(stall) or op in SILENT:
			continue
		code, reply = 0, b''
		try:
			reply = answer(op, node, request[40:])
		except OSError as e:
			code = -e.errno
		os.write(device, struct.pack('<IiQ', 16 + len(reply), code, unique) + reply)


try:
	main()
except OSError as gone:
	# It was unmounted.
	if gone.errno != errno.ENODEV:
		raise
	os._exit(0)
