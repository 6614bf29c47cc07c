-- Writes how many sockets many users have at one gateway, in the format of claim-connections.lua.

local userKeys = KEYS

local gateway = ARGV[1]
local lifetimeMs = ARGV[2] -- of the counts
local BEFORE_SOCKETS = 2 -- then the sockets of each user

local time = redis.call('TIME')
local untilMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + lifetimeMs)
for i = 1, #userKeys do
  local sockets = ARGV[BEFORE_SOCKETS + i]
  if sockets == '0' then redis.call('HDEL', userKeys[i], gateway)
  else
    redis.call('HSET', userKeys[i], gateway, sockets .. ' ' .. untilMs)
    redis.call('PEXPIRE', userKeys[i], lifetimeMs)
  end
end
return 0
