-- acquire: takes the key if it is free, or carries an earlier attempt of the same base (T2).
-- KEYS[1] the lock; ARGV echo, token, ttl in ms, base, attempt.
-- acquired | refused holder ms-left | foreign what
local key, echo, token, ttl = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local base, attempt = ARGV[4], tonumber(ARGV[5])
local now = redis.call('TIME')
local clock = now[1] .. string.format('%06d', now[2])
local held = redis.pcall('GET', key)
if type(held) == 'table' then
  if not string.find(held['err'], 'WRONGTYPE', 1, true) then return held end
  return {'foreign', echo, clock, 'a key of another type'}
end
if held then
  local mine = nil
  if string.sub(held, 1, #base + 1) == base .. '.' then
    mine = tonumber(string.match(held, '^(%d+)@', #base + 2))
  end
  if mine == attempt then
    redis.call('PEXPIRE', key, math.max(ttl, redis.call('PTTL', key)))
    return {'acquired', echo, clock}
  end
  if mine == nil or mine > attempt then
    local left = redis.call('PTTL', key)
    if left == -1 then return {'foreign', echo, clock, 'a key without expiry'} end
    return {'refused', echo, clock, string.sub(held, 1, 512), string.format('%.0f', left)}
  end
end
redis.call('SET', key, token, 'PX', ttl)
return {'acquired', echo, clock}
