import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Memory } from './children.ts';

/** Reports to the parent that this process is ready, with its addresses. */
export function ready(report: object): void {
  process.send?.({ ready: report });
}

/** Answers the parent's questions, and ends this process on `stop` or when the parent is gone. All other texts are orders. */
export function answerQuestions(
  stop: () => Promise<unknown>,
  answers: Readonly<Record<string, (question: string) => unknown>> = {},
  obey: (order: string) => void = () => {},
): void {
  const end = () => {
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('disconnect', end);
  process.on('message', async ({ id, ask }: { id: number; ask: string }) => {
    if (ask === 'stop') return end();
    const answer =
      ask === 'cpu' ? cpuMs() : ask === 'memory' ? await memory() : await (answers[ask] ?? obey)(ask);
    process.send?.({ id, answer });
  });
}

/** Listens on a free port of this machine, reports its address as that of Connect, and answers the parent until it closes. */
export function serveAsConnect(
  server: Server,
  answers?: Readonly<Record<string, (question: string) => unknown>>,
  obey?: (order: string) => void,
): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    ready({ connect: `http://127.0.0.1:${port}`, grid: '' });
  });
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  answerQuestions(stop, answers, obey);
}

/** Processor time of this process so far. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Memory after garbage collection. */
async function memory(): Promise<Memory> {
  for (let times = 0; times < 4; times += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heap: heapUsed + external };
}
