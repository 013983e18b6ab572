import { BoundedMap } from '../../core/bounded-map.ts';
import { type Clock, rfc3339 } from '../../core/clock.ts';
import { DAY_MS, HOUR_MS } from '../../core/durations.ts';
import { AppError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../db/database.ts';
import { topic } from '../../db/topic.ts';
import { announce } from './announce.ts';
import type { Actor, Audit } from './audit.ts';
import { clientAddress, isLoopback } from './client-address.ts';
import { Refreshed } from './refreshed.ts';
import { type BanRow, bansInForce, bansSince, insertBan, removeBan, removeBansBefore } from './store-bans.ts';

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
  async countWrong(ip: string, what: 'API keys' | 'admin tokens' | 'keys of gateways'): Promise<void> {
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
