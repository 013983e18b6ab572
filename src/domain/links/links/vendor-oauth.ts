import { createHash } from 'node:crypto';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { DeviceType } from '../../../adapter/device.ts';
import type { Partner, Tokens } from '../../../adapter/login.ts';
import { scopesOf } from '../../../adapter/tokens.ts';
import { AppError } from '../../../core/errors.ts';
import { type Random, randomBase62 } from '../../../core/ids.ts';
import { moreNameOf, vendorSettingNames } from '../../../core/settings/vendors.ts';
import type { Vault } from '../../vendor-calls/calls/index.ts';
import { type ExchangeOptions, type OAuthAdapter, redirectUriOf, tokensFor } from './exchange-code.ts';
import { type LinkSessions, sha256Of } from './link-sessions.ts';
import type { LinkSessionRow, SignInRow, SignInStore } from './store-sign-ins.ts';

/** What a vendor sent the browser back with (RFC 6749 §4.1.2). */
type AuthorizationResponse =
  | { readonly code: string }
  /** The vendor's own code for the refusal; empty if it is not safe to show. */
  | { readonly error: string }
  /** It is not what the vendor would send. */
  | { readonly fault: 'untrusted' | 'no_code' };

/** Words that RFC 6749 §4.1.2.1 and vendors use. */
const REASON = /^[a-z][a-z0-9_.-]{0,60}$/i;
/** Of flows that were not asked for: a token in an address, and a response in a JWT. */
const FOREIGN = ['access_token', 'token', 'id_token', 'response'];

/**
 * Reads it. A parameter stands once (RFC 6749 §3.1), and one that names the issuer must name the one that was asked (RFC 9207 §2.4);
 * `issuer` is undefined where it is not known. The state is matched by the caller.
 */
export function readAuthorizationResponse(
  query: URLSearchParams,
  issuer: string | undefined,
): AuthorizationResponse {
  const repeated = ['iss', 'state', 'error', ...FOREIGN].some((name) => query.getAll(name).length > 1);
  const iss = query.get('iss');
  const isOfAnother = issuer !== undefined && iss !== null && iss !== '' && iss !== issuer;
  if (repeated || isOfAnother || FOREIGN.some((name) => query.has(name))) return { fault: 'untrusted' };
  const error = query.get('error');
  if (error !== null && error !== '') return { error: REASON.test(error) ? error : '' };
  const [code, ...others] = query.getAll('code');
  return code === undefined || code === '' || others.length > 0 ? { fault: 'no_code' } : { code };
}

const LIFETIME_MS = 10 * 60_000;
/** 43 letters and digits of 62 hold more than 256 bits; the least that RFC 7636 §4.1 wants of a verifier. */
const LENGTH = 43;

interface VendorOAuthOptions extends ExchangeOptions {
  readonly store: SignInStore;
  readonly sessions: LinkSessions;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly partnerOf: (vendor: string) => Partner | undefined;
  /** Where the vendor's sign-in page is. */
  readonly authorizeUrlOf: (adapter: Adapter) => string;
  readonly vault: Vault;
  readonly random: Random;
}

/** The session that a sign-in was for, and what it is called. */
export interface OwnSession {
  readonly row: LinkSessionRow;
  readonly name: string;
}

interface Beginning {
  readonly vendor: string;
  readonly session: string | undefined;
  readonly browser: string;
  /** Types of devices that permissions are asked for, where no session says it; all unless it is said. */
  readonly deviceTypes?: readonly DeviceType[] | undefined;
}

interface Returned {
  readonly vendor: string;
  readonly query: URLSearchParams;
  readonly browser: string | undefined;
  /** A person sees what comes of it, not a program. */
  readonly isPage: boolean;
  /** Throws where the account could not keep the link: the vendor's code is not spent then. */
  readonly requireRoom: (account: number, vendor: string) => Promise<void>;
}

export type Finished =
  /** The user has signed in; `session` is the one that it was for, if any. */
  | { readonly outcome: 'signed_in'; readonly tokens: Tokens; readonly session: OwnSession | undefined }
  /** The vendor refused, or could not be asked: the app that began the session gets the error. */
  | {
      readonly outcome: 'failed';
      readonly error: AppError;
      /** What the vendor called it, else the code of the error. */
      readonly reason: string;
      readonly session: OwnSession | undefined;
    };

