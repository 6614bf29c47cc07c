-- Ends a refill of a company's window: the plays that it took count as rung for, and its lock is released. Changes nothing
-- when the lock was lost. When `refused` is not what it was at the refill's start, plays were refused meanwhile, and
-- `waiting` stays above 0. Each refill deals with a part of a long list of plays out of order: those that it took, and those
-- that are still after the cursor, leave the list.
-- Returns: plays waiting now, 1 when the lock was still held with this token, then those of the plays that it took which were
-- in the window before.

local rungKey = KEYS[1]
local stateKey = KEYS[2]
local refillKey = KEYS[3]
local outOfOrderKey = KEYS[4]

local token = ARGV[1]
local refusedBefore = ARGV[2] -- `refused` as the refill's begin returned it
local isExhausted = ARGV[3] == '1' -- no other play waits
local lookedUpTo = ARGV[4] -- the id up to which waiting plays were looked for
local BEFORE_IDS = 4 -- then the ids of the plays that it took

if redis.call('GET', refillKey) ~= token then return { 0, 0 } end
local known = {}
local taken = {}
for i = BEFORE_IDS + 1, #ARGV do
  local id = ARGV[i]
  if redis.call('SADD', rungKey, id) == 0 then known[#known + 1] = id end
  taken[id] = true
end
local added = #ARGV - BEFORE_IDS - #known
local cursor = redis.call('HGET', stateKey, 'cursor') or ''
if lookedUpTo > cursor then
  cursor = lookedUpTo
  redis.call('HSET', stateKey, 'cursor', cursor)
end
local noted = redis.call('LRANGE', outOfOrderKey, 0, 999)
redis.call('LTRIM', outOfOrderKey, 1000, -1)
for _, id in ipairs(noted) do
  if id <= cursor and not taken[id] then redis.call('RPUSH', outOfOrderKey, id) end
end
local waiting = math.max(0, tonumber(redis.call('HGET', stateKey, 'waiting') or '0') - added)
local isUnchanged = (redis.call('HGET', stateKey, 'refused') or '0') == refusedBefore
if isExhausted and isUnchanged and redis.call('LLEN', outOfOrderKey) == 0 then
  waiting = 0
  redis.call('HDEL', stateKey, 'raiseUpTo', 'lanes')
elseif waiting == 0 then
  waiting = 1
end
redis.call('HSET', stateKey, 'waiting', waiting)
redis.call('DEL', refillKey)
local reply = { waiting + tonumber(redis.call('HGET', stateKey, 'due') or '0'), 1 }
for i = 1, #known do reply[i + 2] = known[i] end
return reply
