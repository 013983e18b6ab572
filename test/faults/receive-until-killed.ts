import { setTimeout as sleep } from 'node:timers/promises';
import { makeReceiver } from '../kit/receiver.ts';

/** A delivery is under way nearly always, so that a process that dies leaves a claim behind. */
const ANSWERED_MS = 30;

// Prints where it receives events, and then each delivery that it has answered: the path and the ids of the events.
const receiver = await makeReceiver();
receiver.behaviour = async (_, response, { path, events }) => {
  await sleep(ANSWERED_MS);
  response.once('finish', () => {
    process.stdout.write(`${JSON.stringify({ path, ids: events.map(({ id }) => id) })}\n`);
  });
  response.writeHead(204).end();
};
process.stdout.write(`${receiver.url}\n`);
