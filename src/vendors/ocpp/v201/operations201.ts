import { AppError } from '../../../core/errors.ts';
import type { Dialect } from '../station/dialect.ts';
import { type Composite, compositeOf, type Outcome, settingOf, statusOf } from '../station/operations.ts';
import type { Station } from '../station/station.ts';
import { nameOf, USED, type VariableResult, type VariableResults, variableOf } from './setup201.ts';

interface CompositeSchedule extends Outcome {
  readonly schedule?: Composite & { readonly scheduleStart?: string };
}

/** A key is `Component.Variable`. */
function variableIn(key: string): ReturnType<typeof variableOf> {
  const [component = '', variable = '', ...more] = key.split('.');
  if (component === '' || variable === '' || more.length > 0 || component.length > 50 || variable.length > 50)
    throw new AppError(
      'request.invalid',
      `a key of OCPP 2.0.1 is Component.Variable, such as OCPPCommCtrlr.HeartbeatInterval, not ${key.slice(0, 60)}`,
    );
  return variableOf(component, variable);
}

/** Operations of a 2.0.1 station besides charging. The use cases are those of part 2. */
export function operations201(station: Station): Dialect['operate'] {
  return async (connector, operation) => {
    const evse = { id: connector.number };
    switch (operation.type) {
      case 'reset': // B11, B12
        return statusOf(
          await station.command<Outcome>('Reset', {
            type: operation.mode === 'hard' ? 'Immediate' : 'OnIdle',
            ...(operation.scope === 'evse' && { evseId: evse.id }),
          }),
        );
      case 'unlock': // F05
        return statusOf(
          await station.command<Outcome>('UnlockConnector', {
            evseId: operation.evse ?? evse.id,
            connectorId: operation.connector ?? 1,
          }),
        );
      case 'change_availability': // G03
        return statusOf(
          await station.command<Outcome>('ChangeAvailability', {
            operationalStatus: operation.available ? 'Operative' : 'Inoperative',
            evse,
          }),
        );
      case 'trigger': // F06
        return statusOf(
          await station.command<Outcome>('TriggerMessage', {
            requestedMessage: operation.message,
            ...(operation.message === 'StatusNotification' && { evse: { ...evse, connectorId: 1 } }),
            ...(operation.message === 'MeterValues' && { evse }),
          }),
        );
      case 'get_configuration': {
        // B06 returns named variables only; without keys it asks for those that are used here.
        const { getVariableResult } = await station.command<VariableResults>('GetVariables', {
          getVariableData: operation.keys?.map(variableIn) ?? USED,
        });
        const isAccepted = ({ attributeStatus }: VariableResult) => attributeStatus === 'Accepted';
        return {
          status: 'Accepted',
          // Only reports tell whether a variable can be written.
          settings: getVariableResult
            .filter(isAccepted)
            .map((one) => settingOf(nameOf(one), one.attributeValue, null)),
          unknown_keys: getVariableResult.filter((one) => !isAccepted(one)).map(nameOf),
        };
      }
      case 'set_configuration': {
        // B05
        const { setVariableResult } = await station.command<{ setVariableResult: readonly VariableResult[] }>(
          'SetVariables',
          { setVariableData: [{ ...variableIn(operation.key), attributeValue: operation.value }] },
        );
        return { status: setVariableResult[0]?.attributeStatus ?? 'Rejected' };
      }
      case 'clear_limits':
        return { status: await station.limits.clear(connector) };
      case 'effective_limit': {
        // K08
        const { status, schedule } = await station.command<CompositeSchedule>('GetCompositeSchedule', {
          evseId: connector.number,
          duration: operation.seconds ?? 86_400,
        });
        return { status, limit: compositeOf(schedule, schedule?.scheduleStart) };
      }
    }
  };
}
