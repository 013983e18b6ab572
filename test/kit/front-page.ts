import { readFileSync } from 'node:fs';
import { after } from 'node:test';
import { addFrontRoutes } from '../../src/apps/grid/routes/front.ts';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { createAreas } from '../../src/domain/market/areas/index.ts';
import type { Prices } from '../../src/domain/market/prices/index.ts';
import { smallTables } from './areas.ts';
import { assets } from './assets.ts';
import { bareServer } from './bare-server.ts';
import { makePlace } from './databases.ts';
import { everyDay, type FakeSource, fakeSource, pricesOf, productionOf, scriptedSource } from './market.ts';
import { until } from './until.ts';

const sample = readFileSync(new URL('../../seed/sample-day.tsv', import.meta.url), 'utf8');

type Close = () => Promise<unknown>;

interface FrontPage {
  readonly clock: TurnedClock;
  readonly prices: Prices;
  readonly source: FakeSource;
  /** How often the days were read, which each rendering does. */
  readonly looks: () => number;
  get(path?: string, headers?: Record<string, string>): Promise<Got>;
}

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface Wanted {
  readonly at: string;
  readonly answer?: FakeSource['answer'];
  readonly hasSample?: boolean;
  readonly hasProduction?: boolean;
  readonly isFetching?: boolean;
}

/** Makes the routes of the front page, and closes what was made after the tests of the suite or file that calls it. */
export function frontPages() {
  const closers: Close[] = [];
  after(async () => {
    for (const close of closers.reverse()) await close();
  });
  return {
    async make(wanted: Wanted): Promise<FrontPage> {
      const { close, ...page } = await makePage(wanted);
      closers.push(close);
      return page;
    },
    /** Closes something else after the tests. */
    closeAfterwards: (close: Close) => void closers.push(close),
  };
}

/** The routes with prices as a scripted source reports them. */
async function makePage({
  at,
  answer = everyDay,
  isFetching = true,
  ...wanted
}: Wanted): Promise<FrontPage & { readonly close: Close }> {
  const { hasSample, hasProduction } = wanted;
  const place = await makePlace('sqlite');
  const database = await place.open();
  const clock = turnedClock(Date.parse(at));
  const source = fakeSource(clock, 'elprisetjustnu', { answer });
  const { prices } = await pricesOf(database, {
    clock,
    sources: [source],
    isOn: isFetching,
    ...(hasSample === true ? { sample } : {}),
  });
  const { production } = await productionOf(database, {
    clock,
    ...(hasProduction === true ? { source: scriptedSource() } : {}),
  });
  prices.start();
  production.start();
  await until('the sources were asked', () => !isFetching || prices.health().sources.length > 0);
  await until('production is known', () => hasProduction !== true || production.health().unit !== null);
  let looks = 0;
  const counted: Prices = {
    ...prices,
    days() {
      looks += 1;
      return prices.days();
    },
  };
  const { app } = bareServer({ clock });
  const areas = createAreas({ tables: smallTables(), clock });
  const publicUrl = () => 'https://grid.example';
  addFrontRoutes(app, {
    areas,
    prices: counted,
    production,
    assets,
    clock,
    publicUrl,
    connectUrl: () => 'https://connect.example',
    isSignUpOpen: true,
  });
  await app.ready();
  return {
    async close() {
      await app.close();
      await production.close();
      await prices.close();
      await database.close();
      await place.remove();
    },
    clock,
    prices,
    source,
    looks: () => looks,
    async get(path = '/', headers = {}) {
      const {
        statusCode,
        headers: sent,
        body,
      } = await app.inject({
        url: path,
        headers: { accept: 'text/html', 'accept-language': 'sv', ...headers },
      });
      return { status: statusCode, headers: sent, text: body };
    },
  };
}

/** How often a part occurs in a text. */
export const count = (text: string, part: string) => text.split(part).length - 1;

/** The texts of the cells of the tables, row by row. */
export const rowsOf = (text: string) =>
  [...text.matchAll(/<tr><th scope="row">([^<]*)<\/th>(.*?)<\/tr>/g)].map(([, head = '', cells = '']) => [
    head,
    ...[...cells.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, cell]) => cell),
  ]);

/** How many bars are drawn, of all colours or of one. */
export const barsIn = (text: string, step = '\\d') =>
  [...text.matchAll(new RegExp(`<path class="step-${step}" fill="currentcolor" d="([^"]*)"`, 'g'))]
    .map(([, path = '']) => path.split('M').length - 1)
    .reduce((sum, bars) => sum + bars, 0);
