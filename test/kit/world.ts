import assert from 'node:assert/strict';
import { after } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Adapter } from '../../src/adapter/adapter.ts';
import { type Running, start } from '../../src/bin/start.ts';
import { needsOf } from '../../src/bin/vendor-needs.ts';
import type { Clock, TurnedClock } from '../../src/core/clock.ts';
import { type Log, silentLog } from '../../src/core/log.ts';
import { readSettings } from '../../src/core/settings/index.ts';
import type { PriceSource, ProductionSource } from '../../src/sources/contract/market.ts';
import { vendors } from '../../src/vendors/index.ts';
import { type Engine, makePlace, type Place } from './databases.ts';
import { responses } from './responses.ts';

export const ADMIN_TOKEN = 'an-admin-token-for-tests';
/** 32 zero bytes: a key that protects nothing, for tests only. */
export const VAULT_KEYS = `k1:${Buffer.alloc(32).toString('base64')}`;

export interface WorldOptions {
  readonly engine: Engine;
  readonly place?: Place;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly adapters?: readonly Adapter[];
  /** Sources of prices; without them nothing is fetched. */
  readonly priceSources?: readonly PriceSource[];
  readonly productionSource?: ProductionSource;
  readonly env?: Readonly<Record<string, string>>;
}

/** Both services on free ports over real sockets, with an account to call them. */
export interface World {
  readonly place: Place;
  readonly running: Running;
  readonly connect: string;
  readonly grid: string;
  /** A key with every scope, of an account of its own. */
  newAccount(scopes?: string, tier?: string): Promise<Caller>;
  admin(method: string, path: string): Promise<Response>;
  /** Stops the services; a place that was passed in stays. */
  close(): Promise<void>;
}

export interface Caller {
  readonly userId: number;
  readonly keyId: string;
  readonly key: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

// A test fails with the first response that does not fit, whatever it asked for itself.
after(() => assert.deepEqual(responses.faults, [], 'responses that do not fit the document'));

let emails = 0;

export async function makeWorld(options: WorldOptions): Promise<World> {
  const place = options.place ?? (await makePlace(options.engine));
  const settings = readSettings(
    {
      ELNAV_CONNECT_PORT: '0',
      ELNAV_GRID_PORT: '0',
      ELNAV_DATA_DIR: place.dataDir,
      ELNAV_ADMIN_TOKEN: ADMIN_TOKEN,
      ELNAV_VAULT_KEYS: VAULT_KEYS,
      // No test calls the network.
      ELNAV_FETCH: options.priceSources === undefined ? 'off' : 'on',
      // A test that wants one names it.
      ELNAV_SIMULATE: 'none',
      ...(place.url === undefined ? {} : { DATABASE_URL: place.url }),
      ...options.env,
    },
    needsOf(options.adapters ?? vendors),
  );
  const running = await start({
    settings,
    services: ['connect', 'grid'],
    log: options.log ?? silentLog,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.adapters === undefined ? {} : { adapters: options.adapters }),
    ...(options.priceSources === undefined ? {} : { priceSources: options.priceSources }),
    ...(options.productionSource === undefined ? {} : { productionSource: options.productionSource }),
  });
  const connect = running.connectUrl ?? '';
  const grid = running.gridUrl ?? '';
  const admin = (method: string, path: string) =>
    fetch(`${grid}${path}`, { method, headers: { 'x-admin-token': ADMIN_TOKEN } });
  return {
    place,
    running,
    connect,
    grid,
    admin,
    async newAccount(scopes = 'link:write devices:read devices:command', tier = 'pro') {
      emails += 1;
      const email = encodeURIComponent(`user-${process.pid}-${emails}-${Math.random()}@example.com`);
      const user = (await (await admin('POST', `/admin/users?email=${email}&tier=${tier}`)).json()) as {
        id: number;
      };
      const policy = 'per_minute=100000&per_hour=1000000&per_day=10000000&burst=10000';
      await admin('POST', `/admin/users/${user.id}/policy?${policy}`);
      const path = `/admin/users/${user.id}/keys?label=test&scopes=${encodeURIComponent(scopes)}`;
      const made = (await (await admin('POST', path)).json()) as { id: string; api_key: string };
      return {
        userId: user.id,
        keyId: made.id,
        key: made.api_key,
        call: (method, path, body, headers = {}) =>
          callJson(`${connect}${path}`, {
            method,
            headers: {
              'x-api-key': made.api_key,
              ...(body === undefined ? {} : { 'content-type': 'application/json' }),
              ...headers,
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          }),
      };
    },
    async close() {
      await stopInTime(running, options.clock);
      if (options.place === undefined) await place.remove();
    },
  };
}

export async function callJson(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

/** A stop waits on the clock, which nothing else advances any more. */
async function stopInTime(running: Running, clock: Clock | undefined): Promise<void> {
  let isStopped = false;
  const stopped = running.stop().finally(() => {
    isStopped = true;
  });
  while (!isStopped && clock !== undefined && isTurned(clock)) {
    await setTimeout(5);
    clock.turn(50);
  }
  await stopped;
}

const isTurned = (clock: Clock): clock is TurnedClock => 'turn' in clock;
