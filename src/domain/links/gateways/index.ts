import { hash } from 'node:crypto';
import type { ReachableGateways } from '../../../adapter/reach.ts';
import type { Begin } from '../../../core/begin.ts';
import { rfc3339 } from '../../../core/clock.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { type Random, randomId } from '../../../core/ids.ts';
import type { QuestionResult } from '../../../db/bus.ts';
import type { Database } from '../../../db/database.ts';
import type { Host } from '../../../db/host.ts';
import { question, topic } from '../../../db/topic.ts';
import type { Accounts, Actor } from '../../access/accounts/index.ts';
import { type Answer, answered } from '../../devices/commands/index.ts';
import { receivedError } from '../../devices/devices/index.ts';
import { createGatewayStore, type GatewayKey, type GatewayRow } from './store.ts';

/** Crockford's base 32: without letters that are mistaken for digits. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUPS = 4;
const GROUP_CHARACTERS = 4;

/** A pairing code of 80 random bits, to be typed: 4 groups of 4 characters. */
function pairingCode(random: Random): string {
  const letters = [...random(GROUPS * GROUP_CHARACTERS)].map((byte) => LETTERS[byte % LETTERS.length]);
  return Array.from({ length: GROUPS }, (_, group) =>
    letters.slice(group * GROUP_CHARACTERS, (group + 1) * GROUP_CHARACTERS).join(''),
  ).join('-');
}

/** The hash of a code however it was typed: in either case, with or without its hyphens. */
const codeHash = (code: string): string => hash('sha256', code.toUpperCase().replace(/[^0-9A-Z]/g, ''));

// control: the key of a gateway is stored as a hash [gateways/gateways] => (key: string): string => key
const keyHash = (key: string): string => hash('sha256', key);

/** Which process a gateway is connected to; it answers with its name. */
const WHERE = question<{ readonly gateway: string }, string>('gateways.where');
const WHERE_MS = 1_000;
/** Longer than the process that does it takes. */
const DONE_MS = 40_000;

/** Work that only the process with the connection of a gateway can do. Messages and results are JSON. */
interface Relayed<M, T> {
  /** The same in all processes. */
  readonly name: string;
  /** The id of the gateway that the work needs; undefined where it needs none, and is done here. */
  gatewayOf(message: M): Promise<string | undefined>;
  work(message: M, begun: Begin): Promise<T>;
}

const UNANSWERED =
  'the instance that the gateway is connected to did not respond, and it is unknown whether it was done; retry';

/** What may be asked of any process, and is done by the one that the gateway is connected to. All of it may be done twice. */
export function createRelay({
  database: { engine, bus },
  gateways,
}: {
  readonly database: Database;
  readonly gateways: Pick<ReachableGateways, 'isHere'> | undefined;
}) {
  const self = crypto.randomUUID();
  WHERE.answer(bus, ({ gateway }) => (gateways?.isHere(gateway) === true ? self : undefined));

  return <M extends object, T>({ name, gatewayOf, work }: Relayed<M, T>) => {
    const asking = question<{ readonly holder: string; readonly message: M }, Answer<T>>(name);
    asking.answer(bus, ({ holder, message }) =>
      holder === self ? answered((begun) => work(message, begun)) : undefined,
    );

    return async (message: M, begun: Begin): Promise<T> => {
      const gateway = engine === 'sqlite' ? undefined : await gatewayOf(message);
      if (gateway === undefined || gateways?.isHere(gateway) === true) return work(message, begun);
      const found = await WHERE.ask(bus, { gateway }, { timeoutMs: WHERE_MS });
      // Here it fails with the reason why the gateway cannot be reached.
      if (found.state !== 'answered') return work(message, begun);
      await begun();
      const { message: holder, peer } = found;
      return resultOf(await asking.ask(bus, { holder, message }, { timeoutMs: DONE_MS, peer }), begun);
    };
  };
}

export type Relay = ReturnType<typeof createRelay>;

function resultOf<T>(asked: QuestionResult<Answer<T>>, begun: Begin): T {
  if (asked.state !== 'answered') {
    if (asked.state === 'lost' && !asked.isSent) begun.takeBack?.();
    throw new AppError('vendor.unreachable', UNANSWERED);
  }
  const { message } = asked;
  if ('done' in message) return message.done;
  if (message.has_begun === false) begun.takeBack?.();
  throw receivedError(message.error);
}

export { createDiscover, type Discover, type Discovered } from './discover.ts';

export { createPresence, type Presence, whereabouts } from './presence.ts';

export type { GatewayKey } from './store.ts';

const CODE_MS = 10 * MINUTE_MS;
/** A gateway is not let in any more: it was removed, or paired again. */
const REVOKED = topic<GatewayKey>('gateways.revoked');

interface ListedGateway {
  readonly id: string;
  readonly name: string;
  readonly connected: boolean;
  readonly last_heard_at: string | null;
  readonly created_at: string;
  readonly paired_at: string | null;
  readonly version: string | null;
  /** Networks that the gateway opens connections to. */
  readonly networks: readonly string[];
}

/** What a gateway is paired with, shown once. */
export interface Pairing {
  readonly id: string;
  readonly pairing_code: string;
  readonly expires_at: string;
}

/** What a gateway shows when it dials in. */
export interface Shown {
  /** Its own, that it has made itself. */
  readonly key: string;
  readonly code: string | undefined;
}

