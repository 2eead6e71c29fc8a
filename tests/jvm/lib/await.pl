# SPDX-License-Identifier: Apache-2.0
#
#	await.pl line TEXT FILE [PID]
#	await.pl COUNT TEXT FILE [PID]
#	await.pl end PID
#
# Waits until a line of the file matches TEXT, a basic regular expression, or
# COUNT lines do, or until the process has exited.  Waits up to five minutes, or a minute for an
# end.  With a PID, waits for a line only until the process has exited.
#
# A shell would start three programs for each look, and many tests wait at the
# same time.
use strict;
use warnings;

my ($mode, @words) = @ARGV;

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

sub look {
	return has_ended(@words) if $mode eq 'end';
	my ($text, $file, $pid) = @words;
	# In a basic expression, a backslash makes these characters special.
	$text =~ s/(\\?)([|(){}+?])/$1 ? $2 : "\\$2"/ge;
	my $gone = defined $pid && has_ended($pid);
	return 1 if has_line($file, qr/$text/);
	exit 1 if $gone;
	return 0;
}

my $looks = $mode eq 'end' ? 3000 : 15000;
for (1 .. $looks) {
	exit 0 if look();
	select(undef, undef, undef, 0.02);
}
exit 1;
