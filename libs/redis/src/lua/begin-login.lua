-- Reserves an attempt to sign in against the limits of its pair, its account and its address.
-- Returns: -1 when the attempt may go on; -2 when it must wait for others that may still fail; else for how many more
-- milliseconds a limit is exceeded.

local failuresKeys = { KEYS[1], KEYS[3], KEYS[5] } -- of pair, account, address
local pendingKeys = { KEYS[2], KEYS[4], KEYS[6] }

local limits = { tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]) } -- failures of pair, account, address
local pendingMs = ARGV[4]

local closedMs = 0
local isCrowded = false
for i = 1, 3 do
  local failures = tonumber(redis.call('GET', failuresKeys[i]) or '0')
  local pending = tonumber(redis.call('GET', pendingKeys[i]) or '0')
  if failures >= limits[i] then closedMs = math.max(closedMs, redis.call('PTTL', failuresKeys[i]), 1) end
  if failures + pending >= limits[i] then isCrowded = true end
end
if closedMs > 0 then return closedMs end
if isCrowded then return -2 end
for i = 1, 3 do
  redis.call('INCR', pendingKeys[i])
  redis.call('PEXPIRE', pendingKeys[i], pendingMs)
end
return -1
