import {
  DEVICE_FAULTS,
  type DeviceFault,
  type LocalSimulator,
  type LocalSimulatorOptions,
} from '../../adapter/local-simulator.ts';
import { createBroker } from '../../simulation/index.ts';
import { MAPPED, plant, type SimulatedDevice, tasmota, zigbee2mqtt } from './simulated-devices.ts';

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
