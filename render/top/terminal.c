/* SPDX-License-Identifier: Apache-2.0 */
/* Shows screens and reads keys with ncurses, and restores the terminal. */
#include "render/top/terminal.h"

#include "core/base/alloc.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#undef columns /* a macro of term.h */

enum { ESCAPE_MS = 25, RESTORE_MAX = 256 };

static struct {
	SCREEN *curses;
	FILE *in, *out;
	bool color;
	struct screen shown; /* what the terminal shows */
	/* For terminal_restore(): all fields are set before armed. */
	volatile sig_atomic_t armed;
	int fd;
	struct termios modes; /* before terminal_open() */
	char restore[RESTORE_MAX];
	size_t restore_len;
} terminal;

/* Attributes of each style, with colors and without. */
static const struct {
	short front, back;
	attr_t attributes, mono;
} styles[STYLES] = {
	[STYLE_PLAIN] = { -1, -1, A_NORMAL, A_NORMAL },
	[STYLE_DIM] = { -1, -1, A_DIM, A_DIM },
	[STYLE_BOLD] = { -1, -1, A_BOLD, A_BOLD },
	[STYLE_TITLE] = { COLOR_WHITE, COLOR_BLUE, A_BOLD, A_REVERSE },
	[STYLE_HEAD] = { COLOR_BLACK, COLOR_GREEN, A_NORMAL, A_REVERSE },
	[STYLE_SORTED] = { COLOR_BLACK, COLOR_CYAN, A_NORMAL, A_BOLD },
	[STYLE_SELECTED] = { COLOR_BLACK, COLOR_CYAN, A_NORMAL, A_REVERSE },
	[STYLE_FOLLOWED] = { COLOR_BLACK, COLOR_YELLOW, A_NORMAL,
			     A_REVERSE | A_BOLD },
	[STYLE_KEY] = { -1, -1, A_BOLD, A_BOLD },
	[STYLE_LABEL] = { COLOR_CYAN, -1, A_NORMAL, A_NORMAL },
	[STYLE_WARM] = { COLOR_YELLOW, -1, A_NORMAL, A_NORMAL },
	[STYLE_HOT] = { COLOR_RED, -1, A_BOLD, A_BOLD },
	[STYLE_USER] = { COLOR_GREEN, -1, A_NORMAL, A_NORMAL },
	[STYLE_SYS] = { COLOR_RED, -1, A_NORMAL, A_NORMAL },
	[STYLE_GC] = { COLOR_YELLOW, -1, A_NORMAL, A_NORMAL },
	[STYLE_JIT] = { COLOR_CYAN, -1, A_NORMAL, A_NORMAL },
	[STYLE_VM] = { COLOR_MAGENTA, -1, A_NORMAL, A_NORMAL },
	[STYLE_NATIVE] = { COLOR_BLUE, -1, A_NORMAL, A_NORMAL },
	[STYLE_HISTORY] = { COLOR_CYAN, -1, A_NORMAL, A_NORMAL },
};

/* Returns a terminfo string, or NULL. */
static const char *terminal_capability(const char *name)
{
	/* tigetstr() returns -1 for a name that is not a string. */
	const char *string = tigetstr(name);

	return string == (const char *)-1 ? NULL : string;
}

static void terminal_add_restore(const char *string)
{
	size_t len = string ? strlen(string) : 0;

	if (terminal.restore_len + len > RESTORE_MAX)
		return;
	memcpy(terminal.restore + terminal.restore_len, string ? string : "",
	       len);
	terminal.restore_len += len;
}

/* Looks up the restore strings: a signal handler must not call terminfo. */
static void terminal_prepare_restore(void)
{
	terminal.restore_len = 0;
	/* Switch mouse reports off in both protocols. */
	if (terminal_capability("kmous"))
		terminal_add_restore("\033[?1006l\033[?1000l");
	terminal_add_restore(terminal_capability("sgr0"));
	terminal_add_restore(terminal_capability("op"));
	terminal_add_restore(terminal_capability("rmkx"));
	terminal_add_restore(terminal_capability("cnorm"));
	terminal_add_restore(terminal_capability("rmcup"));
	terminal.fd = fileno(terminal.out);
	terminal.armed = 1;
}

