import type { AnyKind } from '../adapter.ts';
import type { Capability } from '../capabilities.ts';
import type { DeviceType } from '../device.ts';
import type { DeviceRef } from '../session.ts';
import type { Simulator } from './index.ts';
import type { Situation, View } from './witnesses.ts';

interface Plausibility {
  readonly simulator: Simulator;
  readonly kind: AnyKind;
  readonly ref: DeviceRef;
  readonly offered: readonly Capability[];
  readonly see: () => Promise<View>;
}

/** What a car or charger draws while it charges, watt: below the least of IEC 61851 (6 A, one phase) a quarter was lost in the unit. */
const CHARGING_W = {
  least: 500,
  mostOf: { vehicle: 400_000, charger: 50_000 } as Partial<Record<DeviceType, number>>,
};
const VOLTS = 250;
const PHASES = 3;
/** A meter is measured from one of its reports to another that is this much later at least. */
const ENERGY_SECONDS = 600;
const STEP_SECONDS = 60;
/** Vendors report a meter once an hour at the least. */
const MOST_SECONDS = 3_600 + STEP_SECONDS;
/** How far the energy may be from power × time: charging may end or step on the way. */
const ENERGY_SHARE = 0.25;

const isWithin = (value: number, least: number, most: number) => value >= least && value <= most;

/**
 * Figures of the right size: watts and not kilowatts, watt-hours and not kilowatt-hours, milli-degrees of a room, per cent of a battery.
 * Throws an `Error` that names the figure.
 */
export async function checkPlausible(check: Plausibility): Promise<void> {
  const { offered, simulator, ref, see } = check;
  const at = async (situation: Situation): Promise<View> => {
    await simulator.arrange(ref, situation);
    return see();
  };
  if (offered.includes('charge_control') || offered.includes('set_current'))
    await whileCharging(check, await at('charging'));
  if (offered.includes('set_temperature')) {
    const { temperature_milli_c: room } = (await at('cold')).state;
    if (typeof room === 'number' && !isWithin(room, 1_000, 21_000))
      throw new Error(`temperature_milli_c of a cold room is ${room}; 17 °C is 17000`);
  }
  if (offered.includes('set_battery_power')) {
    const { battery_soc: soc, power_w: power } = (await at('battery_idle')).state;
    if (typeof soc === 'number' && !isWithin(soc, 20, 80))
      throw new Error(`battery_soc of a half-full battery is ${soc}`);
    if (typeof power === 'number' && Math.abs(power) > 200)
      throw new Error(`power_w of an idle battery is ${power}`);
  }
  if (offered.includes('on_off') && offered.includes('read_power')) {
    const off = (await at('off')).state.power_w;
    if (typeof off === 'number' && Math.abs(off) > 100)
      throw new Error(`power_w of a device that is off is ${off}`);
  }
}

async function whileCharging(check: Plausibility, before: View): Promise<void> {
  const { ref, offered } = check;
  const { charging, connected, battery_soc: soc, power_w: power, energy_wh: energy } = before.state;
  if (charging !== true) throw new Error(`charging is ${charging} while it charges`);
  if (connected === false) throw new Error('connected is false while it charges');
  if (typeof soc === 'number' && !isWithin(soc, 30, 70))
    throw new Error(`battery_soc of a half-full battery is ${soc}`);
  if (!offered.includes('read_power') || typeof power !== 'number') return;
  const amps = before.limits?.max_a;
  const most =
    amps == null ? (CHARGING_W.mostOf[ref.type] ?? Number.POSITIVE_INFINITY) : amps * VOLTS * PHASES;
  if (!isWithin(power, CHARGING_W.least, most))
    throw new Error(`power_w is ${power} while it charges; ${CHARGING_W.least} to ${most} can be`);
  if (offered.includes('read_energy') && typeof energy === 'number') await energyGrows(check, before);
}

/** The energy grows as the power says, from one report of the meter to another: some vendors report it once an hour. */
async function energyGrows(check: Plausibility, before: View): Promise<void> {
  const first = await nextReport(check, before, 0);
  const second = await nextReport(check, first.view, ENERGY_SECONDS);
  const powers = [first.view.state.power_w ?? 0, second.view.state.power_w ?? 0];
  const mean = powers.reduce((sum, watts) => sum + watts, 0) / powers.length;
  const grown = (second.view.state.energy_wh ?? 0) - (first.view.state.energy_wh ?? 0);
  const expected = mean * (second.seconds / 3_600);
  if (Math.abs(grown - expected) > expected * ENERGY_SHARE + 1)
    throw new Error(
      `energy_wh grew by ${grown} in ${second.seconds} s at ${mean} W; ${Math.round(expected)} is expected`,
    );
}

/** Waits until the energy is another, and `least` seconds have passed; how many have. */
async function nextReport(
  { simulator, see }: Plausibility,
  before: View,
  least: number,
): Promise<{ readonly view: View; readonly seconds: number }> {
  let last = before;
  for (let seconds = STEP_SECONDS; seconds <= MOST_SECONDS + least; seconds += STEP_SECONDS) {
    await simulator.pass(STEP_SECONDS);
    const view = await see();
    const isReport = view.state.energy_wh !== last.state.energy_wh;
    if (isReport && seconds >= least) return { view, seconds };
    last = view;
  }
  throw new Error(
    `energy_wh stays ${before.state.energy_wh} for an hour while it charges at ${before.state.power_w} W`,
  );
}
