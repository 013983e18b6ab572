import { detailsOf, gone, houseMeterOf, sweepBy } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { JsonObject } from '../../core/json.ts';
import { type ById, type Flow, inverterInfo, inverterTotals, powerFlow, storages } from './client.ts';
import { InverterDetails, inverterDetailsOf } from './listing.ts';
import {
  type BatteryReading,
  type InverterReading,
  lacksEnergy,
  type MeterReading,
  measuresIn,
} from './translate.ts';

/** What a system says of those of its devices that are wanted. One request follows the other: two at a time are allowed. */
interface System {
  readonly flow: Flow;
  readonly storages: ById;
  /** The inverters that it knows, where one that is wanted does not respond. */
  readonly info: ById;
  readonly totals: JsonObject | undefined;
}

async function readSystem(session: Session, devices: readonly DeviceRef[]): Promise<System> {
  const flow = await powerFlow(session);
  const wanted = devices.flatMap((device) => inverterDetailsOf(device) ?? []);
  const own = wanted.map(({ address }) => flow.inverters[address]);
  const isMissing = own.some((one) => one === undefined);
  return {
    flow,
    storages: devices.some(({ type }) => type === 'battery') ? ((await storages(session)) ?? {}) : {},
    info: isMissing ? await inverterInfo(session, 'read') : {},
    totals: own.some((one) => lacksEnergy({ own: one, flow })) ? await inverterTotals(session) : undefined,
  };
}

function inverterIn(
  { flow, info, totals }: System,
  { address, is_hybrid }: InverterDetails,
): InverterReading | undefined {
  const own = flow.inverters[address];
  if (own === undefined && info[address] === undefined) return undefined;
  const all = totals === undefined ? {} : { totals };
  return { own, flow, address, isHybrid: is_hybrid, ...all };
}

const batteryIn = ({ flow, storages: all }: System): BatteryReading | undefined =>
  Object.keys(all).length === 0 ? undefined : { flow, storages: all };

/** One request; two while it does not respond, and where older software has several inverters. */
export async function readInverter(session: Session, device: DeviceRef): Promise<InverterReading> {
  const details = detailsOf(InverterDetails, device);
  const reading = inverterIn(await readSystem(session, [device]), details);
  if (reading === undefined) throw gone('Fronius', device);
  return reading;
}

/** Two requests. */
export async function readBattery(session: Session, device: DeviceRef): Promise<BatteryReading> {
  const reading = batteryIn(await readSystem(session, [device]));
  if (reading === undefined) throw gone('Fronius', device);
  return reading;
}

/** Without its meter a system leaves the power out; while the meter does not respond it is null. */
function meterIn(flow: Flow, device: DeviceRef): MeterReading | undefined {
  const meter = houseMeterOf(device);
  return measuresIn(flow, meter) ? { flow, meter } : undefined;
}

/** One request. */
export async function readMeter(session: Session, device: DeviceRef): Promise<MeterReading> {
  const reading = meterIn(await powerFlow(session), device);
  if (reading === undefined) throw gone('Fronius', device);
  return reading;
}

/** All devices of a system with the requests that one of each takes. */
export const sweep = sweepBy<InverterReading | BatteryReading | MeterReading, System>({
  call: (session, _system, devices) => readSystem(session, devices),
  pick(system, device) {
    if (device.type === 'battery') return batteryIn(system);
    if (device.type === 'industrial') return meterIn(system.flow, device);
    const details = inverterDetailsOf(device);
    return details === undefined ? undefined : inverterIn(system, details);
  },
});
