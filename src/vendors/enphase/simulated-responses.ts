import type { Json, JsonObject } from '../../core/json.ts';
import { powersOf, reportedAt, type SimulatedSystem, statusOf } from './simulated-system.ts';

/** A page of the systems of an owner. */
export function systemsPage(
  home: readonly SimulatedSystem[],
  query: URLSearchParams,
  now: number,
): JsonObject {
  const page = Number(query.get('page') ?? 1);
  const size = Math.min(100, Number(query.get('size') ?? 10));
  const systems = home.slice((page - 1) * size, page * size).map(
    (system): Json => ({
      system_id: system.id,
      name: system.name,
      public_name: 'Residential System',
      timezone: 'Europe/Stockholm',
      address: { city: 'Stockholm', state: null, country: 'SE', postal_code: null },
      connection_type: system.isCellular ? 'cellular' : 'ethernet',
      energy_lifetime: -1,
      energy_today: -1,
      system_size: -1,
      status: statusOf(system),
      last_report_at: Math.floor(reportedAt(system, now) / 1_000),
      last_energy_at: Math.floor(reportedAt(system, now) / 1_000),
      operational_at: 1_704_063_600,
      attachment_type: null,
      interconnect_date: null,
    }),
  );
  return { total: home.length, current_page: page, size, count: systems.length, items: 'systems', systems };
}

/** What a battery gives is positive here and in the live data, and the mode says which it is. */
export function latestOf(system: SimulatedSystem, now: number): JsonObject {
  const { end, pv, load, stored } = powersOf(system, now);
  const last_report_at = Math.floor(end / 1_000);
  const meter = (id: number, name: string, power: number) => ({
    id,
    name,
    channel: 1,
    last_report_at,
    power,
  });
  const mode = stored === 0 ? 'Idle' : stored > 0 ? 'Charging' : 'Discharging';
  const battery = {
    ...meter(system.id + 3, `Encharge ${system.id}`, 0 - stored),
    operational_mode: mode,
  };
  const meters = [meter(system.id + 1, 'production', pv), meter(system.id + 2, 'consumption', load + stored)];
  return {
    system_id: system.id,
    items: 'devices',
    devices: {
      meters: system.isMetered ? meters : [],
      ...(system.hasBattery ? { encharges: [battery] } : {}),
    },
  };
}

/** What the stream of live data says. */
export function liveOf(system: SimulatedSystem, now: number): JsonObject {
  const { pv, load, stored, soc } = powersOf(system, now);
  return {
    data: {
      battery_mode: system.settings.battery_mode,
      battery_power: 0 - stored,
      battery_soc: soc,
      consumption_power: load,
      envoy_serial_number: [String(system.id)],
      generator_power: 0,
      grid_power: load + stored - pv,
      grid_status: 'On Grid',
      pv_power: pv,
      system_id: system.id,
    },
    timestamp_epoch: now,
    timestamp_utc: new Date(now).toISOString().replace('T', ' ').replace('Z', ''),
    type: 'response',
  };
}

export const settingsOf = ({ id, settings }: SimulatedSystem): JsonObject => ({
  system_id: id,
  ...settings,
  energy_independence: 'enabled',
  charge_from_grid: 'disabled',
  battery_shutdown_level: 5,
});
