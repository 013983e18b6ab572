import { turnedClock } from '../../core/clock.ts';
import type { Simulator } from '../../proof/conformance/index.ts';
import type { Quirks } from './simulator/simulated-plug.ts';
import type { SimulatedStation } from './simulator/simulator.ts';
import { IDENTITY, KEY, PASSWORD, until, World } from './test-world.ts';

interface Variant {
  readonly name: string;
  readonly protocol: 'ocpp1.6' | 'ocpp2.0.1';
  readonly connectors?: number;
  readonly quirks?: Quirks;
}

const VARIANTS: readonly Variant[] = [
  { name: '1.6', protocol: 'ocpp1.6' },
  { name: '2.0.1', protocol: 'ocpp2.0.1' },
  { name: '1.6 with two connectors', protocol: 'ocpp1.6', connectors: 2 },
  { name: '2.0.1 with two EVSEs', protocol: 'ocpp2.0.1', connectors: 2 },
  {
    name: '1.6 as implemented by SAP and Solidstudio',
    protocol: 'ocpp1.6',
    quirks: { kilowattHours: true, bareStatus: true, phasesToo: true, authorizesFirst: true },
  },
  {
    name: '2.0.1 as implemented by SAP and Solidstudio',
    protocol: 'ocpp2.0.1',
    quirks: { kilowattHours: true, phasesToo: true, authorizesFirst: true, seqNoZero: true },
  },
  { name: '1.6 in watt', protocol: 'ocpp1.6', quirks: { wattsOnly: true } },
  { name: '2.0.1 in watt', protocol: 'ocpp2.0.1', quirks: { wattsOnly: true } },
  { name: '1.6 without TxProfile', protocol: 'ocpp1.6', quirks: { rejects: ['TxProfile'] } },
  {
    name: '1.6 with a limit on the whole station only',
    protocol: 'ocpp1.6',
    quirks: { notImplemented: ['TxProfile', 'TxDefaultProfile'] },
  },
  {
    name: '2.0.1 without TxDefaultProfile or the whole',
    protocol: 'ocpp2.0.1',
    quirks: { notImplemented: ['ChargingStationMaxProfile', 'TxDefaultProfile'] },
  },
  {
    name: '1.6 without configuration and triggers',
    protocol: 'ocpp1.6',
    quirks: { notImplemented: ['GetConfiguration', 'TriggerMessage'] },
  },
  { name: '1.6 without a clock', protocol: 'ocpp1.6', quirks: { noClock: true } },
];

/** The steps in which time passes: few, but short enough for each meter value to be sent. */
const STEP_SECONDS = 10;

async function harness(variant: Variant): Promise<{ readonly simulator: Simulator; close(): Promise<void> }> {
  const clock = turnedClock();
  const world = await new World({ messagesPerSecond: 1_000 }, clock).open();
  const quirks: { -readonly [Q in keyof Quirks]: Quirks[Q] } = { ...variant.quirks };
  const station = world.station({ ...variant, quirks });
  await station.connect();
  await asked(station);
  const heldBy = async () => (await world.read()).held_by ?? null;
  const simulator: Simulator = {
    credentials: { identity: IDENTITY, password: PASSWORD },
    session: () => ({ ...world.session(), credentials: { identity: IDENTITY, password: PASSWORD } }),
    async arrange(device, situation) {
      const plug = station.plug(Number(device.details.connector));
      if (plug.transaction !== null) station.end(plug, 'Local');
      await station.idle();
      plug.limits.clear();
      await station.plugIn(plug.number);
      if (situation === 'charging') station.begin(plug, 'CARD');
      await station.idle();
    },
    /** Its owner enters a fuse, and the station takes no limit; the other way round, they leave it empty. */
    async intervene(_device, _code, isNeeded) {
      quirks.rejects = isNeeded ? ['SetChargingProfile'] : (variant.quirks?.rejects ?? []);
      const fuse = isNeeded ? { installation_max_a: 16 } : {};
      await world.host.link(KEY, { identity: IDENTITY, password: PASSWORD, ...fuse });
      const left = new Promise<void>((resolve) => station.rpc.once('close', () => resolve()));
      world.server.drop(KEY, 'credentials_changed');
      await left;
      await station.connect();
      await until('the limit was refused', async () => (await heldBy()) === (isNeeded ? 'nobody' : null));
      await station.idle();
      return true;
    },
    async pass(seconds) {
      for (let passed = 0; passed < seconds; passed += STEP_SECONDS) {
        clock.turn(STEP_SECONDS * 1000);
        await station.idle();
      }
    },
  };
  return { simulator, close: () => world.close() };
}

/** Waits for the last configuration request, and for all that it triggered. */
async function asked(station: SimulatedStation): Promise<void> {
  const last = { requestedMessage: 'MeterValues' };
  await until('the last request', () =>
    station.received.some(({ params }) => JSON.stringify(params) === JSON.stringify(last)),
  );
  await station.idle();
}

/** A station of each make, for `test/vendors.test.ts`. */
export const VARIANTS_TO_CONFORM = VARIANTS.map((variant) => ({
  name: variant.name,
  open: () => harness(variant),
}));
