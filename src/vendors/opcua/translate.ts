import type { OpcuaReading } from '../../adapter/connections.ts';
import type { AvailableCapacity, Limits, Status } from '../../adapter/device.ts';
import { NO_LIMITS } from '../../adapter/device.ts';
import { figure, word } from '../../adapter/kit/index.ts';
import {
  inOurs,
  type MappedDevice,
  nodesOf,
  READINGS,
  type Reading,
  type Use,
  valueInOurs,
} from './node-map.ts';

/** What the nodes of a device are, at a time. */
export interface PlantReading {
  readonly map: MappedDevice;
  /** By node. */
  readonly values: ReadonlyMap<string, OpcuaReading>;
  /** When it was read, ms since 1970. */
  readonly at: number;
}

/** No machine draws as much, in W; no meter of it counts as much, in Wh. */
const MOST = 1e12;
/** A node that has not changed keeps its time at many servers: what is older says nothing of when it was last right. */
const LONGEST_MS = 3_600_000;

const of = ({ map, values }: PlantReading, use: Use): OpcuaReading | undefined => {
  const node = map[use]?.node;
  return node === undefined ? undefined : values.get(node);
};

/** A value that the server stands by; an uncertain one may be the last that it knows. */
const goodOf = (reading: OpcuaReading | undefined) => (reading?.quality === 'good' ? reading.value : null);

export function readingOf(raw: PlantReading, use: Reading): number | null {
  const value = goodOf(of(raw, use));
  const rule = raw.map[use];
  if (typeof value !== 'number' || rule === undefined) return null;
  const ours = inOurs(value, READINGS[use], rule);
  return use === 'read_battery_soc' ? figure(ours, 0, 100) : figure(ours, -MOST, MOST);
}

export function statusOf(raw: PlantReading): Status {
  const { on_off } = raw.map;
  const value = goodOf(of(raw, 'on_off'));
  const state = goodOf(of(raw, 'state'));
  return {
    online: isOnline(raw),
    ...(on_off === undefined
      ? {}
      : { power_on: value === on_off.on ? true : value === on_off.off ? false : null }),
    ...(raw.map.state === undefined ? {} : { operation_state: state === null ? null : word(String(state)) }),
  };
}

/** As the node for it says, else while the server has anything of the device. */
function isOnline(raw: PlantReading): boolean {
  const { online } = raw.map;
  if (online !== undefined) return goodOf(of(raw, 'online')) === online.is;
  return nodesOf(raw.map).some(({ node }) => (raw.values.get(node)?.quality ?? 'bad') !== 'bad');
}

/** The newest time of what was read, where the clock of the device can be right. */
export function measuredAt(raw: PlantReading): number | null {
  const times = nodesOf(raw.map).flatMap(({ node }) => {
    const { quality = 'bad', measuredAt: at = null } = raw.values.get(node) ?? {};
    return quality === 'good' && at !== null ? [at] : [];
  });
  const newest = Math.max(...times);
  return newest <= raw.at && newest >= raw.at - LONGEST_MS ? newest : null;
}

export function unrecognizedIn(raw: PlantReading): readonly string[] {
  const { on_off } = raw.map;
  const value = goodOf(of(raw, 'on_off'));
  const isKnown = on_off === undefined || value === null || value === on_off.on || value === on_off.off;
  return isKnown ? [] : [`on_off ${JSON.stringify(value)?.slice(0, 64)}`];
}

export function limitsOf({ map: { load_balancing: rule } }: PlantReading): Limits {
  if (rule === undefined) return NO_LIMITS;
  const watt = (value: number) => Math.round(valueInOurs(value, 'power', rule.unit));
  return { ...NO_LIMITS, min_w: watt(rule.least), max_w: watt(rule.most) };
}

/** What the limit leaves above what is drawn, where both are known. */
export function capacityOf(raw: PlantReading): AvailableCapacity {
  const rule = raw.map.load_balancing;
  const value = goodOf(of(raw, 'load_balancing'));
  if (rule === undefined || typeof value !== 'number') return { current_a: null, power_w: null };
  const limit = Math.min(inOurs(value, 'power', rule), valueInOurs(rule.most, 'power', rule.unit));
  const drawn = readingOf(raw, 'read_power') ?? 0;
  return { current_a: null, power_w: Math.max(0, Math.round(limit - drawn)) };
}
