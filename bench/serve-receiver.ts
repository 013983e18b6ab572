import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerQuestions, ready } from './child-side.ts';

// The servers of apps, to which events are posted: /living answers at once, /dead never. Asked for `arrivals`, it returns for each event
// that has come since how long it was on its way, in ms, from when its state was fetched.
interface Delivery {
  readonly events: readonly { readonly data: { readonly fetched_at?: string } }[];
}

let arrivals: number[] = [];
const server = createServer(async (request, response) => {
  const body = await text(request);
  if (request.url?.startsWith('/dead') === true) return;
  const now = Date.now();
  response.writeHead(204).end();
  for (const { data } of (JSON.parse(body) as Delivery).events)
    if (data.fetched_at !== undefined) arrivals.push(now - Date.parse(data.fetched_at));
});
server.listen(0, '127.0.0.1', () => {
  ready({ base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
answerQuestions(
  async () => {
    server.closeAllConnections();
    server.close();
  },
  {
    arrivals: () => {
      const told = arrivals;
      arrivals = [];
      return told;
    },
  },
);
