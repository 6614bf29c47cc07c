-- Takes room in the window of a company for plays that are not new. Those that get none are due.
-- Returns: how many due plays have no room, how many of the following ids newly have room; these ids, then the ids that had
-- room before.

local rungKey = KEYS[1]
local stateKey = KEYS[2]
local refillKey = KEYS[3]

local window = tonumber(ARGV[1])
local token = ARGV[2] -- of the refill that asks; '' when no waiting play may be overtaken
local more = tonumber(ARGV[3]) -- how many more plays are known to be due
local BEFORE_IDS = 3

local state = redis.call('HMGET', stateKey, 'waiting', 'due')
local due = tonumber(state[2] or '0')
local room = window - redis.call('SCARD', rungKey)
if token == '' then
  if due > 0 or (state[1] or '0') ~= '0' then room = 0 end
elseif redis.call('GET', refillKey) ~= token then room = 0 end
local left = more
local taken = {}
local had = {}
for i = BEFORE_IDS + 1, #ARGV do
  local id = ARGV[i]
  if redis.call('SISMEMBER', rungKey, id) == 1 then had[#had + 1] = id
  elseif room > 0 then
    room = room - 1
    redis.call('SADD', rungKey, id)
    taken[#taken + 1] = id
  else left = left + 1 end
end
if token == '' then left = math.max(left, due) end
if left > 0 then redis.call('HSET', stateKey, 'due', left) else redis.call('HDEL', stateKey, 'due') end
local reply = { left, #taken }
for i = 1, #taken do reply[i + 2] = taken[i] end
for i = 1, #had do reply[#taken + i + 2] = had[i] end
return reply
