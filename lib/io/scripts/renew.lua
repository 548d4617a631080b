-- renew: extends the key if it carries the token; never shortens it (N1). The first write is one
-- that a server out of memory still does.
-- KEYS[1] the lock; ARGV echo, token, ttl in ms.
-- renewed | absent | foreign holder
local key, echo, token, ttl = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local held = redis.pcall('GET', key)
if type(held) == 'table' then
  if not string.find(held['err'], 'WRONGTYPE', 1, true) then return held end
  return {'foreign', echo, 'a key of another type'}
end
if not held then return {'absent', echo} end
if held ~= token then return {'foreign', echo, string.sub(held, 1, 512)} end
if redis.call('PTTL', key) < ttl then redis.call('PEXPIRE', key, ttl) end
return {'renewed', echo}
