-- Admits as many leading plays as the window of a company has room for. The others wait.
-- A play that is in the window already was found by a refill, which rings for it: it is neither admitted nor refused.
-- The cursor does not apply to plays with a priority: once one was refused (`lanes`), refills look for such plays whatever
-- their ids. A play that is refused although the cursor has passed its id (its insert took longer than its neighbour's) is
-- added to the list of plays out of order, since no look after the cursor would find it. During a refill every refused play
-- is added: it may have been stored after the refill looked, and the end of the refill may move the cursor past it.
-- Returns: how many were admitted, plays waiting now, then the ids that were in the window before. Without these, the
-- admitted ones are the leading ids.

local rungKey = KEYS[1]
local stateKey = KEYS[2]
local refillKey = KEYS[3]
local outOfOrderKey = KEYS[4]

local window = tonumber(ARGV[1])
local above = tonumber(ARGV[2]) -- how many of the ids have a priority above 0
local plain = tonumber(ARGV[3]) -- how many have none
local newestId = ARGV[4] -- the newest id that may exist
local BEFORE_IDS = 4 -- then the ids, in the order in which they are rung for

local PIECE = 1000 -- Lua's stack bounds how many arguments a script may pass to one command

local known = {}
local asked = {}
local aboveKnown = 0
local plainKnown = 0
for first = BEFORE_IDS + 1, #ARGV, PIECE do
  local isRung = redis.call('SMISMEMBER', rungKey, unpack(ARGV, first, math.min(first + PIECE - 1, #ARGV)))
  for i = 1, #isRung do
    local at = first + i - 1
    if isRung[i] == 0 then
      asked[#asked + 1] = ARGV[at]
    else
      known[#known + 1] = ARGV[at]
      if at - BEFORE_IDS <= above then aboveKnown = aboveKnown + 1
      elseif at - BEFORE_IDS <= above + plain then plainKnown = plainKnown + 1 end
    end
  end
end
above = above - aboveKnown
plain = plain - plainKnown

local state = redis.call('HMGET', stateKey, 'waiting', 'cursor', 'from', 'due')
if not state[1] and not state[2] and not state[3] then redis.call('HSET', stateKey, 'from', newestId) end
local waiting = tonumber(state[1] or '0')
local cursor = state[2] or ''
local room = 0
if waiting == 0 and not state[4] then room = window - redis.call('SCARD', rungKey) end
local admitted = math.max(0, math.min(room, #asked))
local inOrder = math.max(0, math.min(admitted - above, plain))
if admitted > 0 then
  for i = 1, admitted, PIECE do redis.call('SADD', rungKey, unpack(asked, i, math.min(i + PIECE - 1, admitted))) end
  if inOrder > 0 and asked[above + inOrder] > cursor then
    cursor = asked[above + inOrder]
    redis.call('HSET', stateKey, 'cursor', cursor)
  end
end
if admitted < #asked then
  local refilling = redis.call('EXISTS', refillKey) == 1
  for i = above + inOrder + 1, above + plain do
    local id = asked[i]
    if refilling or id <= cursor then redis.call('RPUSH', outOfOrderKey, id) end
  end
  if #asked - admitted > plain - inOrder then redis.call('HSET', stateKey, 'lanes', '1') end
  waiting = redis.call('HINCRBY', stateKey, 'waiting', #asked - admitted)
  redis.call('HINCRBY', stateKey, 'refused', #asked - admitted)
end
local reply = { admitted, waiting }
for i = 1, #known do reply[i + 2] = known[i] end
return reply
