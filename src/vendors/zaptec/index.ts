import { type Adapter, kind } from '../../adapter/adapter.ts';
import { accountOf, limit, password } from '../../adapter/kit/index.ts';
import { failure, findChargers, isWrongPassword, readCharger, signIn } from './api.ts';
import * as charger from './charger.ts';
import { chargeControl, loadBalancing, setCurrent } from './commands.ts';

/** Zaptec chargers (Go, Go 2, Pro) through Zaptec's cloud. Polled. */
export const zaptec = {
  slug: 'zaptec',
  name: 'Zaptec',
  ...password({ vendor: 'Zaptec', user: 'email', isRefused: isWrongPassword, failure, signIn }),
  hosts: { api: 'https://api.zaptec.com' },
  budgets: [
    limit('calls', {
      calls: 10,
      seconds: 1,
      for: ['login', 'list', 'read', 'command'],
      reserve: 0.4,
      source: 'docs.zaptec.com, API Fair Use policy: 10 requests per second per account',
    }),
  ],
  pace: { active: 60, idle: 300, asleep: 900 },
  simulator: () => import('./simulator.ts'),
  pushes: false,
  pollSeconds: 15,
  link: async (session) => ({
    vendorAccount: accountOf(session.credentials),
    devices: await findChargers(session),
  }),
  list: findChargers,
  kinds: {
    charger: kind<charger.ChargerRaw>({
      read: readCharger,
      status: charger.statusOf,
      unrecognized: charger.unrecognizedIn,
      observedAt: charger.reportedAt,
      reads: { read_power: charger.powerOf, read_energy: charger.energyOf },
      energyOfSession: true,
      controls: { charge_control: chargeControl, set_current: setCurrent, load_balancing: loadBalancing },
      // The charger and its installation.
      readCosts: { calls: 2 },
      withholds: charger.withheldFrom,
      whyWithheld: charger.whyWithheld,
      limits: charger.limitsOf,
      availableCapacity: charger.capacityOf,
    }),
  },
} satisfies Adapter;
