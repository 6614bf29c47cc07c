-- Takes one call of each of several rate limits, if all of them have room: at most `count` calls in any period of this length.
-- KEYS: for each limit the list of the times of its newest calls (µs of Redis' clock), and the time up to which its queue reaches.
-- Who is refused gets a turn at the end of the queue of each limit that has no room: those that have room keep nobody waiting. Nobody needs the queue to be kept: it only spreads those who wait.
-- Returns: ms until the caller's turn, 0 when the call was taken.

local hasTurn = ARGV[1] == '1' -- the caller waited for its turn: the queue is not for it
local isAgain = ARGV[2] == '1' -- the caller asks again soon: it gets no new turn
local momentUs = tonumber(ARGV[3]) -- a queue shorter than this keeps nobody who finds room
local horizonUs = tonumber(ARGV[4]) -- no turn is later than this

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local limits = {}
local freeAt = now
local queueEnd = 0
for i = 1, #KEYS / 2 do
  local limit = { calls = KEYS[2 * i - 1], queue = KEYS[2 * i], count = tonumber(ARGV[3 + 2 * i]), us = tonumber(ARGV[4 + 2 * i]) }
  local newest = redis.call('LINDEX', limit.calls, 0)
  -- the clock was set back
  if newest and tonumber(newest) > now + 1000 then redis.call('DEL', limit.calls, limit.queue) end
  local oldest = redis.call('LINDEX', limit.calls, limit.count - 1)
  local free = oldest and tonumber(oldest) + limit.us or now
  local reach = tonumber(redis.call('GET', limit.queue) or '0')
  limit.hasRoom = free <= now and reach <= now + momentUs
  limit.turn = math.min(math.max(free, reach), math.max(free, now + horizonUs))
  freeAt = math.max(freeAt, free)
  queueEnd = math.max(queueEnd, reach)
  limits[i] = limit
end

if freeAt <= now and (hasTurn or isAgain or queueEnd <= now + momentUs) then
  for _, limit in ipairs(limits) do
    redis.call('LPUSH', limit.calls, string.format('%.0f', now))
    redis.call('LTRIM', limit.calls, 0, limit.count - 1)
    redis.call('PEXPIRE', limit.calls, math.ceil(limit.us / 1000) + 1000)
  end
  return 0
end

local turn = math.min(math.max(freeAt, queueEnd), math.max(freeAt, now + horizonUs))
if isAgain then
  turn = math.max(freeAt, now + 1000)
else
  for _, limit in ipairs(limits) do
    local reach = math.min(limit.turn + limit.us / limit.count, now + horizonUs)
    if not limit.hasRoom and reach > now then
      redis.call('SET', limit.queue, string.format('%.0f', reach), 'PX', math.ceil((reach - now) / 1000) + 1000)
    end
  end
end
return math.max(1, math.ceil((turn - now) / 1000))
