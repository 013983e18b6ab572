import type { HouseMeter, Status } from '../../adapter/device.ts';
import { figure, objectIn, unrecognized, word } from '../../adapter/kit/index.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ById, Flow } from './client.ts';

/* What the responses of the Solar API mean. Energies are those of the AC side, watt-hours ever since. */

/** An inverter, as far as the system knows it now. */
export interface InverterReading {
  /** Its part of the power flow; undefined while it does not respond: older inverters sleep at night. */
  readonly own: JsonObject | undefined;
  readonly flow: Flow;
  /** Which of the inverters of the flow it is. */
  readonly address: string;
  /** The one with the battery: it reports what it gives to the house, not what its panels produce. */
  readonly isHybrid: boolean;
  /** `TOTAL_ENERGY` of all, where the flow of older software lacks the energies of single inverters. */
  readonly totals?: JsonObject;
}

/** The battery of a system: all that it has of them together. */
export interface BatteryReading {
  readonly flow: Flow;
  readonly storages: ById;
}

/** What the meter of a system measures: the grid, or what the house consumes. */
export interface MeterReading {
  readonly flow: Flow;
  readonly meter: HouseMeter;
}

/** Beyond what one site with these inverters can have, watt. */
const MOST_W = 1_000_000;
const MOST_WH = 1e12;
const watts = (value: unknown): number | null => figure(value, -MOST_W, MOST_W);

export const inverterStatus = ({ own }: InverterReading): Status => ({ online: own !== undefined });

/**
 * What its panels produce, watt. Null values are those of an inverter that does not run (Fronius: "null if inverter is not running"), and
 * so 0; a value of another kind is null.
 */
export function productionOf({ own, flow, address, isHybrid }: InverterReading): number | null {
  if (own === undefined) return null;
  const { site, inverters } = flow;
  const others = Object.entries(inverters).filter(([id]) => id !== address);
  if (others.length === 0) return running(site.P_PV);
  if (!isHybrid) return running(own.P);
  // P_PV is what all panels produce.
  const powers = [running(site.P_PV), ...others.map(([, { P }]) => running(P))];
  const [all, ...less] = powers.filter((power) => power !== null);
  return all === undefined || less.length < others.length
    ? null
    : Math.max(
        0,
        less.reduce((rest, power) => rest - power, all),
      );
}

/** Inverters consume a few watts of their own at night. */
const running = (value: unknown): number | null => {
  const power = value === null ? 0 : watts(value);
  return power === null ? null : Math.max(0, power);
};

export function energyOf({ own, flow, address, totals }: InverterReading): number | null {
  if (own === undefined) return null;
  const ofOne = Object.keys(flow.inverters).length === 1 ? flow.site.E_Total : undefined;
  const ofAll = objectIn(objectIn(totals?.TOTAL_ENERGY).Values)[address];
  return figure(own.E_Total ?? ofOne ?? ofAll, 0, MOST_WH);
}

/** Whether the energies of single inverters have to be asked for. */
export const lacksEnergy = ({ own, flow }: Pick<InverterReading, 'own' | 'flow'>): boolean =>
  own !== undefined && own.E_Total === undefined && Object.keys(flow.inverters).length > 1;

/** What the house takes from the grid, or consumes, watt; Fronius counts what is consumed as negative. Null without a meter. */
export function houseMeterW({ flow: { site }, meter }: MeterReading): number | null {
  const power = watts(site[MEASURED[meter]]);
  return power === null || meter === 'grid' ? power : 0 - power;
}

/** Fronius has null for what its meter does not tell now. */
export const meterStatus = (reading: MeterReading): Status => ({ online: houseMeterW(reading) !== null });

const MEASURED = { grid: 'P_Grid', house: 'P_Load' } as const;

export const measuresIn = ({ site }: Flow, meter: HouseMeter): boolean => site[MEASURED[meter]] !== undefined;

/** What can be measured of the house: a system that never had a meter has null. */
export const metersIn = (flow: Flow, known: readonly HouseMeter[] = []): HouseMeter[] =>
  (['grid', 'house'] as const).filter(
    (meter) => measuresIn(flow, meter) && (known.includes(meter) || houseMeterW({ flow, meter }) !== null),
  );

const controllersOf = ({ storages }: BatteryReading): JsonObject[] =>
  Object.values(storages).map(({ Controller }) => objectIn(Controller));

/** A battery is managed (1) or disconnected (0). */
const isConnected = ({ Enable }: JsonObject): boolean => Enable !== 0;

/** `operation_state` is what the inverter does with the battery: normal, suspended, charge boost, and others. */
export function batteryStatus(reading: BatteryReading): Status {
  if (!controllersOf(reading).some(isConnected)) return { online: false };
  const power = batteryPowerOf(reading);
  return {
    online: true,
    charging: power === null ? null : power > 0,
    operation_state: modeIn(reading),
  };
}

/** Of the inverter with a battery; software before 1.17 gives others the word "disabled". */
function modeIn({ flow }: BatteryReading): string | null {
  const modes = Object.values(flow.inverters).map(({ Battery_Mode }) => word(Battery_Mode));
  return (
    modes.find((mode) => mode !== null && mode !== 'disabled') ?? modes.find((mode) => mode !== null) ?? null
  );
}

/** Positive while it charges, watt; Fronius counts the other way. Null while no battery is active. */
export function batteryPowerOf(reading: BatteryReading): number | null {
  if (!controllersOf(reading).some(isConnected)) return null;
  const power = watts(reading.flow.site.P_Akku);
  // Not minus zero.
  return power === null ? null : 0 - Math.round(power);
}

/** Percent, by the capacity of each battery where there are several. */
export function chargeOf(reading: BatteryReading): number | null {
  const connected = controllersOf(reading).filter(isConnected);
  const parts = connected.map((one) => ({
    soc: figure(one.StateOfCharge_Relative, 0, 100),
    weight: figure(one.Capacity_Maximum, 1, MOST_WH) ?? 1,
  }));
  const weight = parts.reduce((sum, one) => sum + one.weight, 0);
  if (weight === 0 || parts.some(({ soc }) => soc === null)) return null;
  return parts.reduce((sum, { soc, weight: own }) => sum + (soc ?? 0) * own, 0) / weight;
}

const BATTERY_MODES = new Set([
  'disabled',
  'normal',
  'service',
  'charge boost',
  'nearly depleted',
  'suspended',
  'calibrate',
  'grid support',
  'deplete recovery',
  'non operable (voltage)',
  'non operable (temperature)',
  'preheating',
  'startup',
  'stopped (temperature)',
  'battery full',
]);

export const unrecognizedIn = (reading: BatteryReading): string[] =>
  unrecognized({ Battery_Mode: [modeIn(reading), BATTERY_MODES] });

/** A text of Fronius, which writes every letter of some as a number: `&#80;&#114;`. */
export function plain(text: unknown): string | null {
  const decoded = String(word(text, 1_000) ?? '').replaceAll(/&#(\d{1,6});/g, (_, code: string) =>
    String.fromCodePoint(Number(code)),
  );
  return word(decoded.trim(), 200);
}
