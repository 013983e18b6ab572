import { HOUR_MS } from '../../core/durations.ts';
import { type Building, heatRoom } from '../../proof/simulation/physics/room.ts';
import { load, type Options, type SimulatedDevice } from './simulated-device.ts';

const ZIGBEE_LAMP = '0x00178d0009876543';
const ZIGBEE_SENSOR = '0x00158d0001234567';
const ZIGBEE_VALVE = '0x003c84fffe123456';
const LAMP_NAME = 'kitchen/lamp';
const SENSOR_NAME = 'hall thermometer';
const VALVE_NAME = 'bedroom/radiator';
/** A bedroom with a radiator. */
const BEDROOM: Building = { lossWPerK: 40, timeConstant: 20 * HOUR_MS, maxHeatW: 2_500 };

const feature = (name: string, type: string, more: object) => ({ name, property: name, type, ...more });

/** A valve and its room, in time. */
function valve(base: string, { clock, publish, fault }: Options): SimulatedDevice {
  const room = { targetC: 20, roomC: 20, at: clock.now() };
  const settle = () => {
    const now = clock.now();
    const { roomC } = heatRoom(BEDROOM, room, { from: room.at, to: now });
    Object.assign(room, { roomC, at: now });
  };
  const tell = () => {
    settle();
    const isOdd = fault() === 'unknown_values';
    publish(
      `${base}/${VALVE_NAME}`,
      JSON.stringify({
        occupied_heating_setpoint: isOdd ? 'n/a' : room.targetC,
        local_temperature: isOdd ? 'n/a' : Math.round(room.roomC * 100) / 100,
        system_mode: 'heat',
      }),
    );
  };
  return {
    id: ZIGBEE_VALVE,
    isAsked: true,
    report: tell,
    take(topic, payload) {
      if (topic === `${base}/${VALVE_NAME}/get`) tell();
      if (topic !== `${base}/${VALVE_NAME}/set`) return undefined;
      settle();
      room.targetC = (
        JSON.parse(payload) as { readonly occupied_heating_setpoint: number }
      ).occupied_heating_setpoint;
      tell();
      return `${VALVE_NAME} ${payload}`;
    },
    arrange() {
      Object.assign(room, { targetC: 17, roomC: 17, at: clock.now() });
      tell();
    },
  };
}

/** A Zigbee network with a lamp that is dimmed, a thermometer that sleeps and the valve of a radiator. */
export function zigbee2mqtt(base: string, options: Options): SimulatedDevice[] {
  const { clock, publish, fault } = options;
  const { state, power, energy } = load(clock, { watts: 9, wh: 800 });
  const list = [
    {
      ieee_address: '0x00124b0018ed2c00',
      friendly_name: 'Coordinator',
      type: 'Coordinator',
      definition: null,
    },
    {
      ieee_address: ZIGBEE_LAMP,
      friendly_name: LAMP_NAME,
      type: 'Router',
      disabled: false,
      definition: {
        exposes: [
          {
            type: 'light',
            features: [
              feature('state', 'binary', { access: 7, value_on: 'ON', value_off: 'OFF' }),
              feature('brightness', 'numeric', { access: 7, value_min: 0, value_max: 254 }),
            ],
          },
          feature('power', 'numeric', { access: 5, unit: 'W' }),
          feature('energy', 'numeric', { access: 5, unit: 'kWh' }),
        ],
      },
    },
    {
      ieee_address: ZIGBEE_SENSOR,
      friendly_name: SENSOR_NAME,
      type: 'EndDevice',
      disabled: false,
      definition: { exposes: [feature('temperature', 'numeric', { access: 1, unit: '°C' })] },
    },
    {
      ieee_address: ZIGBEE_VALVE,
      friendly_name: VALVE_NAME,
      type: 'EndDevice',
      disabled: false,
      definition: {
        exposes: [
          feature('battery', 'numeric', { access: 5, unit: '%' }),
          {
            type: 'climate',
            features: [
              feature('occupied_heating_setpoint', 'numeric', {
                access: 7,
                value_min: 5,
                value_max: 35,
                value_step: 0.5,
                unit: '°C',
              }),
              feature('local_temperature', 'numeric', { access: 5, unit: '°C' }),
              feature('system_mode', 'enum', { access: 7, values: ['heat'] }),
            ],
          },
        ],
      },
    },
  ];
  publish(`${base}/bridge/state`, '{"state":"online"}', true);
  const tellList = (isThere: boolean) =>
    publish(`${base}/bridge/devices`, isThere ? JSON.stringify(list) : '', true);
  tellList(true);
  const isOdd = () => fault() === 'unknown_values';
  const tellLamp = () =>
    publish(
      `${base}/${LAMP_NAME}`,
      JSON.stringify({
        state: isOdd() ? 'BLINK' : state.isOn ? 'ON' : 'OFF',
        brightness: isOdd() ? 'n/a' : Math.round(state.share * 254),
        power: isOdd() ? 'high' : power(),
        energy: energy() / 1_000,
      }),
    );
  const tellSensor = () =>
    publish(`${base}/${SENSOR_NAME}`, isOdd() ? '{"temperature":"n/a"}' : '{"temperature":21.3}');
  return [
    {
      id: ZIGBEE_LAMP,
      isAsked: true,
      report: tellLamp,
      take(topic, payload) {
        if (topic === `${base}/${LAMP_NAME}/get`) tellLamp();
        if (topic !== `${base}/${LAMP_NAME}/set`) return undefined;
        energy();
        const wanted = JSON.parse(payload) as { readonly state?: string; readonly brightness?: number };
        if (wanted.state !== undefined) state.isOn = wanted.state === 'ON';
        if (wanted.brightness !== undefined) state.share = wanted.brightness / 254;
        tellLamp();
        return `${LAMP_NAME} ${payload}`;
      },
      arrange(situation) {
        energy();
        Object.assign(state, { isOn: situation !== 'off', share: 1 });
        tellLamp();
      },
    },
    { id: ZIGBEE_SENSOR, retain: tellList, report: tellSensor, take: () => undefined, arrange: () => {} },
    valve(base, options),
  ];
}
