-- inspect: what the key carries, and for how long. Writes nothing.
-- KEYS[1] the lock; ARGV echo.
-- present holder ms-left | absent | foreign what
local key, echo = KEYS[1], ARGV[1]
local now = redis.call('TIME')
local clock = now[1] .. string.format('%06d', now[2])
local held = redis.pcall('GET', key)
if type(held) == 'table' then
  if not string.find(held['err'], 'WRONGTYPE', 1, true) then return held end
  return {'foreign', echo, clock, 'a key of another type'}
end
if not held then return {'absent', echo, clock} end
local left = redis.call('PTTL', key)
if left == -1 then return {'foreign', echo, clock, 'a key without expiry'} end
return {'present', echo, clock, string.sub(held, 1, 512), string.format('%.0f', left)}
