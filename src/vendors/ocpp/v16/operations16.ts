import { AppError } from '../../../core/errors.ts';
import type { Dialect } from '../station/dialect.ts';
import { type Composite, compositeOf, type Outcome, settingOf, statusOf } from '../station/operations.ts';
import type { Station } from '../station/station.ts';

interface Configuration {
  readonly configurationKey?: readonly { key: string; readonly?: boolean; value?: string }[];
  readonly unknownKey?: readonly string[];
}
interface CompositeSchedule extends Outcome {
  readonly scheduleStart?: string;
  readonly chargingSchedule?: Composite;
}

/** The longest configuration key (CiString50). */
const LONGEST_KEY = 50;

function keyOf(key: string): string {
  if (key.length <= LONGEST_KEY) return key;
  throw new AppError('request.invalid', `a key of OCPP 1.6 has at most ${LONGEST_KEY} characters`);
}

/** Operations of a 1.6 station besides charging. Section numbers refer to the 1.6 edition 2 specification. */
export function operations16(station: Station): Dialect['operate'] {
  return async (connector, operation) => {
    const connectorId = connector.number;
    switch (operation.type) {
      case 'reset': // §5.14
        if (operation.scope === 'evse')
          throw new AppError('request.invalid', 'OCPP 1.6 restarts only whole stations; omit scope');
        return statusOf(
          await station.command<Outcome>('Reset', { type: operation.mode === 'hard' ? 'Hard' : 'Soft' }),
        );
      case 'unlock': // §5.18
        if (operation.evse !== undefined)
          throw new AppError('request.invalid', 'OCPP 1.6 has no EVSEs; name the connector alone');
        return statusOf(
          await station.command<Outcome>('UnlockConnector', {
            connectorId: operation.connector ?? connectorId,
          }),
        );
      case 'change_availability': // §5.2
        return statusOf(
          await station.command<Outcome>('ChangeAvailability', {
            connectorId,
            type: operation.available ? 'Operative' : 'Inoperative',
          }),
        );
      case 'trigger': // §5.17
        return statusOf(
          await station.command<Outcome>('TriggerMessage', {
            requestedMessage: operation.message,
            ...(/^(StatusNotification|MeterValues)$/.test(operation.message) && { connectorId }),
          }),
        );
      case 'get_configuration': {
        // §5.8
        const { configurationKey = [], unknownKey = [] } = await station.command<Configuration>(
          'GetConfiguration',
          operation.keys === undefined ? {} : { key: operation.keys.map(keyOf) },
        );
        return {
          status: 'Accepted',
          settings: configurationKey.map((one) => settingOf(one.key, one.value, one.readonly ?? null)),
          unknown_keys: [...unknownKey],
        };
      }
      case 'set_configuration': // §5.3
        return statusOf(
          await station.command<Outcome>('ChangeConfiguration', {
            key: keyOf(operation.key),
            value: operation.value,
          }),
        );
      case 'clear_limits':
        return { status: await station.limits.clear(connector) };
      case 'effective_limit': {
        // §5.7
        const { status, scheduleStart, chargingSchedule } = await station.command<CompositeSchedule>(
          'GetCompositeSchedule',
          { connectorId, duration: operation.seconds ?? 86_400 },
        );
        return { status, limit: compositeOf(chargingSchedule, scheduleStart) };
      }
    }
  };
}
