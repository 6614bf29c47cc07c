-- Admits as many leading plays as the window of a company has room for. The others wait.
-- The cursor does not apply to plays with a priority: once one was refused (`lanes`), refills look for such plays whatever
-- their ids. A play that is refused although the cursor has passed its id (its insert took longer than its neighbour's) is
-- added to the list of plays out of order, since no look after the cursor would find it. During a refill every refused play
-- is added: it may have been stored after the refill looked, and the end of the refill may move the cursor past it.
-- Returns: number of leading ids admitted, plays waiting now.

local rungKey = KEYS[1]
local stateKey = KEYS[2]
local refillKey = KEYS[3]
local outOfOrderKey = KEYS[4]

local window = tonumber(ARGV[1])
local above = tonumber(ARGV[2]) -- how many of the ids have a priority above 0
local plain = tonumber(ARGV[3]) -- how many have none
local newestId = ARGV[4] -- the newest id that may exist
local BEFORE_IDS = 4 -- then the ids, in the order in which they are rung for

local function add(ids)
  -- Lua's stack bounds how many arguments a script may pass to one command
  for i = 1, #ids, 1000 do redis.call('SADD', rungKey, unpack(ids, i, math.min(i + 999, #ids))) end
end

local state = redis.call('HMGET', stateKey, 'waiting', 'cursor', 'from', 'due')
if not state[1] and not state[2] and not state[3] then redis.call('HSET', stateKey, 'from', newestId) end
local waiting = tonumber(state[1] or '0')
local cursor = state[2] or ''
local asked = #ARGV - BEFORE_IDS
local room = 0
if waiting == 0 and not state[4] then room = window - redis.call('SCARD', rungKey) end
local admitted = math.max(0, math.min(room, asked))
local inOrder = math.max(0, math.min(admitted - above, plain))
if admitted > 0 then
  local ids = {}
  for i = 1, admitted do ids[i] = ARGV[BEFORE_IDS + i] end
  add(ids)
  if inOrder > 0 and ids[above + inOrder] > cursor then
    cursor = ids[above + inOrder]
    redis.call('HSET', stateKey, 'cursor', cursor)
  end
end
if admitted < asked then
  local refilling = redis.call('EXISTS', refillKey) == 1
  for i = above + inOrder + 1, above + plain do
    local id = ARGV[BEFORE_IDS + i]
    if refilling or id <= cursor then redis.call('RPUSH', outOfOrderKey, id) end
  end
  if asked - admitted > plain - inOrder then redis.call('HSET', stateKey, 'lanes', '1') end
  waiting = redis.call('HINCRBY', stateKey, 'waiting', asked - admitted)
  redis.call('HINCRBY', stateKey, 'refused', asked - admitted)
end
return { admitted, waiting }
