import { createHash } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { type Adapter, type Handler, kind, type Linked } from '../../adapter/adapter.ts';
import type { SetPoint } from '../../adapter/commands.ts';
import type { Found } from '../../adapter/device.ts';
import {
  apiKey,
  deviceAddress,
  deviceTimes,
  figure,
  fits,
  hostAt,
  houseMeterOf,
  houseMeters,
  httpAddressOf,
  sweepBy,
  word,
} from '../../adapter/kit/index.ts';
import { requestScript } from '../../adapter/scripts/http.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  configurations,
  forbidden,
  identified,
  meters,
  modeRequest,
  operatingMode,
  powerRequest,
  readStatus,
  setOperatingMode,
  setPoint,
  tokenHeader,
} from './client.ts';
import * as translate from './translate.ts';
import { isProduction, MANUAL, producedWh } from './translate.ts';

/** The stored details of a battery. */
const Details = Type.Object({ max_w: Type.Union([Type.Integer(), Type.Null()]) });

const MOST_W = 1_000_000;

async function link(session: Session): Promise<Linked> {
  const settings = await configurations(session);
  return { vendorAccount: accountOf(session, settings), devices: await found(session, settings) };
}

const list = async (session: Session): Promise<readonly Found[]> =>
  found(session, await configurations(session));

async function found(session: Session, settings: JsonObject): Promise<Found[]> {
  const id = accountOf(session, settings);
  const details = { max_w: maxWOf(settings) } satisfies Static<typeof Details>;
  const battery: Found = { id, type: 'battery', name: 'sonnenBatterie', details };
  const all = await meters(session, 'list');
  // Every battery has a meter for panels; one of a house without panels has never counted.
  const hasPanels = all.some(isProduction) && producedWh(all) !== 0;
  const panels: Found[] = hasPanels ? [{ id: `${id}-solar`, type: 'solar_inverter' }] : [];
  return [battery, ...panels, ...houseMeters(id, ['grid', 'house'])];
}

/** Names the battery: its serial number where its settings have it, else a digest of its token, since nothing else of it stays. */
function accountOf({ credentials }: Session, { DE_Ticket_Number }: JsonObject): string {
  const serial = word(String(DE_Ticket_Number ?? ''))?.replaceAll(/[^\w-]/g, '-');
  if (serial !== undefined && serial !== '') return serial;
  return createHash('sha256').update(String(credentials.api_key).trim()).digest('hex').slice(0, 16);
}

/** Numbers of settings are texts. */
const maxWOf = ({ IC_InverterMaxPower_w: watts }: JsonObject): number | null => {
  const most = figure(Number(watts ?? Number.NaN), 1, MOST_W);
  return most === null ? null : Math.floor(most);
};

/** The most that a battery takes and gives, watt. */
const keptMaxW = ({ details }: Pick<Found, 'details'>): number | null =>
  fits(Details, details) ? details.max_w : null;

/** Under which the operating mode is kept that the owner has chosen, while a set-point of ours is in force. */
const keptAs = ({ id }: DeviceRef): string => `mode:${id}`;

/**
 * Takes the battery into manual operation, the only one in which it obeys a set-point, and keeps the mode that it was in. A battery that
 * refuses the set-point is not left there.
 */
const setBatteryPower: Handler<'set_battery_power'> = async (session, device, { power_w }) => {
  await takeOver(session, device);
  try {
    await apply(session, device, power_w);
  } catch (error) {
    if (error instanceof AppError && error.code === 'vendor.refused')
      await release(session, device).catch(() =>
        session.log.warn({ device: device.id }, 'left in manual operation'),
      );
    throw error;
  }
};

async function takeOver(session: Session, device: DeviceRef): Promise<void> {
  const mode = await operatingMode(session, device);
  const kept = await session.documents.get(keptAs(device));
  // Stored first: after a crash in between, a release finds nothing to do.
  if (mode !== MANUAL || kept === undefined) await session.documents.put(keptAs(device), mode);
  if (mode !== MANUAL) await setOperatingMode(session, device, MANUAL);
}

/** The two directions are two set-points, and the other one would go on. */
async function apply(session: Session, device: DeviceRef, power_w: number): Promise<void> {
  const [on, off] = power_w < 0 ? (['discharge', 'charge'] as const) : (['charge', 'discharge'] as const);
  await setPoint(session, device, { direction: off, watts: 0 });
  await setPoint(session, device, { direction: on, watts: Math.abs(power_w) });
}

/** Returns the battery to the mode that it was in before; one whose owner has chosen another mode since is left in it. */
async function release(session: Session, device: DeviceRef): Promise<void> {
  const kept = await session.documents.get(keptAs(device));
  if (typeof kept !== 'string') return;
  if ((await operatingMode(session, device)) === MANUAL) {
    // A set-point would be in force again the next time that its owner chooses manual operation.
    await apply(session, device, 0);
    if (kept !== MANUAL) await setOperatingMode(session, device, kept);
  }
  await session.documents.remove(keptAs(device));
}

