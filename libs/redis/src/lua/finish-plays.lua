-- Takes plays that have ended out of the window of a company.
-- Returns: plays rung for now, plays waiting now.

local rungKey = KEYS[1]
local stateKey = KEYS[2]

local ids = ARGV -- at most 1,000

redis.call('SREM', rungKey, unpack(ids))
local state = redis.call('HMGET', stateKey, 'waiting', 'due')
return { redis.call('SCARD', rungKey), tonumber(state[1] or '0') + tonumber(state[2] or '0') }
