#!/usr/bin/env bash
# Makes the release of the tag GITHUB_REF_NAME, with the notes in a file and with other files: `bash release/announce.sh NOTES [FILE...]`.
# Then moves the tag of its line to it, which workflows name to use the Action: v1 of v1.2.3, and v0.1 of v0.1.2, because before 1.0.0 a
# minor version may break things. It is not moved back: an older version that is announced late moves nothing, nor does a version to be
# tried (v1.0.0-rc.1).
set -euo pipefail
notes=$1
shift
tag=$GITHUB_REF_NAME

flags=()
[[ $tag == *-* ]] && flags=(--prerelease)
gh release view "$tag" >/dev/null 2>&1 || gh release create "$tag" --verify-tag --title "$tag" --notes-file "$notes" "${flags[@]}" "$@"

if [[ $tag != *-* ]]; then
  line=${tag%%.*}
  [[ $line != v0 ]] || line=${tag%.*}
  versions=$(git ls-remote --tags --refs origin "refs/tags/$line.*" | sed 's|.*refs/tags/||' | { grep -xE 'v[0-9]+\.[0-9]+\.[0-9]+' || true; })
  highest=$(printf '%s\n' "$versions" "$tag" | sort -V | tail -n 1)
  if [[ $highest != "$tag" ]]; then
    echo "$line stays at $highest, which is higher than $tag."
    exit
  fi
  git tag --force "$line"
  git push --force origin "refs/tags/$line"
fi
