import { createRequire } from 'node:module';
import type { Validator } from 'ocpp-rpc/lib/validator.js';
import { AppError } from '../../core/errors.ts';
import { type Repaired, repair, type Schema } from './repair.ts';

const FILES = { 'ocpp1.6': 'ocpp1_6', 'ocpp2.0.1': 'ocpp2_0_1' } as const;
export type Protocol = keyof typeof FILES;

/**
 * What the schemas require and nothing here reads, by action. Where a message is only noted, nothing of it is needed.
 * `status` and `connectorStatus`: a word that nobody knows leaves the state as it was.
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

/** The schemas of one version of the protocol: what stations say is repaired by them, what we say must fit. */
export interface Schemas {
  /** Parameters of a call of the station's. */
  fromStation(action: string, params: unknown): Repaired;
  /** The station's answer to a call of ours. */
  answerOf(action: string, result: unknown): Repaired;
  /** Throws `vendor.refused` unless our call is exactly what the protocol describes. */
  checkCall(action: string, params: object): void;
  /** Throws unless our answer is. */
  checkAnswer(action: string, answer: object): void;
}

/** Reads them once; both versions take some 5 MB and 40 ms. */
export async function loadSchemas(): Promise<Readonly<Record<Protocol, Schemas>>> {
  const { createValidator } = await import('ocpp-rpc');
  const load = (protocol: Protocol): Schemas => {
    // The RPC layer has read the same file, and keeps it.
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
    fromStation: (action, params) => repairOf(action, 'req', params),
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
