import { startGateway } from '../gateway/index.ts';
import { exitWith } from './exit.ts';
import { VERSION } from './version.ts';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());

try {
  await startGateway({
    environment: process.env,
    version: VERSION,
    signal: stop.signal,
    print: (line) => console.log(`${new Date().toISOString()} ${line}`),
  });
} catch (error) {
  exitWith(error);
}
