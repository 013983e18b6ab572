import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { carState, wakeCar } from './client.ts';

/**
 * How long a car may take to wake up while a caller waits. The platform gives a command 14 s in all, and some of them are for
 * the command itself; a car that needs longer is awake when the command is sent again.
 */
const PATIENCE_MS = 10_000;
/** Each look costs money. */
const LOOK_MS = 2_500;
const RETRY_SECONDS = 20;

/**
 * Does `attempt` with a car that is awake: a sleeping one is woken first. `attempt` answers `asleep` where the car turns out to
 * sleep, as Tesla's word that it is online can be older than its sleep. Throws `device.offline` with a delay when it is not
 * awake in time.
 */
export async function whileAwake<T>(
  session: Session,
  device: DeviceRef,
  attempt: () => Promise<T | 'asleep'>,
): Promise<T> {
  if ((await carState(session, device)) === 'online') {
    const told = await attempt();
    if (told !== 'asleep') return told;
  }
  const giveUpAt = session.clock.now() + PATIENCE_MS;
  let state = await wakeCar(session, device);
  for (;;) {
    const told = state === 'online' ? await attempt() : 'asleep';
    if (told !== 'asleep') return told;
    if (session.clock.now() + LOOK_MS > giveUpAt) throw notAwakeYet(device);
    await pause(session, LOOK_MS);
    state = await carState(session, device);
  }
}

function notAwakeYet({ id }: DeviceRef): AppError {
  return new AppError(
    'device.offline',
    `the car ${id} was asked to wake up and is not awake yet; retry in ${RETRY_SECONDS} seconds`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

/** Resolves after `ms` of the session's clock; rejects when the platform's time is over. */
function pause({ clock, signal }: Session, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      cancel();
      reject(new AppError('vendor.timeout', 'the car did not wake up in time', { cause: signal.reason }));
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    });
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}
