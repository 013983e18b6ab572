import { METER_SECONDS } from '../options.ts';
import { ALIGNED, AT_ENDS, listOf, measureAlso, RUNNING } from '../station/setup.ts';
import type { Station } from '../station/station.ts';
import { refusesCards } from '../station/transactions.ts';
import { countIn } from '../wire/values.ts';

/** A 2.0.1 station's response about one variable (part 2, GetVariableResultType). */
export interface VariableResult {
  readonly attributeStatus: string;
  readonly attributeValue?: string;
  readonly component: { readonly name: string; readonly evse?: { readonly id: number } };
  readonly variable: { readonly name: string };
}

export interface VariableResults {
  readonly getVariableResult: readonly VariableResult[];
}

/** Names a variable in a request. */
export const variableOf = (component: string, variable: string) => ({
  component: { name: component },
  variable: { name: variable },
});

/** The key of a variable: `Component.Variable`. */
export const nameOf = ({ component, variable }: Pick<VariableResult, 'component' | 'variable'>): string =>
  `${component.name}.${variable.name}`;

/** The variables that are read here: charging limits and metering (part 2, appendix 3). */
export const USED = [
  variableOf('SmartChargingCtrlr', 'Enabled'),
  variableOf('SmartChargingCtrlr', 'RateUnit'),
  variableOf('SmartChargingCtrlr', 'PeriodsPerSchedule'),
  variableOf('SmartChargingCtrlr', 'ProfileStackLevel'),
  variableOf('SampledDataCtrlr', 'TxUpdatedInterval'),
  variableOf('SampledDataCtrlr', 'TxUpdatedMeasurands'),
  variableOf('SampledDataCtrlr', 'TxStartedMeasurands'),
  variableOf('SampledDataCtrlr', 'TxEndedMeasurands'),
  variableOf('AlignedDataCtrlr', 'Measurands'),
  variableOf('AlignedDataCtrlr', 'TxEndedMeasurands'),
  variableOf('ChargingStation', 'SupplyPhases'),
  variableOf('TxCtrlr', 'StopTxOnInvalidId'),
];

interface Outcomes {
  readonly setVariableResult: readonly { readonly attributeStatus: string }[];
}

/** What to measure at which point; a list that the station does not have is not set. */
const MEASURED = [
  ['SampledDataCtrlr', 'TxUpdatedMeasurands', RUNNING],
  ['SampledDataCtrlr', 'TxStartedMeasurands', AT_ENDS],
  ['SampledDataCtrlr', 'TxEndedMeasurands', AT_ENDS],
  ['AlignedDataCtrlr', 'Measurands', ALIGNED],
  ['AlignedDataCtrlr', 'TxEndedMeasurands', AT_ENDS],
] as const;

/** No home has more, and a station that accepts every request must not be probed for ever. */
const MOST_PROBED = 8;

/** Asks a 2.0.1 station for its variables (part 2 appendix 3), configures its metering, and has it report its state (F06). */
export async function setUp201(station: Station): Promise<void> {
  let smartCharging: boolean | null = null;
  let connectors: number | null = null;
  try {
    connectors = await countEvses(station);
    const answer = await station.tryCommand<VariableResults>('GetVariables', { getVariableData: USED });
    const values = new Map(
      answer?.getVariableResult.map((result) => [
        nameOf(result),
        result.attributeStatus === 'Accepted' ? result.attributeValue : undefined,
      ]),
    );
    const enabled = values.get('SmartChargingCtrlr.Enabled');
    if (enabled !== undefined) smartCharging = enabled.toLowerCase() !== 'false';
    const units = listOf(values.get('SmartChargingCtrlr.RateUnit') ?? '');
    station.rateUnit = units.length > 0 && !units.includes('A') ? 'W' : 'A';
    station.schedulePeriods = countIn(values.get('SmartChargingCtrlr.PeriodsPerSchedule'));
    station.stackLevel = countIn(values.get('SmartChargingCtrlr.ProfileStackLevel')) ?? 0;
    const phases = Number(values.get('ChargingStation.SupplyPhases'));
    station.supplyPhases = phases === 1 || phases === 2 || phases === 3 ? phases : null;

    const set = async (component: string, variable: string, attributeValue: string): Promise<boolean> => {
      const response = await station.tryCommand<Outcomes>('SetVariables', {
        setVariableData: [{ ...variableOf(component, variable), attributeValue }],
      });
      return station.isSet(response?.setVariableResult[0]?.attributeStatus);
    };
    const interval = Number(values.get('SampledDataCtrlr.TxUpdatedInterval'));
    if (!(interval > 0 && interval <= METER_SECONDS)) {
      await set('SampledDataCtrlr', 'TxUpdatedInterval', String(METER_SECONDS));
    }
    for (const [component, variable, wanted] of MEASURED) {
      const now = values.get(`${component}.${variable}`);
      if (now === undefined && wanted !== RUNNING) continue;
      await measureAlso({ now: now ?? '', wanted, set: (list) => set(component, variable, list) });
    }
    const ends = values.get('TxCtrlr.StopTxOnInvalidId');
    if (ends !== undefined && ends.toLowerCase() !== 'true' && (await refusesCards(station)))
      await set('TxCtrlr', 'StopTxOnInvalidId', 'true');
    await requestState(station, connectors);
  } finally {
    station.configured({ connectors, smartCharging });
  }
}

const AVAILABILITY: ReadonlySet<string | undefined> = new Set([
  'Available',
  'Occupied',
  'Reserved',
  'Unavailable',
  'Faulted',
]);

/**
 * The number of EVSEs; null where the station does not report it. No variable counts them, but each EVSE must have an
 * AvailabilityState (part 2 §2.2), so those that have one exist.
 */
async function countEvses(station: Station): Promise<number | null> {
  const numbers = Array.from({ length: MOST_PROBED }, (_, index) => index + 1);
  const answer = await station.tryCommand<VariableResults>('GetVariables', {
    getVariableData: numbers.map((id) => ({
      component: { name: 'EVSE', evse: { id } },
      variable: { name: 'AvailabilityState' },
    })),
  });
  const there = new Set(
    answer?.getVariableResult
      .filter((result) => result.attributeStatus === 'Accepted' && AVAILABILITY.has(result.attributeValue))
      .map(({ component }) => component.evse?.id),
  );
  return numbers.findLast((number) => there.has(number)) ?? null;
}

async function requestState(station: Station, evses: number | null): Promise<void> {
  const trigger = (requestedMessage: string, evse?: { id: number; connectorId?: number }) =>
    station.tryCommand<{ status: string }>('TriggerMessage', {
      requestedMessage,
      ...(evse !== undefined && { evse }),
    });
  for (const { number, status, recalled, plugs, transaction } of station.connectors()) {
    if (status === null || recalled) {
      for (const plug of plugs.size === 0 ? [1] : [...plugs.keys()])
        await trigger('StatusNotification', { id: number, connectorId: plug });
    }
    // F06: the response is a TransactionEvent of the running transaction, with its charging state.
    if (transaction !== null) await trigger('TransactionEvent', { id: number });
  }
  if (!station.setup.booted && evses === null) {
    // Without a boot no EVSE is reported by itself, so each next number is tried until the station rejects one.
    let number = Math.max(...station.connectors().map((connector) => connector.number));
    let answer: { status: string } | null;
    do {
      number += 1;
      answer = await trigger('StatusNotification', { id: number, connectorId: 1 });
    } while (answer?.status === 'Accepted' && number < MOST_PROBED);
  }
  await trigger('MeterValues');
  await station.askWhatItIs();
}
