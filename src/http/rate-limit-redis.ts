import type { Redis } from 'ioredis';
import type { Clock } from '../core/clock.ts';
import { DAY_MS, MINUTE_MS } from '../core/durations.ts';
import type { Log } from '../core/log.ts';
import type { Plan } from './rate-limit-plan.ts';
import type { Taken } from './rate-limit-tally.ts';
import { FORGIVEN_IN_WAIT, SKEW_MS } from './rate-limit-tally.ts';

/**
 * `take` of `rate-limit-tally.ts` for a tally that all instances share, in one atomic step. KEYS: the tally. ARGV: now, cost, the
 * bucket's calls (0: no bucket) and interval, then for each window its calls and its length. Without `now` the time is that of
 * Redis, so that instances whose clocks differ count as one. Numbers are stored with 17 digits, which a double needs.
 */
const TAKE = `
local now, cost, calls, interval = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local windows = (#ARGV - 4) / 2
local stored, flat = {}, redis.call('HGETALL', KEYS[1])
for i = 1, #flat, 2 do stored[flat[i]] = tonumber(flat[i + 1]) end
local at = stored.at or 0
local back = at - now
if back > 0 and back <= ${SKEW_MS} then
  now = at
elseif back > 0 then
  stored.full = (stored.full or 0) - back
  stored.refused_end = (stored.refused_end or 0) - back
  stored.wait_end = (stored.wait_end or 0) - back
  for i = 1, windows do
    local ending = 'end' .. i
    if stored[ending] and tonumber(ARGV[4 + 2 * i]) ~= ${DAY_MS} then stored[ending] = stored[ending] - back end
  end
end
local full_at, within, last = stored.full or 0, true, now
if calls > 0 then
  full_at = math.max(now, math.min(full_at, now + calls * interval))
  within = full_at - now <= (calls - 1) * interval + 0.002
end
local ends, counts = {}, {}
for i = 1, windows do
  local limit, length = tonumber(ARGV[3 + 2 * i]), tonumber(ARGV[4 + 2 * i])
  local opened = length == ${DAY_MS} and (math.floor(now / length) + 1) * length or now + length
  ends[i], counts[i] = stored['end' .. i] or 0, stored['count' .. i] or 0
  if ends[i] <= now then
    ends[i], counts[i] = opened, 0
  elseif ends[i] > now + length then
    ends[i] = opened
  end
  if counts[i] >= limit then within = false end
  last = math.max(last, ends[i])
end
local refused, refused_end, newly = stored.refused or 0, stored.refused_end or 0, 0
local wait_end, in_wait = stored.wait_end or 0, stored.in_wait or 0
if within then
  if calls > 0 then full_at = full_at + cost * interval end
  for i = 1, windows do counts[i] = counts[i] + cost end
elseif cost > 0 then
  if refused_end <= now then refused, refused_end = 0, now + ${MINUTE_MS} end
  if wait_end <= now then
    local wait = calls > 0 and math.max(0, full_at - (calls - 1) * interval - now) or 0
    for i = 1, windows do
      if counts[i] >= tonumber(ARGV[3 + 2 * i]) then wait = math.max(wait, ends[i] - now) end
    end
    in_wait, wait_end = 0, now + 1000 * math.max(1, math.ceil(wait / 1000))
  end
  in_wait = in_wait + 1
  local beyond = in_wait - ${FORGIVEN_IN_WAIT}
  newly = beyond > 1 and 1 or beyond == 1 and in_wait or 0
  refused = refused + newly
end
local text = function(number) return string.format('%.17g', number) end
local fields = { 'full', text(full_at), 'refused', text(refused), 'refused_end', text(refused_end),
  'wait_end', text(wait_end), 'in_wait', text(in_wait), 'at', text(now) }
local answer = { within and 1 or 0, text(full_at), text(refused), text(refused_end), newly, text(wait_end), text(in_wait), text(now) }
for i = 1, windows do
  fields[#fields + 1] = 'end' .. i
  fields[#fields + 1] = text(ends[i])
  fields[#fields + 1] = 'count' .. i
  fields[#fields + 1] = text(counts[i])
  answer[#answer + 1] = text(ends[i])
  answer[#answer + 1] = text(counts[i])
end
redis.call('HSET', KEYS[1], unpack(fields))
redis.call('PEXPIRE', KEYS[1], math.ceil(math.max(last, full_at, refused_end, wait_end) - now) + 1000)
return answer
`;

/** How long Redis is not called after a failure, so that not every request waits for it. */
const PAUSE_MS = 1_000;

interface RedisOptions {
  readonly redis: Redis;
  readonly log: Log;
  readonly clock: Clock;
}

type TakeCommand = (key: string, ...args: (string | number)[]) => Promise<(string | number)[]>;

/** Tallies that all instances share, by the clock of Redis. */
export class RedisTallies {
  readonly #options: RedisOptions;
  readonly #run: TakeCommand;
  #retryAt = 0;

  constructor(options: RedisOptions) {
    this.#options = options;
    const { redis } = options;
    redis.defineCommand('elnavTake', { numberOfKeys: 1, lua: TAKE });
    const command: unknown = Reflect.get(redis, 'elnavTake');
    if (typeof command !== 'function') throw new Error('the command was not defined');
    this.#run = command.bind(redis) as TakeCommand;
  }

  /** Undefined when Redis is unreachable. */
  async take(caller: string, plan: Plan, cost: 0 | 1): Promise<Taken | undefined> {
    const { redis, log, clock } = this.#options;
    const now = clock.now();
    const steady = clock.steady?.() ?? now;
    if (redis.status !== 'ready' || steady < this.#retryAt) return undefined;
    try {
      const answer = await this.#run(
        `elnav:limit:${caller}`,
        // Redis does not follow a clock that a test advances.
        clock.isTurned === true ? now : '',
        cost,
        plan.bucket?.calls ?? 0,
        plan.bucket?.intervalMs ?? 0,
        ...plan.windows.flatMap((window) => [window.calls, window.lengthMs]),
      );
      return takenOf(answer, plan);
    } catch (error) {
      if (steady >= this.#retryAt) log.warn({ err: error }, 'Redis did not count a call; this process does');
      this.#retryAt = steady + PAUSE_MS;
      return undefined;
    }
  }
}

function takenOf(answer: readonly (string | number)[], plan: Plan): Taken {
  const [within, fullAt = 0, refused = 0, refusedEndsAt = 0, newlyRefused = 0, ...rest] = answer.map(Number);
  const [waitEndsAt = 0, refusedInWait = 0, at = 0, ...windows] = rest;
  return {
    isWithin: within === 1,
    plan,
    tally: {
      fullAt,
      ...{ refused, refusedEndsAt, newlyRefused, waitEndsAt, refusedInWait },
      at,
      endsAt: windows.filter((_, index) => index % 2 === 0),
      counts: windows.filter((_, index) => index % 2 === 1),
    },
  };
}
