/** The whole vocabulary: a capability starts here and nowhere else. Each read fills exactly one field of the state. */
export const READS = {
  read_battery_soc: 'battery_soc',
  read_power: 'power_w',
  read_energy: 'energy_wh',
  read_temperature: 'temperature_milli_c',
  read_production: 'production_w',
} as const;

/** Each control capability and the commands that it permits. */
export const CONTROLS = {
  on_off: ['turn_on', 'turn_off'],
  charge_limit: ['set_charge_limit'],
  charge_control: ['start_charge', 'stop_charge'],
  set_current: ['set_current'],
  load_balancing: ['set_limit'],
  set_temperature: ['set_temperature'],
  set_light: ['set_light'],
  set_battery_power: ['set_battery_power'],
  program_control: ['start_program', 'stop_program'],
  delayed_start: ['delayed_start'],
} as const;

export type ReadCapability = keyof typeof READS;
export type ControlCapability = keyof typeof CONTROLS;
export type Capability = ReadCapability | ControlCapability;

export const READ_CAPABILITIES = Object.keys(READS) as ReadCapability[];
export const CONTROL_CAPABILITIES = Object.keys(CONTROLS) as ControlCapability[];
export const CAPABILITIES: readonly Capability[] = [...READ_CAPABILITIES, ...CONTROL_CAPABILITIES];