/*
 * True while another process group is in the foreground. Its output would be
 * overwritten, and the kernel stops background writers with SIGTTOU.
 */
static bool terminal_in_background(int fd)
{
	pid_t owner = tcgetpgrp(fd);

	return owner >= 0 && owner != getpgrp();
}

bool terminal_is_taken(void)
{
	return terminal.curses && terminal_in_background(terminal.fd);
}

void terminal_restore(void)
{
	int saved = errno;

	if (!terminal.armed || terminal_in_background(terminal.fd)) {
		errno = saved;
		return;
	}
	/* A failed write means that the terminal has gone. */
	if (write(terminal.fd, terminal.restore, terminal.restore_len) < 0)
		errno = saved;
	tcsetattr(terminal.fd, TCSANOW, &terminal.modes);
	errno = saved;
}

/* Limited, since ncurses stores a terminal of any size three times. */
static void terminal_measure(unsigned *columns, unsigned *rows)
{
	struct winsize size = { 0 };

	*columns = 80;
	*rows = 24;
	if (ioctl(fileno(terminal.out), TIOCGWINSZ, &size) == 0) {
		*columns = size.ws_col ? size.ws_col : *columns;
		*rows = size.ws_row ? size.ws_row : *rows;
	}
	if (*columns > SCREEN_COLUMNS_MAX)
		*columns = SCREEN_COLUMNS_MAX;
	if (*rows > SCREEN_ROWS_MAX)
		*rows = SCREEN_ROWS_MAX;
}

void terminal_size(unsigned *columns, unsigned *rows)
{
	terminal_measure(columns, rows);
}

static void terminal_start_input(void)
{
	cbreak();
	noecho();
	nonl();
	set_escdelay(ESCAPE_MS);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0);
}

static FILE *terminal_reopened(int fd, const char *path, const char *mode)
{
	int copy = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3)
			   : open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	FILE *file = copy >= 0 ? fdopen(copy, mode) : NULL;

	if (!file && copy >= 0)
		close(copy);
	return file;
}

static void terminal_close_files(void)
{
	if (terminal.in)
		fclose(terminal.in);
	if (terminal.out)
		fclose(terminal.out);
	terminal.in = terminal.out = NULL;
}

static int terminal_open_files(struct error *err)
{
	if (!isatty(STDOUT_FILENO))
		return fail(err, ERROR_UNAVAILABLE,
			    "standard output is not a terminal");
	terminal.out = terminal_reopened(STDOUT_FILENO, NULL, "w");
	terminal.in = terminal_reopened(
		isatty(STDIN_FILENO) ? STDIN_FILENO : -1, "/dev/tty", "r");
	if (terminal.out && terminal.in &&
	    tcgetattr(fileno(terminal.out), &terminal.modes) == 0)
		return 0;
	terminal_close_files();
	return fail(err, ERROR_UNAVAILABLE,
		    "no terminal is available for keys");
}

/* Checks that terminfo knows the terminal and that it has a movable cursor. */
static int terminal_check_type(struct error *err)
{
	const char *type = getenv("TERM");
	int found;

	if (!type || !*type)
		return fail(err, ERROR_UNAVAILABLE, "TERM is not set");
	if (setupterm(NULL, fileno(terminal.out), &found) != OK)
		return fail(err, ERROR_UNAVAILABLE,
			    "unknown terminal type '%s'", type);
	if (terminal_capability("cup") && terminal_capability("clear"))
		return 0;
	return fail(err, ERROR_UNAVAILABLE,
		    "terminal type '%s' cannot position the cursor", type);
}

