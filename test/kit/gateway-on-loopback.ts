import { startGateway } from '../../src/gateway/index.ts';
import { runningClock } from './running-clock.ts';

/** A gateway whose devices are on this machine, and whose clock can be turned: all in which it differs from `npm run gateway`. */
const THREE_MINUTES_MS = 180_000;
const stop = new AbortController();
const clock = runningClock();
process.once('SIGTERM', () => stop.abort());
process.on('SIGUSR2', () => clock.turn(THREE_MINUTES_MS));
await startGateway({
  environment: process.env,
  version: 'test',
  signal: stop.signal,
  print: (line) => console.log(line),
  mayOpen: (address) => address === '127.0.0.1',
  clock,
});
