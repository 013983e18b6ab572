import { type HttpAnswer, HttpFailure } from '../adapter/http.ts';
import { faultInJsonOf, type Json } from '../core/json.ts';
import type { Incoming } from './exchange.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** What came in, with the ways to read it. */
export function answerOf(name: string, { status, headers, bytes }: Incoming): HttpAnswer {
  const text = (): string => {
    try {
      return utf8.decode(bytes);
    } catch {
      throw new HttpFailure('answer_invalid', `${name} returned text that is not UTF-8`, { status });
    }
  };
  return {
    status,
    headers,
    bytes,
    text,
    json() {
      const read = text();
      let value: Json;
      try {
        value = JSON.parse(read);
      } catch {
        // The parser's own words quote the body.
        const what = /^\s*</.test(read) ? 'a page' : 'a body';
        throw new HttpFailure('answer_invalid', `${name} returned ${what} that is not JSON`, { status });
      }
      const fault = faultInJsonOf(read, value);
      if (fault !== null)
        throw new HttpFailure(
          'answer_invalid',
          `${name} returned JSON that is not accepted: ${wherever(fault)}`,
          {
            status,
          },
        );
      return value;
    },
  };
}

/** The path in a fault is made of the sender's own field names, which are not repeated. */
function wherever(fault: string): string {
  if (fault.includes('deeper')) return 'it is nested too deep';
  if (fault.includes('__proto__')) return 'it has a field named __proto__';
  return 'it holds text that is not valid Unicode';
}
