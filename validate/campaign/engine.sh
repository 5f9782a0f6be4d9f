# How is one point of a campaign measured, kept, and not measured again? Sourced by campaign.sh, which sets $out,
# $work, $minutes, $most, $dry and $device.
#
# A part is $out/PART.json with one point a line, written whole after each point: what is there is not measured
# again, whatever ended the run before.
# shellcheck shell=bash disable=SC2154

largest_file=16000000
begun=$(date +%s)
over='' last_round='' measured=0 child=''

# json_text <text>: as a JSON string.
json_text() {
  if [[ ! $1 ]]; then
    printf '""'
    return
  fi
  printf '%s' "$1" | tr '\n\t\r' '\001\002 ' | tr -d '\000\003-\037' |
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/\x01/\\n/g' -e 's/\x02/\\t/g' -e 's/^/"/' -e 's/$/"/'
}

# What a program wrote in lines, as one; what a serial run says of each item twice or as zero is left out.
json_line() {
  sed -E -e 's/^ *//' -e '/^"(item)": "/d' -e '/^"sent_bytes": 0.0,$/d' "$1" | tr '\n' ' '
}

# Of the campaign, or of this part's share of it.
seconds_left() {
  local now end=$((begun + 60 * minutes))
  now=$(date +%s)
  ((end <= part_end)) || end=$part_end
  echo $((end - now))
}

# begin_part <name> <seconds>: takes up what is there of it. False where it is complete.
begin_part() {
  part=$1 lines=$work/$1.lines over=''
  part_end=$(($(date +%s) + $2))
  : >"$lines"
  local file=$out/$part.json
  [[ -z $dry && -e $file ]] || return 0
  if grep -qx ' "complete": true,' "$file"; then return 1; fi
  sed -n 's/^  \({"point": .*}\),\{0,1\}$/\1/p' "$file" >"$lines"
}

# write_part <true|false>: whether it is complete.
write_part() {
  local file=$out/$part.json context=$work/context.json
  if [[ -e $file ]]; then
    sed -n 's/^ "context": \(.*\),$/\1/p' "$file" >"$work/kept.json"
    context=$work/kept.json
  fi
  {
    printf '{\n "schema": "oracle/campaign/1",\n "part": "%s",\n "device": "%s",\n "complete": %s,\n' \
      "$part" "$device" "$1"
    printf ' "context": %s,\n "points": [\n' "$(<"$context")"
    sed -e 's/^/  /' -e '$!s/$/,/' "$lines"
    printf ' ]\n}\n'
  } >"$work/part.json"
  mv "$work/part.json" "$file"
}

# keep <line>: unless the file would pass its limit.
keep() {
  local line=$1 size
  size=$(wc -c <"$lines")
  if ((size + ${#line} > largest_file)); then
    line=${line%%, \"result\":*}
    line="${line/\"status\": \"done\"/\"status\": \"failed\"}, \"message\": \"the file of this part is full\"}"
  fi
  printf '%s\n' "$line" >>"$lines"
  write_part false
}

# Runs it within so many seconds, its words in $work/said; a signal to the campaign is one to it.
bounded() {
  local status=0
  (cd "$work" && exec timeout --kill-after=10 "$1" "${@:2}" >said 2>&1 </dev/null) &
  child=$!
  wait "$child" || status=$?
  child=''
  return "$status"
}

# point <name> <command>...: measures it, or looks up that it was. @OUT in the command is a file that it writes,
# which becomes the result; else what it says does. 0: done, 1: failed, 2: no time for it.
point() {
  local name=$1 command=("${@:2}") known line limit status=0 result
  points=$((points + 1))
  if [[ $dry ]]; then
    printf '  %-44s %s\n' "$name" "${command[*]}"
    return 0
  fi
  known=$(grep -F "{\"point\": $(json_text "$name")," "$lines" | head -n 1)
  if [[ $known ]]; then
    [[ $known == *'"status": "done"'* ]]
    return
  fi
  limit=$(seconds_left)
  if [[ $over ]] || ((limit <= 0)); then
    over=yes
    return 2
  fi
  ((limit <= most)) || limit=$most
  rm -f "$work/result.json"
  line="{\"point\": $(json_text "$name"), \"date\": \"$(date -u +%Y-%m-%dT%H:%M:%SZ)\""
  known="${command[*]//"$bin"\//}"
  known=${known//"$work"\//}
  line+=", \"command\": $(json_text "${known//"$root"\//}")"
  bounded "$limit" "${command[@]//@OUT/result.json}" || status=$?
  # Cut short by others, not by itself: the next time it is tried first.
  if ((status == 124 && limit < most)) && [[ ! $last_round || $measured != 0 ]]; then
    over=yes
    return 2
  fi
  measured=$((measured + 1))
  result=$(json_text "$(tail -n 20 "$work/said" | tail -c 4000)")
  if ((status == 0)) && [[ " ${command[*]} " == *@OUT* ]]; then result=$(json_line "$work/result.json"); fi
  if ((status == 0)); then
    keep "$line, \"status\": \"done\", \"result\": $result}"
    echo "campaign.sh: $part: $name" >&2
    return 0
  fi
  if ((status == 124)); then result=$(json_text "it did not end within $limit s"); fi
  keep "$line, \"status\": \"failed\", \"exit\": $status, \"message\": $result}"
  echo "campaign.sh: $part: $name FAILED, exit $status" >&2
  return 1
}
