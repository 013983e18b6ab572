import type { Static } from 'typebox';
import type { Status } from '../../adapter/device.ts';
import { figure, lenient, objectIn, PlainId, timeIn, unrecognized, word } from '../../adapter/kit/index.ts';
import type { JsonObject } from '../../core/json.ts';

/*
 * What is used of Sensibo's responses. A "pod" is a controller: it sends infrared to an air conditioner and measures the room. What the air
 * conditioner does is what Sensibo last sent, or heard from its remote control.
 */

export const Pod = lenient(
  { id: PlainId },
  'acState',
  'measurements',
  // A room sensor that the user has chosen in place of the controller's own.
  'mainMeasurementsSensor',
  'connectionStatus',
  'temperatureUnit',
  'smartMode',
  'remoteCapabilities',
);
export type Pod = Static<typeof Pod>;

export const MODES = ['cool', 'heat', 'dry', 'auto', 'fan'];
export const modesIn = (remoteCapabilities: unknown): JsonObject =>
  objectIn(objectIn(remoteCapabilities).modes);

/** The targets that a mode takes in a unit, as whole degrees; none for a mode without a target. */
export function targetsIn(remoteCapabilities: unknown, mode: string, unit: string): readonly number[] {
  const { temperatures } = objectIn(modesIn(remoteCapabilities)[mode]);
  const { values } = objectIn(objectIn(temperatures)[unit]);
  return Array.isArray(values) ? values.filter((value) => typeof value === 'number') : [];
}

/** Whether Climate React, which changes the air conditioner by itself, is on. */
export const isReacting = (smartMode: unknown): boolean => objectIn(smartMode).enabled === true;

/** Whether Sensibo's cloud hears the controller. */
export const isOnline = ({ connectionStatus }: Pod): boolean => objectIn(connectionStatus).isAlive !== false;

/** `operation_state` is the mode, or "off"; and that Climate React is on, since it changes both by itself. */
export function statusOf(pod: Pod): Status {
  if (!isOnline(pod)) return { online: false };
  const { on, mode } = objectIn(pod.acState);
  const doing = [on === false ? 'off' : word(mode), isReacting(pod.smartMode) ? 'Climate React' : null];
  return {
    online: true,
    power_on: typeof on === 'boolean' ? on : null,
    operation_state: word(doing.filter((one) => one !== null).join(', ')),
  };
}

/** Modes and units that are not recognized. */
export const unrecognizedIn = ({ acState, temperatureUnit }: Pod): string[] =>
  unrecognized({
    mode: [objectIn(acState).mode, MODES],
    temperatureUnit: [objectIn(acState).temperatureUnit ?? temperatureUnit, ['C', 'F']],
  });

function measured({ measurements, mainMeasurementsSensor }: Pod): JsonObject {
  const chosen = objectIn(objectIn(mainMeasurementsSensor).measurements);
  return typeof chosen.temperature === 'number' ? chosen : objectIn(measurements);
}

/** The room's temperature, milli-Celsius; Sensibo reports it in °C whatever unit its user sees. */
export function temperatureOf(pod: Pod): number | null {
  const celsius = isOnline(pod) ? figure(measured(pod).temperature, -60, 80) : null;
  return celsius === null ? null : Math.round(celsius * 1_000);
}

/** When the room was measured; null while the controller is offline. */
export const observedAt = (pod: Pod): number | null =>
  isOnline(pod) ? timeIn(objectIn(measured(pod).time).time) : null;

/** The mode that it is in, and the unit that targets are set in. */
export function settingOf({ acState, temperatureUnit }: Pod): Readonly<Record<'mode' | 'unit', string>> {
  const { mode, temperatureUnit: own } = objectIn(acState);
  return { mode: word(mode) ?? '', unit: word(own) ?? word(temperatureUnit) ?? 'C' };
}

/** The nearest target that is taken, in its unit; null for one that is beyond them by more than half a degree. */
export function nearest(targets: readonly number[], target_milli_c: number, unit: string): number | null {
  const wanted = unit === 'F' ? target_milli_c * 0.0018 + 32 : target_milli_c / 1_000;
  const distance = (value: number) => Math.abs(value - wanted);
  const best = targets.toSorted((a, b) => distance(a) - distance(b))[0];
  const isBeyond = Math.min(...targets) > wanted + 0.5 || Math.max(...targets) < wanted - 0.5;
  return best === undefined || isBeyond ? null : best;
}
