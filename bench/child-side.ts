import type { Usage } from './children.ts';

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
    stop().finally(() => process.exit(0));
  };
  process.on('disconnect', end);
  process.on('message', async ({ id, ask }: { id: number; ask: string }) => {
    if (ask === 'stop') return end();
    process.send?.({ id, answer: ask === 'usage' ? await usage() : await answers[ask]?.() });
  });
}

/** Processor time and memory of this process; memory after what is no longer needed has been collected. */
async function usage(): Promise<Usage> {
  const { user, system } = process.cpuUsage();
  for (let times = 0; times < 3; times += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { cpuMs: (user + system) / 1_000, rss, heap: heapUsed + external };
}
