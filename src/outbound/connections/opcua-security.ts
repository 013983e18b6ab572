import { createHash, generateKeyPair, X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import {
  crypto_utils,
  type EndpointDescription,
  MessageSecurityMode,
  OPCUAClient,
  type OPCUAClientOptions,
  SecurityPolicy,
  UserTokenType,
} from 'node-opcua-client';
import {
  OPCUA_POLICIES,
  type OpcuaMode,
  type OpcuaPolicy,
  type OpcuaServer,
} from '../../adapter/connections.ts';
import type { ApplicationCertificate } from '../../adapter/reach.ts';
import type { Clock } from '../../core/clock.ts';
import { DAY_MS } from '../../core/durations.ts';
import { AppError } from '../../core/errors.ts';
import type { Named } from './failures.ts';
import { transportOver } from './opcua-transport.ts';

const MODES = {
  none: MessageSecurityMode.None,
  sign: MessageSecurityMode.Sign,
  sign_and_encrypt: MessageSecurityMode.SignAndEncrypt,
} satisfies Record<OpcuaMode, MessageSecurityMode>;

/** The strongest first. */
const STRENGTH: readonly OpcuaPolicy[] = ['Aes256_Sha256_RsaPss', 'Basic256Sha256', 'Aes128_Sha256_RsaOaep'];

const KEY_BITS = 2048;
/** Servers that trust it are not asked again while it lasts. */
const VALID_DAYS = 20 * 365;

export const fingerprintOf = (certificate: Uint8Array): string =>
  createHash('sha256').update(certificate).digest('hex');

/** How servers name the certificates of clients in their lists of trusted ones. */
export const thumbprintOf = (certificate: Uint8Array): string =>
  createHash('sha1').update(certificate).digest('hex').toUpperCase();

/** Makes what a client proves itself with to servers (OPC UA Part 6, 6.2.2), signed by itself. */
export async function makeApplicationCertificate(
  applicationUri: string,
  clock: Clock,
): Promise<ApplicationCertificate> {
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: KEY_BITS });
  const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const signing = pair.privateKey.toCryptoKey({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, true, ['sign']);
  const { cert } = await crypto_utils.createSelfSignedCertificate({
    privateKey: signing,
    subject: 'CN=elnav',
    applicationUri,
    notBefore: new Date(clock.now() - DAY_MS),
    notAfter: new Date(clock.now() + VALID_DAYS * DAY_MS),
    purpose: crypto_utils.CertificatePurpose.ForApplication,
  });
  const certificate = crypto_utils.convertPEMtoDER(cert).toString('base64');
  return { applicationUri, certificate, key };
}

/** What the library makes a client with: no files, no connection of its own, none that is opened again. */
export function clientOptions(stream: Duplex, application: ApplicationCertificate): OPCUAClientOptions {
  const certificate = Buffer.from(application.certificate, 'base64');
  const privateKey = crypto_utils.makePrivateKeyFromPem(application.key);
  return {
    applicationName: 'elnav',
    applicationUri: application.applicationUri,
    certificateKeyPairProvider: {
      getCertificate: () => certificate,
      getCertificateChain: () => [certificate],
      getPrivateKey: () => privateKey,
    },
    transportFactory: transportOver(stream),
    connectionStrategy: { maxRetry: 0 },
    // Its endpoints name the server as its own network does.
    endpointMustExist: false,
  };
}

/** The endpoint that is asked for, with a certificate that is valid now and, where it is pinned, the one that was pinned. */
export async function findEndpoint(
  stream: Duplex,
  {
    server,
    application,
    named,
    url,
    now,
  }: {
    readonly server: OpcuaServer;
    readonly application: ApplicationCertificate;
    readonly named: Named;
    readonly url: string;
    /** ms since 1970. */
    readonly now: number;
  },
): Promise<{ readonly certificate: Buffer; readonly policy: OpcuaPolicy }> {
  const client = OPCUAClient.create(clientOptions(stream, application));
  let endpoints: readonly EndpointDescription[];
  try {
    await client.connect(url);
    endpoints = await client.getEndpoints();
  } finally {
    await client.disconnect().catch(() => {});
    stream.destroy();
  }
  const policies = policiesIn(endpoints, server.mode);
  const policy = STRENGTH.find(
    (one) => (server.policy === undefined || one === server.policy) && policies.has(one),
  );
  const certificate = policy === undefined ? undefined : policies.get(policy);
  if (policy === undefined || certificate === undefined || certificate.length === 0)
    throw refused(named, `does not have ${server.mode} with ${wanted(server)}: ${offered(endpoints)}`);
  checkCertificate(certificate, { named, now, fingerprint: server.fingerprint });
  return { certificate, policy };
}

