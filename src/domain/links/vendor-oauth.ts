import { createHash } from 'node:crypto';
import type { Adapter } from '../../adapter/adapter.ts';
import { clientFields } from '../../adapter/client-authentication.ts';
import type { DeviceType } from '../../adapter/device.ts';
import { HttpFailure } from '../../adapter/http.ts';
import type { LoginSession, OAuth, Partner, Tokens } from '../../adapter/login.ts';
import { scopesOf } from '../../adapter/scopes.ts';
import { tokensIn } from '../../adapter/token-response.ts';
import { vendorFailure } from '../../adapter/vendor-failure.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { type Random, randomBase62 } from '../../core/ids.ts';
import { moreNameOf, vendorSettingNames } from '../../core/settings/vendors.ts';
import { clientRefused, type Vault } from '../calls/index.ts';
import { type AuthorizationResponse, readAuthorizationResponse } from './authorization-response.ts';
import { type LinkSessions, sha256Of } from './link-sessions.ts';
import type { LinkSessionRow, SignInRow, SignInStore } from './store-sign-ins.ts';

const LIFETIME_MS = 10 * 60_000;
/** 43 letters and digits of 62 hold more than 256 bits; the least that RFC 7636 §4.1 wants of a verifier. */
const LENGTH = 43;

interface VendorOAuthOptions {
  readonly store: SignInStore;
  readonly sessions: LinkSessions;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly partnerOf: (vendor: string) => Partner | undefined;
  /** Where the vendor's sign-in page is. */
  readonly authorizeUrlOf: (adapter: Adapter) => string;
  readonly loginSession: (adapter: Adapter, signal: AbortSignal) => LoginSession;
  readonly publicUrl: () => string;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly random: Random;
}

