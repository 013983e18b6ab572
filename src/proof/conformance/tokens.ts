import { capabilitiesOf, kindOf, stateOf } from '../../adapter/adapters.ts';
import { AppError } from '../../core/errors.ts';
import { type CloudCheck, faultOf } from './cloud.ts';
import { checkSecrets } from './faults.ts';

/** Reads of several calls each stay within limits of a minute. */
const AT_ONCE = 10;
const BETWEEN_SECONDS = 60;
/** The shortest lifetime that a vendor is seen to give is 299 s (Volvo Cars). */
const LEAST_SECONDS = 240;
/** Keys that never end are far beyond. */
const SHORT_OF_EVER_MS = 400 * 86_400_000;

/** Tokens: their lifetime in seconds, one renewal for many calls, and what loses the login. */
export async function checkTokens({ adapter, simulator, cloud, refs, report }: CloudCheck): Promise<void> {
  const [ref] = refs;
  await cloud.signIn();
  const expiresAt = cloud.expiresAt();
  if (ref === undefined || expiresAt === undefined) return;
  const kind = kindOf(adapter, ref.type);
  const read = async () =>
    stateOf(kind, await kind.read(simulator.session(), ref), capabilitiesOf(kind, ref));
  const lifetime = (expiresAt - cloud.now()) / 1_000;
  const ends = lifetime < SHORT_OF_EVER_MS / 1_000;

  report(
    'the token lives as long as the vendor says',
    await faultOf(async () => {
      if (lifetime < LEAST_SECONDS) throw new Error(`it ends after ${lifetime} s: seconds and milliseconds?`);
      const before = cloud.renewals();
      await simulator.pass(Math.min(LEAST_SECONDS / 2, lifetime / 4));
      await read();
      if (cloud.renewals() !== before) throw new Error('it was renewed long before its end');
    }),
  );
  if (ends)
    report(
      'tokens that have expired are renewed once for many calls',
      await faultOf(async () => {
        cloud.expireTokens();
        const before = cloud.renewals();
        const states = await Promise.all(Array.from({ length: AT_ONCE }, read));
        if (!states.every(({ online }) => online)) throw new Error('not every call was answered');
        if (cloud.renewals() !== before + 1)
          throw new Error(`${cloud.renewals() - before} renewals for ${AT_ONCE} calls`);
      }),
    );
  await simulator.pass(BETWEEN_SECONDS);
  report(
    'calls that are refused with a fresh token cost nobody the link',
    await faultOf(async () => {
      cloud.fault('token_refused');
      const error = await failure(read());
      cloud.fault(null);
      if (error.code === 'vendor.login_expired')
        throw new Error('vendor.login_expired: only the sign-in itself can lose the login');
      checkSecrets(error, cloud);
      await read();
    }),
  );
  report(
    'a login that the vendor ends is vendor.login_expired, and signing in again mends it',
    await faultOf(async () => {
      cloud.fault('login_lost');
      cloud.expireTokens();
      const error = await failure(read());
      cloud.fault(null);
      if (error.code !== 'vendor.login_expired') throw new Error(`${error.code}: ${error.message}`);
      checkSecrets(error, cloud);
      await cloud.signIn();
      await read();
    }),
  );
}

async function failure(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => new Error('nothing failed'),
    (cause: unknown) => cause,
  );
  if (error instanceof AppError) return error;
  throw error;
}
