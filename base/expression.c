/* SPDX-License-Identifier: Apache-2.0 */
#include "base/expression.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/bare/text.h"

#define MAX_DEPTH 64
#define MAX_NUMBER_BYTES 63

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

void nx_cursor_skip_blanks(struct nx_cursor *c)
{
	while (nx_cursor_peek(c) == ' ' || nx_cursor_peek(c) == '\t')
		c->at++;
}

bool nx_cursor_take(struct nx_cursor *c, const char *word)
{
	if (!nx_slice_starts(nx_slice_part(c->text, c->at, c->text.len), word))
		return false;
	c->at += strlen(word);
	return true;
}

struct nx_slice nx_cursor_take_name(struct nx_cursor *c)
{
	size_t start = c->at;

	if (is_name_byte(nx_cursor_peek(c)))
		while (is_name_byte(nx_cursor_peek(c)) || is_digit(nx_cursor_peek(c)) ||
		       nx_cursor_peek(c) == '.')
			c->at++;
	return nx_slice_part(c->text, start, c->at - start);
}

/* --- literals ---------------------------------------------------------------- */

static size_t number_length(const struct nx_cursor *c, bool *is_hex, bool *is_real)
{
	const char *text = (const char *)c->text.data + c->at;
	size_t left = c->text.len - c->at, n = 0;

	*is_real = false;
	*is_hex = left > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	if (*is_hex) {
		for (n = 2; n < left && nx_hex_value(text[n]) >= 0; n++)
			;
		return n;
	}
	for (; n < left && (is_digit(text[n]) || text[n] == '.'); n++)
		*is_real |= text[n] == '.';
	if (n < left && (text[n] == 'e' || text[n] == 'E')) {
		size_t digits = n + 1;

		if (digits < left && (text[digits] == '+' || text[digits] == '-'))
			digits++;
		if (digits < left && is_digit(text[digits])) {
			*is_real = true;
			for (n = digits; n < left && is_digit(text[n]); n++)
				;
		}
	}
	return n;
}

static enum nx_status read_number(struct nx_cursor *c, struct nx_expression_value *out,
				  struct nx_error *err)
{
	char text[MAX_NUMBER_BYTES + 1], *end;
	bool is_hex, is_real;
	size_t len = number_length(c, &is_hex, &is_real);

	if (len > MAX_NUMBER_BYTES)
		return nx_fail(err, NX_FORMAT, "a number has at most %d characters",
			       MAX_NUMBER_BYTES);
	memcpy(text, c->text.data + c->at, len);
	text[len] = '\0';
	errno = 0;
	if (is_real)
		*out = (struct nx_expression_value){.is_real = true, .real = strtod(text, &end)};
	else if (is_hex)
		*out = nx_value_of((int64_t)strtoull(text, &end, 16));
	else
		*out = nx_value_of(strtoll(text, &end, 10));
	if (*end || end == text)
		return nx_fail(err, NX_FORMAT, "'%s' is not a number", text);
	if (errno == ERANGE && !is_real)
		return nx_fail(err, NX_FORMAT, "%s does not fit into 64 bits", text);
	c->at += len;
	return NX_OK;
}

/* --- operators --------------------------------------------------------------- */

enum operation { OR, XOR, AND, EQ, NE, LE, GE, SHL, SHR, LT, GT, ADD, SUB, MUL, DIV, MOD };

/* Longer spellings come before those they begin with. */
static const struct {
	const char *spelling;
	enum operation operation;
	unsigned rank; /* higher binds tighter */
} operators[] = {
	{"==", EQ, 4}, {"!=", NE, 4}, {"<<", SHL, 6}, {">>", SHR, 6}, {"<=", LE, 5}, {">=", GE, 5},
	{"<", LT, 5},  {">", GT, 5},  {"|", OR, 1},   {"^", XOR, 2},  {"&", AND, 3}, {"+", ADD, 7},
	{"-", SUB, 7}, {"*", MUL, 8}, {"/", DIV, 8},  {"%", MOD, 8},
};

#define OPERATOR_COUNT (sizeof(operators) / sizeof(operators[0]))
static_assert(OPERATOR_COUNT == MOD + 1, "every operation has a spelling");

static struct nx_expression_value real_of(double real)
{
	return (struct nx_expression_value){.is_real = true, .real = real};
}

