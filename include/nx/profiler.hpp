/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler.hpp: profiler.h for C++17: a session and a span end with their scope.
 *
 *	nx::session session{"profile"};
 *	{
 *		nx::span span{"load batch", {{"rows", 128}, {"file", path}}};
 *		...
 *	}
 */
#ifndef NX_PROFILER_HPP
#define NX_PROFILER_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "profiler.h"

namespace nx
{

/* A key and a value: an integer, a double, a bool or a text. */
struct attribute : nx_attribute {
	attribute(const char *key, std::string_view text)
	    : nx_attribute(nx_attribute_text(nx_profiler_name(key), text.data(), text.size()))
	{
	}
	attribute(const char *key, const char *text) : attribute(key, std::string_view(text))
	{
	}
	template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
	attribute(const char *key, T value) : nx_attribute(of(nx_profiler_name(key), value))
	{
	}

      private:
	template <typename T> static nx_attribute of(nx_name key, T value)
	{
		if constexpr (std::is_same_v<T, bool>)
			return nx_attribute_bool(key, value);
		else if constexpr (std::is_floating_point_v<T>)
			return nx_attribute_f64(key, static_cast<double>(value));
		else if constexpr (std::is_signed_v<T>)
			return nx_attribute_i64(key, value);
		else
			return nx_attribute_u64(key, value);
	}
};

static_assert(sizeof(attribute) == sizeof(nx_attribute), "arrays of both are the same");

class span
{
      public:
	explicit span(std::string_view name)
	    : span_(nx_profiler_begin_text(name.data(), name.size()))
	{
	}
	explicit span(nx_name name) : span_(nx_profiler_begin(name))
	{
	}
	/* The attributes are made in any case; test nx_profiler_is_on() where that is too much. */
	span(std::string_view name, std::initializer_list<attribute> attributes)
	    : span_(nx_profiler_begin_text_with(NX_PROFILER_ANNOTATION, name.data(), name.size(),
						attributes.begin(), attributes.size()))
	{
	}
	span(span &&other) noexcept : span_(other.span_)
	{
		other.span_ = 0;
	}
	span(const span &) = delete;
	span &operator=(const span &) = delete;
	~span()
	{
		end();
	}
	void end()
	{
		nx_profiler_end(span_);
		span_ = 0;
	}

      protected:
	struct adopted {
	};
	span(adopted, nx_span begun) : span_(begun)
	{
	}

      private:
	nx_span span_;
};

class step : public span
{
      public:
	step(const char *name, std::int64_t number)
	    : span(adopted{}, nx_profiler_step_begin(nx_profiler_name(name), number))
	{
	}
};

class session
{
      public:
	explicit session(const char *output_dir) : session(with(output_dir))
	{
	}
	explicit session(const nx_profiler_options &options) : status_(nx_profiler_start(&options))
	{
	}
	session(const session &) = delete;
	session &operator=(const session &) = delete;
	~session()
	{
		if (is_on())
			nx_profiler_stop();
	}
	/* enum nx_profiler_status; nx_profiler_error() has the sentence. */
	int status() const
	{
		return status_;
	}
	bool is_on() const
	{
		return status_ == NX_PROFILER_OK || status_ == NX_PROFILER_RUNTIME;
	}

      private:
	static nx_profiler_options with(const char *output_dir)
	{
		nx_profiler_options options = nx_profiler_options_default();

		options.output_dir = output_dir;
		return options;
	}
	int status_;
};

/* Continuous recording while it is in scope. */
class continuous
{
      public:
	explicit continuous(
		const nx_profiler_continuous_options &options = nx_profiler_continuous_options_default())
	    : status_(nx_profiler_continuous_start(&options))
	{
	}
	continuous(const continuous &) = delete;
	continuous &operator=(const continuous &) = delete;
	~continuous()
	{
		if (status_ == NX_PROFILER_OK)
			nx_profiler_continuous_stop();
	}
	int status() const
	{
		return status_;
	}
	/* Saves what was kept; returns the folder, "" if it failed: see nx_profiler_error(). */
	std::string snapshot(const char *reason = nullptr) const
	{
		nx_profiler_snapshot_options options = {sizeof(options), nullptr, reason};
		char folder[2048];

		return nx_profiler_snapshot(&options, folder, sizeof(folder)) ? "" : folder;
	}

      private:
	int status_;
};

} // namespace nx

#endif
