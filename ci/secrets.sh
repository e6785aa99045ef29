#!/usr/bin/env bash
# Finds branches and addresses that depend on secrets: runs the tests named
# TestSecret… of all packages under valgrind (see internal/ctgrind) and fails
# if it reports anything in this module or in the crypto packages of the
# standard library.
#
#	ci/secrets.sh              tests this program, then all packages that have such tests
#	ci/secrets.sh -planted     only tests this program: it must find leaks that were planted
#	ci/secrets.sh -list        prints the packages
#	ci/secrets.sh ./sm4        only these packages, without the test of this program
#
# If CHECKS is a folder, the tests of a package that passed are written to a file in
# $CHECKS/secrets.d, such as internal-ghash for ./internal/ghash, for ci/checks.
#
# A report counts if its innermost function is in one of these packages, or is a
# runtime routine that copies or compares memory for them. The runtime itself
# does much that memcheck reports as errors. Valgrind treats a jump of the stack pointer
# as a switch to another goroutine's stack if it is larger than --max-stackframe, which
# must be more than the largest frame: else it keeps the state that memory had before and
# reports what is not so.
set -u
cd "$(dirname "$0")/.." || exit

list() { grep -rl --include='*_test.go' '^func TestSecret' . | xargs -n1 dirname | sort -u; }

planted='' packages=("$@")
case ${1:-} in
-list) list; exit ;;
-planted) planted=yes packages=() ;;
-*) echo "secrets: there is no option $1; there are: -list, -planted" >&2; exit 2 ;;
'') planted=yes; mapfile -t packages < <(list) ;;
esac
module=$(sed -n 's/^module //p' go.mod)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# reports PACKAGE TESTS writes the functions that memcheck complains about to
# standard output. It fails if the tests do.
reports() {
	CGO_ENABLED=0 go test -tags valgrind -ldflags=-w -c -o "$dir/test" "$1" >&2 || return 1
	(cd "$1" && CIPHERLANE_REQUIRE= GOGC=off GOMAXPROCS=1 GODEBUG=asyncpreemptoff=1 \
		valgrind --max-stackframe=12000 --error-limit=no --log-file="$dir/log" "$dir/test" -test.v -test.run "$2") >"$dir/out" 2>&1
	if [ $? != 0 ] || ! grep -q '^--- PASS' "$dir/out"; then
		cat "$dir/out" >&2
		return 1
	fi
	awk -v own="$module/" '
		/uninitialised/ { what = $0; sub(/^==[0-9]+== */, "", what); through = ""; next }
		what == "" { next }
		$2 == "at" && $4 ~ /^(mem|cmp|index|count|runtime\.mem|internal\/bytealg\.)/ { through = $4 " below "; next }
		($2 == "at" || through != "" && $2 == "by") && (index($4, own) == 1 || index($4, "crypto/") == 1) { print through $4 ": " what }
		$2 == "by" && through != "" && index($4, own) != 1 { next }
		{ what = "" }' "$dir/log" | sort -u
}

# The tool must find the planted leaks and nothing else.
if [ -n "$planted" ]; then
	found=$(reports ./internal/ctgrind '^Test(Planted|Harmless)') || exit 1
	want="memeqbody below $module/internal/ctgrind.plant: Conditional jump or move depends on uninitialised value(s)
$module/internal/ctgrind.plantedBranch: Conditional jump or move depends on uninitialised value(s)
$module/internal/ctgrind.plantedLookup: Use of uninitialised value of size 8"
	if [ "$found" != "$(echo "$want" | sort)" ]; then
		printf 'secrets: valgrind should find the planted leaks\n%s\nand found\n%s\n' "$want" "$found"
		exit 1
	fi
	echo "secrets: valgrind finds the planted leaks and nothing else"
fi

# check PACKAGE prints the result for a package. Valgrind runs one thread at a time,
# so each CPU runs one package, which has its own files.
check() {
	local found dir passed=
	dir=$(mktemp -d -p "$top")
	if [ -n "${CHECKS:-}" ]; then
		mkdir -p "$CHECKS/secrets.d"
		passed=${1#./}
		passed=$CHECKS/secrets.d/${passed//\//-}
		rm -f "$passed"
	fi
	if ! found=$(reports "$1" '^TestSecret'); then
		echo "secrets: $1: the tests fail"
	elif [ -n "$found" ]; then
		printf 'secrets: %s: LEAK\n%s\n' "$1" "$found"
	else
		echo "secrets: $1: no branch or address depends on a secret ($(grep -c '^ *--- PASS' "$dir/out") tests)"
		[ -z "$passed" ] || sed -nE "s|^ *--- PASS: (Test[^ ]*).*|$1 \\1|p; s|.*_test.go:[0-9]+: (driver .*)|$1 \\1|p" "$dir/out" >"$passed"
		return
	fi
	return 1
}

top=$dir bad=0 pids=()
for package in "${packages[@]}"; do
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
	check "$package" &
	pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || bad=1; done
exit $bad
