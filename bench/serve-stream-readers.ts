import { request } from 'node:http';
import { answerQuestions, ready } from './child-side.ts';

// Apps that read the stream of events, each over a connection of its own. Asked for `open`, it opens all; for `arrivals`, it returns for each
// event that has come since how long it was on its way, in ms, from when its state was fetched.
const base = process.env.BENCH_BASE ?? '';
const keys = JSON.parse(process.env.BENCH_KEYS ?? '[]') as readonly string[];
const ofKey = Number(process.env.BENCH_OF_KEY);
const AT_ONCE = 50;
const FETCHED = /"fetched_at":"([^"]+)"/g;

let arrivals: number[] = [];
let open = 0;

function read(key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const url = `${base}/events/stream?types=device.state_changed`;
    const asked = request(url, { agent: false, headers: { 'x-api-key': key } }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`a stream was answered ${answer.statusCode}`));
      open += 1;
      answer.setEncoding('latin1');
      answer.on('data', (text: string) => {
        const now = Date.now();
        for (const [, fetchedAt = ''] of text.matchAll(FETCHED)) arrivals.push(now - Date.parse(fetchedAt));
      });
      answer.on('close', () => {
        open -= 1;
      });
      answer.on('error', () => {});
      resolve();
    });
    asked.on('error', reject);
    asked.end();
  });
}

async function openAll(): Promise<number> {
  const wanted = keys.flatMap((key) => Array.from({ length: ofKey }, () => key));
  const worker = async () => {
    for (let key = wanted.pop(); key !== undefined; key = wanted.pop()) await read(key);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return open;
}

answerQuestions(async () => {}, {
  open: openAll,
  arrivals: () => {
    const found = { arrivals, open };
    arrivals = [];
    return found;
  },
});
ready({});
