import Type, { type Static } from 'typebox';
import type { Found } from '../../adapter/device.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Mapping } from './schemas.ts';

const FULL_TOPIC = '%prefix%/%topic%/';
const FULLY_DIMMED = 100;

/** What the commands `STATUS 11` and `STATUS 10` are answered with: relays and dimmer, and what its sensors measure. */
export const StatusSts = Type.Object({ StatusSTS: Type.Record(Type.String(), Type.Unknown()) });
export const StatusSns = Type.Object({ StatusSNS: Type.Record(Type.String(), Type.Unknown()) });

/** What a device has said of itself; a part is absent where it did not answer. */
export interface TasmotaStatus {
  readonly state?: Static<typeof StatusSts>['StatusSTS'];
  readonly sensors?: Static<typeof StatusSns>['StatusSNS'];
}

/** Where a device publishes and takes what. */
export function tasmotaTopics(topic: string, fullTopic = FULL_TOPIC) {
  const full = fullTopic.replaceAll('%topic%', topic).replace(/\/?$/, '/');
  return (prefix: 'cmnd' | 'stat' | 'tele', name: string) => `${full.replaceAll('%prefix%', prefix)}${name}`;
}

const idOf = (topic: string) => `tasmota-${topic.replaceAll(/[^\w.-]/g, '_')}`;
/** The first relay has the id of the device: it keeps it when the others become known. */
const relayId = (topic: string, relay: number) => (relay < 2 ? idOf(topic) : `${idOf(topic)}:${relay}`);
const nameOf = (topic: string, relay: number, isOnly: boolean) => (isOnly ? topic : `${topic} ${relay}`);

/** `POWER` of a device with one relay, `POWER1`, `POWER2` and so on of one with several; one where nothing is known. */
function relaysIn(state: TasmotaStatus['state']): string[] {
  if (state === undefined) return ['POWER'];
  return Object.keys(state)
    .filter((name) => /^POWER\d*$/.test(name))
    .sort((one, other) => numberOf(one) - numberOf(other));
}

const numberOf = (relay: string) => Number(relay.slice('POWER'.length) || 1);

const movesShutter = ({ sensors = {} }: TasmotaStatus) =>
  Object.keys(sensors).some((name) => /^Shutter\d+$/.test(name));

/** The relays of a device with Tasmota, each with its share of the meter; a relay that dims is a light. Those of a shutter are none. */
export function tasmotaDevices(topic: string, fullTopic: string | undefined, status: TasmotaStatus): Found[] {
  if (movesShutter(status)) return [];
  const relays = relaysIn(status.state);
  const at = tasmotaTopics(topic, fullTopic);
  return relays.map((relay, index): Found => {
    const number = numberOf(relay);
    // Tasmota numbers its dimmer behind the relays.
    const canDim = index === relays.length - 1 && typeof status.state?.Dimmer === 'number';
    const figures = metered(at('tele', 'SENSOR'), status, { index, of: relays.length });
    const details: Mapping = {
      reads: {
        power_on: { topic: at('stat', relay), on: 'ON', off: 'OFF' },
        ...figures,
        ...(canDim ? { dim: { topic: at('stat', 'RESULT'), pointer: '/Dimmer' } } : {}),
      },
      controls: {
        on_off: { topic: at('cmnd', relay), on: 'ON', off: 'OFF' },
        ...(canDim ? { set_light: { topic: at('cmnd', 'Dimmer'), max: FULLY_DIMMED } } : {}),
      },
      // An empty command asks; the meter reports to SENSOR when its period is set, 300 s unless it is.
      ask: [
        { topic: at('cmnd', relay), payload: '' },
        ...(canDim ? [{ topic: at('cmnd', 'Dimmer'), payload: '' }] : []),
        ...(figures.read_power === undefined ? [] : [{ topic: at('cmnd', 'TelePeriod'), payload: '' }]),
      ],
      availability: [{ topic: at('tele', 'LWT'), online: 'Online', offline: 'Offline' }],
    };
    return {
      id: relayId(topic, number),
      type: canDim ? 'light' : 'smart_home_appliance',
      name: nameOf(topic, number, relays.length === 1),
      details: details as JsonObject,
    };
  });
}

/** What was listed of a device that does not answer now. */
export function knownOfTasmota(topic: string, known: readonly DeviceRef[]): Found[] {
  const first = relayId(topic, 1);
  const own = known.filter(({ id }) => id === first || id.startsWith(`${first}:`));
  return own.map(({ id, type, details }) => {
    const relay = Number(id.slice(first.length + 1) || 1);
    return { id, type, details, name: nameOf(topic, relay, own.length === 1) };
  });
}

/** The figures of one relay. A meter of the whole device belongs to its one relay; of several, each has its place in the lists. */
function metered(
  sensor: string,
  { state, sensors }: TasmotaStatus,
  { index, of }: { readonly index: number; readonly of: number },
): Pick<Mapping['reads'], 'read_power' | 'read_energy'> {
  const energy = sensors?.ENERGY as { readonly [name: string]: unknown } | undefined;
  const isUnknown = of === 1 && (state === undefined || sensors === undefined);
  const pointerTo = (name: string): string | undefined => {
    const value = energy?.[name];
    if (isUnknown || (of === 1 && value !== undefined)) return `/ENERGY/${name}`;
    return Array.isArray(value) && value.length === of ? `/ENERGY/${name}/${index}` : undefined;
  };
  const [power, total] = [pointerTo('Power'), pointerTo('Total')];
  return {
    ...(power === undefined ? {} : { read_power: { topic: sensor, pointer: power } }),
    ...(total === undefined ? {} : { read_energy: { topic: sensor, pointer: total, unit: 'kWh' as const } }),
  };
}
