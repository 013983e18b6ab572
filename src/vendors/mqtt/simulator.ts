import type { Situation } from '../../adapter/simulator.ts';
import {
  DEVICE_FAULTS,
  type DeviceFault,
  type LocalSimulator,
  type LocalSimulatorOptions,
} from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import { createBroker } from '../../proof/simulation/index.ts';
import { sineOfSunHeight } from '../../proof/simulation/physics/sun.ts';
import type { MappedDevice } from './schemas.ts';

type Publish = (topic: string, payload: string, isRetained?: boolean) => void;

interface Options {
  readonly clock: Clock;
  readonly publish: Publish;
  readonly fault: () => DeviceFault | null;
}

/** A device that is simulated: it publishes, and takes what others publish. */
export interface SimulatedDevice {
  readonly id: string;
  /** It can be asked for its state. */
  readonly isAsked?: true;
  report(): void;
  /** Has the broker keep what it retains, or forget it. */
  retain?(isThere: boolean): void;
  /** Returns the requested changes; undefined if there were none. */
  take(topic: string, payload: string): string | undefined;
  arrange(situation: Situation): void;
}

const HOUR_MS = 3_600_000;

/** Something that draws power while it is on, and counts what it has drawn. */
function load(clock: Clock, { watts, wh }: { readonly watts: number; readonly wh: number }) {
  let at = clock.now();
  const state = { isOn: true, share: 1, wh };
  const power = () => (state.isOn ? watts * state.share : 0);
  return {
    state,
    power,
    energy(): number {
      state.wh += (power() * (clock.now() - at)) / HOUR_MS;
      at = clock.now();
      return state.wh;
    },
  };
}

/** A plug with Tasmota, with its telemetry and answers. */
export function tasmota(topic: string, { clock, publish, fault }: Options): SimulatedDevice {
  const { state, power, energy } = load(clock, { watts: 1_200, wh: 12_000 });
  const word = () => (fault() === 'unknown_values' ? 'BLINK' : state.isOn ? 'ON' : 'OFF');
  const tellPower = () => {
    publish(`stat/${topic}/RESULT`, JSON.stringify({ POWER: word() }));
    publish(`stat/${topic}/POWER`, word());
  };
  const tellSensor = () =>
    publish(
      `tele/${topic}/SENSOR`,
      JSON.stringify({
        Time: new Date(clock.now()).toISOString().slice(0, 19),
        ENERGY: {
          Total: energy() / 1_000,
          Power: fault() === 'unknown_values' ? 'nan' : Math.round(power()),
          Voltage: 230,
        },
      }),
    );
  publish(`tele/${topic}/LWT`, 'Online', true);
  return {
    id: `tasmota-${topic}`,
    isAsked: true,
    report: tellSensor,
    take(to, payload) {
      if (to === `cmnd/${topic}/TelePeriod`) tellSensor();
      if (to !== `cmnd/${topic}/POWER`) return undefined;
      energy();
      if (payload !== '') state.isOn = payload === 'ON';
      tellPower();
      return payload === '' ? undefined : `${topic} ${payload}`;
    },
    arrange(situation) {
      energy();
      state.isOn = situation !== 'off';
      tellPower();
      tellSensor();
    },
  };
}

const ZIGBEE_LAMP = '0x00178d0009876543';
const ZIGBEE_SENSOR = '0x00158d0001234567';
const LAMP_NAME = 'kitchen/lamp';
const SENSOR_NAME = 'hall thermometer';

const feature = (name: string, type: string, more: object) => ({ name, property: name, type, ...more });

/** A Zigbee network with a lamp that is dimmed and a thermometer that sleeps. */
export function zigbee2mqtt(base: string, { clock, publish, fault }: Options): SimulatedDevice[] {
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
  ];
}

/** The mapping of a machine and of panels, as an app gives it. */
export const MAPPED: readonly MappedDevice[] = [
  {
    id: 'press-1',
    name: 'Press',
    type: 'industrial',
    reads: {
      read_power: { topic: 'plant/press-1/meter', pointer: '/active~1total', unit: 'kW' },
      read_energy: { topic: 'plant/press-1/meter', pointer: '/counter', unit: 'MWh' },
      read_temperature: { topic: 'plant/press-1/oil', unit: 'F' },
      power_on: { topic: 'plant/press-1/running', on: '1', off: '0' },
      limit: { topic: 'plant/press-1/limit', pointer: '/now', unit: 'kW' },
    },
    controls: {
      on_off: { topic: 'plant/press-1/run', on: '1', off: '0' },
      set_limit: { topic: 'plant/press-1/limit/set', property: 'watts', min_w: 5_000, max_w: 60_000 },
    },
    ask: [{ topic: 'plant/press-1/ask', payload: 'all' }],
    availability: [{ topic: 'plant/press-1/online', online: 'true', offline: 'false' }],
  },
  {
    id: 'roof',
    type: 'solar_inverter',
    reads: {
      read_production: { topic: 'roof/now' },
      read_energy: { topic: 'roof/total', unit: 'kWh' },
      read_temperature: { topic: 'roof/heat' },
    },
  },
  {
    id: 'oven',
    type: 'smart_home_appliance',
    reads: { read_temperature: { topic: 'oven/celsius', scale: 0.1 }, read_energy: { topic: 'oven/wh' } },
  },
];

