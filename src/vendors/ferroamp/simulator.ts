import Type from 'typebox';
import { messageIn } from '../../adapter/kit/index.ts';
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

const MJ_PER_WH = 3_600_000;
const PANELS_W = 8_000;
const HOUSE_W = 600;
const BATTERIES = [
  { id: 'ES01Z000012345678 ', capacityWh: 15_300, ratedW: 7_000 },
  { id: 'ES01Z000012345679 ', capacityWh: 15_300, ratedW: 7_000 },
] as const;
const RATED_W = BATTERIES.reduce((sum, { ratedW }) => sum + ratedW, 0);
const CAPACITY_WH = BATTERIES.reduce((sum, { capacityWh }) => sum + capacityWh, 0);
const CONVERTERS = ['20030049', '20030050'];
const STRINGS = ['PS00990-A02-S20120476', 'PS00990-A02-S20120477'];

const Request = Type.Object({
  transId: Type.String(),
  cmd: Type.Object({
    name: Type.String(),
    arg: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  }),
});

type Publish = (topic: string, message: unknown) => void;

/** An EnergyHub with panels and two batteries, in its own words. What it publishes is as of the moment that it is asked for. */
export function createHub({ clock, publish }: { readonly clock: Clock; readonly publish: Publish }) {
  const ordered: string[] = [];
  let fault: DeviceFault | null = null;
  /** Watt into the batteries; undefined while the hub decides. */
  let setPoint: number | undefined;
  let sunW: number | undefined;
  let soc = 50;
  let solarWh = 4_200_000;
  let gridWh = 6_300_000;
  let houseWh = 6_700_000;
  let chargedWh = 1_366_000;
  let dischargedWh = 1_242_000;
  let at = clock.now();

  const panelsW = (): number => sunW ?? PANELS_W * Math.max(0, sineOfSunHeight(clock.now()));
  function batteryW(): number {
    const wanted = setPoint ?? panelsW() - HOUSE_W;
    if ((wanted > 0 && soc >= 100) || (wanted < 0 && soc <= 10)) return 0;
    return Math.max(0 - RATED_W, Math.min(RATED_W, wanted));
  }

  /** Brings energies and charge to now, at the powers that were until now. */
  function settle(): void {
    const hours = (clock.now() - at) / 3_600_000;
    at = clock.now();
    const storedWh = batteryW() * hours;
    solarWh += panelsW() * hours;
    houseWh += HOUSE_W * hours;
    gridWh += Math.max(0, HOUSE_W + batteryW() - panelsW()) * hours;
    if (storedWh > 0) chargedWh += storedWh;
    else dischargedWh -= storedWh;
    soc = Math.max(0, Math.min(100, soc + (100 * storedWh) / CAPACITY_WH));
  }

  const of = (value: number | string) => ({ val: fault === 'unknown_values' ? 'n/a' : String(value) });
  const phases = (total: number) =>
    Object.fromEntries(['L1', 'L2', 'L3'].map((phase) => [phase, (total / 3).toFixed(2)]));
  const energy = (wh: number) => Math.round(wh * MJ_PER_WH);
  const time = () => ({ val: `${new Date(clock.now()).toISOString().slice(0, 19)}UTC` });

  function reportHub(): void {
    settle();
    const [sun, battery] = [panelsW(), batteryW()];
    publish('extapi/data/ehub', {
      gridfreq: of('50.02'),
      ppv: of(sun.toFixed(2)),
      // Positive discharges.
      pbat: of((0 - battery).toFixed(2)),
      pext: phases(HOUSE_W + battery - sun),
      pinv: phases(battery - sun),
      pload: phases(HOUSE_W),
      wpv: of(energy(solarWh)),
      wextconsq: phases(energy(gridWh)),
      wloadconsq: phases(energy(houseWh)),
      // "Produced" is what went into the batteries.
      wbatprod: of(energy(chargedWh)),
      wbatcons: of(energy(dischargedWh)),
      state: of('4097'),
      ts: time(),
    });
  }

  function reportUnits(): void {
    settle();
    const temp = of('20.379');
    for (const id of STRINGS)
      publish('extapi/data/sso', {
        id: { val: id },
        upv: of('653.012'),
        ipv: of((panelsW() / 2 / 653.012).toFixed(3)),
        wpv: of(energy(solarWh / STRINGS.length)),
        faultcode: of('0'),
        relaystatus: of('0'),
        temp,
        ts: time(),
      });
    for (const id of CONVERTERS)
      publish('extapi/data/eso', {
        id: { val: id },
        soc: of(soc.toFixed(6)),
        ubat: of('622.601'),
        ibat: of((batteryW() / 2 / 622.601).toFixed(3)),
        relaystatus: of('0'),
        faultcode: of('0'),
        temp,
        ts: time(),
      });
  }

  function reportBatteries(): void {
    for (const { id, capacityWh, ratedW } of BATTERIES)
      publish('extapi/data/esm', {
        id: { val: id },
        soh: of('98.9'),
        soc: of(soc.toFixed(1)),
        ratedCapacity: of(capacityWh),
        ratedPower: of(ratedW),
        status: of('0'),
      });
  }

  /** Why the hub refuses an order; undefined where it has obeyed. */
  function obey(name: string, watts: number): string | undefined {
    if (watts > RATED_W) return `Max allowed power is ${RATED_W} W`;
    settle();
    if (name === 'auto') setPoint = undefined;
    else if (name === 'charge') setPoint = watts;
    else if (name === 'discharge') setPoint = 0 - watts;
    else return 'Unknown command';
    return undefined;
  }

  return {
    reportHub,
    reportUnits,
    reportBatteries,
    commands: () => ordered,
    hasFault: (one: DeviceFault): boolean => fault === one,
    fault(next: DeviceFault | null): void {
      fault = next;
    },
    /** A client has published something. */
    take(topic: string, payload: string): void {
      const request = topic === 'extapi/control/request' ? messageIn(payload, Request) : undefined;
      if (request === undefined) return;
      const { transId, cmd } = request;
      ordered.push([cmd.name, cmd.arg].filter((word) => word !== undefined).join(' '));
      const refusal = obey(cmd.name, Number(cmd.arg ?? 0));
      publish('extapi/control/response', {
        transId,
        status: refusal === undefined ? 'ack' : 'nak',
        msg: refusal ?? 'sending cmd to ESOs',
      });
      if (refusal === undefined)
        publish('extapi/control/result', { transId, status: 'ack', msg: 'cmd executed by ESOs' });
    },
    arrange(situation: Situation): void {
      settle();
      soc = 50;
      sunW = 4_000;
      setPoint = situation === 'battery_idle' ? 0 : undefined;
    },
  };
}

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
