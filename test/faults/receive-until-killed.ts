import { makeReceiver } from '../kit/receiver.ts';

// Prints where it receives events, and then each delivery that it has answered: the path and the ids of the events.
const receiver = await makeReceiver();
receiver.behaviour = (_, response, { path, events }) => {
  response.once('finish', () => {
    process.stdout.write(`${JSON.stringify({ path, ids: events.map(({ id }) => id) })}\n`);
  });
  response.writeHead(204).end();
};
process.stdout.write(`${receiver.url}\n`);
