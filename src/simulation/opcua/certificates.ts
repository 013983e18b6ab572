import { KeyObject, webcrypto } from 'node:crypto';
import { crypto_utils } from 'node-opcua-client';

/** The certificate of a simulated server, and what it signs and decrypts with. */
export interface ServerCertificate {
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
export async function makeServerCertificate(
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
