import type { DeviceType } from '../../../adapter/device.ts';
import { elevator, industrial } from './building.ts';
import { charger } from './charger.ts';
import { battery, solarInverter } from './energy.ts';
import { heatPump, thermostat } from './heating.ts';
import { appliance, light } from './home.ts';

import type { AnyModel } from './model.ts';

import { vehicle } from './vehicles.ts';

/** The simulated device of each type. */
export const MODELS: { readonly [T in DeviceType]: AnyModel } = {
  vehicle,
  charger,
  heat_pump: heatPump,
  thermostat,
  solar_inverter: solarInverter,
  battery,
  smart_home_appliance: appliance,
  light,
  elevator,
  industrial,
};