/** As a release, with the mode that is kept now; whether its owner has chosen another one since cannot be asked for in bytes. */
async function releaseBytes(session: Session, device: DeviceRef) {
  const kept = await session.documents.get(keptAs(device));
  if (typeof kept !== 'string') return undefined;
  const baseUrl = httpAddressOf(session.credentials);
  const headers = tokenHeader(String(session.credentials.api_key).trim());
  return [
    powerRequest({ direction: 'discharge', watts: 0 }),
    powerRequest({ direction: 'charge', watts: 0 }),
    ...(kept === MANUAL ? [] : [modeRequest(kept)]),
  ].map((request) => requestScript({ baseUrl, headers, ...request }));
}

const automatic = { release, releaseBytes } satisfies SetPoint;

const linking = apiKey({
  vendor: 'sonnen',
  headers: tokenHeader,
  fields: {
    host: deviceAddress({
      en: 'You find it at find-my.sonnen-batterie.com while you are at home, or in the list of devices of your router.',
      sv: 'Du hittar den på find-my.sonnen-batterie.com när du är hemma, eller i routerns lista över enheter.',
    }),
  },
  check: { path: '/api/v2/latestdata' },
  failure: forbidden,
  hint: {
    en: 'Open the web page of the battery and go to Software-Integration. Switch on JSON API, Read API and Write API there, and copy the token.',
    sv: 'Öppna batteriets webbsida och gå till Software-Integration. Slå på JSON API, Read API och Write API där, och kopiera token.',
  },
});

/** The battery says the time of its wall. */
const times = deviceTimes('none');

/** One request; two with the meters. */
async function readBattery(session: Session, device: DeviceRef): Promise<translate.Reading> {
  const status = await readStatus(session, device);
  return { status, maxW: keptMaxW(device), at: times(session, status.Timestamp), meters: [] };
}

async function readPanels(session: Session, device: DeviceRef): Promise<translate.Reading> {
  return { ...(await readBattery(session, device)), meters: await meters(session, 'read') };
}

async function readMeter(session: Session, device: DeviceRef): Promise<translate.MeterReading> {
  return { ...(await readBattery(session, device)), meter: houseMeterOf(device) };
}

/** The battery of a home, in the network of its owner, and the panels that it measures. */
export const sonnen = {
  slug: 'sonnen',
  name: 'sonnen',
  ...linking,
  isLocal: true,
  hosts: { api: 'http://sonnen.invalid' },
  chosenAddress: httpAddressOf,
  discovers: { ports: [80], credentialsAt: hostAt(80), identify: identified },
  pace: { active: 10, idle: 30, asleep: 120 },
  pushes: false,
  pollSeconds: 5,
  simulator: () => import('./simulator.ts'),
  link,
  list,
  sweep: sweepBy<translate.Reading | translate.MeterReading, translate.Reading>({
    by: () => 'all',
    call: (session, _all, [first, ...others]) =>
      [first, ...others].some(({ type }) => type === 'solar_inverter')
        ? readPanels(session, first)
        : readBattery(session, first),
    pick: (reading, device) =>
      device.type === 'industrial'
        ? { ...reading, meter: houseMeterOf(device) }
        : { ...reading, maxW: keptMaxW(device) },
  }),
  kinds: {
    battery: kind<translate.Reading>({
      read: readBattery,
      status: translate.batteryStatus,
      observedAt: ({ at }) => at,
      unrecognized: translate.unrecognizedIn,
      reads: { read_battery_soc: translate.socOf, read_power: translate.batteryPowerOf },
      controls: { set_battery_power: { set_battery_power: setBatteryPower } },
      setPoints: { set_battery_power: automatic },
      limits: translate.limitsOf,
      withholds: (found) => (keptMaxW(found) === null ? ['set_battery_power'] : []),
      whyWithheld: (found) =>
        keptMaxW(found) === null ? 'it does not say how much power it can take' : undefined,
    }),
    solar_inverter: kind<translate.Reading>({
      read: readPanels,
      status: () => ({ online: true }),
      observedAt: ({ at }) => at,
      unrecognized: translate.unrecognizedMetersIn,
      reads: {
        read_production: translate.productionOf,
        read_energy: ({ meters: all }) => translate.producedWh(all),
      },
      controls: {},
    }),
    industrial: kind<translate.MeterReading>({
      read: readMeter,
      status: () => ({ online: true }),
      observedAt: ({ at }) => at,
      reads: { read_power: translate.houseMeterW },
      controls: {},
    }),
  },
} satisfies Adapter;
