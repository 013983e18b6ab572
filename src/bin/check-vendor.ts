import type { Adapter } from '../adapter/adapter.ts';
import { HttpFailure } from '../adapter/http.ts';
import { systemClock } from '../core/clock.ts';
import { AppError, type ErrorCodeName, OperatorError } from '../core/errors.ts';
import { randomBase62, systemRandom } from '../core/ids.ts';
import { readSettings, type Settings } from '../core/settings/index.ts';
import { type OAuthAdapter, tokensFor } from '../domain/links/links/index.ts';
import { vendors } from '../vendors/index.ts';
import { partnerIn } from './partner.ts';
import { exitWith } from './run.ts';
import { needsOf } from './vendor-needs.ts';
import { asPartner } from './vendor-session.ts';

/** What a vendor says of a client id and secret. */
type Verdict = 'accepted' | 'refused' | 'unclear';

const AWAY: readonly ErrorCodeName[] = ['vendor.unreachable', 'vendor.timeout'];
const SIGNS: Readonly<Record<Verdict, string>> = { accepted: 'ok', refused: 'REFUSED', unclear: 'unclear' };

try {
  const settings = readSettings(process.env, needsOf(vendors));
  const checked = await Promise.all(
    chosen(settings, process.argv[2]).map(async (adapter) => ({
      adapter,
      ...(await check(settings, adapter)),
    })),
  );
  for (const { adapter, verdict, sentence } of checked)
    console.log(`${SIGNS[verdict].padEnd(7)} ${adapter.slug}: ${sentence}`);
  if (checked.some(({ verdict }) => verdict === 'refused')) process.exit(1);
} catch (error) {
  exitWith(error);
}

function isChecked(adapter: Adapter): adapter is OAuthAdapter {
  return adapter.oauth !== undefined && adapter.oauth.withoutCode === undefined;
}

/** The vendor that is named, or all whose client id and secret are set. */
function chosen(settings: Settings, slug: string | undefined): readonly OAuthAdapter[] {
  const all: readonly Adapter[] = vendors;
  const possible = all.filter(isChecked);
  const set = possible.filter((adapter) => partnerIn(settings, adapter.slug) !== undefined);
  const named = slug === undefined ? set : set.filter((adapter) => adapter.slug === slug);
  if (named.length > 0) return named;
  const usage = `Usage: npm run vendor:check -- [vendor]. Vendors that can be checked: ${possible.map((one) => one.slug).join(', ')}.`;
  throw new OperatorError(
    slug === undefined || possible.some((one) => one.slug === slug)
      ? `${usage} Set their client id and secret first.`
      : usage,
  );
}

/**
 * Exchanges an authorization code that was never issued. A vendor looks at the client first (RFC 6749 §5.2): one that it knows is told that the code is
 * wrong, any other that the client is.
 */
async function check(
  settings: Settings,
  adapter: OAuthAdapter,
): Promise<{ readonly verdict: Verdict; readonly sentence: string }> {
  const given = {
    query: new URLSearchParams(),
    verifier: randomBase62(systemRandom, 43),
    deviceTypes: undefined,
  };
  try {
    await asPartner(settings, adapter, (session) =>
      tokensFor(
        adapter,
        { code: `elnav-check-${randomBase62(systemRandom, 20)}`, ...given },
        {
          loginSession: () => session,
          publicUrl: () => settings.connectUrl ?? 'http://127.0.0.1:8080',
          clock: systemClock,
        },
      ),
    );
    return {
      verdict: 'unclear',
      sentence: `${adapter.name} accepted an authorization code that was never issued`,
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'oauth.not_configured') return { verdict: 'refused', sentence: error.message };
    if (AWAY.includes(error.code)) return { verdict: 'unclear', sentence: error.message };
    const { cause } = error;
    if (cause instanceof HttpFailure && /"invalid_grant"/.test(cause.bodyText()))
      return { verdict: 'accepted', sentence: `${adapter.name} knows the client id and secret` };
    const status = cause instanceof HttpFailure ? ` (status ${cause.status ?? 'none'})` : '';
    return {
      verdict: 'unclear',
      sentence: `${adapter.name} says neither that it knows the client nor that it does not${status}; sign in once to be sure`,
    };
  }
}
