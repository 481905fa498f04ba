import { quoteLua } from "./quote-lua.js";

/** The file that the script writes its figures to. */
export const FIGURES_FILE = "figures";

/**
 * The script that wrk runs. It sends the given bytes, counts statuses and the bytes of bodies, and in the end writes figures
 * to a file: what wrk prints is rounded, and of statuses it counts only those above 399.
 *
 * The latencies are read from wrk's memory, where they lie as counts by microsecond (`stats.h`): by the functions that it
 * offers this takes minutes when some are long. What is found there has to agree with what wrk says of it, or is left out.
 */
export function wrkScript(request: Uint8Array): string {
  return `local threads = {}
local bytes = ${quoteLua(request)}

function setup(thread)
  threads[#threads + 1] = thread
end

function init()
  wrk.format = function() return bytes end
end

statuses = {}
body = 0

function response(status, _, content)
  statuses[status] = (statuses[status] or 0) + 1
  body = body + #content
end

local function histogram(latency)
  local ffi = require("ffi")
  local stats = ffi.cast("uint64_t **", latency)[0]
  local count, limit, min, max = stats[0], stats[1], stats[2], stats[3]
  if count == 0 then return {} end
  if tonumber(min) ~= latency.min or tonumber(max) ~= latency.max or max > limit then return nil end
  local lines, sum = {}, 0
  for us = tonumber(min), tonumber(max) do
    local n = stats[4 + us]
    if n ~= 0 then
      sum = sum + tonumber(n)
      lines[#lines + 1] = string.format("latency %d %d", us, tonumber(n))
    end
  end
  if sum ~= tonumber(count) then return nil end
  return lines
end

function done(summary, latency)
  local file = assert(io.open("${FIGURES_FILE}", "w"))
  local function write(name, value) file:write(string.format("%s %d\\n", name, value)) end
  write("duration", summary.duration)
  write("requests", summary.requests)
  write("bytes", summary.bytes)
  for _, name in ipairs({ "connect", "read", "write", "status", "timeout" }) do
    write(name, summary.errors[name])
  end
  local all, received = {}, 0
  for _, thread in ipairs(threads) do
    for status, n in pairs(thread:get("statuses")) do all[status] = (all[status] or 0) + n end
    received = received + thread:get("body")
  end
  write("body", received)
  for status, n in pairs(all) do file:write(string.format("answers %d %d\\n", status, n)) end
  local told, lines = pcall(histogram, latency)
  if told and lines ~= nil then
    for _, line in ipairs(lines) do file:write(line, "\\n") end
    file:write("latencies told\\n")
  end
  file:write("end\\n")
  file:close()
end
`;
}
