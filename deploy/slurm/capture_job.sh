#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Records all tasks of a job that profile.sbatch started, while it runs, as one session.
#
#   deploy/slurm/capture_job.sh JOB_ID [OPTIONS of neuron-explorer capture]
#   deploy/slurm/capture_job.sh 4711 --duration-ms 2000
#
# The session is in PROFILES/<job id>/sessions; PROFILES is that of the job (default: "profiles" here).
set -eu

[ $# -gt 0 ] || {
	echo "usage: capture_job.sh JOB_ID [OPTIONS of neuron-explorer capture]" >&2
	exit 2
}
output=${PROFILES:-profiles}/$1
shift
if ! cat "$output"/services/* >/dev/null 2>&1; then
	echo "capture_job.sh: $output/services lists no task; start the job with profile.sbatch, and set" \
		"PROFILES as for the job" >&2
	exit 3
fi
exec "${NEURON_EXPLORER:-neuron-explorer}" capture \
	--service-addr "$(cat "$output"/services/* | paste -sd, -)" \
	--token-file "$output/token" --logdir "$output/sessions" "$@"
