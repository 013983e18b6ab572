import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

export interface Called {
  /** From the first byte sent to the last one received, milliseconds. */
  readonly ms: number;
  /** Bytes of the answer. */
  readonly bytes: number;
}

/** Sends a body and counts the bytes of the response, which must be 200. */
export function post(url: string, key: string, body: Buffer): Promise<Called> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...(key === '' ? {} : { 'x-api-key': key }),
    };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ ms: performance.now() - begun, bytes });
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Requests `/healthz` every few milliseconds during `work`; returns the durations, ascending. */
export async function healthDuring(base: string, work: () => Promise<unknown>): Promise<number[]> {
  const waits: number[] = [];
  let working = true;
  const ended = work().finally(() => {
    working = false;
  });
  while (working) {
    const begun = performance.now();
    await new Promise<void>((resolve, reject) => {
      request(`${base}/healthz`, { agent }, (response) => response.resume().on('end', resolve))
        .on('error', reject)
        .end();
    });
    waits.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await ended;
  return waits.sort((a, b) => a - b);
}

export function hangUp(): void {
  agent.destroy();
}
