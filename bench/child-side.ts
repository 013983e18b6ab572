import type { Memory } from './children.ts';

/** Tells the parent that this process serves, and where. */
export function ready(told: object): void {
  process.send?.({ ready: told });
}

/** Answers what the parent asks of this process, and ends it when told to, or when the parent is gone. */
export function answerQuestions(
  stop: () => Promise<unknown>,
  answers: Readonly<Record<string, () => unknown>> = {},
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
    const answer = ask === 'cpu' ? cpuMs() : ask === 'memory' ? await memory() : await answers[ask]?.();
    process.send?.({ id, answer });
  });
}

/** Processor time of this process so far. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Memory after what is no longer needed has been collected. */
async function memory(): Promise<Memory> {
  for (let times = 0; times < 4; times += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heap: heapUsed + external };
}
