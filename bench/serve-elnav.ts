import Type from 'typebox';
import { type Adapter, kind } from '../src/adapter/adapter.ts';
import type { Session } from '../src/adapter/session.ts';
import { start } from '../src/bin/start.ts';
import { needsOf } from '../src/bin/vendor-needs.ts';
import { readSettings } from '../src/core/settings/index.ts';
import { vendors } from '../src/vendors/index.ts';
import { answerQuestions, ready } from './child-side.ts';

interface Reading {
  readonly kilowatts: number;
  readonly kilowattHours: number;
}

const began = Date.now();

/** A charger that responds at once, so that the bench measures elnav and not a vendor. */
const charger = kind<Reading>({
  read: async () => ({ kilowatts: 7.36, kilowattHours: 1_000 + (Date.now() - began) / 100 }),
  status: () => ({ online: true, connected: true, charging: true }),
  reads: {
    read_power: ({ kilowatts }) => Math.round(kilowatts * 1_000),
    read_energy: ({ kilowattHours }) => Math.round(kilowattHours * 1_000),
  },
  controls: {
    charge_control: { start_charge: async () => {}, stop_charge: async () => {} },
    set_current: { set_current: async () => {} },
    load_balancing: { set_limit: async () => {} },
  },
  limits: () => ({ min_a: 6, max_a: 16, min_w: null, max_w: null }),
  availableCapacity: () => ({ current_a: 6, power_w: null }),
});

const common = {
  credentials: Type.Object(
    { devices: Type.Integer({ minimum: 1, maximum: 10_000 }) },
    { additionalProperties: false },
  ),
  pushes: false,
  kinds: { charger },
  link: async ({ credentials, userRef }: Session) => ({
    vendorAccount: userRef,
    devices: Array.from({ length: Number(credentials.devices) }, (_, index) => ({
      id: `${userRef}-${10_000 + index}`,
      type: 'charger' as const,
      name: `Charger ${index}`,
    })),
  }),
};

/** Polled at most once a minute, like many clouds: reads in between come from memory. */
const polledVendor = {
  ...common,
  slug: 'bench_polled',
  name: 'Polled chargers of the benches',
  pollSeconds: 60,
} satisfies Adapter;

/** Asked for every read, and every read changes the state. */
const liveVendor = {
  ...common,
  slug: 'bench_live',
  name: 'Live chargers of the benches',
  pollSeconds: 0,
} satisfies Adapter;

// Both services as in `npm start`, with two more vendors; settings come from the environment.
const running = await start({
  settings: readSettings(process.env, needsOf(vendors)),
  services: ['connect', 'grid'],
  adapters: [...vendors, polledVendor, liveVendor],
});
answerQuestions(() => running.stop(), {
  // Kilobytes on every system.
  rss: () => process.memoryUsage().rss,
  peak: () => process.resourceUsage().maxRSS * 1_024,
});
ready({ connect: running.connectUrl ?? '', grid: running.gridUrl ?? '' });
