-- renew: extends the key if it carries the token; never shortens it (N1). It writes in any
-- case, so that a replica says that it is one (D2); a server out of memory still does this write.
-- KEYS[1] the lock; ARGV echo, token, ttl in ms.
-- renewed | absent | foreign holder
local key, echo, token, ttl = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local now = redis.call('TIME')
local clock = now[1] .. string.format('%06d', now[2])
local held = redis.pcall('GET', key)
if type(held) == 'table' then
  if not string.find(held['err'], 'WRONGTYPE', 1, true) then return held end
  return {'foreign', echo, clock, 'a key of another type'}
end
if not held then return {'absent', echo, clock} end
if held ~= token then return {'foreign', echo, clock, string.sub(held, 1, 512)} end
redis.call('PEXPIRE', key, math.max(ttl, redis.call('PTTL', key)))
return {'renewed', echo, clock}
