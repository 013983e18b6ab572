import Type, { type Static } from 'typebox';
import type { Linked } from '../../adapter/adapter.ts';
import type { Found, HouseMeter } from '../../adapter/device.ts';
import type { Identified } from '../../adapter/discovers.ts';
import {
  fits,
  houseMeters,
  LOOKING,
  listedOnce,
  named,
  notUnderstood,
  objectIn,
  refused,
  word,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { JsonObject } from '../../core/json.ts';
import { type ById, checkVersion, inverterInfo, loggerId, powerFlow, storages } from './client.ts';
import { metersIn, plain } from './translate.ts';

/* Which inverters and batteries a system has. */

/** Of an inverter: where it is in responses, and whether the battery is at it. */
export const InverterDetails = Type.Object({ address: Type.String(), is_hybrid: Type.Boolean() });
export type InverterDetails = Static<typeof InverterDetails>;

/** What inverters without a number of their own report. */
const NO_ID = '16777215';

export async function link(session: Session): Promise<Linked> {
  await checkVersion(session);
  const { system, devices } = await find(session);
  return { vendorAccount: system, devices };
}

/** @param known a battery that was there before is not missing because its request is refused now */
export async function list(session: Session, known: readonly DeviceRef[]): Promise<readonly Found[]> {
  const meters = known.flatMap(({ measures }) => measures ?? []);
  const { devices, hasUnknownBatteries } = await find(session, meters);
  if (hasUnknownBatteries && known.some(({ type }) => type === 'battery'))
    throw refused('Fronius refuses the request for the battery that it had before');
  return devices;
}

/** A system whose Solar API is switched on and has version 1; with one request where it has a Datamanager, else with two more. */
export async function identified(session: Session): Promise<Identified> {
  await checkVersion(session, LOOKING);
  const logger = await loggerId(session);
  const info = await inverterInfo(session, 'list');
  const system = systemIn(logger, info);
  const [first] = Object.values(info);
  const name = plain(first?.CustomName);
  return {
    name: name === null ? 'Fronius' : `Fronius ${name}`,
    ...(system === '' ? {} : { vendorAccount: system }),
  };
}

/** Names a system: its Datamanager, else its first inverter; empty where neither says who it is. */
function systemIn(logger: string | null, info: ById): string {
  const first = Object.values(info)
    .map(idIn)
    .find((id) => id !== null);
  return plainId(logger ?? first ?? '');
}

interface Listed {
  /** Names the system: its Datamanager, else its first inverter. */
  readonly system: string;
  readonly devices: readonly Found[];
  readonly hasUnknownBatteries: boolean;
}

/** @param known meters that were there before: they may not respond now */
async function find(session: Session, known: readonly HouseMeter[] = []): Promise<Listed> {
  const logger = await loggerId(session);
  const info = await inverterInfo(session, 'list');
  const flow = await powerFlow(session, 'list');
  const responding = flow.inverters;
  const batteries = await storages(session, 'list');
  const addresses = [...new Set([...Object.keys(info), ...Object.keys(responding)])];
  const system = systemIn(logger, info);
  if (system === '') throw notUnderstood('Fronius', 'which system it is');
  const hybrid = hybridIn(batteries, responding);
  const taken = new Set<string>();
  const inverters = addresses.map((address): Found => {
    const own = plainId(idIn(info[address]) ?? '');
    const id = own === '' || taken.has(own) ? `${system}-${address}` : own;
    taken.add(id);
    return {
      id,
      type: 'solar_inverter',
      site: system,
      ...named(plain(info[address]?.CustomName)),
      details: { address, is_hybrid: address === hybrid } satisfies InverterDetails,
    };
  });
  return {
    system,
    devices: listedOnce([
      ...inverters,
      ...batteryIn(batteries ?? {}, system),
      ...houseMeters(system, metersIn(flow, known), { site: system }),
    ]),
    hasUnknownBatteries: batteries === undefined,
  };
}

/** All batteries of a system are one device, since it reports one power for them. */
function batteryIn(batteries: ById, system: string): Found[] {
  const [first] = Object.values(batteries);
  if (first === undefined) return [];
  const { Details } = objectIn(first.Controller);
  const model = plain(objectIn(Details).Model);
  return [{ id: `${system}-battery`, type: 'battery', site: system, ...named(model) }];
}

/** A hybrid system has its battery at one inverter, which reports a charge. Software before 1.17 has others report 0. */
function hybridIn(batteries: ById | undefined, responding: ById): string | undefined {
  if (batteries === undefined || Object.keys(batteries).length === 0) return undefined;
  const reporting = Object.keys(responding).filter((address) => responding[address]?.SOC !== undefined);
  return reporting.toSorted((a, b) => charge(responding[b]) - charge(responding[a]))[0];
}

const charge = (inverter: JsonObject | undefined): number => Number(inverter?.SOC ?? 0);

function idIn(inverter: JsonObject | undefined): string | null {
  const { UniqueID } = inverter ?? {};
  const id = typeof UniqueID === 'number' ? String(UniqueID) : word(UniqueID);
  return id === NO_ID ? null : id;
}

const plainId = (id: string): string => id.trim().replaceAll(/[^\w-]/g, '-');

/** What listing kept of an inverter; undefined for a device of another kind or version. */
export const inverterDetailsOf = ({ type, details }: DeviceRef): InverterDetails | undefined =>
  type === 'solar_inverter' && fits(InverterDetails, details) ? details : undefined;
