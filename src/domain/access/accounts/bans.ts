import { BlockList, isIP, isIPv6 } from 'node:net';
import { BoundedMap } from '../../../core/bounded-map.ts';
import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import type { Database } from '../../../db/database.ts';
import { topic } from '../../../db/topic.ts';
import type { Actor, Audit } from './audit.ts';
import { announce, Refreshed } from './principals.ts';
import {
  type BanRow,
  bansInForce,
  bansSince,
  insertBan,
  removeBan,
  removeBansBefore,
} from './store-administration.ts';

export interface Ban {
  readonly id: number;
  /** An IPv4 address or an IPv6 /64 network. */
  readonly ip: string;
  readonly reason: string;
  /** RFC 3339. */
  readonly created_at: string;
  readonly expires_at: string;
}

interface BansOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly audit: Audit;
}

const WRONG_WITHIN_MS = 10 * 60_000;
const WRONG_ALLOWED = 9;
const FIRST_BAN_MS = HOUR_MS;
const LONGEST_BAN_MS = 7 * DAY_MS;
const REMEMBERED_MS = 30 * DAY_MS;
/** Addresses whose wrong attempts are counted at one time. */
const MOST_SUSPECTS = 10_000;
const CHANGED = topic<null>('accounts.bans');

/** Length of the next ban of an address that was banned `before` times in the last 30 days. */
export function banLengthMs(before: number): number {
  return Math.min(FIRST_BAN_MS * 2 ** before, LONGEST_BAN_MS);
}

/**
 * Bans client addresses after too many wrong keys or admin tokens. Each process counts attempts on its own; a ban
 * applies in all processes.
 */
export class Bans {
  readonly #options: BansOptions;
  readonly #inForce: Refreshed<Map<string, number>>;
  /** Times of each address's wrong attempts in the last ten minutes, least recent address first. */
  readonly #wrong = new BoundedMap<string, number[]>(MOST_SUSPECTS);
  /** Bans that are being stored. */
  readonly #beginning = new Map<string, Promise<void>>();

  private constructor(options: BansOptions, inForce: Refreshed<Map<string, number>>) {
    this.#options = options;
    this.#inForce = inForce;
    const { bus } = options.database;
    CHANGED.on(bus, () => inForce.refresh());
    bus.onGap(() => inForce.refreshSoon());
  }

  static async open(options: BansOptions): Promise<Bans> {
    const { database, clock, log } = options;
    const load = async () => {
      const rows = await bansInForce(database.queries, clock.now());
      return new Map(rows.reverse().map(({ ip, expires_at }) => [ip, expires_at]));
    };
    return new Bans(options, await Refreshed.of({ clock, log, load }));
  }

  /** End of an address's ban (milliseconds since 1970), or null. Does not query the database. */
  bannedUntil(ip: string): number | null {
    const inForce = this.#inForce.current;
    if (inForce.size === 0) return null;
    const until = inForce.get(clientAddress(ip));
    return until === undefined || until <= this.#options.clock.now() ? null : until;
  }

