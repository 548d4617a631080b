-- refill: gives the key to a lease that a quorum holds already, if it is free here (N2).
-- KEYS[1] the lock; ARGV echo, token, ttl in ms.
-- refilled | refused holder ms-left | foreign what
local key, echo, token, ttl = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local now = redis.call('TIME')
local clock = now[1] .. string.format('%06d', now[2])
local held = redis.pcall('GET', key)
if type(held) == 'table' then
  if not string.find(held['err'], 'WRONGTYPE', 1, true) then return held end
  return {'foreign', echo, clock, 'a key of another type'}
end
if held == token then
  redis.call('PEXPIRE', key, math.max(ttl, redis.call('PTTL', key)))
  return {'refilled', echo, clock}
end
if held then
  local left = redis.call('PTTL', key)
  if left == -1 then return {'foreign', echo, clock, 'a key without expiry'} end
  return {'refused', echo, clock, string.sub(held, 1, 512), string.format('%.0f', left)}
end
redis.call('SET', key, token, 'NX', 'PX', ttl)
return {'refilled', echo, clock}
