import { capabilitiesOf, kindOf, stateOf } from '../../adapter/adapters.ts';
import { objectIn } from '../../adapter/kit/index.ts';
import { claimsIn } from '../../adapter/tokens.ts';
import { AppError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { type CloudCheck, faultOf } from './cloud.ts';
import { checkSecrets } from './faults.ts';

/** Reads of several calls each stay within limits of a minute. */
const AT_ONCE = 10;
const BETWEEN_SECONDS = 60;
/** The shortest lifetime that a vendor is seen to give is 299 s (Volvo Cars). */
const LEAST_SECONDS = 240;
/** Keys that never end are far beyond. */
/** Time that passes between the sign-in and its check. */
const SLACK_MS = 60_000;
const SHORT_OF_EVER_MS = 400 * 86_400_000;

/** Tokens: their lifetime in seconds, one renewal for many calls, and what loses the login. */
export async function checkTokens({ adapter, simulator, cloud, refs, report }: CloudCheck): Promise<void> {
  const [ref] = refs;
  await cloud.signIn();
  const expiresAt = cloud.expiresAt();
  report('the end of the token is what the vendor says', endFault(cloud));
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
  if (ends && isRenewable(cloud))
    report(
      'tokens that can be renewed are, without signing in again',
      await faultOf(async () => {
        await simulator.pass(BETWEEN_SECONDS);
        const before = cloud.signIns();
        cloud.expireTokens();
        await read();
        if (cloud.signIns() !== before)
          throw new Error('the password was sent again, and the vendor had given a token for that');
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

/** Vendors say the lifetime in seconds, or in the token itself (RFC 7519 §4.1.4); without it the platform renews only once calls are refused. */
function endFault(cloud: CloudCheck['cloud']): string | null {
  const said = saidEnd(cloud.signedInWith(), cloud.now());
  if (said === undefined) return null;
  const kept = cloud.expiresAt();
  if (kept === undefined)
    return `the vendor says ${new Date(said).toISOString()}, and the tokens have no expiresAt`;
  const [lifetime, taken] = [said - cloud.now(), kept - cloud.now()];
  return taken > lifetime + SLACK_MS || taken < lifetime / 2
    ? `it ends in ${lifetime / 1_000} s, and ${taken / 1_000} s are taken`
    : null;
}

/** Whether the vendor gave a refresh token (RFC 6749 §1.5) with the tokens. */
const isRenewable = (cloud: CloudCheck['cloud']): boolean =>
  Object.entries(objectIn(cloud.signedInWith())).some(
    ([name, value]) => /^refresh_?token$/i.test(name) && typeof value === 'string' && value !== '',
  );

function saidEnd(body: Json | undefined, now: number): number | undefined {
  const fields = Object.entries(objectIn(body));
  for (const [name, value] of fields)
    if (/^expires_?in$/i.test(name) && Number(value) > 0) return now + Number(value) * 1_000;
  for (const [name, value] of fields) {
    const ends = /^(?:access_?)?token$/i.test(name)
      ? Number(claimsIn(String(value))?.exp) * 1_000
      : Number.NaN;
    if (Number.isFinite(ends)) return ends;
  }
  return undefined;
}

async function failure(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => new Error('nothing failed'),
    (cause: unknown) => cause,
  );
  if (error instanceof AppError) return error;
  throw error;
}
