-- release: deletes the key if it carries the token (R4). DEL is a write that a server out of memory
-- still does.
-- KEYS[1] the lock; ARGV echo, token.
-- deleted | absent | foreign holder
local key, echo, token = KEYS[1], ARGV[1], ARGV[2]
local now = redis.call('TIME')
local clock = now[1] .. string.format('%06d', now[2])
local held = redis.pcall('GET', key)
if type(held) == 'table' then
  if not string.find(held['err'], 'WRONGTYPE', 1, true) then return held end
  return {'foreign', echo, clock, 'a key of another type'}
end
if not held then return {'absent', echo, clock} end
if held ~= token then return {'foreign', echo, clock, string.sub(held, 1, 512)} end
redis.call('DEL', key)
return {'deleted', echo, clock}
