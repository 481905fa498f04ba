#!/usr/bin/env bash
# Publishes what release/pack.sh has packed: `bash release/publish.sh FOLDER [FLAG...]`, with flags of npm publish. By default with
# provenance, which only a CI can give: by hand it is `--no-provenance`, and `--dry-run` publishes nothing. What is there in this version
# is left out, so that it can be run again.
set -euo pipefail
folder=${1:?"expected the folder that release/pack.sh has packed into: bash release/publish.sh FOLDER [FLAG...]"}
shift

# The first that publishes for whom a workflow vouches, without a token.
oldest=11.5.1
found=$(npm --version)
if [[ $(printf '%s\n' "$oldest" "$found" | sort -V | head -n 1) != "$oldest" ]]; then
  echo "Expected npm $oldest or later, which publishes without a token; found $found." >&2
  exit 1
fi

# The version that npm has by a tag or a number; nothing where it has none.
published() {
  local answer
  if answer=$(npm view "$1" version --json 2>/dev/null); then
    tr -d '"\n' <<<"$answer"
  elif [[ $answer != *E404* ]]; then
    echo "$1: expected npm to tell which versions are published, but it said: $answer" >&2
    exit 1
  fi
}

# Each after those that it depends on.
files=("$folder"/lbbench-wire-*.tgz "$folder"/lbbench-proxy-*.tgz "$folder"/lbbench-backends-*.tgz "$folder"/lbbench-worker-*.tgz "$folder"/lbbench-[0-9]*.tgz)
ls "${files[@]}" >/dev/null
for file in "${files[@]}"; do
  read -r name version < <(tar -xzOf "$file" package/package.json | node -p 'const { name, version } = JSON.parse(require("fs").readFileSync(0)); `${name} ${version}`')
  present=$(published "$name@$version")
  if [[ -n $present ]]; then
    echo "$name@$version is published already."
    continue
  fi
  # What everybody gets must not become older: the tag goes to the highest, and what mends an older line gets one of that, release-0.1.
  tag=latest line=release-$(cut -d. -f1,2 <<<"$version")
  [[ $version != *-* ]] || tag=next line+=-next
  highest=$(published "$name@$tag")
  if [[ $(printf '%s\n' "$highest" "$version" | sort -V | tail -n 1) != "$version" ]]; then tag=$line; fi
  npm publish "$file" --access public --tag "$tag" --provenance "$@"
done
