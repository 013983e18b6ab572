import { type Adapter, type Handlers, kind } from '../../adapter/adapter.ts';
import type { Found } from '../../adapter/device.ts';
import {
  credentialsOf,
  deviceAddress,
  hostAt,
  httpAddressOf,
  limit,
  named,
  refused,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { type ChargerStatus, findCharger, identified, readCharger, setKeys } from './client.ts';
import * as charger from './translate.ts';
import { FORCE } from './translate.ts';

const host = deviceAddress({
  en: 'You find it in the go-e app under Internet, Connection, or in the list of devices of your router. In the app, first switch on Allow access to local HTTP API v2 under Internet, Advanced settings.',
  sv: 'Du hittar den i go-e-appen under Internet, Anslutning, eller i routerns lista över enheter. Slå först på Tillåt åtkomst till lokalt HTTP API v2 i appen, under Internet, Avancerade inställningar.',
});

/** Under which is kept what was forced before a pause by a limit of 0 A. */
const keptAs = ({ id }: DeviceRef): string => `paused:${id}`;

const chargeControl: Handlers<'charge_control'> = {
  async start_charge(session, device) {
    const status = await readCharger(session, device);
    const { connected, charging } = charger.statusOf(status);
    await session.documents.remove(keptAs(device));
    if (charging === true) return;
    if (connected === false) throw refused(`no car is connected to charger ${device.id}`);
    if (status.modelStatus === charger.WAITS_FOR_ACCESS)
      throw refused(`charger ${device.id} waits until its user permits it, with a card or the go-e app`);
    await setKeys(session, device, { frc: FORCE.on });
  },

  async stop_charge(session, device) {
    const status = await readCharger(session, device);
    await session.documents.remove(keptAs(device));
    if (charger.statusOf(status).connected !== false && status.frc !== FORCE.off)
      await setKeys(session, device, { frc: FORCE.off });
  },
};

/** The charger has no limit of 0 A: a pause forces it off, and the next limit ends that pause, and no other. */
const setCurrent: Handlers<'set_current'> = {
  async set_current(session, device, { current_a: amp }) {
    const { frc } = await readCharger(session, device);
    const kept = await session.documents.get(keptAs(device));
    if (amp > 0) {
      const isPaused = frc === FORCE.off && typeof kept === 'number';
      await setKeys(session, device, { amp, ...(isPaused ? { frc: kept } : {}) });
      await session.documents.remove(keptAs(device));
    } else if (frc !== FORCE.off) {
      // Stored first: after a crash in between, the next limit finds nothing to end.
      await session.documents.put(keptAs(device), frc === FORCE.on ? FORCE.on : FORCE.neutral);
      await setKeys(session, device, { frc: FORCE.off });
    }
  },
};

const foundIn = ({ sse, fna }: ChargerStatus): Found => ({ id: sse, type: 'charger', ...named(fna) });

/** Chargers of go-e in the network of their owner, through their local HTTP API. */
export const goe = {
  slug: 'goe',
  name: 'go-e',
  ...credentialsOf({ host }),
  isLocal: true,
  hosts: { api: 'http://goe.invalid' },
  chosenAddress: httpAddressOf,
  discovers: { ports: [80], credentialsAt: hostAt(80), identify: identified },
  budgets: [
    limit('requests', {
      calls: 12,
      seconds: 60,
      for: ['list', 'read'],
      source: 'go-e, API v1, Rate Limiting: none, and 5 s from one to the next are recommended',
    }),
  ],
  pace: { active: 10, idle: 30, asleep: 120 },
  pushes: false,
  pollSeconds: 5,
  simulator: () => import('./simulator.ts'),
  async link(session: Session) {
    const status = await findCharger(session);
    return { vendorAccount: status.sse, devices: [foundIn(status)] };
  },
  list: async (session) => [foundIn(await findCharger(session))],
  kinds: {
    charger: kind<ChargerStatus>({
      read: readCharger,
      status: charger.statusOf,
      unrecognized: charger.unrecognizedIn,
      reads: { read_power: charger.powerOf, read_energy: charger.energyOf },
      controls: { charge_control: chargeControl, set_current: setCurrent },
      limits: charger.limitsOf,
    }),
  },
} satisfies Adapter;
