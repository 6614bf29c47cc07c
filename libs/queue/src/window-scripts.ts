/**
 * The window of a company, as atomic steps: protocol §12. Redis holds a cache of three facts (which plays were rung and
 * have not ended, the last one rung in accept order, whether others wait); MongoDB holds the truth, and the reconciler
 * makes the cache anew when it is gone. `from` says since when the cache has known: of plays with a smaller id that are no
 * members it knows nothing, not even that they wait. `due` says that plays which are no new ones wait for room, and about how
 * many: delayed ones, and those that go on after a pause. Which they are is found in MongoDB, also when `due` is lost.
 *
 * KEYS: rung set, state hash, refill lock, slipped list. `refused` only ever grows: a refill that saw another value than it
 * began with knows that plays were accepted behind its back, and leaves `waiting` alone. A play that is refused although the
 * cursor has passed its id (its insert took longer than its neighbour's) is noted as slipped, since no look behind the
 * cursor would find it. Beside a refill every refused one is noted: it may have been stored after the refill looked, and the
 * refill's end may move the cursor past it. That end strikes out those it took and those that still lie behind the cursor.
 */

/** What a script may hand to one command at once is bounded by Lua's stack. */
const ADD = `
local function add(ids)
  for i = 1, #ids, 1000 do redis.call('SADD', KEYS[1], unpack(ids, i, math.min(i + 999, #ids))) end
end
`;

/**
 * ARGV: window, how many of the ids have a priority above 0, how many have none, the newest id that may exist, id… (in the
 * order in which they are rung) → number of leading ids admitted, plays waiting now. A play with a priority has nothing to do
 * with the cursor: refills look for such plays wherever they lie, once one was refused (`lanes`).
 */
export const ADMIT = `
${ADD}
local state = redis.call('HMGET', KEYS[2], 'waiting', 'cursor', 'from', 'due')
if not state[1] and not state[2] and not state[3] then redis.call('HSET', KEYS[2], 'from', ARGV[4]) end
local waiting = tonumber(state[1] or '0')
local cursor = state[2] or ''
local first = tonumber(ARGV[2])
local plain = tonumber(ARGV[3])
local asked = #ARGV - 4
local room = 0
if waiting == 0 and not state[4] then room = tonumber(ARGV[1]) - redis.call('SCARD', KEYS[1]) end
local admitted = math.max(0, math.min(room, asked))
local inOrder = math.max(0, math.min(admitted - first, plain))
if admitted > 0 then
  local ids = {}
  for i = 1, admitted do ids[i] = ARGV[i + 4] end
  add(ids)
  if inOrder > 0 and ids[first + inOrder] > cursor then
    cursor = ids[first + inOrder]
    redis.call('HSET', KEYS[2], 'cursor', cursor)
  end
end
if admitted < asked then
  local refilling = redis.call('EXISTS', KEYS[3]) == 1
  for i = first + inOrder + 1, first + plain do
    if refilling or ARGV[i + 4] <= cursor then redis.call('RPUSH', KEYS[4], ARGV[i + 4]) end
  end
  if asked - admitted > plain - inOrder then redis.call('HSET', KEYS[2], 'lanes', '1') end
  waiting = redis.call('HINCRBY', KEYS[2], 'waiting', asked - admitted)
  redis.call('HINCRBY', KEYS[2], 'refused', asked - admitted)
end
return { admitted, waiting }
`;

const WAITING = `
local function waitingNow()
  local state = redis.call('HMGET', KEYS[2], 'waiting', 'due')
  return tonumber(state[1] or '0') + tonumber(state[2] or '0')
end
`;

/** ARGV: id… (ended; at most 1,000) → plays rung now, plays waiting */
export const FINISH = `
${WAITING}
redis.call('SREM', KEYS[1], unpack(ARGV))
return { redis.call('SCARD', KEYS[1]), waitingNow() }
`;

/**
 * Places for plays that are no new ones. ARGV: window, the token of the refill that they are for, '' when nobody who waits may
 * be overtaken, how many more are known to
 * be due, id… → plays due that have no place, how many of the following ids have a place from now on; those, then those
 * that have had one
 */
