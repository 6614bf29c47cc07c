-- Moves the cursor of a company's window back before an older play, or makes the state anew when it is lost.
-- Returns: 1, plays waiting now.

local stateKey = KEYS[2]

local cursor = ARGV[1] -- before the older play; '' when only plays with a priority are known to wait
local raiseUpTo = ARGV[2]
local newestId = ARGV[3] -- the newest id that may exist

local state = redis.call('HMGET', stateKey, 'cursor', 'from', 'waiting', 'refused')
local isNew = not (state[1] or state[2] or state[3] or state[4])
if isNew then
  if cursor == '' then cursor = newestId end
  redis.call('HSET', stateKey, 'cursor', cursor, 'from', cursor)
elseif cursor ~= '' then
  if not state[1] or cursor < state[1] then redis.call('HSET', stateKey, 'cursor', cursor) end
  if state[2] and cursor < state[2] then redis.call('HSET', stateKey, 'from', cursor) end
end
local waiting = math.max(1, tonumber(state[3] or '0'))
redis.call('HSET', stateKey, 'waiting', waiting, 'raiseUpTo', raiseUpTo, 'lanes', '1')
redis.call('HINCRBY', stateKey, 'refused', 1)
return { 1, waiting }
