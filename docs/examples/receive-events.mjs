// Receives the events of a subscription (docs/guides/events.md), verifies and prints them. Run it from this repository after `npm ci`:
//   SECRET=whsec_… PORT=8700 node docs/examples/receive-events.mjs
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

const { SECRET, PORT = '8700' } = process.env;
if (SECRET === undefined)
  throw new Error('SECRET is missing: it is the secret that POST /subscriptions answered, whsec_…');
const webhook = new Webhook(SECRET);
/** Ids of events that were handled. A service stores them, in the transaction that handles the event. */
const handled = new Set();

const server = createServer(async (request, response) => {
  // The signature covers the body as it was sent, so verify it before it is parsed.
  const body = await text(request);
  try {
    webhook.verify(body, request.headers);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.writeHead(401).end(error.message);
    return;
  }
  for (const event of JSON.parse(body).events) {
    // A delivery whose response was lost comes again.
    if (handled.has(event.id)) continue;
    handled.add(event.id);
    console.log(event.type, JSON.stringify(event.subject));
  }
  // Answer when the events are stored: anything but 2xx within 15 seconds has them sent again.
  response.writeHead(204).end();
});
server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`listening at http://127.0.0.1:${server.address().port}`),
);
