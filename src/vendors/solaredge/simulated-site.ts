import { HOUR_MS, QUARTER_MS } from '../../core/durations.ts';
import { dayAt } from '../../core/swedish-days.ts';
import { between } from '../../simulation/physics/chance.ts';
import { houseLoadA } from '../../simulation/physics/house-load.ts';
import { sineOfSunHeight } from '../../simulation/physics/sun.ts';

/** What is kept of each site, for HOUR over a day of 25 hours. */
const KEPT_MS = 26 * HOUR_MS;
/** A quarter arrives so long after its end. */
const DELAY_MS = 3 * 60_000;
const BATTERY_WH = 9_700;
const BATTERY_W = 5_000;
/** A house with a load on one phase as its neighbours have on three. */
const VOLTS = 230;
const HOURS = QUARTER_MS / HOUR_MS;
/** A year of the sun in Stockholm on flat panels. */
const FULL_HOURS_A_YEAR = 900;
/** The age of a site. */
const YEARS = 4;

export interface SimulatedDevice {
  readonly serial: string;
  readonly type: 'INVERTER' | 'BATTERY' | 'METER';
  readonly name: string;
  readonly active: boolean;
  /** The inverter that a battery is behind. */
  readonly inverter: string | null;
  /** Panels at an inverter, watt. */
  readonly peakW: number;
  /** What is in a battery, Wh. */
  wh: number;
  /** Since when it does not report; ms since 1970. */
  lostAt: number | null;
}

/** ms since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Means of a quarter: watt, and percent at its end. */
export interface Quarter {
  readonly power: number;
  readonly soc: number;
}

/** A house with solar inverters and batteries, which serve it first and give the grid what is left. */
export interface SimulatedSite {
  readonly id: number;
  readonly name: string;
  devices: SimulatedDevice[];
  /** The start of the quarter that comes next, ms since 1970. */
  at: number;
  /** What the panels had produced before that, Wh. */
  producedWh: number;
  /** By its start, what the devices did. */
  readonly quarters: Map<number, ReadonlyMap<string, Quarter>>;
}

export function newDevice(
  serial: string,
  type: SimulatedDevice['type'],
  more: Partial<SimulatedDevice> = {},
): SimulatedDevice {
  const peakW = type === 'INVERTER' ? 8_000 : 0;
  return {
    serial,
    type,
    name: `${{ INVERTER: 'Inverter', BATTERY: 'Battery', METER: 'Meter' }[type]} (simulated)`,
    active: true,
    inverter: null,
    peakW,
    wh: type === 'BATTERY' ? BATTERY_WH / 2 : 0,
    lostAt: null,
    ...more,
  };
}

export function newSite(id: number, name: string, devices: SimulatedDevice[], now: number): SimulatedSite {
  const at = Math.floor((now - KEPT_MS) / QUARTER_MS) * QUARTER_MS;
  const producedWh = Math.round(peakOf(devices) * FULL_HOURS_A_YEAR * YEARS);
  return { id, name, devices, at, producedWh, quarters: new Map() };
}

const peakOf = (devices: readonly SimulatedDevice[]): number =>
  devices.reduce((sum, { peakW, active }) => sum + (active ? peakW : 0), 0);

/** Watt from the panels of an inverter: clouds let through a share of the light that is the day's own. */
const panelsW = ({ serial, peakW }: SimulatedDevice, at: number): number =>
  peakW * between(serial, `clouds ${dayAt(at)}`, [0.3, 1]) * Math.max(0, sineOfSunHeight(at));

const loadW = ({ id }: SimulatedSite, at: number): number => VOLTS * houseLoadA(String(id), at);

/** Lets the quarters that have ended pass; what is longer ago than is kept is passed in one step. */
export function advance(site: SimulatedSite, now: number): void {
  const skippedMs = Math.max(0, now - KEPT_MS - site.at);
  if (skippedMs > 0) {
    const hours = (skippedMs / (365 * 24 * HOUR_MS)) * FULL_HOURS_A_YEAR;
    site.producedWh += Math.round(peakOf(site.devices) * hours);
    site.at = Math.floor((now - KEPT_MS) / QUARTER_MS) * QUARTER_MS;
  }
  for (; site.at + QUARTER_MS <= now; site.at += QUARTER_MS) {
    site.quarters.set(site.at, quarterOf(site, site.at));
    site.producedWh += producedIn(site, site.at) ?? 0;
    site.quarters.delete(site.at - KEPT_MS);
  }
}

