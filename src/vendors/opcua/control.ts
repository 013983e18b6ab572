import type { Command } from '../../adapter/commands.ts';
import { between, outOfRange, type Ranges } from '../../adapter/commands.ts';
import type { OpcuaScalar, OpcuaType } from '../../adapter/connections.ts';
import { refused } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { CONTROLS, inTheirs, valueInOurs } from './node-map.ts';
import { type Details, detailsIn, plantOf } from './plant.ts';

type Control = keyof typeof CONTROLS;

async function write(
  session: Session,
  device: DeviceRef,
  { node, value, what }: { readonly node: string; readonly value: OpcuaScalar; readonly what: string },
): Promise<void> {
  const type = detailsIn(device).types[node] as OpcuaType;
  const [status = ''] = await plantOf(session).write([{ node, type, value }], {
    use: 'command',
    device: device.id,
  });
  if (!status.startsWith('Good')) throw refused(`the server refused ${what} of ${device.id} (${status})`);
}

export async function turn(session: Session, device: DeviceRef, { type }: Command): Promise<void> {
  const rule = detailsIn(device).map.on_off;
  if (rule === undefined) throw notMapped(device, 'on_off');
  const value = type === 'turn_on' ? rule.on : rule.off;
  await write(session, device, { node: rule.node, value, what: 'on_off' });
}

const notMapped = ({ id }: DeviceRef, control: string) =>
  refused(`${id} has no node for ${control}; link it again with one`);

export async function setTemperature(
  session: Session,
  device: DeviceRef,
  { target_milli_c }: { readonly target_milli_c: number },
): Promise<void> {
  await writeNumber(session, device, { control: 'set_temperature', ours: target_milli_c });
}

export async function setLimit(
  session: Session,
  device: DeviceRef,
  { max_w, max_a }: { readonly max_w?: number; readonly max_a?: number },
): Promise<void> {
  if (max_w === undefined || max_a !== undefined)
    throw outOfRange(`${device.id} is limited in watt: give max_w`);
  const { least, most, unit } = detailsIn(device).map.load_balancing ?? { least: 0, most: 0, unit: 'W' };
  const watt = (value: number) => valueInOurs(value, 'power', unit);
  between('max_w', max_w, { least: watt(least), most: watt(most) });
  await writeNumber(session, device, { control: 'load_balancing', ours: max_w });
}

/** Writes the value that stands for no limit of ours. */
export async function release(session: Session, device: DeviceRef): Promise<void> {
  const rule = detailsIn(device).map.load_balancing;
  if (rule === undefined) throw notMapped(device, 'load_balancing');
  const ours = valueInOurs(rule.release, 'power', rule.unit);
  await writeNumber(session, device, { control: 'load_balancing', ours });
}

async function writeNumber(
  session: Session,
  device: DeviceRef,
  { control, ours }: { readonly control: Control; readonly ours: number },
): Promise<void> {
  const { map, types } = detailsIn(device);
  const rule = map[control];
  if (rule === undefined) throw notMapped(device, control);
  const exact = inTheirs(ours, CONTROLS[control], rule);
  const isWhole = !['Float', 'Double'].includes(types[rule.node] ?? '');
  await write(session, device, {
    node: rule.node,
    value: isWhole ? Math.round(exact) : exact,
    what: control,
  });
}

/** What `set_temperature` accepts. */
export function rangesOf({ map: { set_temperature: rule } }: Details): Ranges {
  if (rule === undefined) return {};
  const milli = (value: number) => Math.round(valueInOurs(value, 'temperature', rule.unit));
  return { min_milli_c: milli(rule.least), max_milli_c: milli(rule.most) };
}