/** What `MAPPED` maps. */
export function plant({ clock, publish, fault }: Options): SimulatedDevice[] {
  const press = load(clock, { watts: 40_000, wh: 7e8 });
  const roof = load(clock, { watts: 4_000, wh: 4e6 });
  let limitW = 60_000;
  const isOdd = () => fault() === 'unknown_values';
  const limited = () => Math.min(press.power(), limitW);
  const tellPress = () => {
    const to = (name: string, payload: string) => publish(`plant/press-1/${name}`, payload);
    to(
      'meter',
      JSON.stringify({ 'active/total': isOdd() ? 'n/a' : limited() / 1_000, counter: press.energy() / 1e6 }),
    );
    to('oil', '131');
    to('running', isOdd() ? 'n/a' : press.state.isOn ? '1' : '0');
    to('limit', JSON.stringify({ now: limitW / 1_000 }));
  };
  publish('plant/press-1/online', 'true', true);
  return [
    {
      id: 'press-1',
      isAsked: true,
      report: tellPress,
      take(topic, payload) {
        if (topic === 'plant/press-1/ask') tellPress();
        const isLimit = topic === 'plant/press-1/limit/set';
        if (!isLimit && topic !== 'plant/press-1/run') return undefined;
        press.energy();
        if (isLimit) limitW = (JSON.parse(payload) as { readonly watts: number }).watts;
        else press.state.isOn = payload === '1';
        tellPress();
        return `${topic} ${payload}`;
      },
      arrange(situation) {
        press.energy();
        press.state.isOn = situation !== 'off';
        limitW = 60_000;
        tellPress();
      },
    },
    {
      id: 'roof',
      report() {
        roof.state.share = Math.max(0, sineOfSunHeight(clock.now()));
        publish('roof/now', isOdd() ? 'NaN' : String(Math.round(roof.power())));
        publish('roof/total', (roof.energy() / 1_000).toFixed(3));
        publish('roof/heat', '31.5');
      },
      take: () => undefined,
      arrange: () => {},
    },
    {
      id: 'oven',
      report() {
        publish('oven/celsius', isOdd() ? '1e999' : '2251');
        publish('oven/wh', '123456');
      },
      take: () => undefined,
      arrange: () => {},
    },
  ];
}

const BASE = 'zigbee2mqtt';
const PLUG = 'plug-1';
const USERNAME = 'home';
const PASSWORD = 'simulated-password';
const REPORT_MS = 5_000;

export const usualPort = 1_883;

/** A broker with a plug with Tasmota, a Zigbee network, a machine, panels and an oven. */
export async function createLocalSimulator({
  clock,
  address,
}: LocalSimulatorOptions): Promise<LocalSimulator> {
  const told: string[] = [];
  let fault: DeviceFault | null = null;
  const isThere = () => fault !== 'wrong_device';
  const broker = await createBroker({
    users: new Map([[USERNAME, PASSWORD]]),
    isRefusing: () => fault === 'exception',
    onPublish(topic, payload) {
      for (const device of devices) {
        const change = isThere() ? device.take(topic, payload) : undefined;
        if (change !== undefined) told.push(change);
      }
    },
    // Nobody waits for reports of what cannot be asked in front of a clock that a test turns ahead.
    onSubscribe() {
      if (clock.isTurned === true && isThere())
        for (const device of devices) if (device.isAsked !== true) device.report();
    },
  });
  const options = { clock, publish: broker.publish, fault: () => fault };
  const devices: readonly SimulatedDevice[] = [
    tasmota(PLUG, options),
    ...zigbee2mqtt(BASE, options),
    ...plant(options),
  ];
  const everyMs = clock.isTurned === true ? REPORT_MS / 500 : REPORT_MS;
  let reporting: NodeJS.Immediate | undefined;
  let cancel = () => {};
  let reportedAt = Number.NEGATIVE_INFINITY;
  // Armed only when it has reported: an hour that a test turns ahead is followed by one report.
  const tick = (): void => {
    const isDue = clock.now() - reportedAt >= REPORT_MS;
    if (isDue) reportedAt = clock.now();
    if (isThere()) for (const device of devices) if (isDue || device.isAsked !== true) device.report();
    cancel = clock.after(everyMs, () => {
      reporting = setImmediate(tick);
    });
  };
  tick();
  return {
    credentials: {
      ...address,
      username: USERNAME,
      password: PASSWORD,
      zigbee2mqtt_topic: BASE,
      tasmota_topics: PLUG,
      devices: structuredClone(MAPPED) as never,
    },
    accept: broker.accept,
    faults: DEVICE_FAULTS,
    fault(next) {
      fault = next;
      for (const device of devices) device.retain?.(isThere());
    },
    arrange({ id }, situation) {
      for (const device of devices) if (device.id === id) device.arrange(situation);
    },
    commands: () => told,
    async close() {
      cancel();
      clearImmediate(reporting);
      await broker.close();
    },
  };
}
