-- Locks the refill of a company's window and reads what the refill starts from.
-- Returns: {} during another refill; { -1 } when no play waits (plays are admitted at once then, also during a refill, and
-- would take the room that it counted on); else rung, waiting, refused, cursor, raiseUpTo, lanes, due, and the ids of plays
-- out of order.

local rungKey = KEYS[1]
local stateKey = KEYS[2]
local refillKey = KEYS[3]
local outOfOrderKey = KEYS[4]

local token = ARGV[1]
local lockMs = ARGV[2]
local most = tonumber(ARGV[3]) -- ids of plays that are out of order

local state = redis.call('HMGET', stateKey, 'waiting', 'refused', 'cursor', 'raiseUpTo', 'lanes', 'due')
local waiting = tonumber(state[1] or '0')
local due = tonumber(state[6] or '0')
if waiting + due == 0 then return { -1 } end
if not redis.call('SET', refillKey, token, 'NX', 'PX', lockMs) then return {} end
local outOfOrder = redis.call('LRANGE', outOfOrderKey, 0, most - 1)
return {
  redis.call('SCARD', rungKey), waiting, tonumber(state[2] or '0'), state[3] or '', state[4] or '',
  tonumber(state[5] or '0'), due, unpack(outOfOrder)
}
