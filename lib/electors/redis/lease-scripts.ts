/**
 * What is done to a lease, each in one step on the server. Two keys, which hash to one slot: the lease, a hash that runs
 * out by itself, and the token, a hash that stays for ever, so that tokens rise and a release can be told from a lease
 * that has run out.
 *
 * The token also keeps until when the lease runs, by the server's clock in µs: a lease that is gone before that was deleted
 * or evicted, and its holder may still lead. It is answered as `absent`, so that everybody waits as after any loss of data.
 * A server's clock that was set back makes the same of one that has run out, which costs that wait and no more.
 * Without the time, as older versions wrote it, a lease that is gone has run out.
 *
 * Tokens and times are compared as texts: in Lua all numbers are doubles, which lose the last digits of a large token.
 */
const PRELUDE = `
local LEASE, TOKEN = KEYS[1], KEYS[2]

local function above(one, other)
  return #one > #other or (#one == #other and one > other)
end

local function now()
  local time = redis.call('TIME')
  return string.format('%s%06d', time[1], tonumber(time[2]))
end

local function state()
  local lease = redis.call('HMGET', LEASE, 'token', 'version', 'holder', 'leaseMs', 'identity', 'address')
  if lease[3] then
    local left = tostring(redis.call('PTTL', LEASE))
    return { 'held', lease[1] or '', lease[2] or '', lease[3], lease[4] or '', lease[5] or '', lease[6] or '', left }
  end
  local kept = redis.call('HMGET', TOKEN, 'token', 'state', 'until')
  if not kept[1] then return { 'absent' } end
  if kept[2] == 'released' then return { 'released', kept[1] } end
  if kept[3] and above(kept[3], now()) then return { 'absent' } end
  return { 'vacant', kept[1] }
end

local function answer(first)
  local reply = { first }
  for _, part in ipairs(state()) do reply[#reply + 1] = part end
  return reply
end
`;

/** When a lease that is written now runs out: never later than its key does, which counts in whole milliseconds. */
const UNTIL = `
local function runsUntil(time, leaseMs)
  local us = tonumber(time)
  return string.format('%.0f', us - us % 1000 + tonumber(leaseMs) * 1000)
end
`;

/**
 * Answers the server's time in µs, then the state. A write command is among it that changes nothing on a healthy key: a
 * replica, which may lag behind, refuses that, so nothing is ever read from one.
 */
export const READ_SCRIPT = `${PRELUDE}
redis.call('PERSIST', TOKEN)
return answer(now())
`;

/** Answers `won`, token, version; or `lost`, then the state. */
export const ACQUIRE_SCRIPT = `${PRELUDE}${UNTIL}
local holder, identity, leaseMs, address, tokenAbove, notAfter = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local basis = { ARGV[7], ARGV[8], ARGV[9], ARGV[10] }
local time = now()
if notAfter ~= '' and above(time, notAfter) then return answer('lost') end
local found = state()
if found[1] ~= basis[1] then return answer('lost') end
for part = 2, 4 do
  if basis[part] ~= '' and found[part] ~= basis[part] then return answer('lost') end
end
local highest = redis.call('HGET', TOKEN, 'token') or '0'
if above(tokenAbove, highest) then highest = tokenAbove end
if found[2] and above(found[2], highest) then highest = found[2] end
redis.call('HSET', TOKEN, 'token', highest, 'state', 'held', 'until', runsUntil(time, leaseMs))
redis.call('HINCRBY', TOKEN, 'token', 1)
local token = redis.call('HGET', TOKEN, 'token')
if above(time, token) then
  token = time
  redis.call('HSET', TOKEN, 'token', token)
end
redis.call('PERSIST', TOKEN)
redis.call('DEL', LEASE)
redis.call('HSET', LEASE, 'holder', holder, 'identity', identity, 'leaseMs', leaseMs, 'token', token, 'version', '1')
if address ~= '' then redis.call('HSET', LEASE, 'address', address) end
redis.call('PEXPIRE', LEASE, leaseMs)
return { 'won', token, '1' }
`;

/** Answers `renewed`, version; or `refused`, then the state. A token that was lost meanwhile is put back. */
export const RENEW_SCRIPT = `${PRELUDE}${UNTIL}
local holder, token, leaseMs = ARGV[1], ARGV[2], ARGV[3]
local lease = redis.call('HMGET', LEASE, 'holder', 'token')
if lease[1] ~= holder or lease[2] ~= token then return answer('refused') end
local time = now()
local version = redis.call('HINCRBY', LEASE, 'version', 1)
redis.call('PEXPIRE', LEASE, leaseMs)
if redis.call('EXISTS', TOKEN) == 0 then redis.call('HSET', TOKEN, 'token', token, 'state', 'held') end
redis.call('HSET', TOKEN, 'until', runsUntil(time, leaseMs))
return { 'renewed', tostring(version) }
`;

/**
 * Answers `released`, or `kept` when it is not this holder's. Followers are told on the channel, by the token, if one is given; they
 * are not when that is forbidden, and see it at their next poll.
 */
export const RELEASE_SCRIPT = `${PRELUDE}
local holder, token, channel = ARGV[1], ARGV[2], ARGV[3]
local lease = redis.call('HMGET', LEASE, 'holder', 'token')
if lease[1] ~= holder or (token ~= '' and lease[2] ~= token) then return { 'kept' } end
if redis.call('EXISTS', TOKEN) == 0 then redis.call('HSET', TOKEN, 'token', lease[2]) end
redis.call('HSET', TOKEN, 'state', 'released')
redis.call('DEL', LEASE)
if channel ~= '' then redis.pcall('PUBLISH', channel, lease[2]) end
return { 'released' }
`;
