import type { FastifyReply } from 'fastify';
import type { Redis } from 'ioredis';
import { type Clock, rfc3339 } from '../core/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/durations.ts';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import {
  type Accounts,
  clientAddress,
  type GlobalPolicy,
  type Principal,
} from '../domain/access/accounts/index.ts';
import {
  accountPlans,
  anonymousPlans,
  commandsPlan,
  type Halvings,
  halved,
  makePlan,
  type Plan,
} from './rate-limit-plan.ts';
import { RedisTallies } from './rate-limit-redis.ts';
import {
  callAt,
  type Left,
  longestWait,
  MemoryTallies,
  rateLimitField,
  type Taken,
  whatIsLeft,
} from './rate-limit-tally.ts';

/** A limit of a number of calls per period for each caller. */
export interface OwnLimit {
  /** Uses one call, and sets the response headers; throws `limit.exceeded` when none is left. */
  take(caller: string, reply?: FastifyReply): Promise<void> | void;
  /** Throws `limit.exceeded` when no call is left, without using one. */
  check(caller: string): Promise<void> | void;
}

/**
 * Limits, counted in memory, or in Redis when several instances share them. In memory nothing is awaited: the methods return
 * `undefined` or throw synchronously. Refused calls use nothing. While Redis is unreachable each instance counts for itself
 * against half of every limit.
 */
export interface Limits {
  /**
   * Uses one call of the account's policy and sets the response headers; throws `limit.exceeded`. A command has a reserve of its own, so
   * that whatever reads for the account does not stop its commands.
   */
  account(
    principal: Principal,
    reply: FastifyReply,
    of?: { readonly isCommand: boolean },
  ): Promise<void> | void;
  /** What is left of the account's policy, without using any of it. */
  left(principal: Principal): Promise<readonly Left[]>;
  /** The same for a caller without a key, against the quotas of its address and of all such callers. */
  anonymous(ip: string, reply: FastifyReply): Promise<void> | void;
  /** Creates a limit of `calls` in `seconds` per address; each `name` must be used once. */
  perIp(name: string, calls: number, seconds: number): OwnLimit;
  /** The same per name that is not an address, such as a session. */
  perName(name: string, calls: number, seconds: number): OwnLimit;
}

interface LimitsOptions {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly log: Log;
  /** Shared by all instances; undefined: counted in memory. */
  readonly redis: Redis | undefined;
}

/** The maximum number of callers of one kind that are counted in memory. */
const MOST_CALLERS = 100_000;
const REFUSED_BEFORE_THROTTLE = 20;
const THROTTLED_MS = 10 * 60_000;
const EVERYBODY = 'all';

/** A plan, unchanged or halved. */
type PlanOf = (halvings: Halvings) => Plan;

interface Own {
  readonly name: string;
  readonly calls: number;
  readonly seconds: number;
  readonly callerOf: (caller: string) => string;
  readonly whose: string;
}

