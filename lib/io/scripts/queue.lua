-- queue: those who wait for a lock, as the lead keeps them; stands in front of acquire and release.
-- One sorted set: "base channel" by sequence number (Q1), and behind all of these "@base channel" by
-- deadline. A waiter without a channel cannot be told of its turn, and asks.
local far, life_max, size_max = 10000000000000, 5000, 1000
-- The first one; whoever's time is up is out (Q3).
local function first_in(queue, ms)
  for _, late in ipairs(redis.call('ZRANGEBYSCORE', queue, far, far + ms)) do
    redis.call('ZREM', queue, late, string.sub(late, 2))
  end
  return redis.call('ZRANGE', queue, 0, 0)[1]
end
-- No deadline stays later than it can be, whatever the clock has done (Q3).
local function clamp(queue, ms)
  for _, off in ipairs(redis.call('ZRANGEBYSCORE', queue, '(' .. far + ms + life_max, '+inf')) do
    redis.call('ZADD', queue, far + ms + life_max, off)
  end
end
-- Tells the first one that it is its turn, unless it is us; it has a short while to come (Q5). Whom
-- nobody hears for is gone.
local function wake(queue, ms, window, us, first, said)
  for _ = 1, 32 do
    local base, channel = string.match(first or '', '^(%x+) (%x*)$')
    if not base or base == us or channel == '' then return first end
    local heard = redis.pcall('PUBLISH', 'redlock-wake:' .. channel, base .. ' ' .. said)
    if type(heard) == 'table' then return first end
    if heard > 0 then
      redis.call('ZADD', queue, 'LT', far + ms + window, '@' .. first)
      return first
    end
    redis.call('ZREM', queue, first, '@' .. first)
    first = redis.call('ZRANGE', queue, 0, 0)[1]
  end
  return first
end
-- A place has one of two names, as its waiter listens or not.
local function names(base, channel, listens)
  if listens == '1' then return base .. ' ' .. channel, base .. ' ' end
  return base .. ' ', base .. ' ' .. channel
end
-- Takes a place, or keeps up the one that is there (Q2). How many are before it.
local function join(queue, ms, life, place, before)
  local number = redis.call('ZSCORE', queue, place)
  if not number then
    number = redis.call('ZSCORE', queue, before)
    redis.call('ZREM', queue, before, '@' .. before)
  end
  if not number then
    local size = redis.call('ZCARD', queue) / 2
    if size >= size_max then return size end
    local last = redis.call('ZREVRANGEBYSCORE', queue, '(' .. far, '-inf', 'WITHSCORES', 'LIMIT', 0, 1)
    number = (tonumber(last[2]) or 0) + 1
  end
  redis.call('ZADD', queue, number, place, far + ms + life, '@' .. place)
  redis.call('PEXPIRE', queue, life_max)
  return redis.call('ZRANK', queue, place)
end
