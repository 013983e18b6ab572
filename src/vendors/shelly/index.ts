import { type Adapter, kind } from '../../adapter/adapter.ts';
import {
  detailsOf,
  deviceAddress,
  digest,
  gone,
  hostAt,
  httpAddressOf,
  secret,
  sweepBy,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  frameOf,
  identified,
  identify,
  identityOf,
  RPC,
  readConfig,
  readStatus,
  setSwitch,
  USER,
} from './client.ts';
import { stream } from './stream.ts';
import * as parts from './translate.ts';

const linking = digest({
  vendor: 'Shelly',
  user: USER,
  fields: {
    host: deviceAddress({
      en: 'You find it in the Shelly app under the settings of the device, Device information, or in the list of devices of your router.',
      sv: 'Du hittar den i Shellys app under enhetens inställningar, Device information, eller i routerns lista över enheter.',
    }),
  },
  password: secret(
    {
      en: {
        label: 'Password of the device',
        hint: 'Only if you have set one on its web page, under Authentication.',
      },
      sv: {
        label: 'Enhetens lösenord',
        hint: 'Bara om du har satt ett på dess webbsida, under Authentication.',
      },
    },
    { isOptional: true },
  ),
  identify,
  check: { ...RPC, json: frameOf(1, 'Shelly.GetStatus') },
});

async function find(session: Session) {
  const identity = await identityOf(session);
  const status = await readStatus(session, 'list');
  return {
    id: identity.id,
    devices: parts.partsIn({ ...identity, status, config: await readConfig(session) }),
  };
}

async function read(session: Session, device: DeviceRef): Promise<parts.Reading> {
  const { part } = detailsOf(parts.Details, device);
  const reading = parts.readingIn(await readStatus(session), part);
  if (reading === undefined) throw gone('Shelly', device);
  return reading;
}

async function turn(session: Session, device: DeviceRef, on: boolean): Promise<void> {
  await setSwitch(session, device, { id: parts.numberOf(detailsOf(parts.Details, device).part), on });
}

/** Plugs, relays and meters of Shelly, of the second generation and later, in the network of their owner: each relay and meter is a device. */
export const shelly = {
  slug: 'shelly',
  name: 'Shelly',
  ...linking,
  isLocal: true,
  hosts: { api: 'http://shelly.invalid' },
  chosenAddress: httpAddressOf,
  discovers: { services: ['_shelly._tcp'], ports: [80], credentialsAt: hostAt(80), identify: identified },
  pace: { active: 10, idle: 30, asleep: 120 },
  pushes: true,
  pollSeconds: 5,
  stream,
  simulator: () => import('./simulator.ts'),
  async link(session) {
    const { id, devices } = await find(session);
    return { vendorAccount: id, devices };
  },
  list: async (session) => (await find(session)).devices,
  sweep: sweepBy<parts.Reading, JsonObject>({
    by: () => 'all',
    call: (session) => readStatus(session),
    pick(status, device) {
      const part = parts.kept(device)?.part;
      return part === undefined ? undefined : parts.readingIn(status, part);
    },
  }),
  kinds: {
    // What is plugged in or wired to a relay or meter is a machine of the household more than a lamp, and no type is a meter's own.
    smart_home_appliance: kind<parts.Reading>({
      read,
      status: parts.statusOf,
      unrecognized: parts.unrecognizedIn,
      reads: { read_power: parts.powerOf, read_energy: parts.energyOf },
      controls: {
        on_off: {
          turn_on: (session, device) => turn(session, device, true),
          turn_off: (session, device) => turn(session, device, false),
        },
      },
      withholds: parts.withheldFrom,
      whyWithheld: parts.whyWithheld,
    }),
  },
} satisfies Adapter;
