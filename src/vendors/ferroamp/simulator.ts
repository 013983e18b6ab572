import {
  DEVICE_FAULTS,
  type LocalSimulator,
  type LocalSimulatorOptions,
} from '../../adapter/local-simulator.ts';
import { createBroker } from '../../simulation/index.ts';
import { createHub } from './simulated-hub.ts';

const USERNAME = 'extapi';
const PASSWORD = 'simulated-password';
const HUB_MS = 1_000;
const UNITS_MS = 5_000;
const BATTERIES_MS = 60_000;

export const usualPort = 1_883;

/** An EnergyHub with the broker inside it. */
export async function createLocalSimulator({
  clock,
  address,
}: LocalSimulatorOptions): Promise<LocalSimulator> {
  const broker = await createBroker({
    users: new Map([[USERNAME, PASSWORD]]),
    isRefusing: () => hub.hasFault('exception'),
    onPublish: (topic, payload) => hub.take(topic, payload),
    // Nobody waits for the next second in front of a clock that a test turns ahead.
    onSubscribe() {
      if (clock.isTurned !== true) return;
      hub.reportHub();
      hub.reportUnits();
    },
  });
  const hub = createHub({
    clock,
    publish(topic, message) {
      // Another box with a broker.
      const shown = hub.hasFault('wrong_device') ? topic.replace('extapi', 'otherapi') : topic;
      broker.publish(shown, JSON.stringify(message));
    },
  });
  const scale = clock.isTurned === true ? 0.02 : 1;
  let cancel = () => {};
  let reporting: NodeJS.Immediate | undefined;
  let [unitsAt, batteriesAt] = [0, 0];
  const report = (): void => {
    const now = clock.now();
    hub.reportHub();
    if (now - unitsAt >= UNITS_MS * scale) {
      unitsAt = now;
      hub.reportUnits();
    }
    if (now - batteriesAt >= BATTERIES_MS * scale) {
      batteriesAt = now;
      hub.reportBatteries();
    }
    // Armed only now: an hour that a test turns ahead is followed by one report.
    cancel = clock.after(HUB_MS * scale, () => {
      reporting = setImmediate(report);
    });
  };
  report();
  return {
    credentials: { host: address.host, port: address.port, username: USERNAME, password: PASSWORD },
    accept: broker.accept,
    faults: DEVICE_FAULTS,
    fault: hub.fault,
    arrange: (_device, situation) => hub.arrange(situation),
    commands: hub.commands,
    async close() {
      cancel();
      clearImmediate(reporting);
      await broker.close();
    },
  };
}
