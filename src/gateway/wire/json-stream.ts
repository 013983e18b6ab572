import type { Duplex } from 'node:stream';
import type { Json } from '../../core/json.ts';
import { failure, MOST_JSON_BYTES } from './protocol.ts';

/** Reads all that comes on a stream as JSON; throws for what is too large, or is none. */
export async function readJson(stream: Duplex): Promise<Json> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_JSON_BYTES) throw failure('EMSGSIZE', `more than ${MOST_JSON_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as Json;
  } catch {
    throw failure('EPROTO', 'not JSON');
  }
}
