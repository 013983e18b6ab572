import Type, { type TSchema } from 'typebox';

/*
 * What is used of Tesla's answers. A word that is not known is let through as text, and a field that is missing counts as null;
 * a number that is text is an answer that was not understood.
 */

const number = Type.Optional(Type.Union([Type.Number(), Type.Null()]));
const flag = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]));
const text = Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()]));
/** Whatever it is, it keeps no device from being found. */
const anything = Type.Optional(Type.Unknown());

/** Every answer of the Fleet API has what was asked for in `response`. */
const response = <S extends TSchema>(schema: S) => Type.Object({ response: schema });

export const UserRegion = response(Type.Object({ region: text, fleet_api_base_url: text }));
export const Me = response(Type.Object({ vault_uuid: text, email: text }));
export const Products = response(Type.Array(Type.Unknown()));

export const ListedCar = Type.Object({
  /** ISO 3779. */
  vin: Type.String({ pattern: '^[A-HJ-NPR-Z0-9]{17}$' }),
  display_name: anything,
  /** `required`, `allowed` or `off`. */
  command_signing: anything,
});
export type ListedCar = Type.Static<typeof ListedCar>;

const SiteComponents = Type.Object({ battery: flag, solar: flag });
export type SiteComponents = Type.Static<typeof SiteComponents>;

const Site = { site_name: anything, components: Type.Optional(SiteComponents) };
export const ListedSite = Type.Object({
  energy_site_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  ...Site,
});
export type ListedSite = Type.Static<typeof ListedSite>;
export const SiteInfo = response(Type.Object(Site));

/** Which cars know the key of this service, and which take signed commands alone. */
export const FleetStatus = response(
  Type.Object({ key_paired_vins: anything, unpaired_vins: anything, vehicle_info: anything }),
);
export const FleetCar = Type.Object({ vehicle_command_protocol_required: Type.Boolean() });

/** `online`, `asleep`, `offline`, as Tesla last knew it. */
export const CarState = response(Type.Object({ state: Type.String({ minLength: 1, maxLength: 40 }) }));

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

export const CarData = response(
  Type.Object({ charge_state: Type.Optional(Type.Union([ChargeState, Type.Null()])) }),
);

export const Outcome = response(
  Type.Object({ result: Type.Boolean(), reason: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
);

const Live = Type.Object({
  percentage_charged: number,
  battery_power: number,
  solar_power: number,
  island_status: text,
  grid_status: text,
  timestamp: text,
});
export type LiveStatus = Type.Static<typeof Live>;
export const LiveStatus = response(Live);
