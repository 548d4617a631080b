-- probe: whether this user may keep queues here: each command of queue.lua, on a queue of no lock.
-- It changes nothing. KEYS[1] the queue; ARGV echo.
-- fair
local queue = KEYS[1]
local now = redis.call('TIME')
redis.call('ZRANGEBYSCORE', queue, 0, 1)
redis.call('ZREVRANGEBYSCORE', queue, 1, 0)
redis.call('ZRANGE', queue, 0, 0)
redis.call('ZCARD', queue)
redis.call('ZSCORE', queue, 'x')
redis.call('ZRANK', queue, 'x')
redis.call('ZADD', queue, 'XX', 1, 'x')
redis.call('ZREM', queue, 'x')
redis.call('PEXPIRE', queue, 1)
return {'fair', ARGV[1], now[1] .. string.format('%06d', now[2])}