/*
 * Calls newterm() with LINES and COLUMNS set. Without them ncurses allocates
 * memory for a huge terminal three times, and rejects terminal types without a
 * size, such as the Linux console.
 */
static SCREEN *terminal_new(void)
{
	unsigned columns, rows;
	SCREEN *made;
	char size[16];

	terminal_measure(&columns, &rows);
	snprintf(size, sizeof(size), "%u", rows);
	setenv("LINES", size, 1);
	snprintf(size, sizeof(size), "%u", columns);
	setenv("COLUMNS", size, 1);
	use_env(TRUE);
	made = newterm(NULL, terminal.out, terminal.in);
	unsetenv("LINES");
	unsetenv("COLUMNS");
	return made;
}

int terminal_open(bool color, struct error *err)
{
	TERMINAL *looked_up;
	unsigned columns, rows;

	if (terminal_open_files(err))
		return -1;
	if (terminal_check_type(err)) {
		terminal_close_files();
		return -1;
	}
	terminal_prepare_restore();
	looked_up = cur_term;
	terminal.curses = terminal_new();
	del_curterm(looked_up); /* newterm() has made its own */
	if (!terminal.curses) {
		terminal.armed = 0;
		terminal_close_files();
		return fail(err, ERROR_UNAVAILABLE, "cannot use the terminal");
	}
	terminal_measure(&columns, &rows);
	resize_term((int)rows, (int)columns);
	terminal.color = color && has_colors() && start_color() == OK;
	if (terminal.color)
		use_default_colors();
	for (int i = 0; terminal.color && i < STYLES; i++)
		init_pair((short)(i + 1), styles[i].front, styles[i].back);
	terminal_start_input();
	return 0;
}

void terminal_close(void)
{
	bool taken = terminal_is_taken();

	if (!terminal.curses)
		return;
	if (!taken)
		endwin();
	delscreen(terminal.curses);
	terminal.curses = NULL;
	/* endwin() restores the modes of newterm(); restore older ones, too. */
	if (!taken)
		tcsetattr(terminal.fd, TCSANOW, &terminal.modes);
	terminal.armed = 0;
	terminal_close_files();
	screen_release(&terminal.shown);
}

void terminal_suspend(void)
{
	if (!terminal.curses || terminal_is_taken())
		return;
	endwin();
	tcsetattr(terminal.fd, TCSANOW, &terminal.modes);
}

void terminal_resume(void)
{
	if (!terminal.curses)
		return;
	/* endwin() makes the refresh set all modes: a shell may have changed
	 * them. */
	endwin();
	reset_prog_mode();
	clearok(curscr, TRUE);
	wrefresh(stdscr);
	curs_set(0);
}

int terminal_fd(void) { return fileno(terminal.in); }

static void terminal_to_mouse(struct key *key)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return;
	key->row = event.y > 0 ? (unsigned)event.y : 0;
	key->column = event.x > 0 ? (unsigned)event.x : 0;
	if (event.bstate & BUTTON1_PRESSED)
		key->code = KEYS_CLICK;
	else if (event.bstate & BUTTON4_PRESSED)
		key->code = KEYS_WHEEL_UP;
	else if (event.bstate & BUTTON5_PRESSED)
		key->code = KEYS_WHEEL_DOWN;
}

/* Keys without a character. */
static const struct {
	wint_t curses;
	uint32_t code;
} named[] = {
	{ KEY_UP, KEYS_UP },         { KEY_DOWN, KEYS_DOWN },
	{ KEY_LEFT, KEYS_LEFT },     { KEY_RIGHT, KEYS_RIGHT },
	{ KEY_PPAGE, KEYS_PAGE_UP }, { KEY_NPAGE, KEYS_PAGE_DOWN },
	{ KEY_HOME, KEYS_HOME },     { KEY_END, KEYS_END },
	{ KEY_ENTER, KEYS_ENTER },   { KEY_BACKSPACE, KEYS_BACKSPACE },
	{ KEY_F(1), KEYS_F1 },       { KEY_F(10), KEYS_F10 },
};

