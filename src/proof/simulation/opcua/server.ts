import { KeyObject, webcrypto } from 'node:crypto';
import type { Duplex } from 'node:stream';
import {
  ApplicationType,
  crypto_utils,
  EndpointDescription,
  MessageSecurityMode,
  SecurityPolicy,
  ServerSecureChannelLayer,
  type ServerSecureChannelParent,
  StatusCodes,
  toURI,
  UserTokenType,
} from 'node-opcua-client';
import type { ISocketLike } from 'node-opcua-transport';
import type { LocalAddress } from '../../../adapter/simulator.ts';
import type { Clock } from '../../../core/clock.ts';
import { DAY_MS } from '../../../core/durations.ts';
import { socketLike } from '../../../core/socket-like.ts';
import { createAddressSpace, type SimulatedVariable } from './address-space.ts';
import { type Served, type ServerFaults, serveChannel } from './services.ts';

/** The certificate of a simulated server, and what it signs and decrypts with. */
interface ServerCertificate {
  readonly der: Buffer;
  readonly keys: ReturnType<typeof crypto_utils.keyOperationsFromPrivateKey>;
}

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: 'SHA-256',
};

let made: Promise<webcrypto.CryptoKeyPair> | undefined;

/** One for all simulated servers of a process: to make it takes a while, and certificates differ all the same. */
function keyPair(): Promise<webcrypto.CryptoKeyPair> {
  made ??= webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify']);
  return made;
}

/**
 * Makes a certificate as OPC UA wants it (Part 6, 6.2.2), signed by itself.
 * @param valid ms since 1970
 */
async function makeServerCertificate(
  applicationUri: string,
  valid: { readonly from: number; readonly until: number },
): Promise<ServerCertificate> {
  const { privateKey } = await keyPair();
  const { cert } = await crypto_utils.createSelfSignedCertificate({
    privateKey,
    subject: 'CN=Simulated server',
    applicationUri,
    dns: ['localhost'],
    notBefore: new Date(valid.from),
    notAfter: new Date(valid.until),
    purpose: crypto_utils.CertificatePurpose.ForApplication,
  });
  const pkcs8 = KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' });
  const der = crypto_utils.convertPEMtoDER(cert);
  return {
    der,
    keys: crypto_utils.keyOperationsFromPrivateKey(crypto_utils.makePrivateKeyFromPem(pkcs8.toString())),
  };
}

interface OpcuaServerOptions {
  readonly clock: Clock;
  readonly variables: readonly SimulatedVariable[];
  /** URI of the namespace that the variables are in, and of the server itself. */
  readonly namespace: string;
  /** Passwords by user name; anybody where it is absent. */
  readonly users?: ReadonlyMap<string, string>;
  /** Where clients reach it. */
  readonly address: LocalAddress;
}

const POLICIES = [
  SecurityPolicy.Basic256Sha256,
  SecurityPolicy.Aes128_Sha256_RsaOaep,
  SecurityPolicy.Aes256_Sha256_RsaPss,
];
const PATH = '/simulated';
const YEAR_MS = 365 * DAY_MS;

/** An OPC UA server with the services that clients of variables use, and faults. */
export async function createOpcuaServer(options: OpcuaServerOptions) {
  const { clock, variables, namespace, users, address } = options;
  const faults: ServerFaults = {
    subscriptions: undefined,
    refusesCertificates: false,
    requests: undefined,
  };
  const namespaces = ['http://opcfoundation.org/UA/', `${namespace}:server`, namespace];
  const space = createAddressSpace({ variables, namespaces, clock });
  const certified = (from: number, until: number) =>
    makeServerCertificate(`${namespace}:server`, { from: clock.now() + from, until: clock.now() + until });
  let certificate: ServerCertificate = await certified(-DAY_MS, YEAR_MS);

  const endpointOf = (mode: MessageSecurityMode, policy: SecurityPolicy): EndpointDescription =>
    new EndpointDescription({
      endpointUrl: `opc.tcp://simulated-server:${address.port}${PATH}`,
      securityMode: mode,
      securityPolicyUri: toURI(policy),
      serverCertificate: certificate.der,
      transportProfileUri: 'http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary',
      server: {
        applicationUri: `${namespace}:server`,
        applicationName: { text: 'Simulated server' },
        applicationType: ApplicationType.Server,
        productUri: namespace,
      },
      userIdentityTokens: [
        ...(users === undefined ? [{ policyId: 'anonymous', tokenType: UserTokenType.Anonymous }] : []),
        {
          policyId: 'user',
          tokenType: UserTokenType.UserName,
          securityPolicyUri: toURI(policy === SecurityPolicy.None ? SecurityPolicy.Basic256Sha256 : policy),
        },
      ],
    });
  const endpoints = (): EndpointDescription[] => [
    endpointOf(MessageSecurityMode.None, SecurityPolicy.None),
    ...POLICIES.flatMap((policy) => [
      endpointOf(MessageSecurityMode.Sign, policy),
      endpointOf(MessageSecurityMode.SignAndEncrypt, policy),
    ]),
  ];

  const parent: ServerSecureChannelParent = {
    certificateManager: {
      referenceCounter: 0,
      initialize: async () => {},
      dispose: async () => {},
      checkCertificate: async () =>
        faults.refusesCertificates ? StatusCodes.BadCertificateUntrusted : StatusCodes.Good,
      verifyCertificate: async () => 'Good',
      trustCertificate: async () => {},
      rejectCertificate: async () => {},
      getTrustStatus: async () => StatusCodes.Good,
      addIssuer: async () => {},
      addRevocationList: async () => {},
    },
    getCertificate: () => certificate.der,
    getCertificateChain: () => [certificate.der],
    getKeyOperations: () => certificate.keys,
    getEndpointDescription: (mode, policy) =>
      endpoints().find(
        ({ securityMode, securityPolicyUri }) => securityMode === mode && securityPolicyUri === toURI(policy),
      ) ?? null,
  };

  const served: Served = { space, faults, clock, users, endpoints };
  const streams = new Set<Duplex>();

  return {
    faults,
    path: PATH,
    certificate: () => certificate.der,

    /** A client has connected. */
    accept(stream: Duplex): void {
      streams.add(stream);
      stream.on('error', () => {});
      const channel = new ServerSecureChannelLayer({ parent });
      stream.on('close', () => streams.delete(stream));
      // Their type of sockets has overloads that ours fits only in effect.
      channel.init(socketLike(stream) as ISocketLike, () => {});
      serveChannel(channel, served);
    },

    /** Has another certificate from now on; one that is expired was valid until yesterday. */
    async changeCertificate(kind: 'valid' | 'expired'): Promise<void> {
      certificate = await (kind === 'valid' ? certified(-DAY_MS, YEAR_MS) : certified(-YEAR_MS, -DAY_MS));
    },

    /** Cuts every connection. */
    cut(): void {
      for (const stream of streams) stream.destroy();
    },
  };
}

export type OpcuaServer = Awaited<ReturnType<typeof createOpcuaServer>>;
