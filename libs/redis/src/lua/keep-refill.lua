-- Extends the lock of a refill that goes on.
-- Returns: 1 when the lock was still held with this token.

local refillKey = KEYS[3]

local token = ARGV[1]
local lockMs = ARGV[2]

if redis.call('GET', refillKey) ~= token then return 0 end
return redis.call('PEXPIRE', refillKey, lockMs)