const bindingOf = (stateSha256: string) => ({ account: 0, link: stateSha256, field: 'verifier' });
const sessionBindingOf = (stateSha256: string) => ({ account: 0, link: stateSha256, field: 'session' });

function adapterOf(adapters: ReadonlyMap<string, Adapter>, vendor: string): OAuthAdapter {
  const adapter = adapters.get(vendor);
  const known = [...adapters.values()].filter(({ oauth }) => oauth !== undefined).map(({ slug }) => slug);
  if (adapter === undefined)
    throw new AppError(
      'vendor.unknown',
      `there is no vendor "${vendor.slice(0, 60)}"; vendors with OAuth: ${known.join(', ')}`,
    );
  const { oauth } = adapter;
  if (oauth === undefined)
    throw new AppError(
      'oauth.unsupported',
      `${adapter.name} does not use OAuth; send its credentials to POST /link`,
    );
  return { ...adapter, oauth };
}

/** The error for a vendor without the settings that its sign-in takes. */
function notConfigured(adapter: Adapter): AppError {
  const { slug, name, apiKeyHeader, partnerSettings = [] } = adapter;
  const { clientId, clientSecret, apiKey } = vendorSettingNames(slug);
  const required = partnerSettings.filter(({ isRequired }) => isRequired);
  const others = [
    clientSecret,
    ...(apiKeyHeader === undefined ? [] : [apiKey]),
    ...required.map((setting) => moreNameOf(slug, setting.name)),
  ];
  const last = others.pop();
  return new AppError(
    'oauth.not_configured',
    `${name} cannot be linked yet: the operator must set ${[clientId, ...others].join(', ')} and ${last}`,
  );
}

interface Asked {
  readonly partner: Partner;
  readonly state: string;
  readonly verifier: string;
  readonly types: readonly DeviceType[] | undefined;
}

