import { send } from '../../adapter/adapters.ts';
import type { Delivery, Webhook } from '../../adapter/webhook.ts';
import type { Json } from '../../core/json.ts';
import { type CloudCheck, faultOf } from './cloud.ts';
import { anyCommand } from './faults.ts';
import { leavesOf, ODD, withLeaf } from './odd-values.ts';

const ADDRESS = 'https://elnav.example/webhooks/conformance';
/** Within it a vendor has posted what happened. */
const POSTED_SECONDS = 10;

/** What the vendor posts: that it says which device changed, who signed it, and that no shape of it is an error. */
export async function checkWebhooks(check: CloudCheck): Promise<void> {
  const { adapter, report } = check;
  const { webhook } = adapter;
  if (webhook === undefined) return;
  const posted: Delivery[] = [];
  report(
    'a change that the vendor posts is one of the device',
    await faultOf(async () => void posted.push(...(await postedChange(check, webhook)))),
  );
  const [delivery] = posted;
  if (delivery === undefined) return;
  report(
    'a delivery of another shape is no error',
    await faultOf(async () => oddDeliveries(webhook, delivery)),
  );
  if (webhook.trust === 'signed')
    report(
      'a delivery that the vendor did not sign is refused',
      await faultOf(async () => forgeries(webhook, delivery, check.cloud.webhookSecret)),
    );
  if (webhook.unsubscribe !== undefined)
    report(
      'nothing is posted once the subscription was taken back',
      await faultOf(async () => {
        await webhook.unsubscribe?.(check.simulator.session());
        const late = await deliveriesOfCommand(check);
        if (late.length > 0) throw new Error(`${late.length} deliveries`);
      }),
    );
}

const jsonOf = ({ body }: Delivery): Json => JSON.parse(Buffer.from(body).toString()) as Json;

/** What is posted of a command, after subscribing; throws when a delivery is of another device or account. */
async function postedChange(check: CloudCheck, webhook: Webhook): Promise<readonly Delivery[]> {
  const { adapter, simulator } = check;
  await webhook.subscribe?.(simulator.session(), ADDRESS);
  await simulator.pass(POSTED_SECONDS);
  const { vendorAccount, devices } = await adapter.link(simulator.session());
  const deliveries = await deliveriesOfCommand(check);
  const changes = deliveries.flatMap((one) => [...webhook.read(jsonOf(one), one)]);
  if (changes.length === 0) throw new Error(`${deliveries.length} deliveries told of no change`);
  for (const change of changes) {
    if (change.vendorAccount !== undefined && change.vendorAccount !== vendorAccount)
      throw new Error(`of the account ${change.vendorAccount}, and ${vendorAccount} is linked`);
    if (change.device !== undefined && !devices.some(({ id }) => id === change.device))
      throw new Error(`of the device ${change.device}, which is not linked`);
    if (change.device === undefined && change.vendorAccount === undefined)
      throw new Error('a change names neither a device nor an account');
  }
  return deliveries;
}

async function deliveriesOfCommand({ adapter, simulator, cloud, refs }: CloudCheck): Promise<Delivery[]> {
  const command = await anyCommand(adapter, simulator, refs);
  if (command === undefined) throw new Error('no device takes a command that could be posted');
  const before = cloud.posted.length;
  await send(command.kind, simulator.session(), command.ref, command.command);
  await simulator.pass(POSTED_SECONDS);
  return cloud.posted.slice(before);
}

/** Every leaf of what was posted turns odd once, and bodies that are no object. */
function oddDeliveries(webhook: Webhook, delivery: Delivery): void {
  const body = jsonOf(delivery);
  const odd = leavesOf(body).flatMap((path) => ODD.map((value) => withLeaf(body, path, value)));
  for (const shape of [...odd, null, 7, 'text', [], {}]) {
    const changes = webhook.read(shape, delivery);
    if (!changes.every(({ device = '', vendorAccount = '' }) => isText(device) && isText(vendorAccount)))
      throw new Error(`${JSON.stringify(shape)} is of ${JSON.stringify(changes)}`);
  }
}

const isText = (value: unknown) => typeof value === 'string';

function forgeries(webhook: Webhook, delivery: Delivery, secret: string): void {
  const verify = (change: Partial<Delivery>, by: string) => webhook.verify?.({ ...delivery, ...change }, by);
  if (verify({}, secret) !== true) throw new Error('what the vendor signed is refused');
  if (verify({}, `${secret} `) === true) throw new Error('the signature of another secret is taken');
  if (verify({ headers: {} }, secret) === true) throw new Error('a delivery without a signature is taken');
  for (let at = 0; at < delivery.body.length; at += 1) {
    const body = Uint8Array.from(delivery.body);
    body[at] = (body[at] ?? 0) ^ 1;
    if (verify({ body }, secret) === true) throw new Error(`byte ${at} of the body is not signed`);
  }
}
