import type { Limits, Status } from '../../adapter/device.ts';
import { figure, LEAST_A, unrecognized } from '../../adapter/kit/index.ts';
import type { ChargerStatus } from './client.ts';

/* What the keys of a go-eCharger mean. */

/** `frc`: what overrides the charger's own decision until the car is unplugged. */
export const FORCE = { neutral: 0, off: 1, on: 2 } as const;

/** `modelStatus`: it waits for a card or the app. */
export const WAITS_FOR_ACCESS = 2;

const unknown = { connected: null, charging: null };
/** `car`. */
const CARS: ReadonlyMap<unknown, Pick<Status, 'connected' | 'charging'> & { readonly is: string }> = new Map([
  [0, { ...unknown, is: 'unknown' }],
  [1, { connected: false, charging: false, is: 'idle' }],
  [2, { connected: true, charging: true, is: 'charging' }],
  [3, { connected: true, charging: false, is: 'wait_car' }],
  [4, { connected: true, charging: false, is: 'complete' }],
  [5, { ...unknown, charging: false, is: 'error' }],
  [6, { ...unknown, is: 'initializing' }],
]);

/** `modelStatus`: why it does not permit charging; the other numbers are why it does. */
const REASONS: Readonly<Record<number, string>> = {
  1: 'overtemperature',
  2: 'access control',
  4: 'forced off',
  5: 'scheduler',
  6: 'energy limit',
  16: 'fallback awattar',
  17: 'fallback awattar',
  18: 'fallback automatic stop',
  22: 'simulated unplugging',
  23: 'phase switch',
  24: 'minimum pause',
  26: 'error',
  27: 'load management',
  28: 'ocpp',
  29: 'reconnect delay',
  30: 'adapter blocking',
  31: 'underfrequency control',
  32: 'unbalanced load',
  34: 'grid monitoring',
  35: 'ocpp fallback',
  36: 'floor detected',
  37: 'ocpp inoperable',
  38: 'undervoltage control',
  39: 'zero setpoint',
  40: 'initializing',
  41: 'failsafe limit',
};
const PERMITS = [0, 3, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 33];

/** `err`. */
const ERRORS: Readonly<Record<number, string>> = {
  0: 'none',
  1: 'residual current AC',
  2: 'residual current DC',
  3: 'phase',
  4: 'overvoltage',
  5: 'overcurrent',
  6: 'diode',
  7: 'cable',
  8: 'ground',
  9: 'contactor stuck',
  10: 'contactor missing',
  12: 'lock stuck open',
  13: 'lock stuck locked',
  14: 'residual current',
  15: 'unknown',
  16: 'overtemperature',
  17: 'no communication',
  18: 'control pilot',
  23: 'self-test',
};

const MOST_CODE = 255;
const code = (value: unknown): number | null => figure(value, 0, MOST_CODE);

/** `operation_state` is the state of the car; and the error, or why the charger does not permit what a car waits for. */
export function statusOf({ car, err, modelStatus }: ChargerStatus): Status {
  const { is = null, ...plug } = CARS.get(car) ?? unknownCar(car);
  const [error, reason] = [code(err), code(modelStatus)];
  const why =
    error !== null && error !== 0
      ? `error ${ERRORS[error] ?? error}`
      : plug.connected === true && plug.charging === false && reason !== null
        ? (REASONS[reason] ?? null)
        : null;
  const words = [is, why].filter((one) => one !== null);
  return { online: true, ...plug, operation_state: words.length === 0 ? null : words.join(', ') };
}

const unknownCar = (car: unknown) => ({ ...unknown, is: code(car) === null ? null : `car ${code(car)}` });

export const unrecognizedIn = ({ car, err, modelStatus }: ChargerStatus): string[] =>
  unrecognized({
    car: [car, CARS],
    err: [err, ERRORS],
    modelStatus: [modelStatus, [...PERMITS, ...Object.keys(REASONS).map(Number)]],
  });

/** Beyond what three phases of 80 A give, watt. */
const MOST_W = 100_000;
/** `nrg` is U of L1, L2, L3 and N, I of L1, L2 and L3, P of L1, L2, L3 and N, and then P of all. */
const P_TOTAL = 11;

/** Watt. */
export const powerOf = ({ nrg }: ChargerStatus): number | null =>
  Array.isArray(nrg) ? figure(nrg[P_TOTAL], 0, MOST_W) : null;

const MOST_WH = 1e12;

/** Of its meter, watt-hours ever since. */
export const energyOf = ({ eto }: ChargerStatus): number | null => figure(eto, 0, MOST_WH);

/** What the models with 11 and 22 kW give, ampere on each phase. */
const MODELS: Readonly<Record<number, number>> = { 11: 16, 22: 32 };
const MOST_A = 32;
/** With the adapter for a socket of 16 A. */
const ADAPTER_A = 16;

/** The least of what its owner permits, what its model gives, and what its cable and adapter carry. */
export function limitsOf({ ama, adi, cbl, var: model }: ChargerStatus): Limits {
  const most = [
    MOST_A,
    figure(ama, LEAST_A, MOST_A),
    figure(cbl, LEAST_A, MOST_A),
    MODELS[code(model) ?? 0] ?? null,
    adi === true ? ADAPTER_A : null,
  ].filter((amperes) => amperes !== null);
  return { min_a: LEAST_A, max_a: Math.floor(Math.min(...most)), min_w: null, max_w: null };
}
