import type { Adapter } from '../../adapter/adapter.ts';
import { pinnedIn } from '../../adapter/certificate.ts';
import {
  credentialsOf,
  deviceAddress,
  hostAt,
  httpsAddressOf,
  limit,
  notUnderstood,
  refused,
  sweepBy,
} from '../../adapter/kit/index.ts';
import { lights } from '../hue/bridge/kind.ts';
import * as resources from '../hue/bridge/resources.ts';
import { identified, login, readBridge, setLight } from './api.ts';
import { ROOTS } from './roots.ts';
import { stream } from './stream.ts';

const read = (session: Parameters<typeof readBridge>[0]) => readBridge(session, 'read');

const host = deviceAddress({
  en: 'In the Hue app: Settings, My Hue System, the bridge, the i at its name. It is also in the list of devices of your router.',
  sv: 'I Hue-appen: Inställningar, Mitt Hue-system, bryggan, i:et vid dess namn. Den finns också i routerns lista över enheter.',
});

/** Lamps and plugs of a Philips Hue bridge in the user's network, without Hue's cloud. */
export const hue_bridge = {
  slug: 'hue_bridge',
  name: 'Philips Hue Bridge',
  ...credentialsOf({ host }),
  confirmation: {
    en: 'Go to your Hue Bridge and press the round button on it. Then come back and continue within 30 seconds.',
    sv: 'Gå till din Hue-brygga och tryck på den runda knappen. Kom sedan tillbaka och fortsätt inom 30 sekunder.',
  },
  login,
  isLocal: true,
  hosts: { api: 'https://bridge.invalid' },
  chosenAddress: httpsAddressOf,
  discovers: { services: ['_hue._tcp'], ports: [443], credentialsAt: hostAt(443), identify: identified },
  deviceCertificates: { roots: ROOTS },
  budgets: [
    limit('commands', {
      calls: 10,
      seconds: 1,
      for: ['command'],
      reserve: 0,
      source: 'developers.meethue.com, core concepts: about 10 commands to lights in a second',
    }),
  ],
  pace: { active: 30, idle: 120, asleep: 300 },
  stream,
  pushes: true,
  pollSeconds: 5,
  simulator: () => import('./simulator.ts'),
  async link(session) {
    const all = await readBridge(session, 'list');
    const vendorAccount = resources.bridgeIn(all);
    if (vendorAccount === undefined) throw notUnderstood('the Hue Bridge', 'which bridge it is');
    const signedFor = pinnedIn(session.credentials)?.name?.toLowerCase() ?? vendorAccount;
    if (signedFor !== vendorAccount)
      throw refused(
        `the certificate at this address is of the Hue Bridge ${signedFor}, and bridge ${vendorAccount} answers; check the address and what is between`,
      );
    return { vendorAccount, devices: resources.lightsIn(all) };
  },
  list: async (session) => resources.lightsIn(await readBridge(session, 'list')),
  sweep: sweepBy({
    by: () => 'bridge',
    call: read,
    pick: (all, { id }) => resources.readingIn(all, id),
  }),
  kinds: { light: lights({ read, set: setLight }) },
} satisfies Adapter;