const wanted = ({ policy }: OpcuaServer): string => policy ?? `any of ${OPCUA_POLICIES.join(', ')}`;

const refused = ({ name, address }: Named, sentence: string): AppError =>
  new AppError('vendor.refused', `${name} at ${address} ${sentence}`);

function policiesIn(
  endpoints: readonly EndpointDescription[],
  mode: OpcuaMode,
): ReadonlyMap<OpcuaPolicy, Buffer> {
  return new Map(
    endpoints
      .filter(({ securityMode }) => securityMode === MODES[mode])
      .flatMap(({ securityPolicyUri, serverCertificate }) => {
        const policy = OPCUA_POLICIES.find((one) => SecurityPolicy[one] === securityPolicyUri);
        return policy === undefined ? [] : [[policy, leafOf(serverCertificate)] as const];
      }),
  );
}

/** The server's own certificate comes first where there is a chain. */
const leafOf = (chain: Buffer): Buffer =>
  chain.length === 0 ? chain : (crypto_utils.split_der(chain)[0] ?? chain);

function offered(endpoints: readonly EndpointDescription[]): string {
  const names = (['sign', 'sign_and_encrypt'] as const).flatMap((mode) =>
    [...policiesIn(endpoints, mode).keys()].map((policy) => `${mode} with ${policy}`),
  );
  if (endpoints.some(({ securityMode }) => securityMode === MessageSecurityMode.None)) names.push('none');
  return `it has ${names.join(', ') || 'nothing that is still secure'}`;
}

function checkCertificate(
  certificate: Buffer,
  {
    named,
    now,
    fingerprint,
  }: { readonly named: Named; readonly now: number; readonly fingerprint: string | undefined },
): void {
  let told: X509Certificate;
  try {
    told = new X509Certificate(certificate);
  } catch {
    throw refused(named, 'has a certificate that cannot be read; make it a new one');
  }
  const is = fingerprintOf(certificate);
  if (fingerprint !== undefined && fingerprint !== is)
    throw refused(
      named,
      `has another certificate than when it was linked (SHA-256 ${is}); compare it at the server, and link it again with this fingerprint if it is right`,
    );
  const { validFromDate, validToDate } = told;
  if (validToDate.getTime() <= now)
    throw refused(
      named,
      `has a certificate that expired on ${dayOf(validToDate)}; make it a new one, and link it again`,
    );
  if (validFromDate.getTime() > now)
    throw refused(
      named,
      `has a certificate that is not valid before ${dayOf(validFromDate)}; check the server's clock`,
    );
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

/** Throws where the server would get the password in a form that others can read. */
export function requireSealedPassword(
  endpoints: readonly EndpointDescription[],
  { mode, policy, named }: { readonly mode: OpcuaMode; readonly policy: OpcuaPolicy; readonly named: Named },
): void {
  if (mode !== 'sign') return;
  const tokens = endpoints
    .filter((one) => one.securityMode === MODES[mode] && one.securityPolicyUri === SecurityPolicy[policy])
    .flatMap(({ userIdentityTokens }) => userIdentityTokens ?? [])
    .filter(({ tokenType }) => tokenType === UserTokenType.UserName);
  const isReadable = tokens.some(({ securityPolicyUri }) => securityPolicyUri === SecurityPolicy.None);
  if (isReadable)
    throw refused(named, 'wants the password unencrypted; use sign_and_encrypt, which hides it from others');
}