/** The session that a sign-in was for, and what it is called. */
export interface OwnSession {
  readonly row: LinkSessionRow;
  readonly name: string;
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

/** Signing in at an OAuth vendor (RFC 6749 §4.1, with PKCE and `iss`): from our address to the vendor's and back. */
export function createVendorOAuth(options: VendorOAuthOptions) {
  const { store, sessions, adapters, partnerOf, authorizeUrlOf, publicUrl, vault, clock, random } = options;

  function adapterOf(vendor: string): Adapter & { readonly oauth: OAuth } {
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

  function configured(adapter: Adapter): Partner {
    const partner = partnerOf(adapter.slug);
    if (partner !== undefined) return partner;
    const { slug, name, apiKeyHeader, partnerSettings = [] } = adapter;
    const { clientId, clientSecret, apiKey } = vendorSettingNames(slug);
    const required = partnerSettings.filter(({ isRequired }) => isRequired);
    const others = [
      clientSecret,
      ...(apiKeyHeader === undefined ? [] : [apiKey]),
      ...required.map((setting) => moreNameOf(slug, setting.name)),
    ];
    const last = others.pop();
    throw new AppError(
      'oauth.not_configured',
      `${name} cannot be linked yet: the operator must set ${[clientId, ...others].join(', ')} and ${last}`,
    );
  }

  const redirectUriOf = (vendor: string) => `${publicUrl()}/oauth/${vendor}/callback`;
  const bindingOf = (stateSha256: string) => ({ account: 0, link: stateSha256, field: 'verifier' });
  const sessionBindingOf = (stateSha256: string) => ({ account: 0, link: stateSha256, field: 'session' });

  async function exchange(
    adapter: Adapter & { readonly oauth: OAuth },
    {
      code,
      verifier,
      asked,
    }: { readonly code: string; readonly verifier: string; readonly asked: readonly string[] },
  ): Promise<Tokens> {
    const { oauth } = adapter;
    const abort = new AbortController();
    const { http, partner } = options.loginSession(adapter, abort.signal);
    const client = clientFields(oauth, partner);
    const answer = await http.send({
      method: 'POST',
      host: 'token',
      path: new URL(oauth.tokenUrl).pathname,
      use: 'login',
      form: {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUriOf(adapter.slug),
        ...(oauth.pkce ? { code_verifier: verifier } : {}),
        ...client.form,
        ...oauth.tokenParameters,
      },
      headers: client.headers,
    });
    const tokens = tokensIn(adapter.name, answer.json(), { now: clock.now(), before: undefined });
    // RFC 6749 §5.1: a vendor that does not say what was granted has granted what was asked for.
    return { ...tokens, scopes: tokens.scopes ?? asked };
  }

  /** The code that the vendor sent back, if it sends one; throws `oauth.denied` with the vendor's reason. */
  function codeIn(
    { name, oauth }: Adapter & { readonly oauth: OAuth },
    response: AuthorizationResponse,
  ): string {
    if ('code' in response) return response.code;
    const isWithoutCode = oauth.withoutCode !== undefined && 'fault' in response;
    if (isWithoutCode && response.fault === 'no_code') return '';
    throw new AppError('oauth.denied', whyNot(name, response));
  }

  async function finishOne(
    adapter: Adapter & { readonly oauth: OAuth },
    { code, query, row }: { readonly code: string; readonly query: URLSearchParams; readonly row: SignInRow },
  ): Promise<Tokens> {
    const verifier = vault.open(row.verifier, bindingOf(row.stateSha256));
    const { withoutCode, extra } = adapter.oauth;
    const session = options.loginSession(adapter, new AbortController().signal);
    if (withoutCode !== undefined)
      return asVendorFailure(adapter, () => withoutCode.signIn(session, { query, reference: verifier }));
    const asked = scopesOf(adapter, row.deviceTypes ?? undefined);
    const tokens = await exchanged(adapter, { code, verifier, asked });
    if (extra === undefined) return tokens;
    return { ...tokens, extra: await asVendorFailure(adapter, () => extra(session, tokens)) };
  }

  async function asVendorFailure<T>({ name }: Adapter, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw vendorFailure(name, error);
    }
  }

  async function exchanged(
    adapter: Adapter & { readonly oauth: OAuth },
    given: { readonly code: string; readonly verifier: string; readonly asked: readonly string[] },
  ): Promise<Tokens> {
    try {
      return await exchange(adapter, given);
    } catch (error) {
      if (error instanceof HttpFailure && error.kind === 'refused')
        throw (
          clientRefused(adapter, error) ??
          new AppError('oauth.denied', `${adapter.name} rejected its own code; start again`, {
            cause: error,
          })
        );
      throw vendorFailure(adapter.name, error);
    }
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
      configured(adapterOf(vendor));
    },

    /**
     * Where the browser is sent; undefined where it must first agree, on a page of ours that says who asks. `browser` is what its cookie
     * holds: who began a session is who must end it. Throws `vendor.unknown`, `oauth.unsupported`, `oauth.not_configured`,
     * `session.invalid`.
     */
    async begin({
      vendor,
      session,
      browser,
      deviceTypes,
    }: {
      readonly vendor: string;
      readonly session: string | undefined;
      readonly browser: string;
      /** Types of devices that permissions are asked for, where no session says it; all unless it is said. */
      readonly deviceTypes?: readonly DeviceType[] | undefined;
    }): Promise<string | undefined> {
      const adapter = adapterOf(vendor);
      const partner = configured(adapter);
      const row = session === undefined ? undefined : await sessions.open(session);
      if (row !== undefined && row.vendor !== null && row.vendor !== vendor)
        throw new AppError('session.invalid', `the link session is for the vendor ${row.vendor}`);
      // Otherwise a link that somebody sends would open the vendor, whose page names us and not whom the devices go to.
      const { agreed = null } = row ?? {};
      const hasAgreed = agreed?.vendor === vendor && agreed.browserSha256 === sha256Of(browser);
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
      const { oauth } = adapter;
      const url = new URL(authorizeUrlOf(adapter));
      const scope = scopesOf(adapter, types).join(' ');
      const parameters = {
        ...(oauth.withoutCode?.parameters({ partner, reference: verifier }) ?? {
          response_type: 'code',
          client_id: partner.clientId,
        }),
        redirect_uri: redirectUriOf(vendor),
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
    },

    /**
     * Ends a sign-in with what the vendor sent the browser back with. Throws `oauth.state_invalid` when it was not begun here, with
     * this vendor, in this browser (where a session waits for it, or a page shows what comes of it), within ten minutes, or has ended
     * already.
     */
    async finish({
      vendor,
      query,
      browser,
      isPage,
      requireRoom,
    }: {
      readonly vendor: string;
      readonly query: URLSearchParams;
      readonly browser: string | undefined;
      /** A person sees what comes of it, not a program. */
      readonly isPage: boolean;
      /** Throws where the account could not keep the link: the vendor's code is not spent then. */
      readonly requireRoom: (account: number, vendor: string) => Promise<void>;
    }): Promise<Finished> {
      const adapter = adapterOf(vendor);
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
        const tokens = await finishOne(adapter, { code, query, row });
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