interface GatewaysOptions {
  readonly host: Host;
  readonly accounts: Pick<Accounts, 'noteChange'>;
  /** How many gateways an account may have. */
  readonly mostGateways: (account: number) => Promise<number>;
  /** Ends the connection of a gateway that is not let in any more. */
  readonly drop: (gateway: GatewayKey) => void;
}

const GATEWAY_KEY = /^[0-9A-Za-z_-]{43,100}$/;

/** Gateways of accounts: made, paired, listed and removed. */
export function createGateways({ host, accounts, mostGateways, drop }: GatewaysOptions) {
  const { database, clock, random } = host;
  const { bus } = database;
  const store = createGatewayStore(database);
  REVOKED.on(bus, drop);

  function newPairing(id: string): {
    readonly pairing: Pairing;
    readonly code: { sha256: string; expiresAt: number };
  } {
    const code = pairingCode(random);
    const expiresAt = clock.now() + CODE_MS;
    return {
      pairing: { id, pairing_code: code, expires_at: rfc3339(expiresAt) },
      code: { sha256: codeHash(code), expiresAt },
    };
  }

  const note = (actor: Actor, action: string, { account, id }: GatewayKey) =>
    accounts.noteChange(actor, { action, target: `gateway/${id}`, detail: { user_id: account } });

  return {
    /** Throws `gateway.too_many`. */
    async create(account: number, name: string, actor: Actor): Promise<Pairing> {
      const most = await mostGateways(account);
      const id = randomId(random);
      const { pairing, code } = newPairing(id);
      await database.transaction(async (queries) => {
        if ((await store.count(queries, account)) >= most)
          throw new AppError(
            'gateway.too_many',
            `the account has ${most} gateways, which is its limit; remove one, or ask the operator for more`,
          );
        await store.insert(queries, {
          account_id: account,
          id,
          name,
          key_sha256: null,
          code_sha256: code.sha256,
          code_expires_at: code.expiresAt,
          created_at: clock.now(),
          paired_at: null,
          last_heard_at: null,
          instance: null,
          version: null,
          networks_json: null,
        });
      });
      await note(actor, 'gateway.created', { account, id });
      return pairing;
    },

    /** A new code for a gateway that was lost or set up again. Its old key is good until the code is used. */
    async pairAgain(key: GatewayKey, actor: Actor): Promise<Pairing> {
      const { pairing, code } = newPairing(key.id);
      const isFound = await store.setCode(database.queries, key, code);
      if (!isFound) throw notFound(key.id);
      await note(actor, 'gateway.pairing_code_created', key);
      return pairing;
    },

    list: async (account: number): Promise<ListedGateway[]> => (await store.list(account)).map(shown),

    /** Throws `gateway.not_found`, whether it does not exist or belongs to another account. */
    async find(key: GatewayKey): Promise<ListedGateway> {
      const row = await store.find(key);
      if (row === undefined) throw notFound(key.id);
      return shown(row);
    },

    /** Its key is not good any more, and its connection ends. Links through it stay, and are unreachable. */
    async remove(key: GatewayKey, actor: Actor): Promise<void> {
      if (!(await store.remove(database.queries, key))) throw notFound(key.id);
      await note(actor, 'gateway.removed', key);
      await REVOKED.publishAndWait(bus, key);
    },

    /** All of an account: their keys are not good any more, and their connections end. */
    async removeAll(account: number): Promise<void> {
      for (const { id } of await store.list(account)) {
        await store.remove(database.queries, { account, id });
        await REVOKED.publishAndWait(bus, { account, id });
      }
    },

    /** The gateway of a key, or of a pairing code that has not been used; the key is its own from then on. Throws `gateway.key_invalid`. */
    async admit(
      { key, code }: Shown,
      from: Pick<Actor, 'ip' | 'requestId'>,
    ): Promise<GatewayKey & { readonly name: string }> {
      if (!GATEWAY_KEY.test(key)) throw keyInvalid();
      const sha256 = keyHash(key);
      const known = await store.byKey(sha256);
      if (known !== undefined) return { account: known.account_id, id: known.id, name: known.name };
      if (code === undefined) throw keyInvalid();
      const paired = await store.spendCode(
        database.queries,
        { sha256: codeHash(code), now: clock.now() },
        sha256,
      );
      if (paired === undefined) throw keyInvalid();
      const gateway = { account: paired.account_id, id: paired.id };
      await note({ ...from, name: 'user' }, 'gateway.paired', gateway);
      // Whoever had the key before is another machine.
      await REVOKED.publishAndWait(bus, gateway);
      return { ...gateway, name: paired.name };
    },
  };
}

export type Gateways = ReturnType<typeof createGateways>;

const shown = (row: GatewayRow): ListedGateway => ({
  id: row.id,
  name: row.name,
  connected: row.instance !== null,
  last_heard_at: timeOf(row.last_heard_at),
  created_at: rfc3339(row.created_at),
  paired_at: timeOf(row.paired_at),
  version: row.version,
  networks: row.networks_json === null ? [] : (JSON.parse(row.networks_json) as string[]),
});

const timeOf = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms));

const notFound = (id: string): AppError =>
  new AppError('gateway.not_found', `there is no gateway ${id.slice(0, 100)}; GET /gateways lists yours`);

const keyInvalid = (): AppError =>
  new AppError(
    'gateway.key_invalid',
    'the key of the gateway is not known, and it has no pairing code that is valid; get one with POST /gateways/{id}/pairing-code, it is good once and for 10 minutes',
  );
