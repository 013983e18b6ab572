import { once } from 'node:events';
import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { connectAsync } from 'mqtt';
import multicastDns from 'multicast-dns';
import type { Adapter } from '../../src/adapter/adapter.ts';
import { systemClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { serveSimulated } from '../../src/proof/simulation/serve.ts';
import { serveLocal } from '../../src/proof/simulation/serve-local.ts';
import { postToLoopback } from '../../src/proof/simulation/webhooks.ts';
import { vendors } from '../../src/vendors/index.ts';
import { simulatedCertificate } from './certificates.ts';

/*
 * Devices of a home at one address, each at the port of its protocol, in a process that a test starts in a network namespace:
 * node test/kit/home-devices.ts <address> <MQTT URL with user name and password>
 */

/** As the simulated bridge calls itself: its maker writes it into the certificate. */
const BRIDGE = '001788fffe686f6d';
const HTTP = { shelly: 80, sonnen: 81, fronius: 82, hue_bridge: 83 } as const;
const OTHER = { sunspec: 502, opcua: 4_840 } as const;

const [host = '', broker = ''] = process.argv.slice(2);
const adapters: readonly Adapter[] = vendors;
const adapterOf = (slug: string) => adapters.find((one) => one.slug === slug);

async function serveHttp(slug: string, port: number): Promise<void> {
  const module = await adapterOf(slug)?.simulator?.();
  if (module === undefined) throw new Error(`${slug} has no simulator`);
  const simulated = module.createSimulator({
    clock: systemClock,
    random: systemRandom,
    baseUrl: () => `http://${host}:${port}`,
    post: postToLoopback,
  });
  await serveSimulated({ slug, port, host, load: async () => simulated });
}

async function serveStreams(slug: string, port: number): Promise<void> {
  const module = await adapterOf(slug)?.localSimulator?.();
  if (module === undefined) throw new Error(`${slug} has no simulator that listens`);
  const { device } = await serveLocal({ module, clock: systemClock, random: systemRandom, port, host });
  if (slug === 'opcua') console.log(JSON.stringify(device.credentials));
}

/** A bridge speaks TLS alone, with a certificate of its own. */
async function serveBridge(): Promise<void> {
  await serveHttp('hue_bridge', HTTP.hue_bridge);
  const server = createServer(simulatedCertificate(BRIDGE), (socket) => {
    const inner = connect(HTTP.hue_bridge, host);
    for (const one of [socket, inner]) one.on('error', () => {});
    socket.pipe(inner).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(443, host, resolve));
}

/** A machine at the broker, which does what it is told, and says how it is when it is asked. */
async function obey(): Promise<void> {
  const machine = await connectAsync(broker, { rejectUnauthorized: false, reconnectPeriod: 20 });
  machine.on('error', () => {});
  let state: string | Buffer = '0';
  machine.on('message', (topic, payload) => {
    if (topic === 'press/run') state = payload;
    machine.publish('press/running', state, { qos: 1 });
  });
  await machine.subscribeAsync(['press/run', 'press/ask'], { qos: 1 });
}

/** The inverter alone announces itself; its port is none that a gateway looks for. */
async function announce(): Promise<void> {
  const responder = multicastDns({ interface: host, bind: '0.0.0.0' });
  const type = '_Fronius-SE-Inverter._tcp.local';
  const [name, target] = [`Fronius-GEN24.${type}`, 'fronius-gen24.local'];
  responder.on('query', ({ questions = [] }) => {
    if (!questions.some((question) => question.name === type)) return;
    responder.respond({
      answers: [{ type: 'PTR', name: type, data: name }],
      additionals: [
        { type: 'SRV', name, data: { target, port: HTTP.fronius } },
        { type: 'TXT', name, data: ['path=/solar_api'] },
        { type: 'A', name: target, data: host },
      ],
    });
  });
  await once(responder, 'ready');
}

await Promise.all([
  ...(['shelly', 'sonnen', 'fronius'] as const).map((slug) => serveHttp(slug, HTTP[slug])),
  ...(['sunspec', 'opcua'] as const).map((slug) => serveStreams(slug, OTHER[slug])),
  serveBridge(),
  obey(),
  announce(),
]);
console.log('The devices are there');
