#!/usr/bin/env bash
# Packs what is built, as it is to be published, into a folder: `bash release/pack.sh FOLDER`. The address of the repository, which the
# packages get on the way, is that of GITHUB_REPOSITORY: npm compares it with where the provenance says that they were built.
set -euo pipefail
folder=${1:?"expected the folder to pack into: bash release/pack.sh FOLDER"}
if [[ ! ${GITHUB_REPOSITORY:-} =~ ^[[:alnum:]_.-]+/[[:alnum:]_.-]+$ ]]; then
  echo "GITHUB_REPOSITORY: expected OWNER/NAME, got \"${GITHUB_REPOSITORY:-}\"." >&2
  exit 1
fi
address=${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY
mkdir -p "$folder"
out=$(cd "$folder" && pwd)

# The packages of the repository stay as they are: a copy gets the address.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp CHANGELOG.md "$copy"
mkdir "$copy/packages"
for name in wire proxy backends worker lbbench; do
  cp -R "packages/$name" "$copy/packages"
  cd "$copy/packages/$name"
  rm -rf node_modules
  npm pkg set "homepage=$address#readme" "bugs=$address/issues" "repository.type=git" "repository.url=git+$address.git" \
    "repository.directory=packages/$name"
  npm pack --silent --pack-destination "$out"
  cd "$OLDPWD"
done