  /** Counts a wrong key or admin token; the tenth within ten minutes bans the address before this resolves. */
  async countWrong(ip: string, what: 'API keys' | 'admin tokens'): Promise<void> {
    if (isLoopback(ip)) return;
    const address = clientAddress(ip);
    const now = this.#options.clock.now();
    const attempts = (this.#wrong.get(address) ?? []).filter((at) => now - at < WRONG_WITHIN_MS);
    if (attempts.length < WRONG_ALLOWED) {
      this.#wrong.set(address, [...attempts, now]);
      return;
    }
    this.#wrong.delete(address);
    if (this.bannedUntil(ip) !== null) return;
    // Many wrong keys at once cause one ban.
    const beginning = this.#beginning.get(address) ?? this.#ban(address, `too many wrong ${what}`);
    this.#beginning.set(address, beginning);
    await beginning.finally(() => this.#beginning.delete(address));
  }

  /** Active bans, newest first. */
  async list(): Promise<Ban[]> {
    const rows = await bansInForce(this.#options.database.queries, this.#options.clock.now());
    return rows.map(toBan);
  }

  /** Bans an address by hand, on every instance at once. Throws `request.invalid`. */
  async add(
    wanted: { readonly ip: string; readonly reason: string; readonly expiresAt: number },
    actor: Actor,
  ): Promise<Ban> {
    const { database, clock, audit } = this.#options;
    const { ip, reason, expiresAt } = wanted;
    const fault = faultInBannedAddress(ip);
    if (fault !== null) throw new AppError('request.invalid', `ip ${fault}`);
    const now = clock.now();
    if (expiresAt <= now)
      throw new AppError('request.invalid', `expires_at must be in the future; it is ${rfc3339(now)} now`);
    const address = clientAddress(ip);
    const row = await database.transaction(async (queries) => {
      const added = await insertBan(queries, { ip: address, reason, created_at: now, expires_at: expiresAt });
      await audit(queries, actor, {
        action: 'ban.added',
        target: `ban/${added.id}`,
        detail: { ip: address, reason, expires_at: rfc3339(expiresAt) },
      });
      return added;
    });
    await announce(database, CHANGED, null);
    return toBan(row);
  }

  /** Ends a ban; it no longer counts towards the length of the next one. */
  async lift(id: number, actor: Actor): Promise<Ban> {
    const { database, audit } = this.#options;
    const row = await database.transaction(async (queries) => {
      const removed = await removeBan(queries, id);
      if (removed === undefined) {
        throw new AppError('ban.not_found', `there is no ban ${id}; GET /admin/bans lists the active ones`);
      }
      await audit(queries, actor, {
        action: 'ban.lifted',
        target: `ban/${id}`,
        detail: { ip: removed.ip, reason: removed.reason },
      });
      return removed;
    });
    await announce(database, CHANGED, null);
    return toBan(row);
  }

  async #ban(address: string, reason: string): Promise<void> {
    const { database, clock, log } = this.#options;
    const now = clock.now();
    const lengthMs = await database.transaction(async (queries) => {
      await removeBansBefore(queries, now - REMEMBERED_MS, now);
      const lengthMs = banLengthMs(await bansSince(queries, address, now - REMEMBERED_MS));
      await insertBan(queries, { ip: address, reason, created_at: now, expires_at: now + lengthMs });
      return lengthMs;
    });
    await CHANGED.publishAndWait(database.bus, null);
    log.warn({ ip: address, reason, hours: lengthMs / HOUR_MS }, 'an address was banned');
  }
}

function toBan(row: BanRow): Ban {
  const { id, ip, reason, created_at, expires_at } = row;
  return { id, ip, reason, created_at: rfc3339(created_at), expires_at: rfc3339(expires_at) };
}

/** What is wrong with an address that is to be banned, or null. */
export function faultInBannedAddress(ip: string): string | null {
  if (isIP(ip) === 0) return 'must be an IP address such as 192.0.2.7 or 2001:db8::7';
  return isLoopback(ip) ? 'must not be of this machine: loopback is never banned' : null;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * The address that attempts and bans are counted by: an IPv4 address, or the /64 network of an IPv6 address, since one
 * household or server controls a whole /64. An IPv4-mapped IPv6 address is the IPv4 address.
 */
export function clientAddress(ip: string): string {
  if (!ip.includes(':')) return ip;
  const ipv4 = ipv4Within(ip);
  if (ipv4 !== undefined) return ipv4;
  const bare = ip.split('%', 1)[0] ?? ip;
  if (!isIPv6(bare)) return ip;
  return `${groups(bare).slice(0, 4).join(':')}::/64`;
}

/** Loopback is this machine and is never banned. */
export function isLoopback(ip: string): boolean {
  const address = ipv4Within(ip) ?? ip;
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** The IPv4 address that a dual-stack socket reports as ::ffff:192.0.2.1. */
function ipv4Within(ip: string): string | undefined {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groups(ip: string): string[] {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(ip);
  const hex =
    dotted === null
      ? ip
      : ip.slice(0, dotted.index) +
        [dotted.slice(1, 3), dotted.slice(3, 5)]
          .map(([high, low]) => (Number(high) * 256 + Number(low)).toString(16))
          .join(':');
  const [head = '', tail] = hex.split('::', 2);
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  const zeros: string[] = new Array(missing).fill('0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16).toString(16));
}
