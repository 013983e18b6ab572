import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate with its key, PEM, as servers of TLS want them. */
export interface SimulatedCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Who signs certificates of others. */
export interface SimulatedRoot extends SimulatedCertificate {
  readonly name: string;
  readonly privateKey: KeyObject;
}

/** A root certificate, as vendors of devices have one. */
export function simulatedRoot(name: string): SimulatedRoot {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = pemOf(
    'CERTIFICATE',
    signed({ subject: name, issuer: name, publicKey, signer: privateKey, isRoot: true }),
  );
  return { name, cert, key: keyPem(privateKey), privateKey };
}

/** Until when certificates hold unless it is said, and when those that have expired did (UTCTime). */
const HOLDS = '491231235959Z';
export const EXPIRED = '200101000000Z';

/**
 * The certificate of a device, with a key of its own.
 * @param root who signs it; the device itself unless it is said
 * @param more the IPv4 address that it is for besides its name, and until when it holds
 */
export function simulatedCertificate(
  name: string,
  root?: SimulatedRoot,
  more: { readonly ip?: string; readonly until?: string } = {},
): SimulatedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = signed({
    subject: name,
    issuer: root?.name ?? name,
    publicKey,
    signer: root?.privateKey ?? privateKey,
    isRoot: false,
    ...more,
  });
  return { cert: pemOf('CERTIFICATE', der), key: keyPem(privateKey) };
}

interface Signed {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly isRoot: boolean;
  readonly ip?: string;
  readonly until?: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
/** 1.2.840.10045.4.3.2, ecdsa-with-SHA256. */
const ECDSA_SHA256 = der(SEQUENCE, Buffer.from('06082a8648ce3d040302', 'hex'));
/** 2.5.4.3, commonName. */
const COMMON_NAME = Buffer.from('0603550403', 'hex');
/** 2.5.29.19, basicConstraints, critical; `cA` and not. */
const IS_ROOT = Buffer.from('300f0603551d130101ff040530030101ff', 'hex');
const IS_NONE = Buffer.from('300c0603551d130101ff04023000', 'hex');

/** 2.5.29.17, subjectAltName, with one IPv4 address. */
const forAddress = (ip: string): Buffer =>
  der(
    SEQUENCE,
    Buffer.from('0603551d11', 'hex'),
    der(0x04, der(SEQUENCE, der(0x87, Buffer.from(ip.split('.').map(Number))))),
  );

/** A certificate of version 3 (RFC 5280 §4.1), DER. */
function signed({ subject, issuer, publicKey, signer, isRoot, ip, until = HOLDS }: Signed): Buffer {
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const body = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ECDSA_SHA256,
    nameOf(issuer),
    der(SEQUENCE, timeOf('170101000000Z'), timeOf(until)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, isRoot ? IS_ROOT : IS_NONE, ...(ip === undefined ? [] : [forAddress(ip)]))),
  );
  const signature = sign('sha256', body, signer);
  return der(SEQUENCE, body, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
}

const nameOf = (name: string): Buffer =>
  der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from(name)))));

const timeOf = (time: string): Buffer => der(0x17, Buffer.from(time));

/** A value with its tag and length (X.690). */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), content]);
}

const keyPem = (key: KeyObject): string => String(key.export({ type: 'pkcs8', format: 'pem' }));

function pemOf(what: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${what}-----`, ...lines, `-----END ${what}-----`, ''].join('\n');
}
