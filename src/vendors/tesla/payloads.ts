import Type from 'typebox';

/*
 * What is used of Tesla's answers. A word that is not known is let through as text, and a field that is missing counts as null;
 * a number that is text is an answer that was not understood.
 */

const number = Type.Optional(Type.Union([Type.Number(), Type.Null()]));
const flag = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]));
const text = Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()]));

export const UserRegion = Type.Object({ region: text, fleet_api_base_url: text });

export const Me = Type.Object({ vault_uuid: text, email: text });

/** ISO 3779. */
const Vin = Type.String({ pattern: '^[A-HJ-NPR-Z0-9]{17}$' });

/** What the owner calls it; whatever that is, it keeps no device from being found. */
const givenName = Type.Optional(Type.Unknown());

export const ListedCar = Type.Object({ vin: Vin, display_name: givenName });
export type ListedCar = Type.Static<typeof ListedCar>;

export const SiteComponents = Type.Object({ battery: flag, solar: flag });
export type SiteComponents = Type.Static<typeof SiteComponents>;

export const ListedSite = Type.Object({
  energy_site_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  site_name: givenName,
  components: Type.Optional(SiteComponents),
});
export type ListedSite = Type.Static<typeof ListedSite>;

export const SiteInfo = Type.Object({ site_name: givenName, components: Type.Optional(SiteComponents) });

/** `online`, `asleep`, `offline`, as Tesla last knew it. */
export const CarState = Type.Object({ state: Type.String({ minLength: 1, maxLength: 40 }) });

export const ChargeState = Type.Object({
  battery_level: number,
  charge_energy_added: number,
  charging_state: text,
  conn_charge_cable: text,
  charge_limit_soc_min: number,
  charge_limit_soc_max: number,
  charge_current_request_max: number,
  charger_actual_current: number,
  charger_phases: number,
  charger_power: number,
  charger_voltage: number,
  timestamp: number,
});
export type ChargeState = Type.Static<typeof ChargeState>;

export const CarData = Type.Object({ charge_state: Type.Optional(Type.Union([ChargeState, Type.Null()])) });

export const Outcome = Type.Object({
  result: Type.Boolean(),
  reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

export const LiveStatus = Type.Object({
  percentage_charged: number,
  battery_power: number,
  solar_power: number,
  island_status: text,
  grid_status: text,
  timestamp: text,
});
export type LiveStatus = Type.Static<typeof LiveStatus>;
