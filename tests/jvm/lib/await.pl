# SPDX-License-Identifier: Apache-2.0
#
#	await.pl line TEXT FILE [PID]
#	await.pl COUNT TEXT FILE [PID]
#	await.pl end PID
#
# Waits until a line of the file matches TEXT, a basic regular expression, or
# COUNT lines do, or until the process has exited.  Fails as soon as the process
# that writes the file has exited: PID or, without a PID, a process that had the
# file open.  Fails after AWAIT_LIMIT seconds (default: 60), times the number of
# runnable processes per CPU, and prints "timed out after".
#
# A shell would start three programs for each look, and many tests wait at the
# same time.
use strict;
use warnings;
use Cwd 'realpath';
use Time::HiRes qw(sleep time);

my ($mode, @words) = @ARGV;
my $writer;

sub has_ended {
	open(my $status, '<', "/proc/$_[0]/status") or return 1;
	while (my $line = <$status>) {
		return $1 =~ /[XZ]/ if $line =~ /^State:\s*(.)/;
	}
	return 1;
}

sub has_line {
	my ($file, $pattern) = @_;
	my $missing = $mode eq 'line' ? 1 : $mode;
	open(my $lines, '<', $file) or return 0;
	while (my $line = <$lines>) {
		chomp $line;
		return 1 if $line =~ $pattern && --$missing <= 0;
	}
	return 0;
}

# Whether the process has the file open; reading the link cannot block.
sub has_open {
	my ($pid, $file) = @_;
	for my $fd (glob "/proc/$pid/fd/*") {
		return 1 if (readlink($fd) // '') eq $file;
	}
	return 0;
}

# find_writer: a process that has the file open, or nothing.
sub find_writer {
	my ($file) = @_;
	return if $file =~ m{^/proc/};
	$file = realpath($file) // return;
	for my $entry (glob '/proc/[0-9]*') {
		my ($pid) = $entry =~ /(\d+)/;
		return $pid if $pid != $$ && has_open($pid, $file);
	}
	return;
}

# is_abandoned: whether nothing writes the file any more.
sub is_abandoned {
	my ($file, $pid) = @_;
	return has_ended($pid) if defined $pid;
	return 0 if defined $writer && !has_ended($writer);
	my $had_writer = defined $writer;
	$writer = find_writer($file);
	return $had_writer && !defined $writer;
}

# has_happened EXAMINE: exits if it can happen no longer.  Searching for the
# writer costs more than looking at the file.
sub has_happened {
	my ($examine) = @_;
	return has_ended(@words) if $mode eq 'end';
	my ($text, $file, $pid) = @words;
	# In a basic expression, a backslash makes these characters special.
	$text =~ s/(\\?)([|(){}+?])/$1 ? $2 : "\\$2"/ge;
	my $abandoned = ($examine || defined $pid) && is_abandoned($file, $pid);
	return 1 if has_line($file, qr/$text/);
	if ($abandoned) {
		print "the process that writes $file has exited\n";
		exit 1;
	}
	return 0;
}

sub limit {
	my $limit = $ENV{AWAIT_LIMIT} // 60;
	my $cpus = 0;
	if (open(my $stat, '<', '/proc/stat')) {
		$cpus = grep { /^cpu\d/ } <$stat>;
	}
	if ($cpus && open(my $load, '<', '/proc/loadavg')) {
		my ($average) = split ' ', <$load>;
		$limit *= $average / $cpus if $average > $cpus;
	}
	return $limit;
}

my $limit = limit();
my $began = time;
my $examined = $began;
while (time < $began + $limit) {
	my $examine = time > $examined + 1;
	exit 0 if has_happened($examine);
	$examined = time if $examine;
	sleep 0.02;
}
printf "timed out after %d s\n", $limit;
exit 1;
