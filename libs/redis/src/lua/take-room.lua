-- Gives plays places in the window of a company, in their order, as long as there is room. When others wait, `waits` says so:
-- then no new play takes room until a refill has found all that wait.
-- Returns: free places, 1 when others wait, how many of the following ids are new in the window; these ids, then the ids that
-- had a place before.

local rungKey = KEYS[1]
local waitsKey = KEYS[2]

local window = tonumber(ARGV[1])
local isRefill = ARGV[2] == '1' -- takes room although others wait
local asksAgain = ARGV[3] == '1' -- who finds no room does not wait yet
local more = tonumber(ARGV[4]) -- how many more plays are known to wait
local BEFORE_IDS = 4 -- then the ids

local waits = redis.call('EXISTS', waitsKey)
local room = window - redis.call('SCARD', rungKey)
local isOpen = isRefill or waits == 0
local left = more
local taken = {}
local had = {}
for i = BEFORE_IDS + 1, #ARGV do
  local id = ARGV[i]
  if isOpen and room > 0 then
    if redis.call('SADD', rungKey, id) == 1 then
      room = room - 1
      taken[#taken + 1] = id
    else had[#had + 1] = id end
  elseif redis.call('SISMEMBER', rungKey, id) == 1 then had[#had + 1] = id
  elseif not asksAgain then left = left + 1 end
end
if left > 0 and room <= 0 and waits == 0 then
  redis.call('SET', waitsKey, 1)
  waits = 1
end
local reply = { room, waits, #taken }
for i = 1, #taken do reply[#reply + 1] = taken[i] end
for i = 1, #had do reply[#reply + 1] = had[i] end
return reply
