import { type AnyKind, type Found, type Handler, kind } from '../../../adapter/adapter.ts';
import type { Capability } from '../../../adapter/capabilities.ts';
import { detailsOf, fits, gone } from '../../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../../adapter/session.ts';
import type { JsonObject } from '../../../core/json.ts';
import { bodyOf, isPlain } from './lamp.ts';
import { Details, type Reading, readingIn, statusOf, unrecognizedIn } from './resources.ts';

/** The way to a bridge. */
interface Way {
  /** Everything that the bridge has; undefined where it is known not to be reached. */
  read(session: Session): Promise<readonly unknown[] | undefined>;
  /** Changes a light; throws where the bridge did not do so. What is wanted is named, so that sending it twice does no harm. */
  set(session: Session, device: DeviceRef, json: JsonObject): Promise<void>;
}

/** The lamps and plugs of a bridge. */
export function lights({ read, set }: Way): AnyKind {
  const turn =
    (on: boolean): Handler<'turn_on' | 'turn_off'> =>
    (session, device) =>
      set(session, device, { on: { on } });
  return kind<Reading>({
    async read(session, device) {
      const reading = readingIn(await read(session), device.id);
      if (reading === undefined) throw gone('Hue', device);
      return reading;
    },
    status: statusOf,
    unrecognized: unrecognizedIn,
    reads: {},
    controls: {
      on_off: { turn_on: turn(true), turn_off: turn(false) },
      set_light: {
        set_light: (session, device, command) =>
          set(session, device, bodyOf(command, detailsOf(Details, device).ability, device.id)),
      },
    },
    withholds: (found) => (isSwitch(found) ? ['set_light'] : []) satisfies Capability[],
    whyWithheld: (found) => (isSwitch(found) ? 'it can only be switched on and off' : undefined),
  });
}

/** A plug, or a lamp behind a relay. */
const isSwitch = ({ details }: Pick<Found, 'details'>): boolean =>
  !fits(Details, details) || isPlain(details.ability);
