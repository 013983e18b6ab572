import type { DeviceType } from '../../../adapter/device.ts';
import { appliance } from './appliance.ts';
import { battery } from './battery.ts';
import { charger } from './charger.ts';
import { elevator } from './elevator.ts';
import { heatPump } from './heat-pump.ts';
import { industrial } from './industrial.ts';
import { light } from './light.ts';
import type { AnyModel } from './model.ts';
import { solarInverter } from './solar-inverter.ts';
import { thermostat } from './thermostat.ts';
import { vehicle } from './vehicle.ts';

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
