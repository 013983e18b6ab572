import { type AddressInfo, createServer, type Socket } from 'node:net';
import { systemClock } from '../src/core/clock.ts';
import { devices } from '../src/vendors/sunspec/simulated-devices.ts';
import { createSunSpec, type SimulatedSunSpec } from '../src/vendors/sunspec/simulator.ts';
import { answerQuestions, ready } from './child-side.ts';

// SunSpec devices of all kinds in turn, in a process of their own so that their work is not counted as elnav's. Each has an address of its own
// in 127.0.0.0/8, as it has one in a home; its registers stand still.
const KINDS = Object.values(devices);
const made = new Map<string, SimulatedSunSpec>();
const sockets = new Set<Socket>();

function deviceAt(host: string): SimulatedSunSpec {
  const known = made.get(host);
  if (known !== undefined) return known;
  const kind = KINDS[made.size % KINDS.length] ?? devices.hybrid;
  const device = createSunSpec({ clock: systemClock, address: { host, port: 0 } }, kind);
  device.rename(`BENCH-${made.size}`);
  // The longest run of registers that is there, by halves.
  let length = 1;
  for (let step = 1_024; step >= 1; step /= 2)
    if (device.registers(kind.base, length + step) !== undefined) length += step;
  const still = Buffer.from(device.registers(kind.base, length) ?? []);
  device.replace((address, count) => {
    const from = address - kind.base;
    return from < 0 || from + count > length ? undefined : still.subarray(from * 2, (from + count) * 2);
  });
  made.set(host, device);
  return device;
}

const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => {});
  deviceAt(socket.localAddress ?? '').accept(socket);
});
server.listen(0, '0.0.0.0', () => {
  answerQuestions(
    async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
    {
      requests: () => {
        let requests = 0;
        for (const { reads } of made.values()) requests += reads.length;
        return requests;
      },
      open: () => sockets.size,
    },
  );
  ready({ port: (server.address() as AddressInfo).port });
});
