import type { DeviceType } from '../../src/adapter/device.ts';

/** How a simulated device of a type behaves, as source text over its fields: `device` has them. */
interface Life {
  /** More fields of the simulation, with what they are in a new one. */
  readonly more?: Readonly<Record<string, string>>;
  /** Brings the fields to now; `hours` have passed. */
  readonly settle: string;
  /** What each command does; `value` is its number. */
  readonly obey: Readonly<Record<string, string>>;
  /** The fields in a situation. */
  readonly arrange: string;
}

const switched: Life = {
  settle: 'device.watt = device.on ? 20 : 0;',
  obey: { turn_on: 'device.on = true;', turn_off: 'device.on = false;' },
  arrange: "on: situation === 'on'",
};

const room = (isOn: string): Pick<Life, 'more' | 'settle'> => ({
  more: { target: '19' },
  settle: `if (${isOn} && device.celsius < device.target) device.celsius = Math.min(device.target, device.celsius + 2 * hours);`,
});
const SET_TEMPERATURE = { set_temperature: 'device.target = value / 1_000;' };
const COLD = "celsius: situation === 'cold' ? 15 : 19, target: situation === 'cold' ? 15 : 19";

/** Charging: `watt` is drawn while `charging`, and `offered` is what is permitted, watt. */
const charging = {
  start_charge: 'device.charging = device.plugged;',
  stop_charge: 'device.charging = false;',
};
const PLUGGED = "plugged: situation === 'plugged_in' || situation === 'charging'";

export const LIVES: Readonly<Record<DeviceType, Life>> = {
  charger: {
    more: { amperes: '32' },
    settle: `device.wh += device.watt * hours;
  device.watt = device.charging ? device.amperes * 3 * 230 : 0;`,
    obey: {
      ...charging,
      // A limit of 0 A pauses.
      set_current: 'device.amperes = Math.min(value, 32);\ndevice.charging = device.plugged && value > 0;',
    },
    arrange: `${PLUGGED}, charging: situation === 'charging', amperes: 32`,
  },
  vehicle: {
    more: { limit: '80' },
    settle: `device.percent = Math.min(device.limit, device.percent + (100 * device.watt * hours) / 60_000);
  device.charging = device.charging && device.percent < device.limit;
  device.watt = device.charging ? 11_000 : 0;`,
    obey: { ...charging, set_charge_limit: 'device.limit = value;' },
    arrange: `${PLUGGED}, charging: situation === 'charging', percent: 50, limit: 80`,
  },
  heat_pump: {
    ...room('device.on'),
    settle: `${room('device.on').settle}
  device.watt = device.on ? 800 : 0;`,
    obey: { ...switched.obey, ...SET_TEMPERATURE },
    arrange: `on: situation !== 'off', ${COLD}`,
  },
  thermostat: { ...room('device.online'), obey: SET_TEMPERATURE, arrange: COLD },
  solar_inverter: { settle: 'device.wh += device.watt * hours;', obey: {}, arrange: 'watt: 800' },
  battery: {
    settle:
      'device.percent = Math.max(0, Math.min(100, device.percent + (100 * device.watt * hours) / 10_000));',
    obey: { set_battery_power: 'device.watt = Math.max(-5_000, Math.min(5_000, value));' },
    arrange: "percent: 50, watt: situation === 'battery_automatic' ? 1_500 : 0",
  },
  smart_home_appliance: {
    settle: `device.remaining = Math.max(0, Math.round(device.remaining - 3_600 * hours));
  device.watt = device.remaining > 0 ? 1_200 : 0;`,
    obey: { start_program: 'device.remaining = 3_600;', stop_program: 'device.remaining = 0;' },
    arrange: "on: true, remaining: situation === 'program_running' ? 3_600 : 0",
  },
  light: switched,
  elevator: switched,
  industrial: switched,
};
