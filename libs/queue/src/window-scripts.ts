/**
 * The window of a company, as atomic steps: protocol §12. Redis holds a cache of three facts (which plays were rung and
 * have not ended, the last one rung in accept order, whether others wait); MongoDB holds the truth, and the reconciler
 * makes the cache anew when it is gone.
 *
 * KEYS: rung set, state hash, refill lock. `refused` only ever grows: a refill that saw another value than it began with
 * knows that plays were accepted behind its back, and leaves `waiting` alone.
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

/** ARGV: token, lock ms → {} when another refills, else plays rung, waiting, refused, cursor, raiseUpTo */
export const BEGIN_REFILL = `
if not redis.call('SET', KEYS[3], ARGV[1], 'NX', 'PX', ARGV[2]) then return {} end
local state = redis.call('HMGET', KEYS[2], 'waiting', 'refused', 'cursor', 'raiseUpTo')
return { redis.call('SCARD', KEYS[1]), tonumber(state[1] or '0'), tonumber(state[2] or '0'), state[3] or '', state[4] or '' }
`;

/** ARGV: token, refused as seen, 1 when nothing was left behind the cursor, id… → plays waiting, 1 when it was ours */
export const END_REFILL = `
if redis.call('GET', KEYS[3]) ~= ARGV[1] then return { 0, 0 } end
local added = 0
for i = 4, #ARGV do
  added = added + redis.call('SADD', KEYS[1], ARGV[i])
  local cursor = redis.call('HGET', KEYS[2], 'cursor') or ''
  if ARGV[i] > cursor then redis.call('HSET', KEYS[2], 'cursor', ARGV[i]) end
end
local waiting = math.max(0, tonumber(redis.call('HGET', KEYS[2], 'waiting') or '0') - added)
if ARGV[3] == '1' and (redis.call('HGET', KEYS[2], 'refused') or '0') == ARGV[2] then
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
