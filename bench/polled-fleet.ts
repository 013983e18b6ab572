import Type from 'typebox';
import { type Adapter, kind } from '../src/adapter/adapter.ts';
import type { DeviceType } from '../src/adapter/device.ts';
import type { Http } from '../src/adapter/http.ts';
import type { DeviceRef, Session } from '../src/adapter/session.ts';
import type { Core } from '../test/kit/core-world.ts';

type Limited = Pick<Adapter, 'budgets' | 'pace' | 'pollSeconds'>;

interface Reading {
  readonly watt: number;
  readonly charging: boolean;
}

const ask = async (session: Session, { id }: DeviceRef): Promise<Reading> => {
  const answer = await session.http.send({ path: `/devices/${id}`, device: id });
  return answer.json() as unknown as Reading;
};
const order = async (session: Session, { id }: DeviceRef): Promise<void> => {
  await session.http.send({ method: 'POST', path: `/devices/${id}`, device: id, use: 'command' });
};

/** A vendor with the limits and the pace of a real one, and devices that are as cheap as can be. */
export function benchVendor(slug: string, type: DeviceType, of: Limited, isSwept: boolean): Adapter {
  return {
    slug,
    name: slug,
    credentials: Type.Object({}),
    hosts: { api: 'https://vendor.invalid' },
    login: {},
    ...(of.budgets === undefined ? {} : { budgets: of.budgets }),
    ...(of.pace === undefined ? {} : { pace: of.pace }),
    pollSeconds: of.pollSeconds,
    pushes: false,
    link: async () => ({ vendorAccount: 'none', devices: [] }),
    ...(isSwept
      ? {
          async sweep(session: Session, devices: readonly DeviceRef[]) {
            const answer = await session.http.send({ path: '/devices' });
            return new Map(devices.map(({ id }) => [id, answer.json()] as const));
          },
        }
      : {}),
    kinds: {
      [type]: kind<Reading>({
        read: ask,
        status: ({ charging }) => ({ online: true, charging }),
        reads: { read_power: ({ watt }) => watt },
        controls: { on_off: { turn_on: order, turn_off: order } },
      }),
    },
  };
}

/** Constant, so that all other waiting is visible. */
const ANSWER_MS = 40;

/** A vendor's cloud in this process: it responds after some milliseconds, and one device in ten charges. */
export function cheapCloud(): { http: Http; calls(): number } {
  let calls = 0;
  return {
    calls: () => calls,
    http: {
      async send({ path }) {
        calls += 1;
        await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
        const text = `{"watt":${calls % 11_000},"charging":${path.endsWith('0')}}`;
        return {
          status: 200,
          headers: {},
          bytes: Buffer.from(text),
          text: () => text,
          json: () => JSON.parse(text),
        };
      },
    },
  };
}

export interface Share {
  readonly adapter: Adapter;
  readonly type: DeviceType;
  readonly links: number;
  readonly devicesEach: number;
}

const ROWS = 500;

/** Stores links with sealed credentials and sign-ins, and their devices, as linking would. */
export async function storeLinks(core: Core, account: number, shares: readonly Share[]): Promise<void> {
  const { database, vault } = core;
  const now = Date.now();
  for (const { adapter, type, links, devicesEach } of shares) {
    for (let from = 0; from < links; from += ROWS) {
      const ids = Array.from({ length: Math.min(ROWS, links - from) }, (_, index) => `l${from + index}`);
      const sealed = (link: string, field: string, value: object) =>
        vault.seal(JSON.stringify(value), { account, link, field });
      await database.transaction(async (queries) => {
        await queries
          .insertInto('links')
          .values(
            ids.map((id) => {
              const link = `${adapter.slug}-${id}`;
              const { keyId, text } = sealed(link, 'credentials', {});
              return {
                account_id: account,
                id: link,
                vendor: adapter.slug,
                vendor_account: link,
                user_ref: 'bench',
                status: 'active',
                status_since: now,
                status_reason: null,
                created_at: now,
                updated_at: now,
                vault_key: keyId,
                sealed_credentials: text,
              };
            }),
          )
          .execute();
        await queries
          .insertInto('link_tokens')
          .values(
            ids.map((id) => {
              const link = `${adapter.slug}-${id}`;
              const tokens = { access: 'a'.repeat(200), refresh: null, expiresAt: now + 86_400_000 };
              const { keyId, text } = sealed(link, 'tokens', tokens);
              return {
                account_id: account,
                link_id: link,
                vault_key: keyId,
                sealed_tokens: text,
                version: 1,
                expires_at: tokens.expiresAt,
                lost_reason: null,
                renewer: null,
                renewing_until: null,
              };
            }),
          )
          .execute();
        const devices = ids.flatMap((id) =>
          Array.from({ length: devicesEach }, (_, index) => ({
            account_id: account,
            vendor: adapter.slug,
            id: `${adapter.slug}-${id}-${index}${Number(id.slice(1)) % 10}`,
            link_id: `${adapter.slug}-${id}`,
            user_ref: 'bench',
            device_type: type,
            name: 'Device',
            capabilities_json: '["read_power","on_off"]',
            details_json: '{}',
            created_at: now,
            state_json: null,
            limits_json: null,
            available_capacity_json: null,
            observed_at: null,
            fetched_at: null,
          })),
        );
        await queries.insertInto('devices').values(devices).execute();
      });
    }
  }
}
