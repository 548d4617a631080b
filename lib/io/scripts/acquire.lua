-- include queue.lua
-- acquire: takes the key if it is free, or carries an earlier attempt of the same base, or a token
-- that was released when it became ours to take (T2); on the lead only if nobody comes before us.
-- KEYS[1] the lock, KEYS[2] on the lead: its queue; ARGV echo, token, ttl in ms, base, attempt,
-- released token or empty; on the lead: channel, whether we listen there, how long a place lasts in
-- ms (0: takes none), how long the first one has to come in ms.
-- acquired | refused holder ms-left | foreign what
-- on the lead: acquired | refused holder ms-left before-us | queued holder ms-left before-us | foreign what
local key, echo, token, ttl = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local base, attempt, released = ARGV[4], tonumber(ARGV[5]), ARGV[6]
local now = redis.call('TIME')
local clock = now[1] .. string.format('%06d', now[2])
local held = redis.pcall('GET', key)
if type(held) == 'table' then
  if not string.find(held['err'], 'WRONGTYPE', 1, true) then return held end
  return {'foreign', echo, clock, 'a key of another type'}
end
local free, left = not held or (released ~= '' and held == released), 0
if not free then
  local mine = nil
  if string.sub(held, 1, #base + 1) == base .. '.' then
    mine = tonumber(string.match(held, '^(%d+)@', #base + 2))
  end
  left = redis.call('PTTL', key)
  if mine == attempt then
    redis.call('PEXPIRE', key, math.max(ttl, left))
    return {'acquired', echo, clock}
  end
  free = mine ~= nil and mine < attempt
  if not free and left == -1 then return {'foreign', echo, clock, 'a key without expiry'} end
end
local ours, before = true, 0
if KEYS[2] then
  local queue, life, window = KEYS[2], tonumber(ARGV[9]), tonumber(ARGV[10])
  local place, other = names(base, ARGV[7], ARGV[8])
  local ms = now[1] * 1000 + math.floor(now[2] / 1000)
  -- What goes wrong with a queue costs turns, and no vote.
  pcall(function()
    local first = first_in(queue, ms)
    if first then clamp(queue, ms) end
    if free then first = wake(queue, ms, window, base, first, '0 ' .. key) end
    ours = not first or first == place or first == other
    if not ours then before = redis.call('ZCARD', queue) / 2 end
    if life > 0 and (first or not free) then before = join(queue, ms, life, place, other) end
  end)
end
if free and ours then
  redis.call('SET', key, token, 'PX', ttl)
  return {'acquired', echo, clock}
end
local reply = {ours and 'refused' or 'queued', echo, clock, string.sub(held or '', 1, 512),
               string.format('%.0f', left)}
if KEYS[2] then reply[6] = string.format('%.0f', before) end
return reply