static enum nx_status apply_real(enum operation op, double a, double b,
				 struct nx_expression_value *out, struct nx_error *err)
{
	switch (op) {
	case ADD:
		*out = real_of(a + b);
		break;
	case SUB:
		*out = real_of(a - b);
		break;
	case MUL:
		*out = real_of(a * b);
		break;
	case DIV:
		if (b == 0)
			return nx_fail(err, NX_FORMAT, "division by zero");
		*out = real_of(a / b);
		break;
	case EQ:
	case NE:
		*out = nx_value_of((a == b) == (op == EQ));
		break;
	case LT:
	case GE:
		*out = nx_value_of((a < b) == (op == LT));
		break;
	case GT:
	case LE:
		*out = nx_value_of((a > b) == (op == GT));
		break;
	default:
		return nx_fail(err, NX_FORMAT, "this operator needs integers on both sides");
	}
	return NX_OK;
}

static enum nx_status apply_whole(enum operation op, int64_t a, int64_t b,
				  struct nx_expression_value *out, struct nx_error *err)
{
	int64_t result = 0;
	bool is_over = false;

	switch (op) {
	case OR:
		result = a | b;
		break;
	case XOR:
		result = a ^ b;
		break;
	case AND:
		result = a & b;
		break;
	case SHL:
	case SHR:
		if (b < 0 || b > 63)
			return nx_fail(err, NX_FORMAT, "cannot shift by %lld; use 0 to 63",
				       (long long)b);
		result = (int64_t)(op == SHL ? (uint64_t)a << b : (uint64_t)a >> b);
		break;
	case DIV:
	case MOD:
		if (b == 0)
			return nx_fail(err, NX_FORMAT, "division by zero");
		is_over = b == -1 && a == INT64_MIN;
		if (!is_over)
			result = op == DIV ? a / b : a % b;
		break;
	case ADD:
		is_over = __builtin_add_overflow(a, b, &result);
		break;
	case SUB:
		is_over = __builtin_sub_overflow(a, b, &result);
		break;
	case MUL:
		is_over = __builtin_mul_overflow(a, b, &result);
		break;
	case EQ:
	case NE:
		result = (a == b) == (op == EQ);
		break;
	case LT:
	case GE:
		result = (a < b) == (op == LT);
		break;
	case GT:
	case LE:
		result = (a > b) == (op == GT);
		break;
	}
	*out = nx_value_of(result);
	return is_over ? nx_fail(err, NX_FORMAT, "the result does not fit into 64 bits") : NX_OK;
}

/* --- structure --------------------------------------------------------------- */

static enum nx_status read_binary(struct nx_cursor *c, unsigned lowest, unsigned depth,
				  struct nx_expression_value *out, struct nx_error *err);

/* The cursor stands after the bracket, before the first item. */
static enum nx_status read_bracketed(struct nx_cursor *c, unsigned depth,
				     struct nx_expression_value *items, unsigned *count,
				     struct nx_error *err)
{
	bool outer = c->allows_blanks;
	enum nx_status status = NX_OK;

	c->allows_blanks = true;
	*count = 0;
	do {
		if (*count == NX_EXPRESSION_MAX_ARGUMENTS)
			return nx_fail(err, NX_FORMAT, "a function has at most %d arguments",
				       NX_EXPRESSION_MAX_ARGUMENTS);
		status = read_binary(c, 1, depth + 1, &items[*count], err);
		if (status)
			return status;
		++*count;
		nx_cursor_skip_blanks(c);
	} while (nx_cursor_take(c, ","));
	c->allows_blanks = outer;
	return nx_cursor_take(c, ")") ? NX_OK : nx_fail(err, NX_FORMAT, "a ')' is missing here");
}

static enum nx_status read_named(struct nx_cursor *c, unsigned depth,
				 struct nx_expression_value *out, struct nx_error *err)
{
	const struct nx_expression_names *names = c->names;
	struct nx_expression_value arguments[NX_EXPRESSION_MAX_ARGUMENTS];
	size_t start = c->at;
	struct nx_slice name = nx_cursor_take_name(c);
	enum nx_status status;
	unsigned count;

