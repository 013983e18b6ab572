import {
  DEVICE_FAULTS,
  type DeviceFault,
  type LocalSimulator,
  type LocalSimulatorOptions,
} from '../../adapter/simulator.ts';
import { createBroker } from '../../proof/simulation/index.ts';
import { sineOfSunHeight } from '../../proof/simulation/physics/sun.ts';
import type { MappedDevice } from './schemas.ts';
import { load, type Options, type SimulatedDevice } from './simulated-device.ts';
import { tasmota } from './simulated-tasmota.ts';
import { zigbee2mqtt } from './simulated-zigbee.ts';

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
const STRIP = 'strip-1';
const USERNAME = 'home';
const PASSWORD = 'simulated-password';
const REPORT_MS = 5_000;

export const usualPort = 1_883;

/** A broker with a plug and a strip with Tasmota, a Zigbee network, a machine, panels and an oven. */
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
    ...tasmota(PLUG, { watts: [1_200] }, options),
    ...tasmota(STRIP, { watts: [60, 40], canDim: true }, options),
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
      tasmota_topics: `${PLUG}, ${STRIP}`,
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