export const TAKE_UP = `
local state = redis.call('HMGET', KEYS[2], 'waiting', 'due')
local due = tonumber(state[2] or '0')
local room = tonumber(ARGV[1]) - redis.call('SCARD', KEYS[1])
if ARGV[2] == '' then
  if due > 0 or (state[1] or '0') ~= '0' then room = 0 end
elseif redis.call('GET', KEYS[3]) ~= ARGV[2] then room = 0 end
local left = tonumber(ARGV[3])
local taken = {}
local had = {}
for i = 4, #ARGV do
  if redis.call('SISMEMBER', KEYS[1], ARGV[i]) == 1 then had[#had + 1] = ARGV[i]
  elseif room > 0 then
    room = room - 1
    redis.call('SADD', KEYS[1], ARGV[i])
    taken[#taken + 1] = ARGV[i]
  else left = left + 1 end
end
if ARGV[2] == '' then left = math.max(left, due) end
if left > 0 then redis.call('HSET', KEYS[2], 'due', left) else redis.call('HDEL', KEYS[2], 'due') end
local reply = { left, #taken }
for i = 1, #taken do reply[i + 2] = taken[i] end
for i = 1, #had do reply[#taken + i + 2] = had[i] end
return reply
`;

/**
 * ARGV: token, lock ms, most → {} when another refills, { -1 } when nobody waits (beside a refill, plays are admitted at
 * once, and its room would be theirs), else rung, waiting, refused, cursor, raiseUpTo, lanes, due, slipped…
 */
export const BEGIN_REFILL = `
${WAITING}
if waitingNow() == 0 then return { -1 } end
if not redis.call('SET', KEYS[3], ARGV[1], 'NX', 'PX', ARGV[2]) then return {} end
local state = redis.call('HMGET', KEYS[2], 'waiting', 'refused', 'cursor', 'raiseUpTo', 'lanes', 'due')
local slipped = redis.call('LRANGE', KEYS[4], 0, ARGV[3] - 1)
return {
  redis.call('SCARD', KEYS[1]), tonumber(state[1] or '0'), tonumber(state[2] or '0'), state[3] or '', state[4] or '',
  tonumber(state[5] or '0'), tonumber(state[6] or '0'), unpack(slipped)
}
`;

/** ARGV: token, lock ms → 1 when the lock was still ours, and is for so long again */
export const KEEP_REFILL = `
if redis.call('GET', KEYS[3]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[3], ARGV[2])
`;

/**
 * ARGV: token, refused as seen, 1 when nobody was left, up to where the waiting ones were looked at, id… (taken up) → plays
 * waiting, 1 when the lock was still ours. Of a long list of slipped ones each refill deals with a piece.
 */
export const END_REFILL = `
${WAITING}
if redis.call('GET', KEYS[3]) ~= ARGV[1] then return { 0, 0 } end
local added = 0
local taken = {}
for i = 5, #ARGV do
  added = added + redis.call('SADD', KEYS[1], ARGV[i])
  taken[ARGV[i]] = true
end
local cursor = redis.call('HGET', KEYS[2], 'cursor') or ''
if ARGV[4] > cursor then
  cursor = ARGV[4]
  redis.call('HSET', KEYS[2], 'cursor', cursor)
end
local noted = redis.call('LRANGE', KEYS[4], 0, 999)
redis.call('LTRIM', KEYS[4], 1000, -1)
for _, id in ipairs(noted) do
  if id <= cursor and not taken[id] then redis.call('RPUSH', KEYS[4], id) end
end
local waiting = math.max(0, tonumber(redis.call('HGET', KEYS[2], 'waiting') or '0') - added)
local unchanged = (redis.call('HGET', KEYS[2], 'refused') or '0') == ARGV[2]
if ARGV[3] == '1' and unchanged and redis.call('LLEN', KEYS[4]) == 0 then
  waiting = 0
  redis.call('HDEL', KEYS[2], 'raiseUpTo', 'lanes')
elseif waiting == 0 then
  waiting = 1
end
redis.call('HSET', KEYS[2], 'waiting', waiting)
redis.call('DEL', KEYS[3])
return { waitingNow(), 1 }
`;

/**
 * ARGV: the cursor of an older play, '' when only plays with a priority are known to wait; raiseUpTo; the newest id that may
 * exist → begins anew from there
 */
export const REWIND = `
local state = redis.call('HMGET', KEYS[2], 'cursor', 'from', 'waiting', 'refused')
local isNew = not (state[1] or state[2] or state[3] or state[4])
local cursor = ARGV[1]
if isNew then
  if cursor == '' then cursor = ARGV[3] end
  redis.call('HSET', KEYS[2], 'cursor', cursor, 'from', cursor)
elseif cursor ~= '' then
  if not state[1] or cursor < state[1] then redis.call('HSET', KEYS[2], 'cursor', cursor) end
  if state[2] and cursor < state[2] then redis.call('HSET', KEYS[2], 'from', cursor) end
end
local waiting = math.max(1, tonumber(state[3] or '0'))
redis.call('HSET', KEYS[2], 'waiting', waiting, 'raiseUpTo', ARGV[2], 'lanes', '1')
redis.call('HINCRBY', KEYS[2], 'refused', 1)
return { 1, waiting }
`;
