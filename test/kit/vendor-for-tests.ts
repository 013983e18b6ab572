import Type from 'typebox';
import { type Adapter, kind } from '../../src/adapter/adapter.ts';
import type { Command } from '../../src/adapter/commands.ts';
import type { DeviceType } from '../../src/adapter/device.ts';
import type { HttpAnswer } from '../../src/adapter/http.ts';
import type { DeviceRef, Session } from '../../src/adapter/session.ts';
import { AppError } from '../../src/core/errors.ts';

/** What a vendor responds that has nothing to say. */
export const EMPTY_RESPONSE: HttpAnswer = {
  status: 200,
  headers: {},
  bytes: new Uint8Array(),
  text: () => '',
  json: () => null,
};

/** The state of a device at the vendor. */
export interface Reading {
  readonly online: boolean;
  readonly on: boolean;
  readonly watt: number;
}

export interface Call {
  readonly call: 'link' | 'unlink' | 'read' | 'command' | 'release';
  /** Of an unlink. */
  readonly isLast?: boolean;
  /** Device id; for a link, the user of the credentials. */
  readonly id: string;
  readonly command?: Command;
}

/** A vendor that records its calls and behaves as the test says. */
export interface TestVendor {
  readonly adapter: Adapter;
  readonly calls: Call[];
  /** Devices of the next link, as `type-id`. */
  devices: readonly string[];
  /** The default readings of devices. */
  reading: Reading;
  /** Run before each response of its kind; may wait or throw. */
  onRead: (device: DeviceRef, session: Session) => Promise<void>;
  onCommand: (device: DeviceRef, command: Command, session: Session) => Promise<void>;
  onRelease: (device: DeviceRef, session: Session) => Promise<void>;
  onLink: (session: Session) => Promise<void>;
  onUnlink: () => Promise<void>;
  /** The maximum of concurrent commands: on one device, and in total. */
  readonly atOnce: { onOne: number; inAll: number };
  count(call: Call['call'], id?: string): number;
}

const Credentials = Type.Object(
  {
    user: Type.String({ minLength: 1, maxLength: 200 }),
    password: Type.String({ minLength: 1, maxLength: 200, writeOnly: true }),
  },
  { additionalProperties: false },
);

interface TestVendorOptions {
  readonly slug?: string;
  readonly pollSeconds?: number;
  /** Batteries have set-points, which they keep (`null`) or end by themselves after so many seconds. */
  readonly revertSeconds?: number | null;
}

/** `charger` limits by current, and can only end a `set_current` by itself; `industrial` limits by power; `light` can be switched and dimmed; `battery` accepts watts. */
export function testVendor({
  slug = 'testvendor',
  pollSeconds = 0,
  revertSeconds,
}: TestVendorOptions = {}): TestVendor {
  const running = new Map<string, number>();
  const vendor: TestVendor = {
    calls: [],
    devices: ['light-1'],
    reading: { online: true, on: false, watt: 10 },
    onRead: async () => {},
    onCommand: async () => {},
    onRelease: async () => {},
    onLink: async () => {},
    onUnlink: async () => {},
    atOnce: { onOne: 0, inAll: 0 },
    count: (call, id) =>
      vendor.calls.filter((one) => one.call === call && (id === undefined || one.id === id)).length,
    get adapter() {
      return adapter;
    },
  };

  const read = async (session: Session, device: DeviceRef): Promise<Reading> => {
    vendor.calls.push({ call: 'read', id: device.id });
    await vendor.onRead(device, session);
    return vendor.reading;
  };
  const alone = async (device: DeviceRef, work: () => Promise<void>): Promise<void> => {
    const atWork = (running.get(device.id) ?? 0) + 1;
    running.set(device.id, atWork);
    vendor.atOnce.onOne = Math.max(vendor.atOnce.onOne, atWork);
    const inAll = [...running.values()].reduce((sum, count) => sum + count, 0);
    vendor.atOnce.inAll = Math.max(vendor.atOnce.inAll, inAll);
    try {
      await work();
    } finally {
      running.set(device.id, (running.get(device.id) ?? 0) - 1);
    }
  };
  const obey = (session: Session, device: DeviceRef, command: Command): Promise<void> => {
    vendor.calls.push({ call: 'command', id: device.id, command });
    return alone(device, () => vendor.onCommand(device, command, session));
  };
  const release = (session: Session, device: DeviceRef): Promise<void> => {
    vendor.calls.push({ call: 'release', id: device.id });
    return alone(device, () => vendor.onRelease(device, session));
  };

  const status = ({ online, on }: Reading) => ({ online, power_on: on });
  const reads = { read_power: ({ watt }: Reading) => watt };
  const onOff = { turn_on: obey, turn_off: obey };
  const adapter = {
    slug,
    name: 'Test vendor',
    credentials: Credentials,
    pushes: false,
    pollSeconds,
    async link(session) {
      const { user, password } = session.credentials as Type.Static<typeof Credentials>;
      vendor.calls.push({ call: 'link', id: user });
      await vendor.onLink(session);
      if (password === 'wrong')
        throw new AppError('link.credentials_refused', `${slug} refused this user and password`);
      return {
        vendorAccount: user,
        devices: vendor.devices.map((id) => ({ id, type: id.split('-', 1)[0] as DeviceType, name: id })),
      };
    },
    async unlink(session, { isLast }) {
      vendor.calls.push({ call: 'unlink', id: String(session.credentials.user), isLast });
      await vendor.onUnlink();
    },
    kinds: {
      light: kind<Reading>({
        read,
        status,
        reads,
        controls: { on_off: onOff, set_light: { set_light: obey } },
      }),
      charger: kind<Reading>({
        read,
        status,
        reads,
        controls: {
          charge_control: { start_charge: obey, stop_charge: obey },
          set_current: { set_current: obey },
          load_balancing: { set_limit: obey },
        },
        timed: { set_current: obey },
        limits: () => ({ min_a: 6, max_a: 32, min_w: null, max_w: null }),
        availableCapacity: () => ({ current_a: 10, power_w: null }),
      }),
      industrial: kind<Reading>({
        read,
        status,
        reads,
        controls: { load_balancing: { set_limit: obey } },
        limits: () => ({ min_a: null, max_a: null, min_w: 1_000, max_w: 50_000 }),
        availableCapacity: () => ({ current_a: null, power_w: 10_000 }),
      }),
      battery: kind<Reading>({
        read,
        status,
        reads,
        controls: { set_battery_power: { set_battery_power: obey } },
        ...(revertSeconds === undefined
          ? {}
          : {
              setPoints: {
                set_battery_power: { release, ...(revertSeconds === null ? {} : { revertSeconds }) },
              },
            }),
        limits: () => ({ min_a: null, max_a: null, min_w: -5_000, max_w: 5_000 }),
      }),
      vehicle: kind<Reading>({ read, status, reads, controls: { charge_limit: { set_charge_limit: obey } } }),
      smart_home_appliance: kind<Reading>({
        read,
        status,
        reads,
        controls: { delayed_start: { delayed_start: obey } },
      }),
    },
  } satisfies Adapter;
  return vendor;
}
