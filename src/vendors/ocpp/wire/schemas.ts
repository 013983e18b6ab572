import { createRequire } from 'node:module';
import type { Validator } from 'ocpp-rpc/lib/validator.js';
import { BoundedMap } from '../../../core/bounded-map.ts';
import { AppError } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { type Repaired, repair, type Schema } from './repair.ts';

const FILES = { 'ocpp1.6': 'ocpp1_6', 'ocpp2.0.1': 'ocpp2_0_1' } as const;
export type Protocol = keyof typeof FILES;

/**
 * Fields that the schemas require and nothing here reads, by action. Messages that are only acknowledged need none.
 * `status` and `connectorStatus`: an unknown value leaves the state unchanged.
 */
const DISPENSABLE: Readonly<Record<string, ReadonlySet<string> | 'all'>> = {
  BootNotification: 'all',
  StatusNotification: new Set(['errorCode', 'status', 'connectorStatus', 'timestamp']),
  TransactionEvent: new Set(['triggerReason', 'seqNo', 'type']),
  Authorize: new Set(['type']),
  GetConfiguration: new Set(['readonly']),
  DataTransfer: 'all',
  ClearedChargingLimit: 'all',
  DiagnosticsStatusNotification: 'all',
  FirmwareStatusNotification: 'all',
  Get15118EVCertificate: 'all',
  GetCertificateStatus: 'all',
  LogStatusNotification: 'all',
  NotifyChargingLimit: 'all',
  NotifyCustomerInformation: 'all',
  NotifyDisplayMessages: 'all',
  NotifyEVChargingNeeds: 'all',
  NotifyEVChargingSchedule: 'all',
  NotifyEvent: 'all',
  NotifyMonitoringReport: 'all',
  NotifyReport: 'all',
  PublishFirmwareStatusNotification: 'all',
  ReportChargingProfiles: 'all',
  ReservationStatusUpdate: 'all',
  SecurityEventNotification: 'all',
  SignCertificate: 'all',
  SignedFirmwareStatusNotification: 'all',
};

const NOTHING: ReadonlySet<string> = new Set();

/** The schemas of one protocol version: incoming messages are repaired by them, outgoing ones must match. */
export interface Schemas {
  /** Repairs the parameters of a station's call. */
  fromStation(action: string, params: unknown): Repaired;
  /** Repairs the station's response to our call. */
  answerOf(action: string, result: unknown): Repaired;
  /** Throws `vendor.refused` unless our call matches the schema exactly. */
  checkCall(action: string, params: object): void;
  /** Throws unless our response matches the schema. */
  checkAnswer(action: string, answer: object): void;
}

/** Loads the schemas once; both versions take some 5 MB and 40 ms. */
export async function loadSchemas(): Promise<Readonly<Record<Protocol, Schemas>>> {
  const { createValidator } = await import('ocpp-rpc');
  const load = (protocol: Protocol): Schemas => {
    // The RPC layer has loaded the same file, so this is a cache hit.
    const list: Schema[] = createRequire(import.meta.url)(`ocpp-rpc/lib/schemas/${FILES[protocol]}.json`);
    return schemasOf(list, createValidator(protocol, list));
  };
  return { 'ocpp1.6': load('ocpp1.6'), 'ocpp2.0.1': load('ocpp2.0.1') };
}

function schemasOf(list: readonly Schema[], validator: Validator): Schemas {
  const byId = new Map(list.map((schema) => [schema.$id, schema]));
  const repairOf = (action: string, part: 'req' | 'conf', value: unknown): Repaired => {
    const schema = byId.get(`urn:${action}.${part}`) ?? {};
    return repair(schema, value, DISPENSABLE[action] ?? NOTHING);
  };
  return {
    fromStation: (action, params) => repairOf(action, 'req', newestOf(params)),
    answerOf: (action, result) => repairOf(action, 'conf', result),
    checkCall(action, params) {
      try {
        void validator.validate(`urn:${action}.req`, params);
      } catch (error) {
        const why = error instanceof Error ? error.message : '';
        throw new AppError(
          'vendor.refused',
          `${action} was not sent, because it does not match the protocol: ${why}`,
          { cause: error },
        );
      }
    },
    checkAnswer: (action, answer) => void validator.validate(`urn:${action}.conf`, answer),
  };
}

/** The properties of a station's calls that have readings, oldest first. */
const READINGS = ['meterValue', 'transactionData'];
/** Sampled values of a call that are checked and stored: every measurand on every phase at ten moments. */
const MOST_SAMPLED = 200;

/**
 * A station's parameters with the newest of their readings: most of the older ones were reported before, and every one that is checked costs
 * time that all accounts share.
 */
function newestOf(params: unknown): unknown {
  if (typeof params !== 'object' || params === null) return params;
  const cut = READINGS.flatMap((name) => {
    const readings = (params as Readonly<Record<string, unknown>>)[name];
    if (!Array.isArray(readings)) return [];
    let room = MOST_SAMPLED;
    const kept: unknown[] = [];
    for (const reading of readings.toReversed()) {
      if (room <= 0) break;
      const values: unknown = reading?.sampledValue;
      const many = Array.isArray(values) ? values : [];
      kept.unshift(many.length > room ? { ...reading, sampledValue: many.slice(0, room) } : reading);
      room -= Math.max(1, many.length);
    }
    return [[name, kept]];
  });
  return cut.length === 0 ? params : { ...params, ...Object.fromEntries(cut) };
}

/** Deviations of one station from the protocol: counted by kind, each kind logged once. */
export class Tolerance {
  /** Messages by deviation, such as `MeterValues: meterValue.sampledValue.unit: a word that the protocol does not have`. */
  readonly counts = new Map<string, number>();
  readonly #identity: string;
  readonly #log: Log;

  constructor(identity: string, log: Log) {
    this.#identity = identity;
    this.#log = log;
  }

  /** The schemas bound the number of kinds: no name or value from the station is part of one. */
  note(action: string, { faults, refusal }: Repaired): void {
    for (const fault of faults) this.#count(`${action}: ${fault}`, 'a message from a station was repaired');
    if (refusal !== null) this.#count(`${action}: ${refusal.words}`, 'a message from a station was refused');
  }

  #count(kind: string, sentence: string): void {
    const before = this.counts.get(kind) ?? 0;
    this.counts.set(kind, before + 1);
    if (before === 0) this.#log.info({ identity: this.#identity, kind }, sentence);
  }
}

/** The maximum number of stations whose deviations are counted. */
const REMEMBERED = 10_000;

/** Outlives connections, so that a station that reconnects every minute does not fill the log. */
export class Tolerances {
  readonly #log: Log;
  readonly #byName = new BoundedMap<string, Tolerance>(REMEMBERED);

  constructor(log: Log) {
    this.#log = log;
  }

  of(name: string, identity: string): Tolerance {
    const tolerance = this.#byName.get(name) ?? new Tolerance(identity, this.#log);
    this.#byName.set(name, tolerance);
    return tolerance;
  }
}
