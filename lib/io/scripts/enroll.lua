-- enroll: raises the largest max_ttl of all clients, kept without expiry (D6), to ours, and tells it.
-- Also the look at a clock that nobody else asks for (D4). What is no max_ttl is overwritten.
-- KEYS[1] redlock-node; ARGV echo, max_ttl in ms, the most that a max_ttl may be.
-- enrolled ms
local key, echo, ours, most = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local now = redis.call('TIME')
local clock = now[1] .. string.format('%06d', now[2])
local kept = redis.pcall('GET', key)
if type(kept) == 'table' then
  if not string.find(kept['err'], 'WRONGTYPE', 1, true) then return kept end
  kept = nil
end
local largest = tonumber(kept or '')
if not (largest and largest >= ours and largest <= most) then
  redis.call('SET', key, ARGV[2])
  largest = ours
end
return {'enrolled', echo, clock, string.format('%.0f', largest)}