	if (!nx_cursor_take(c, "(")) {
		if (names && names->find(names->context, name, out))
			return NX_OK;
		c->at = start;
		return nx_fail(err, NX_FORMAT, "unknown name '%.*s'; define it with .set",
			       (int)name.len, (const char *)name.data);
	}
	status = read_bracketed(c, depth, arguments, &count, err);
	if (status)
		return status;
	if (names && names->call && names->call(names->context, name, arguments, count, out))
		return NX_OK;
	c->at = start;
	return nx_fail(err, NX_FORMAT, "no function %.*s takes %u arguments", (int)name.len,
		       (const char *)name.data, count);
}

static enum nx_status read_primary(struct nx_cursor *c, unsigned depth,
				   struct nx_expression_value *out, struct nx_error *err)
{
	char next = nx_cursor_peek(c);
	unsigned count;

	if (is_digit(next) || next == '.')
		return read_number(c, out, err);
	if (is_name_byte(next))
		return read_named(c, depth, out, err);
	if (nx_cursor_take(c, "(")) {
		struct nx_expression_value items[NX_EXPRESSION_MAX_ARGUMENTS];
		size_t start = c->at;
		enum nx_status status = read_bracketed(c, depth, items, &count, err);

		if (!status && count != 1) {
			c->at = start;
			return nx_fail(err, NX_FORMAT, "brackets must hold one expression");
		}
		*out = items[0];
		return status;
	}
	return nx_fail(err, NX_FORMAT, "a number or a name is missing here");
}

static enum nx_status read_unary(struct nx_cursor *c, unsigned depth,
				 struct nx_expression_value *out, struct nx_error *err)
{
	enum nx_status status;
	char sign;

	if (depth > MAX_DEPTH)
		return nx_fail(err, NX_FORMAT, "nested more than %d levels deep", MAX_DEPTH);
	if (c->allows_blanks)
		nx_cursor_skip_blanks(c);
	sign = nx_cursor_peek(c);
	if (sign != '-' && sign != '+' && sign != '~' && sign != '!')
		return read_primary(c, depth, out, err);
	c->at++;
	status = read_unary(c, depth + 1, out, err);
	if (status || sign == '+')
		return status;
	if (sign == '-' && out->is_real)
		*out = real_of(-out->real);
	else if (sign == '-')
		return apply_whole(SUB, 0, out->whole, out, err);
	else if (out->is_real)
		return nx_fail(err, NX_FORMAT, "this operator needs an integer");
	else
		*out = nx_value_of(sign == '~' ? ~out->whole : !out->whole);
	return NX_OK;
}

/* The operator that comes next, if it binds tightly enough; OPERATOR_COUNT when none. */
static size_t next_operator(struct nx_cursor *c, unsigned lowest)
{
	size_t start = c->at;

	if (c->allows_blanks)
		nx_cursor_skip_blanks(c);
	for (size_t i = 0; i < OPERATOR_COUNT; i++)
		if (nx_cursor_take(c, operators[i].spelling)) {
			if (operators[i].rank >= lowest)
				return i;
			break;
		}
	c->at = start;
	return OPERATOR_COUNT;
}

static enum nx_status read_binary(struct nx_cursor *c, unsigned lowest, unsigned depth,
				  struct nx_expression_value *out, struct nx_error *err)
{
	enum nx_status status;

	*out = (struct nx_expression_value){0};
	status = read_unary(c, depth, out, err);
	while (!status) {
		size_t start = c->at, i = next_operator(c, lowest);
		struct nx_expression_value right;

		if (i == OPERATOR_COUNT)
			break;
		status = read_binary(c, operators[i].rank + 1, depth + 1, &right, err);
		if (status)
			break;
		if (out->is_real || right.is_real)
			status =
				apply_real(operators[i].operation, out->real, right.real, out, err);
		else
			status = apply_whole(operators[i].operation, out->whole, right.whole, out,
					     err);
		if (status)
			c->at = start;
	}
	return status;
}

enum nx_status nx_expression_read(struct nx_cursor *c, struct nx_expression_value *out,
				  struct nx_error *err)
{
	bool outer = c->allows_blanks;
	enum nx_status status = read_binary(c, 1, 0, out, err);

	c->allows_blanks = outer;
	return status;
}

enum nx_status nx_expression_read_primary(struct nx_cursor *c, struct nx_expression_value *out,
					  struct nx_error *err)
{
	bool outer = c->allows_blanks;
	enum nx_status status = read_primary(c, 0, out, err);

	c->allows_blanks = outer;
	return status;
}
