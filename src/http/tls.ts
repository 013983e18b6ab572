import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { OperatorError } from '../core/errors.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Reads the certificate and its key and checks that they match; throws an error that names the fault. */
export function readTls({ certFile, keyFile }: TlsFiles): { cert: Buffer; key: Buffer } {
  const read = (name: string, file: string): Buffer => {
    try {
      return readFileSync(file);
    } catch (cause) {
      throw new OperatorError(`${name}: ${file} cannot be read (${messageOf(cause)}).`, { cause });
    }
  };
  const cert = read('ELNAV_TLS_CERT_FILE', certFile);
  const key = read('ELNAV_TLS_KEY_FILE', keyFile);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new OperatorError(
      `ELNAV_TLS_CERT_FILE ${certFile} and ELNAV_TLS_KEY_FILE ${keyFile} are not a PEM certificate and its key (${messageOf(cause)}).`,
      { cause },
    );
  }
  return { cert, key };
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
