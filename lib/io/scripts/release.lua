-- include queue.lua
-- release: deletes the key if it carries the token (R4), and tells the first who waits that it is
-- its turn. DEL is a write that a server out of memory still does.
-- KEYS[1] the lock, KEYS[2] with fairness: its queue; ARGV echo, token; with fairness: base,
-- channel, whether we give up our place, how long the first one has to come in ms.
-- deleted | absent | foreign holder; with fairness each followed by how many wait
local key, echo, token = KEYS[1], ARGV[1], ARGV[2]
local now = redis.call('TIME')
local clock = now[1] .. string.format('%06d', now[2])
local held = redis.pcall('GET', key)
local reply
if type(held) == 'table' then
  if not string.find(held['err'], 'WRONGTYPE', 1, true) then return held end
  reply = {'foreign', echo, clock, 'a key of another type'}
elseif not held then
  reply = {'absent', echo, clock}
elseif held ~= token then
  reply = {'foreign', echo, clock, string.sub(held, 1, 512)}
else
  redis.call('DEL', key)
  reply = {'deleted', echo, clock}
end
if KEYS[2] then
  local waiting = 0
  -- What goes wrong with a queue costs turns, and not the release.
  pcall(function()
    local queue, base = KEYS[2], ARGV[3]
    local ms = now[1] * 1000 + math.floor(now[2] / 1000)
    if ARGV[5] == '1' then
      local place, other = names(base, ARGV[4], '1')
      redis.call('ZREM', queue, place, '@' .. place, other, '@' .. other)
    end
    local first = first_in(queue, ms)
    if not first then return end
    if not held or held == token then
      wake(queue, ms, tonumber(ARGV[6]), base, first, #token .. ' ' .. token .. key)
    end
    waiting = redis.call('ZCARD', queue) / 2
  end)
  reply[#reply + 1] = string.format('%.0f', waiting)
end
return reply
