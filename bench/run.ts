import { ENGINES, type Engine } from '../test/kit/databases.ts';
import { type Bench, isShort, print, type Section, write } from './report.ts';

interface Entry {
  readonly guards: string;
  /** Loaded when it runs, so that the memory of one bench is not that of all. */
  load(): Promise<readonly Bench[]>;
}

/** A bench that is run for each engine, PostgreSQL where `TEST_DATABASE_URL` names one. */
const onEach = (bench: (engine: Engine) => Promise<Section[]>): readonly Bench[] =>
  ENGINES.map((engine) => () => bench(engine));

/** Each bench with the goal that it guards, in the order of docs/benchmarks.md. */
const BENCHES: Readonly<Record<string, Entry>> = {
  reads: {
    guards: 'a device and a list from memory, beside node:http with the same bytes',
    load: async () => {
      const { readBench, listBench } = await import('./reads.ts');
      return [readBench, listBench];
    },
  },
  commands: {
    guards: 'commands, durable before and after they are sent, beside two durable writes alone',
    load: async () => onEach((await import('./commands.ts')).commandsBench),
  },
  stations: {
    guards: 'memory of OCPP stations, meter values that are durable, the way of a command to a station',
    load: async () => [(await import('./stations.ts')).stationsBench],
  },
  lookups: {
    guards: 'the Swedish tables and look-ups, beside a Map behind node:http',
    load: async () => {
      const { inProcess, throughHttp } = await import('./lookups.ts');
      return [inProcess, throughHttp];
    },
  },
  planner: {
    guards: 'charge plans, beside HiGHS, and through HTTP beside parse and echo',
    load: async () => {
      const { sameCost, speed, throughHttp } = await import('./planner.ts');
      return [speed, throughHttp, sameCost];
    },
  },
  flex: {
    guards: 'dispatch of a million members, beside sorting and beside parse and echo; the worst bodies',
    load: async () => {
      const { throughHttp, withoutJson, worstBodies } = await import('./flex.ts');
      return [withoutJson, throughHttp, worstBodies];
    },
  },
  polling: {
    guards: 'background reads of 100,000 links, and commands beside them and without them',
    load: async () => onEach((await import('./polling.ts')).pollingBench),
  },
  webhooks: {
    guards: 'webhooks of vendors, verified and stored, beside inserts alone',
    load: async () => onEach((await import('./webhooks.ts')).webhooksBench),
  },
  subscriptions: {
    guards: 'events posted to apps while some receivers never respond, beside the same without those',
    load: async () => onEach((await import('./subscriptions.ts')).subscriptionsBench),
  },
  'event-streams': {
    guards: '10,000 open streams of events: memory, and the way of an event',
    load: async () => onEach((await import('./event-streams.ts')).eventStreamsBench),
  },
  fairness: {
    guards:
      'reads of a quiet account beside eight that do their worst, and health checks of a process at three times its capacity',
    load: async () => {
      const { fairnessBench, overloadBench } = await import('./fairness.ts');
      return [...onEach(fairnessBench), overloadBench];
    },
  },
  history: {
    guards: 'a year of a device, its size on disk, and the sums of today beside one plain sum',
    load: async () => {
      const { historyBench, todayBench } = await import('./history.ts');
      return [...onEach(historyBench), ...onEach(todayBench)];
    },
  },
  gateways: {
    guards: 'the time that a gateway adds to a request, beside the same request without it',
    load: async () => [(await import('./gateways.ts')).gatewaysBench],
  },
  console: {
    guards: 'the table of 10,000 changing devices and its first load, beside a table without a framework',
    load: async () => [(await import('./console.ts')).consoleBench],
  },
  pages: {
    guards: 'the first load of the public pages, beside node:http with the same bytes',
    load: async () => [(await import('./pages.ts')).pagesBench],
  },
};

const options = process.argv.slice(2).filter((word) => word.startsWith('--'));
const names = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const wrong =
  names.find((name) => !Object.hasOwn(BENCHES, name)) ??
  options.find((option) => option !== '--write' && option !== '--short');

if (names.length === 0 || wrong !== undefined) {
  if (wrong !== undefined) console.error(`There is no ${wrong}.\n`);
  console.log('npm run bench -- <name> … [--write | --short]\n');
  for (const [name, { guards }] of Object.entries(BENCHES)) console.log(`  ${name.padEnd(14)} ${guards}`);
  process.exit(wrong === undefined ? 0 : 2);
}

let missed = 0;
for (const name of names) {
  const sections: Section[] = [];
  for (const bench of (await BENCHES[name]?.load()) ?? [])
    for (const section of await bench()) {
      sections.push(section);
      print(section);
    }
  missed += sections.flatMap(({ rows }) => rows).filter(({ met }) => met === false).length;
  if (options.includes('--write') && !isShort) write(name, sections);
}
console.log(missed === 0 ? '\nAll targets are met.' : `\n${missed} targets are missed.`);
// Some leave timers of vendors behind.
process.exit(missed === 0 || isShort ? 0 : 1);
