// SPDX-License-Identifier: Apache-2.0
// profiler.hpp in a program: a session, spans with attributes, a step.
#include <nx/profiler.hpp>

#include <cstdio>
#include <string>
#include <utility>

int main(int argc, char **argv)
{
	nx::session session{argc > 1 ? argv[1] : "output"};

	if (!session.is_on()) {
		std::fprintf(stderr, "%s\n", nx_profiler_error());
		return 1;
	}
	for (int i = 0; i < 3; i++) {
		nx::step step{"loop", i};
		std::string name = "part " + std::to_string(i);
		nx::span span{name,
			      {{"index", i}, {"ratio", 0.5}, {"is_last", i == 2}, {"text", name}}};
		nx::span moved{std::move(span)};

		moved.end();
		nx::span rest{nx_profiler_name("rest")};
	}
	return 0;
}