function quarterOf(site: SimulatedSite, at: number): ReadonlyMap<string, Quarter> {
  const middle = at + QUARTER_MS / 2;
  const done = new Map<string, Quarter>();
  const inverters = site.devices.filter(({ type, active }) => type === 'INVERTER' && active);
  let surplus = -loadW(site, middle);
  for (const inverter of inverters) surplus += panelsW(inverter, middle);
  for (const inverter of inverters) {
    const panels = panelsW(inverter, middle);
    let given = panels;
    for (const battery of site.devices.filter((one) => one.inverter === inverter.serial)) {
      const room = Math.min(BATTERY_W, (BATTERY_WH - battery.wh) / HOURS);
      // Batteries are charged by the panels of their inverter alone.
      const taken = Math.max(Math.min(surplus, room, given), -Math.min(BATTERY_W, battery.wh / HOURS));
      battery.wh += taken * HOURS;
      surplus -= taken;
      given -= taken;
      done.set(battery.serial, { power: taken, soc: (battery.wh / BATTERY_WH) * 100 });
    }
    // Without sun and without a battery that gives, an inverter sleeps.
    if (panels > 0 || given > 0) done.set(inverter.serial, { power: given, soc: 0 });
  }
  return done;
}

/** The first inverter, through which a site reports. */
const gatewayOf = ({ devices }: SimulatedSite): SimulatedDevice | undefined =>
  devices.find(({ type, active }) => type === 'INVERTER' && active);

/** What a device did in a quarter; undefined while the quarter has not ended, and of one that did nothing or did not report it. */
export function arrived(
  site: SimulatedSite,
  device: SimulatedDevice,
  { at, now }: { readonly at: number; readonly now: number },
): Quarter | undefined {
  const isLost = [device, gatewayOf(site)].some((one) => one?.lostAt != null && at + QUARTER_MS > one.lostAt);
  const hasEnded = at + QUARTER_MS + DELAY_MS <= now;
  return isLost || !hasEnded ? undefined : site.quarters.get(at)?.get(device.serial);
}

/** When the site was last heard from: it reports every five minutes, also at night. */
export const heardAt = (site: SimulatedSite, now: number): number =>
  gatewayOf(site)?.lostAt ?? Math.floor(now / 300_000) * 300_000;

/** What the panels produced in a quarter, Wh: what the inverters gave, with what batteries took; undefined while no inverter is awake. */
function producedIn({ devices, quarters }: SimulatedSite, at: number): number | undefined {
  const done = quarters.get(at);
  const isAwake = devices.some(({ type, serial }) => type === 'INVERTER' && done?.has(serial));
  if (done === undefined || !isAwake) return undefined;
  const watts = [...done.values()].reduce((sum, { power }) => sum + power, 0);
  return Math.round(Math.max(0, watts) * HOURS);
}

/** The same of a quarter that has arrived. */
export function producedBy(site: SimulatedSite, of: { readonly at: number; readonly now: number }) {
  const inverters = site.devices.filter(({ type }) => type === 'INVERTER');
  return inverters.some((device) => arrived(site, device, of) !== undefined)
    ? producedIn(site, of.at)
    : undefined;
}

/** What the panels have produced from one time to another, as far as it has arrived, Wh. What is longer ago than is kept has all arrived. */
export function producedBetween(site: SimulatedSite, { from, to }: Span, now: number): number {
  const kept = [...site.quarters.keys()];
  const isBetween = (at: number) => at >= from && at < to && producedBy(site, { at, now }) !== undefined;
  const sumOf = (quarters: readonly number[]) =>
    quarters.reduce((sum, at) => sum + (producedIn(site, at) ?? 0), 0);
  const before = from < Math.min(...kept) ? site.producedWh - sumOf(kept) : 0;
  return before + sumOf(kept.filter(isBetween));
}
