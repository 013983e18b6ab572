import { type StatusCode, StatusCodes } from 'node-opcua-client';
import type { Situation } from '../../adapter/conformance/witnesses.ts';
import type { Clock } from '../../core/clock.ts';
import type { SimulatedVariable } from '../../simulation/opcua/address-space.ts';

/** What it draws when nothing limits it, kW. */
const FULL_KW = 40;
const HOUR_MS = 3_600_000;
/** Its oil comes nearer to the target by a factor of e in so long, ms. */
const HEATING_MS = 1_200_000;
/** Its limit counts tenths of kW. */
const NO_LIMIT = 600;
const UNKNOWN_MODE = 7;

/** A press: what it draws follows its mode and limit, its meter counts that, and its oil is heated to a target. */
export function createSimulatedPress(clock: Clock) {
  const written: string[] = [];
  let isReachable = true;
  let isBlind = false;
  let mode = 1;
  let limit = NO_LIMIT;
  let meterKwh = 1_250;
  let oil = 18;
  let target = 18;
  let at = clock.now();

  const power = () => (mode === 1 ? Math.min(FULL_KW, limit / 10) : 0);

  /** Brings everything that goes on in time to now. */
  function settle(): void {
    const passed = clock.now() - at;
    at = clock.now();
    meterKwh += (power() * passed) / HOUR_MS;
    oil = target + (oil - target) * Math.exp(-passed / HEATING_MS);
  }

  const told = (name: string, set: (value: number) => void) => (value: unknown) => {
    settle();
    written.push(`write ${name} = ${String(value)}`);
    if (!isReachable) return StatusCodes.BadNoCommunication;
    set(Number(value));
    return undefined;
  };
  function statusOf(name: string): StatusCode {
    if (!isReachable) return StatusCodes.BadNoCommunication;
    return isBlind && name !== 'Mode' ? StatusCodes.BadSensorFailure : StatusCodes.Good;
  }

  const variable = (
    name: string,
    type: SimulatedVariable['type'],
    read: () => number | string,
    write?: SimulatedVariable['write'],
  ): SimulatedVariable => ({
    id: `s=Press1.${name}`,
    name,
    parent: 'Press1',
    type,
    read() {
      settle();
      return read();
    },
    status: () => statusOf(name),
    ...(write === undefined ? {} : { write }),
  });

  const variables: readonly SimulatedVariable[] = [
    variable('Power', 'Double', power),
    variable('Energy', 'Double', () => meterKwh),
    variable('Oil', 'Float', () => oil),
    variable('Battery', 'Float', () => 0.5),
    variable('Solar', 'Int32', () => 2_500),
    variable('State', 'String', () => (mode === 1 ? 'pressing' : 'stopped')),
    variable(
      'Mode',
      'UInt16',
      () => (isBlind ? UNKNOWN_MODE : mode),
      told('Mode', (value) => {
        mode = value;
      }),
    ),
    variable(
      'OilTarget',
      'Float',
      () => target,
      told('OilTarget', (value) => {
        target = value;
      }),
    ),
    variable(
      'Limit',
      'UInt16',
      () => limit,
      told('Limit', (value) => {
        limit = value;
      }),
    ),
  ];

  return {
    variables,
    written,
    /** Its sensors fail, and it is in a mode that nobody knows. */
    measuresNothing(is: boolean): void {
      isBlind = is;
    },
    /** The server loses the press, or has it again. */
    reach(can: boolean): void {
      isReachable = can;
    },
    arrange(situation: Situation): void {
      settle();
      isReachable = true;
      mode = situation === 'off' ? 0 : 1;
      limit = NO_LIMIT;
      oil = 18;
      target = 18;
    },
  };
}