static void terminal_to_named(wint_t code, struct key *key)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
		if (named[i].curses == code)
			key->code = named[i].code;
	}
}

/* True after a hang-up: the descriptor is readable, but get_wch() fails. */
static bool terminal_is_gone(void)
{
	struct pollfd in = { .fd = fileno(terminal.in), .events = POLLIN };

	return poll(&in, 1, 0) > 0 && (in.revents & (POLLHUP | POLLERR));
}

bool terminal_key(struct key *key)
{
	wint_t c;
	int kind;

	*key = (struct key){ .code = KEYS_NONE };
	kind = get_wch(&c);
	if (kind == ERR)
		return !terminal_is_gone();
	if (kind == KEY_CODE_YES && c == KEY_MOUSE)
		terminal_to_mouse(key);
	else if (kind == KEY_CODE_YES)
		terminal_to_named(c, key);
	else
		key->code = c == '\r' ? KEYS_ENTER : c;
	return true;
}

/* Converts a cell to wide characters for setcchar(); returns their number. */
static size_t terminal_to_wide(const struct screen_cell *cell, wchar_t *wide,
			       size_t cap)
{
	mbstate_t state = { 0 };
	size_t count = 0;

	for (size_t at = 0; at < cell->len && count + 1 < cap;) {
		size_t used = mbrtowc(&wide[count], cell->bytes + at,
				      cell->len - at, &state);

		if (used == 0 || used > cell->len)
			break;
		at += used;
		count++;
	}
	wide[count] = L'\0';
	return count;
}

static void terminal_draw_cell(const struct screen *s, unsigned row,
			       unsigned column)
{
	const struct screen_cell *cell = screen_cell(s, row, column);
	attr_t attributes = terminal.color ? styles[cell->style].attributes
					   : styles[cell->style].mono;
	short pair = terminal.color ? (short)(cell->style + 1) : 0;
	wchar_t wide[CCHARW_MAX + 1];
	cchar_t shown = { 0 };

	if (!terminal_to_wide(cell, wide, CCHARW_MAX))
		wide[0] = L'?', wide[1] = L'\0';
	setcchar(&shown, wide, attributes, pair, NULL);
	mvadd_wch((int)row, (int)column, &shown);
}

static bool terminal_differ(const struct screen *s, unsigned row,
			    unsigned column)
{
	const struct screen_cell *a = screen_cell(s, row, column);
	const struct screen_cell *b = screen_cell(&terminal.shown, row, column);

	return a->len != b->len || a->style != b->style ||
	       memcmp(a->bytes, b->bytes, a->len) != 0;
}

/* Draws changed cells; a wide character is redrawn if either half changed. */
static void terminal_draw_row(const struct screen *s, unsigned row)
{
	for (unsigned column = 0; column < s->columns; column++) {
		bool wide = column + 1 < s->columns &&
			    screen_cell(s, row, column + 1)->len == 0;

		if (!terminal_differ(s, row, column) &&
		    !(wide && terminal_differ(s, row, column + 1)))
			continue;
		if (screen_cell(s, row, column)->len)
			terminal_draw_cell(s, row, column);
	}
}

void terminal_draw(const struct screen *s, bool redraw)
{
	if (s->columns != terminal.shown.columns ||
	    s->rows != terminal.shown.rows) {
		resize_term((int)s->rows, (int)s->columns);
		screen_resize(&terminal.shown, s->columns, s->rows);
		redraw = true;
	}
	if (redraw) {
		clear(); /* the next refresh redraws everything */
		screen_clear(&terminal.shown);
	}
	for (unsigned row = 0; row < s->rows; row++)
		terminal_draw_row(s, row);
	memcpy(terminal.shown.cells, s->cells,
	       sizeof(*s->cells) * s->columns * s->rows);
	refresh();
}
