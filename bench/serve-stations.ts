import { answerQuestions, ready } from './child-side.ts';

/** What the stations of this process have sent and received. */
export interface FleetReport {
  readonly connected: number;
  readonly metersSent: number;
  readonly answered: number;
  readonly refused: number;
  readonly lost: number;
  /** Milliseconds from MeterValues to the response, which confirms that they are durable. */
  readonly waits: readonly number[];
}

const url = process.env.BENCH_URL ?? '';
const stations = Number(process.env.BENCH_STATIONS);
const meterMs = Number(process.env.BENCH_METER_MS);
const CONNECTING_AT_ONCE = 50;

const counts = { connected: 0, metersSent: 0, answered: 0, refused: 0, lost: 0 };
const waits: number[] = [];
const sockets: WebSocket[] = [];
const meters: NodeJS.Timeout[] = [];
let stopping = false;

const CONFIGURATION = {
  NumberOfConnectors: '1',
  SupportedFeatureProfiles: 'Core,SmartCharging,RemoteTrigger',
  ChargingScheduleAllowedChargingRateUnit: 'Current',
  MeterValueSampleInterval: '10',
  MeterValuesSampledData: 'Energy.Active.Import.Register,Power.Active.Import',
};
const configurationKey = Object.entries(CONFIGURATION).map(([key, value]) => ({
  key,
  value,
  readonly: false,
}));

/** A minimal 1.6J station: boots, reports its status, meters, and accepts every command. */
function connect(number: number): Promise<void> {
  const identity = `BENCH-${10_000 + number}`;
  const authorization = `Basic ${Buffer.from(`${identity}:password-${number}`).toString('base64')}`;
  const socket = new WebSocket(`${url}/ocpp/${identity}`, {
    protocols: ['ocpp1.6'],
    headers: { authorization },
  });
  sockets.push(socket);
  const sentAt = new Map<string, number>();
  let calls = 0;
  let energyWh = 1_000;
  const call = (action: string, params: object) => {
    calls += 1;
    socket.send(JSON.stringify([2, String(calls), action, params]));
    return String(calls);
  };
  const meter = () => {
    energyWh += 20;
    const sampledValue = [
      { value: String(energyWh), measurand: 'Energy.Active.Import.Register', unit: 'Wh' },
      { value: '7360', measurand: 'Power.Active.Import', unit: 'W' },
    ];
    const meterValue = [{ timestamp: new Date().toISOString(), sampledValue }];
    sentAt.set(call('MeterValues', { connectorId: 1, meterValue }), performance.now());
    counts.metersSent += 1;
  };
  socket.addEventListener('message', ({ data }) => {
    const [kind, id, action] = JSON.parse(String(data)) as [number, string, string];
    if (kind === 2) {
      const answer = action === 'GetConfiguration' ? { configurationKey } : { status: 'Accepted' };
      socket.send(JSON.stringify([3, id, answer]));
      return;
    }
    const sent = sentAt.get(id);
    sentAt.delete(id);
    if (kind === 4) counts.refused += 1;
    else if (sent !== undefined) {
      counts.answered += 1;
      waits.push(performance.now() - sent);
    }
  });
  return new Promise((resolve) => {
    socket.addEventListener('open', () => {
      counts.connected += 1;
      call('BootNotification', { chargePointVendor: 'elnav', chargePointModel: 'Bench' });
      call('StatusNotification', { connectorId: 1, errorCode: 'NoError', status: 'Available' });
      // Spread over the interval, like stations switched on one by one.
      meters.push(
        setTimeout(() => {
          meter();
          meters.push(setInterval(meter, meterMs));
        }, Math.random() * meterMs),
      );
      resolve();
    });
    socket.addEventListener('close', () => {
      if (!stopping) counts.lost += 1;
      resolve();
    });
    socket.addEventListener('error', () => resolve());
  });
}

async function connectAll(): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < stations) {
      next += 1;
      await connect(next - 1);
    }
  };
  await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, worker));
}

answerQuestions(
  async () => {
    stopping = true;
    for (const socket of sockets) socket.close();
  },
  {
    connect: connectAll,
    report: () => ({ ...counts, waits }),
    /** Stops metering; running calls still get a response. */
    hush: () => {
      for (const timer of meters) clearInterval(timer);
    },
  },
);
ready({});
