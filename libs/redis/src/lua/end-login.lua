-- Ends an attempt to sign in that was reserved, and counts it when it failed.

local failuresKeys = { KEYS[1], KEYS[3], KEYS[5] } -- of pair, account, address
local pendingKeys = { KEYS[2], KEYS[4], KEYS[6] }

local hasFailed = ARGV[1] == '1'
local windowMs = ARGV[2]

for i = 1, 3 do
  local pending = tonumber(redis.call('GET', pendingKeys[i]) or '0')
  if pending > 1 then redis.call('DECR', pendingKeys[i]) else redis.call('DEL', pendingKeys[i]) end
  if hasFailed and redis.call('INCR', failuresKeys[i]) == 1 then
    redis.call('PEXPIRE', failuresKeys[i], windowMs)
  end
end
return 0
