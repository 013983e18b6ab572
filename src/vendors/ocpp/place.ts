import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { Connector } from './connector.ts';
import { Station } from './station.ts';

/** A device as a connector of a connected station. */
export interface Place {
  readonly station: Station;
  readonly connector: Connector;
}

export function placeOf(session: Session, device: DeviceRef): Place {
  const { station } = session;
  if (!(station instanceof Station) || !station.online) {
    throw new AppError('device.offline', 'the charging station is not connected');
  }
  const { connector: number } = device.details;
  const connector = typeof number === 'number' ? station.find(number) : undefined;
  if (connector === undefined) {
    throw new AppError('device.offline', 'the charging station no longer has this connector');
  }
  return { station, connector };
}
