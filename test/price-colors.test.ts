import assert from 'node:assert/strict';
import { it } from 'node:test';
import { stepOf as stepInConsole } from '../console/app/device/price-steps.ts';
import { STEPS, stepOf } from '../src/apps/grid/front/price-steps.ts';

/** SEK per kWh, each thousandth from −0.5 to 2. */
const PRICES = Array.from({ length: 2_501 }, (_, index) => ((index - 500) / 1_000).toFixed(3));

it('a price has the same colour in the console as on the front page of Grid', () => {
  const onFrontPage = PRICES.map((price) => stepOf(price));
  assert.deepEqual(
    PRICES.map((price) => stepInConsole(Number(price))),
    onFrontPage,
  );
  assert.deepEqual([...new Set(onFrontPage)], [...STEPS], 'prices of every step');
});
