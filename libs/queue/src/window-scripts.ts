/**
 * The window of a company, as atomic steps: protocol §12. Redis holds a cache of three facts (which plays were rung and
 * have not ended, the last one rung in accept order, whether others wait); MongoDB holds the truth, and the reconciler
 * makes the cache anew when it is gone.
 *
 * KEYS: rung set, state hash, refill lock, slipped list. `refused` only ever grows: a refill that saw another value than it
 * began with knows that plays were accepted behind its back, and leaves `waiting` alone. A play that is refused although the
 * cursor has passed its id (its insert took longer than its neighbour's) is noted as slipped, since no look behind the
 * cursor would find it.
 */

/** ARGV: window, id…  (in accept order) → number of leading ids admitted, plays waiting now */
export const ADMIT = `
local waiting = tonumber(redis.call('HGET', KEYS[2], 'waiting') or '0')
local asked = #ARGV - 1
local room = 0
if waiting == 0 then room = tonumber(ARGV[1]) - redis.call('SCARD', KEYS[1]) end
local admitted = math.max(0, math.min(room, asked))
if admitted > 0 then
  local ids = {}
  for i = 1, admitted do ids[i] = ARGV[i + 1] end
  redis.call('SADD', KEYS[1], unpack(ids))
  local cursor = redis.call('HGET', KEYS[2], 'cursor') or ''
  if ids[admitted] > cursor then redis.call('HSET', KEYS[2], 'cursor', ids[admitted]) end
end
if admitted < asked then
  local cursor = redis.call('HGET', KEYS[2], 'cursor') or ''
  for i = admitted + 2, asked + 1 do
    if ARGV[i] <= cursor then redis.call('RPUSH', KEYS[4], ARGV[i]) end
  end
  waiting = redis.call('HINCRBY', KEYS[2], 'waiting', asked - admitted)
  redis.call('HINCRBY', KEYS[2], 'refused', asked - admitted)
end
return { admitted, waiting }
`;

/** ARGV: id… (ended) → plays rung now, plays waiting */
export const FINISH = `
redis.call('SREM', KEYS[1], unpack(ARGV))
return { redis.call('SCARD', KEYS[1]), tonumber(redis.call('HGET', KEYS[2], 'waiting') or '0') }
`;

/**
 * ARGV: token, lock ms, most → {} when another refills, { -1 } when nobody waits (beside a refill, plays are admitted at
 * once, and its room would be theirs), else rung, waiting, refused, cursor, raiseUpTo, slipped…
 */
export const BEGIN_REFILL = `
if (redis.call('HGET', KEYS[2], 'waiting') or '0') == '0' then return { -1 } end
if not redis.call('SET', KEYS[3], ARGV[1], 'NX', 'PX', ARGV[2]) then return {} end
local state = redis.call('HMGET', KEYS[2], 'waiting', 'refused', 'cursor', 'raiseUpTo')
local slipped = redis.call('LRANGE', KEYS[4], 0, ARGV[3] - 1)
return {
  redis.call('SCARD', KEYS[1]), tonumber(state[1] or '0'), tonumber(state[2] or '0'), state[3] or '', state[4] or '',
  unpack(slipped)
}
`;

/**
 * ARGV: token, refused as seen, 1 when nothing was left behind the cursor, number of slipped ones, slipped id…, next id…
 * → plays waiting, 1 when the lock was still ours
 */
export const END_REFILL = `
if redis.call('GET', KEYS[3]) ~= ARGV[1] then return { 0, 0 } end
local slipped = tonumber(ARGV[4])
local added = 0
for i = 5, #ARGV do
  added = added + redis.call('SADD', KEYS[1], ARGV[i])
  if i < 5 + slipped then redis.call('LREM', KEYS[4], 0, ARGV[i]) end
end
if #ARGV >= 5 + slipped then
  local cursor = redis.call('HGET', KEYS[2], 'cursor') or ''
  if ARGV[#ARGV] > cursor then redis.call('HSET', KEYS[2], 'cursor', ARGV[#ARGV]) end
end
local waiting = math.max(0, tonumber(redis.call('HGET', KEYS[2], 'waiting') or '0') - added)
local unchanged = (redis.call('HGET', KEYS[2], 'refused') or '0') == ARGV[2]
if ARGV[3] == '1' and unchanged and redis.call('LLEN', KEYS[4]) == 0 then
  waiting = 0
  redis.call('HDEL', KEYS[2], 'raiseUpTo')
elseif waiting == 0 then
  waiting = 1
end
redis.call('HSET', KEYS[2], 'waiting', waiting)
redis.call('DEL', KEYS[3])
return { waiting, 1 }
`;

/** ARGV: new cursor, plays known to wait, raiseUpTo → begins anew from an older play */
export const REWIND = `
local cursor = redis.call('HGET', KEYS[2], 'cursor') or ''
if cursor == '' or ARGV[1] < cursor then redis.call('HSET', KEYS[2], 'cursor', ARGV[1]) end
local waiting = tonumber(redis.call('HGET', KEYS[2], 'waiting') or '0')
redis.call('HSET', KEYS[2], 'waiting', math.max(waiting, tonumber(ARGV[2])), 'raiseUpTo', ARGV[3])
redis.call('HINCRBY', KEYS[2], 'refused', 1)
return 1
`;