/** The limits of a service. */
export function createLimits(options: LimitsOptions): Limits {
  const { accounts, clock, log, redis } = options;
  const shared = redis === undefined ? undefined : new RedisTallies({ redis, log, clock });

  /** Counts a call in Redis, or in `memory` when Redis is unreachable. */
  function counted(
    memory: MemoryTallies,
    caller: string,
    { planOf, kind, cost }: { readonly planOf: PlanOf; readonly kind: string; readonly cost: 0 | 1 },
  ): Taken | Promise<Taken> {
    const inMemory = (halvings: Halvings) => memory.take(caller, planOf(halvings), callAt(clock, cost));
    if (shared === undefined) return inMemory(0);
    return shared.take(`${kind}:${caller}`, planOf(0), cost).then((taken) => taken ?? inMemory(1));
  }

  const accountTallies = new MemoryTallies(MOST_CALLERS);
  const commandTallies = new MemoryTallies(MOST_CALLERS);
  const planFor = accountPlans();

  function judgeAccount(principal: Principal, taken: Taken, reply: FastifyReply): void {
    const now = clock.now();
    setFields(reply, taken);
    if (taken.isWithin) return;
    const { account, policy } = principal;
    const isThrottled = policy.throttledUntil !== null && policy.throttledUntil > now;
    const { refused, newlyRefused } = taken.tally;
    // Only the one that reaches it, so that of many concurrent refused calls exactly one throttles.
    const isReached = refused >= REFUSED_BEFORE_THROTTLE && refused - newlyRefused < REFUSED_BEFORE_THROTTLE;
    if (policy.autoThrottle && !isThrottled && isReached) {
      const until = now + THROTTLED_MS;
      log.warn(
        { account, until: rfc3339(until) },
        'an account keeps calling over its limits; its rates are halved',
      );
      accounts.users.throttle(account, until).catch((error: unknown) => {
        log.error({ err: error, account }, 'the account could not be throttled');
      });
    }
    const halving = isThrottled
      ? ` (the rates are halved until ${rfc3339(policy.throttledUntil)}, because calls kept coming over the limit)`
      : '';
    throw exceeded(taken, `of the account${halving}`);
  }

  const anonymousTallies = new MemoryTallies(MOST_CALLERS);
  const anonymousTotal = new MemoryTallies(1);
  const anonymousPlansOf = anonymousPlans();

  function takeAnonymous(quotas: GlobalPolicy, address: string, reply: FastifyReply): Promise<void> | void {
    const { perIp, total } = anonymousPlansOf(quotas);
    const pick =
      (plans: readonly Plan[]): PlanOf =>
      (halvings) =>
        plans[halvings] ?? makePlan([]);
    // The address first: a call that is refused for its address must not use the common quota.
    return then(
      counted(anonymousTallies, address, { planOf: pick(perIp), kind: 'anonymous', cost: 1 }),
      (own) => {
        setFields(reply, own);
        if (!own.isWithin) {
          throw exceeded(
            own,
            'for calls without an API key from one address; send a key to have limits of your own',
          );
        }
        return then(
          counted(anonymousTotal, EVERYBODY, { planOf: pick(total), kind: 'anonymous', cost: 1 }),
          (everybody) => {
            if (everybody.isWithin) return;
            setFields(reply, everybody);
            throw exceeded(
              everybody,
              'for all calls without an API key together; send a key to have limits of your own',
            );
          },
        );
      },
    );
  }

  function ownLimit({ name, calls, seconds, callerOf, whose }: Own): OwnLimit {
    const memory = new MemoryTallies(MOST_CALLERS);
    const window = { name, calls, lengthMs: seconds * 1000 };
    const plans = [makePlan([window]), makePlan([{ ...window, calls: halved(calls, 1) }])] as const;
    const judge = (caller: string, cost: 0 | 1, reply?: FastifyReply) =>
      then(
        counted(memory, callerOf(caller), {
          planOf: (halvings) => (halvings === 0 ? plans[0] : plans[1]),
          kind: name,
          cost,
        }),
        (taken) => {
          if (reply !== undefined) setFields(reply, taken);
          if (!taken.isWithin) throw exceeded(taken, whose);
        },
      );
    return { take: (caller, reply) => judge(caller, 1, reply), check: (caller) => judge(caller, 0) };
  }

  function countAccount({ account, policy }: Principal, cost: 0 | 1): Taken | Promise<Taken> {
    const isThrottled = policy.throttledUntil !== null && policy.throttledUntil > clock.now();
    const planOf: PlanOf = (halvings) => planFor(policy, isThrottled ? (halvings === 0 ? 1 : 2) : halvings);
    return counted(accountTallies, String(account), { planOf, kind: 'account', cost });
  }

  /** A command: of the limits of the account, and of the reserve where those are used up. */
  function commandOf(principal: Principal, reply: FastifyReply): Promise<void> | void {
    return then(countAccount(principal, 0), (left) => {
      const plan = left.isWithin ? undefined : commandsPlan(left.plan);
      if (plan === undefined)
        return then(countAccount(principal, 1), (taken) => judgeAccount(principal, taken, reply));
      const of = { planOf: () => plan, kind: 'commands', cost: 1 } as const;
      return then(counted(commandTallies, String(principal.account), of), (reserve) =>
        judgeAccount(principal, reserve, reply),
      );
    });
  }

  return {
    account(principal, reply, { isCommand } = { isCommand: false }) {
      if (isCommand) return commandOf(principal, reply);
      return then(countAccount(principal, 1), (taken) => judgeAccount(principal, taken, reply));
    },
    async left(principal) {
      const { tally, plan } = await countAccount(principal, 0);
      return whatIsLeft(tally, plan, tally.at);
    },
    anonymous(ip, reply) {
      return takeAnonymous(accounts.globalPolicy(), clientAddress(ip), reply);
    },
    perIp: (name, calls, seconds) =>
      ownLimit({ name, calls, seconds, callerOf: clientAddress, whose: 'for one address' }),
    perName: (name, calls, seconds) =>
      ownLimit({ name, calls, seconds, callerOf: (name) => name, whose: 'for the same name' }),
  };
}

/** Continues synchronously when there is nothing to wait for. */
function then<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Times are those of the tally: the clock of Redis may differ from ours. */
function setFields(reply: FastifyReply, { tally, plan }: Taken): void {
  reply.header('ratelimit-policy', plan.policyField);
  reply.header('ratelimit', rateLimitField(tally, plan, tally.at));
}

function exceeded({ tally, plan }: Taken, whose: string): AppError {
  const { name, seconds } = longestWait(tally, plan, tally.at);
  return new AppError(
    'limit.exceeded',
    `Rate limit exceeded: ${sentenceOf(name, plan)} ${whose}. Retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    { retryAfterSeconds: seconds },
  );
}

function sentenceOf(name: string, { bucket, windows }: Plan): string {
  if (bucket !== undefined && name === bucket.name) {
    return `at most ${bucket.calls} calls at once, and then one every ${(bucket.intervalMs / 1000).toPrecision(3)} seconds,`;
  }
  const window = windows.find((candidate) => candidate.name === name) ?? windows[0];
  const lengthMs = window?.lengthMs ?? 0;
  const stretch =
    lengthMs === MINUTE_MS
      ? 'a minute'
      : lengthMs === HOUR_MS
        ? 'an hour'
        : lengthMs === DAY_MS
          ? 'a UTC day'
          : `in ${lengthMs / 1000} seconds`;
  return `${window?.calls ?? 0} calls ${stretch}`;
}