/** The vendor's sign-in page, with what it is asked for. */
function authorizeUrl(
  adapter: OAuthAdapter,
  { partner, state, verifier, types }: Asked,
  { authorizeUrlOf, publicUrl }: VendorOAuthOptions,
): string {
  const { oauth } = adapter;
  const url = new URL(authorizeUrlOf(adapter));
  const scope = scopesOf(adapter, types).join(' ');
  const parameters = {
    ...(oauth.withoutCode?.parameters({ partner, reference: verifier }) ?? {
      response_type: 'code',
      client_id: partner.clientId,
    }),
    redirect_uri: redirectUriOf(publicUrl(), adapter.slug),
    // RFC 6749 §3.3: an empty one is not valid.
    ...(scope === '' ? {} : { scope }),
    state,
    ...(oauth.pkce
      ? {
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
        }
      : {}),
    ...oauth.authorizeParameters,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** The code that the vendor sent back, if it sends one; throws `oauth.denied` with the vendor's reason. */
function codeIn({ name, oauth }: OAuthAdapter, response: AuthorizationResponse): string {
  if ('code' in response) return response.code;
  const isWithoutCode = oauth.withoutCode !== undefined && 'fault' in response;
  if (isWithoutCode && response.fault === 'no_code') return '';
  throw new AppError('oauth.denied', whyNot(name, response));
}

/** Signing in at an OAuth vendor (RFC 6749 §4.1, with PKCE and `iss`): from our address to the vendor's and back. */
export function createVendorOAuth(options: VendorOAuthOptions) {
  const { store, sessions, adapters, partnerOf, vault, clock, random } = options;

  function configured(adapter: Adapter): Partner {
    const partner = partnerOf(adapter.slug);
    if (partner === undefined) throw notConfigured(adapter);
    return partner;
  }

  async function sessionOf({
    stateSha256,
    sessionSha256,
    sessionName,
  }: SignInRow): Promise<OwnSession | undefined> {
    if (sessionSha256 === null || sessionName === null) return undefined;
    const row = await sessions.byHash(sessionSha256);
    return row === undefined
      ? undefined
      : { row, name: vault.open(sessionName, sessionBindingOf(stateSha256)) };
  }

  return {
    /** Throws `vendor.unknown`, `oauth.unsupported` or `oauth.not_configured` where nobody can sign in. */
    check(vendor: string): void {
      configured(adapterOf(adapters, vendor));
    },

    /**
     * Where the browser is sent; undefined where it must first agree, on a page of ours that says who asks. `browser` is what its cookie
     * holds: who began a session is who must end it. Throws `vendor.unknown`, `oauth.unsupported`, `oauth.not_configured`,
     * `session.invalid`.
     */
    async begin({ vendor, session, browser, deviceTypes }: Beginning): Promise<string | undefined> {
      const adapter = adapterOf(adapters, vendor);
      const partner = configured(adapter);
      const row = session === undefined ? undefined : await sessions.open(session);
      if (row !== undefined && row.vendor !== null && row.vendor !== vendor)
        throw new AppError('session.invalid', `the link session is for the vendor ${row.vendor}`);
      // Otherwise a link that somebody sends would open the vendor, whose page names us and not whom the devices go to.
      const { agreed = null } = row ?? {};
      const hasAgreed = agreed?.vendor === vendor && agreed.browserSha256 === sha256Of(browser);
      // control: a link from another person opens no vendor before the consent page [journeys/oauth]
      if (row !== undefined && !hasAgreed) return undefined;
      const types = (row === undefined ? deviceTypes : row.deviceTypes) ?? undefined;
      const state = randomBase62(random, LENGTH);
      const verifier = randomBase62(random, LENGTH);
      const stateSha256 = sha256Of(state);
      await store.removeStatesBefore(clock.now());
      await store.putState({
        stateSha256,
        vendor,
        sessionSha256: row?.sha256 ?? null,
        browserSha256: sha256Of(browser),
        verifier: vault.seal(verifier, bindingOf(stateSha256)),
        sessionName: session === undefined ? null : vault.seal(session, sessionBindingOf(stateSha256)),
        deviceTypes: types ?? null,
        expiresAt: clock.now() + LIFETIME_MS,
      });
      return authorizeUrl(adapter, { partner, state, verifier, types }, options);
    },

    /**
     * Ends a sign-in with what the vendor sent the browser back with. Throws `oauth.state_invalid` when it was not begun here, with
     * this vendor, in this browser (where a session waits for it, or a page shows what comes of it), within ten minutes, or has ended
     * already.
     */
    async finish({ vendor, query, browser, isPage, requireRoom }: Returned): Promise<Finished> {
      const adapter = adapterOf(adapters, vendor);
      const [state, ...others] = query.getAll('state');
      if (state === undefined || state === '' || others.length > 0)
        throw stateInvalid('the parameter state is missing');
      const row = await store.takeState(sha256Of(state));
      if (row === undefined || row.expiresAt <= clock.now())
        throw stateInvalid('this sign-in is unknown, has ended, or took more than ten minutes');
      if (row.vendor !== vendor) throw stateInvalid('this sign-in was started at another vendor');
      // Otherwise somebody could have another user's account linked into a session of theirs, or have another user link theirs.
      const isSameBrowser = browser !== undefined && sha256Of(browser) === row.browserSha256;
      if ((row.sessionSha256 !== null || isPage) && !isSameBrowser)
        throw stateInvalid('this sign-in was started in another browser');
      const session = await sessionOf(row);
      if (row.sessionSha256 !== null && session === undefined)
        throw stateInvalid('the link session of this sign-in no longer exists');
      const response = readAuthorizationResponse(query, adapter.oauth.issuer);
      try {
        const code = codeIn(adapter, response);
        // Another tab may have used it: a second sign-in could end the first one's tokens at the vendor.
        if (session !== undefined) await sessions.open(session.name);
        if (session !== undefined) await requireRoom(session.row.account, vendor);
        const verifier = vault.open(row.verifier, bindingOf(row.stateSha256));
        const back = { code, query, verifier, deviceTypes: row.deviceTypes ?? undefined };
        const tokens = await tokensFor(adapter, back, options);
        return { outcome: 'signed_in', tokens, session };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const said = 'error' in response ? response.error : '';
        return { outcome: 'failed', error, reason: said === '' ? error.code : said, session };
      }
    },
  };
}

export type VendorOAuth = ReturnType<typeof createVendorOAuth>;

const stateInvalid = (what: string) =>
  new AppError('oauth.state_invalid', `${what}; start again at GET /oauth/{vendor}/authorize`);

function whyNot(vendor: string, response: Exclude<AuthorizationResponse, { readonly code: string }>): string {
  if ('error' in response)
    return `${vendor} returned: ${response.error === '' ? 'an error' : response.error}`;
  return response.fault === 'untrusted'
    ? `the response of ${vendor} cannot be trusted; start again`
    : `${vendor} returned no code, or more than one; start again`;
}
