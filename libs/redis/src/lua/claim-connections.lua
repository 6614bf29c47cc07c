-- Counts the open sockets of a user, unless they would exceed the limit. The user's hash has the field
-- `<sockets> <expiry>` for each gateway, in ms of Redis' clock; it expires with its last count.
-- Returns: the user's sockets at other gateways.

local userKey = KEYS[1]

local gateway = ARGV[1]
local own = ARGV[2] -- the user's sockets at this gateway
local lifetimeMs = ARGV[3] -- of the count
local limit = tonumber(ARGV[4])

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local elsewhere = 0
local counts = redis.call('HGETALL', userKey)
for i = 1, #counts, 2 do
  local sockets, untilMs = string.match(counts[i + 1], '^(%d+) (%d+)$')
  if tonumber(untilMs) <= now then redis.call('HDEL', userKey, counts[i])
  elseif counts[i] ~= gateway then elsewhere = elsewhere + sockets end
end
if elsewhere + own <= limit then
  redis.call('HSET', userKey, gateway, own .. ' ' .. string.format('%.0f', now + lifetimeMs))
  redis.call('PEXPIRE', userKey, lifetimeMs)
end
return elsewhere
