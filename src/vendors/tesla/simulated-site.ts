import { HOUSE_METERS, type HouseMeter } from '../../adapter/device.ts';
import { DAY_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';
import { newCar, type SimulatedCar } from './simulated-car.ts';

const PACK_WH = 13_500;
const MOST_W = 5_000;
const PEAK_W = 6_000;
const LOAD_W = 900;
const STEP_MS = 5 * 60_000;

/** A simulated energy site at one moment: solar cells serve the house first, the battery takes and gives the rest. */
export interface SimulatedSite {
  readonly id: number;
  readonly name: string;
  readonly hasBattery: boolean;
  readonly hasSolar: boolean;
  /** What it measures of the house. */
  readonly meters: Set<HouseMeter>;
  /** ms since 1970. */
  at: number;
  storedWh: number;
  /** Its gateway has no connection. */
  isOffline: boolean;
  /** Percent of the battery that is kept for outages. */
  reserve: number;
  mode: string;
}

function newSite(
  site: Pick<SimulatedSite, 'id' | 'name' | 'hasBattery' | 'hasSolar'>,
  now: number,
): SimulatedSite {
  return {
    ...site,
    meters: new Set(HOUSE_METERS),
    at: now,
    storedWh: PACK_WH / 2,
    isOffline: false,
    reserve: 20,
    mode: 'self_consumption',
  };
}

/** The sun is up from 6 to 18 o'clock, UTC. */
function solarW(site: SimulatedSite, at: number): number {
  const hour = (at % DAY_MS) / 3_600_000;
  return site.hasSolar ? PEAK_W * Math.max(0, Math.sin(((hour - 6) / 12) * Math.PI)) : 0;
}

/** What the battery gives; negative while it charges. */
function givenW(site: SimulatedSite, at: number): number {
  if (!site.hasBattery) return 0;
  const wanted = Math.min(MOST_W, Math.max(-MOST_W, LOAD_W - solarW(site, at)));
  if (wanted > 0 && site.storedWh <= 0) return 0;
  if (wanted < 0 && site.storedWh >= PACK_WH) return 0;
  return wanted;
}

export function advanceSite(site: SimulatedSite, now: number): void {
  // More than a week back makes no difference to a battery that fills and empties every day.
  site.at = Math.max(site.at, now - 7 * DAY_MS);
  while (site.at < now) {
    const ms = Math.min(STEP_MS, now - site.at);
    const stored = site.storedWh - (givenW(site, site.at) * ms) / 3_600_000;
    site.storedWh = Math.min(PACK_WH, Math.max(0, stored));
    site.at += ms;
  }
}

export function liveStatus(site: SimulatedSite): JsonObject {
  const solar = solarW(site, site.at);
  const given = givenW(site, site.at);
  const stored = site.hasBattery
    ? {
        energy_left: site.storedWh,
        total_pack_energy: PACK_WH,
        percentage_charged: (site.storedWh / PACK_WH) * 100,
        backup_capable: true,
        grid_status: 'Active',
        island_status: 'on_grid',
      }
    : {
        energy_left: 0,
        total_pack_energy: 1,
        percentage_charged: 0,
        grid_status: 'Unknown',
        island_status: 'island_status_unknown',
      };
  return {
    ...stored,
    solar_power: solar,
    battery_power: given,
    load_power: LOAD_W,
    grid_power: LOAD_W - solar - given,
    grid_services_active: false,
    grid_services_power: 0,
    generator_power: 0,
    storm_mode_active: false,
    timestamp: new Date(site.at).toISOString().replace(/\.\d+Z$/, 'Z'),
    wall_connectors: null,
  };
}

export function components(site: SimulatedSite): JsonObject {
  return {
    battery: site.hasBattery,
    ...(site.hasBattery ? { battery_type: 'ac_powerwall' } : {}),
    solar: site.hasSolar,
    grid: site.meters.has('grid'),
    load_meter: site.meters.has('house'),
    market_type: 'residential',
  };
}

export function siteInfo(site: SimulatedSite): JsonObject {
  return {
    id: String(site.id),
    site_name: site.name,
    backup_reserve_percent: site.reserve,
    default_real_mode: site.mode,
    battery_count: site.hasBattery ? 1 : 0,
    components: components(site),
  };
}

/** The hours of the day so far, watt-hours. */
export function energyHistory(site: SimulatedSite): JsonObject {
  const midnight = site.at - (site.at % DAY_MS);
  const hours = Math.ceil((site.at - midnight) / 3_600_000);
  return {
    period: 'day',
    installation_time_zone: 'UTC',
    time_series: Array.from({ length: hours }, (_, hour) => {
      const at = midnight + hour * 3_600_000;
      const [solar, given] = [solarW(site, at), givenW(site, at)];
      const bought = LOAD_W - solar - given;
      return {
        timestamp: new Date(at).toISOString(),
        solar_energy_exported: solar,
        battery_energy_exported: Math.max(0, given),
        grid_energy_imported: Math.max(0, bought),
        grid_energy_exported_from_solar: Math.max(0, -bought),
      };
    }),
  };
}

const MODES = ['autonomous', 'self_consumption', 'backup'];

/** Sets the reserve or the mode; false for what a site does not take. */
export function setUp(site: SimulatedSite, what: string, body: JsonObject): boolean {
  const { backup_reserve_percent: reserve, default_real_mode: mode } = body;
  if (what === 'backup' && typeof reserve === 'number' && reserve >= 0 && reserve <= 100) {
    site.reserve = reserve;
    return true;
  }
  if (what === 'operation' && typeof mode === 'string' && MODES.includes(mode)) {
    site.mode = mode;
    return true;
  }
  return false;
}

/** Who can sign in at the simulator. */
const USERS = {
  home: 'a car, a battery with solar cells, one without, solar cells alone, and what is neither',
  none: 'nothing',
  large: '500 cars',
  signed: 'two cars that take signed commands alone, one of which has the key, and one that is offline',
  american: 'one car, in North America',
  unregistered: 'one car, in a region where this service must be registered first',
} as const;
export type User = keyof typeof USERS;

export const CARS = {
  plain: 'LRW3E7EK1SM000001',
  signed: 'LRW3E7EK1SM000900',
  offline: 'LRW3E7EK1SM000901',
  paired: 'LRW3E7EK1SM000902',
  american: '5YJ3E7EA1SF000001',
  unregistered: 'LRW3E7EK1SM000700',
} as const;
export const SITES = { batteryAndSolar: '1001', battery: '1002', solar: '1003' } as const;

export interface SimulatedHome {
  readonly cars: SimulatedCar[];
  readonly sites: SimulatedSite[];
  /** Listed, and of no kind that elnav supports. */
  readonly others: readonly JsonObject[];
}

const MANY = 500;

export function homesAt(now: number): Readonly<Record<User, SimulatedHome>> {
  const car = (vin: string, name: string, more: Partial<SimulatedCar> = {}): SimulatedCar => ({
    ...newCar({ vin, name }, now),
    ...more,
  });
  const having = (cars: SimulatedCar[]): SimulatedHome => ({ cars, sites: [], others: [] });
  return {
    home: {
      cars: [car(CARS.plain, 'Simulated Model 3')],
      sites: [
        newSite({ id: 1001, name: 'Simulated Powerwall', hasBattery: true, hasSolar: true }, now),
        newSite({ id: 1002, name: 'Simulated cellar', hasBattery: true, hasSolar: false }, now),
        newSite({ id: 1003, name: 'Simulated roof', hasBattery: false, hasSolar: true }, now),
      ],
      others: [
        {
          energy_site_id: 98765,
          components: { battery: false, solar: false, grid: false, load_meter: false },
        },
        { resource_type: 'wall_connector', id: 'STE-SIMULATED', din: '1529455-02-D--SIMULATED' },
      ],
    },
    none: having([]),
    large: having(
      Array.from({ length: MANY }, (_, index) =>
        car(`LRW3E7EK1SM${100_000 + index}`, `Simulated car ${index + 1}`),
      ),
    ),
    signed: having([
      car(CARS.signed, 'Simulated Model Y', { signing: 'required' }),
      car(CARS.offline, 'Simulated Model S', { isOffline: true }),
      car(CARS.paired, 'Simulated Model X', { signing: 'required', isPaired: true }),
    ]),
    american: having([car(CARS.american, 'Simulated Cybertruck')]),
    unregistered: having([car(CARS.unregistered, 'Simulated Semi')]),
  };
}
