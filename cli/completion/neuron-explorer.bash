# SPDX-License-Identifier: Apache-2.0
# bash completion for neuron-explorer and its other names

_neuron_explorer()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} words='' operands=''
	local program=${COMP_WORDS[0]##*/}

	if [[ " nccom-test neuron-ls " == *" $program "* ]]; then
		command=$program
	elif [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W 'inspect capture attach snapshot view show-session neff why recommend annotate compare bench simulate doctor report query export list rename archive delete gc upload mcp help --help --version --show-profile-schema' -- "$cur")
		return
	fi
	case "$command:$prev" in
	inspect:-o|inspect:--output-dir)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	inspect:--device-profile)
		mapfile -t COMPREPLY < <(compgen -W 'off model session' -- "$cur")
		return ;;
	inspect:--runtime)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	capture:-n|capture:--neff)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	capture:-s|capture:--session-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	capture:-i|capture:--collectives-profile-id)
		mapfile -t COMPREPLY < <(compgen -W 'all' -- "$cur")
		return ;;
	capture:-m|capture:--multi-input)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	capture:-t|capture:--capture-type)
		mapfile -t COMPREPLY < <(compgen -W 'profile systrace' -- "$cur")
		return ;;
	capture:--exec-mode)
		mapfile -t COMPREPLY < <(compgen -W 'sync async async-wait' -- "$cur")
		return ;;
	capture:--write-tensors-per-exec)
		mapfile -t COMPREPLY < <(compgen -W 'alias all none' -- "$cur")
		return ;;
	capture:--io-from)
		mapfile -t COMPREPLY < <(compgen -W 'neff runtime' -- "$cur")
		return ;;
	capture:--runtime)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	capture:--logdir)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	capture:--token-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	capture:--device-type)
		mapfile -t COMPREPLY < <(compgen -W 'any cpu gpu tpu pluggable' -- "$cur")
		return ;;
	attach:--logdir)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	attach:--token-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	attach:--device-type)
		mapfile -t COMPREPLY < <(compgen -W 'any cpu gpu tpu pluggable' -- "$cur")
		return ;;
	snapshot:--logdir)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	snapshot:--token-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	snapshot:--device-type)
		mapfile -t COMPREPLY < <(compgen -W 'any cpu gpu tpu pluggable' -- "$cur")
		return ;;
	view:-n|view:--neff-path)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	view:-s|view:--session-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	view:-d|view:--session-dir)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	view:--output-format)
		mapfile -t COMPREPLY < <(compgen -W 'parquet json perfetto xspace summary-json summary-text db' -- "$cur")
		return ;;
	view:--output-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	view:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	view:--framework-source-root)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	view:--nki-source-root)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	view:--source-code-root)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	view:--token-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	view:--processing-status-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	show-session:-s|show-session:--session-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	show-session:-n|show-session:--neff-path)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	show-session:--engine)
		mapfile -t COMPREPLY < <(compgen -W 'Tensor Scalar GpSimd Vector Sync' -- "$cur")
		return ;;
	neff:--extract)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	neff:-o|neff:--output)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	neff:--arch)
		mapfile -t COMPREPLY < <(compgen -W 'trn1 inf2 trn2 trn3' -- "$cur")
		return ;;
	why:-d|why:--profile)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	why:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	why:-n|why:--neff-path)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	why:-s|why:--session-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	why:--by)
		mapfile -t COMPREPLY < <(compgen -W 'line layer opcode tensor' -- "$cur")
		return ;;
	why:-f|why:--format)
		mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$cur")
		return ;;
	recommend:-d|recommend:--profile)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	recommend:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	recommend:-n|recommend:--neff-path)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	recommend:-s|recommend:--session-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	recommend:-f|recommend:--format)
		mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$cur")
		return ;;
	annotate:-d|annotate:--profile)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	annotate:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	annotate:-f|annotate:--format)
		mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$cur")
		return ;;
	compare:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	compare:-f|compare:--format)
		mapfile -t COMPREPLY < <(compgen -W 'text json html' -- "$cur")
		return ;;
	compare:-o|compare:--output-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	bench:-b|bench:--baseline)
		mapfile -t COMPREPLY < <(compgen -W 'FILE.json' -- "$cur")
		return ;;
	bench:-f|bench:--format)
		mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$cur")
		return ;;
	bench:-o|bench:--output-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	bench:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	bench:--runtime)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	simulate:-s|simulate:--session-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	simulate:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	simulate:-f|simulate:--format)
		mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$cur")
		return ;;
	doctor:-d|doctor:--profile)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	doctor:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	report:-o|report:--output-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	report:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	query:-d|query:--profile)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	query:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	query:-f|query:--format)
		mapfile -t COMPREPLY < <(compgen -W 'table csv json jsonl parquet' -- "$cur")
		return ;;
	query:-o|query:--output-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	export:-d|export:--profile)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	export:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	export:-f|export:--format)
		mapfile -t COMPREPLY < <(compgen -W 'csv json jsonl parquet' -- "$cur")
		return ;;
	export:-o|export:--output-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	list:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	list:--format)
		mapfile -t COMPREPLY < <(compgen -W 'table json' -- "$cur")
		return ;;
	rename:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	archive:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	delete:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	gc:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	upload:--neff)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	upload:--ntff)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	upload:--profile-directory)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	upload:--token-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	mcp:--data-path)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	nccom-test:--node-rank)
		mapfile -t COMPREPLY < <(compgen -W 'auto' -- "$cur")
		return ;;
	nccom-test:-d|nccom-test:--datatype)
		mapfile -t COMPREPLY < <(compgen -W 'uint8 int8 fp8 uint16 int16 fp16 bf16 uint32 int32 fp32' -- "$cur")
		return ;;
	nccom-test:--report-to-json-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	nccom-test:--runtime)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	nccom-test:--hosts-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	nccom-test:--mpi-log-dir)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	nccom-test:--slurm-setup-script)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	nccom-test:--streams-json)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	neuron-ls:--output-format)
		mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$cur")
		return ;;
	esac
	case "$command" in
	inspect)
		words='--help -o --output-dir -n --num-trace-events --device-profile --capture-system-profiles --capture-device-profiles --filter-nc --filter-event-type --runtime -v --version' ;;
	capture)
		words='--help -n --neff -s --session-file --ignore-exec-errors --ignore-inference --enable-dge-notifs -r --collectives-workers-per-node --collectives-worker-count --collectives-worker-start-id -i --collectives-profile-id -m --multi-input --num-exec --profile-nth-exec -t --capture-type --systrace-get-event-types --systrace-event-filter --exec-mode --disable-profile --single-io --single-io-threshold --save-output --save-output-npy --save-nth-output --write-tensors-per-exec --check-output-determinism --io-from --runtime --strict-sim --service-addr --duration-ms --delay-ms --repeat --interval-ms --logdir --session-id --attempts --progress-fd --token-file --host-tracer-level --device-tracer-level --python-tracer-level --advanced-option --device-type --traceme-filter-mask --no-dataset-ops --no-hlo-proto' ;;
	attach)
		words='--help --duration-ms --delay-ms --repeat --interval-ms --logdir --session-id --attempts --progress-fd --token-file --host-tracer-level --device-tracer-level --python-tracer-level --advanced-option --device-type --traceme-filter-mask --no-dataset-ops --no-hlo-proto'
		operands='' ;;
	snapshot)
		words='--help --logdir --session-id --attempts --progress-fd --token-file --repeat --interval-ms --start --stop --budget --horizon-ms --host-tracer-level --device-tracer-level --python-tracer-level --advanced-option --device-type --traceme-filter-mask --no-dataset-ops --no-hlo-proto'
		operands='' ;;
	view)
		words='--help -n --neff-path -s --session-file -d --session-dir --output-format --output-file --data-path --display-name --ingest-only --recommend --framework-source-root --nki-source-root --source-code-root --store --db-endpoint --db-org --db-bucket --json-pretty-print --show-perfetto-flows --uncompressed --system-trace-filter-neuron-core --system-trace-filter-event-type --system-trace-filter-instance-id --sessions --system-trace-primary-group --system-trace-secondary-group --ignore-device-profile --ignore-system-profile --show-private -j --jobs --force --execution --enable-memory-tracker --ignore-nc-buf-usage --ignore-instruction-trace --ignore-event-trace --ignore-dma-trace --ignore-instruction-hierarchy -F --terminology -p --port --api-server-port --host --token --token-file --query-memory-limit --disable-ui --processing-status-file --progress-fd -v --verbosity' ;;
	show-session)
		words='--help -s --session-file -n --neff-path -j --json --show-trace --show-dma -e --show-errors --engine -i --index' ;;
	neff)
		words='--help --header --nodes --members -j --json --extract --force --disassemble --assemble -o --output --arch' ;;
	why)
		words='--help -d --profile --data-path -n --neff-path -s --session-file --execution --gap --by --what-if -f --format' ;;
	recommend)
		words='--help -d --profile --data-path -n --neff-path -s --session-file --display-name -f --format -v --verbosity' ;;
	annotate)
		words='--help -d --profile --data-path -a --all -f --format' ;;
	compare)
		words='--help --data-path --fail-if -f --format -o --output-file' ;;
	bench)
		words='--help -n --runs -w --warm-up -p --processes -m --model -b --baseline --fail-if -f --format -o --output-file --data-path --runtime' ;;
	simulate)
		words='--help -s --session-file --data-path --display-name --strict-sim -f --format' ;;
	doctor)
		words='--help -d --profile --data-path -j --json' ;;
	report)
		words='--help -o --output-file --data-path' ;;
	query)
		words='--help -d --profile --data-path -f --format -o --output-file --explain --max-rows --timeout --memory-limit -j --threads' ;;
	export)
		words='--help -d --profile --data-path -t --table -f --format --from --to -c --columns -o --output-file' ;;
	list)
		words='--help --data-path --format' ;;
	rename)
		words='--help --data-path' ;;
	archive)
		words='--help --to --raw --data-path' ;;
	delete)
		words='--help -y --yes --data-path' ;;
	gc)
		words='--help --dry-run --keep-days --keep-bytes --archive-to --data-path' ;;
	upload)
		words='--help --endpoint --neff --ntff --profile-directory --name --folder --source-code --overwrite --wait --token --token-file --namespace --uploader' ;;
	mcp)
		words='--help --data-path' ;;
	help)
		words='--help'
		operands='inspect capture attach snapshot view show-session neff why recommend annotate compare bench simulate doctor report query export list rename archive delete gc upload mcp help' ;;
	nccom-test)
		words='--help -r --nworkers -N --nnodes --node-rank -b --minbytes -e --maxbytes -i --stepbytes -f --stepfactor -n --iters -w --warmup_iters -I --neff_iters -W --neff_warmup_iters -d --datatype -c --check --seed -t --stats --show-algorithm --show-input-output-size --report-to-json-file --variable-size-op-metadata --custom-replica-groups --custom-src-target-pairs --data-parallel-dimension --processes --wall-time --runtime -s --hosts --hosts-file --mpi-log-dir -S --slurm-mode -u --slurm-vcpus-per-node --slurm-setup-script --slurm-job-id --slurm-use-head-node-neuron-bench --non-interactive --unique-buff --shared-output-buff --coalesced-cc-size-ratio --sb2sb --input-shape --output-shape --cc-dim --streams-json --vcpu-pin-mode --data-collector-port --data-collector-host --debug -V --version'
		operands='all_reduce all_gather all_gatherv reduce_scatter sendrecv alltoall alltoallv permute broadcast' ;;
	neuron-ls)
		words='--help -w --wide -a --show-all-procs -t --topology -j --json-output --output-format -V --version' ;;
	esac
	case "$cur" in
	-*) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur") ;;
	*) if [ -n "$operands" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$operands" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi ;;
	esac
}

complete -o filenames -F _neuron_explorer neuron-explorer neuron-profile nccom-test neuron-ls
