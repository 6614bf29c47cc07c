-- Counts one delivery against the rate of its trigger and of its company, if both have room for it.
-- Each key holds the time (µs of Redis' clock) at which everything that was taken is paid off at its rate.
-- Returns: 0 when it was counted; else after how many milliseconds there is room, and nothing was counted. Parts of a
-- millisecond are what rounding has added: the last of a burst must not be refused for them.

local rates = { tonumber(ARGV[1]), tonumber(ARGV[2]) } -- a second: of the trigger KEYS[1], of the company KEYS[2]
local burstSeconds = tonumber(ARGV[3]) -- of the rate may be taken at once

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local paidOff = {}
local waitUs = 0
for i = 1, 2 do
  local before = math.max(tonumber(redis.call('GET', KEYS[i]) or '0'), now)
  paidOff[i] = before + 1000000 / rates[i]
  waitUs = math.max(waitUs, paidOff[i] - now - burstSeconds * 1000000)
end
if waitUs >= 1000 then return math.floor(waitUs / 1000) end
for i = 1, 2 do
  redis.call('SET', KEYS[i], string.format('%.0f', paidOff[i]), 'PX', math.ceil((paidOff[i] - now) / 1000))
end
return 0
