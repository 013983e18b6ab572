/** Prices and production from fixed sources, for tests outside of their domains. */
export {
  everyDay,
  type FakeSource,
  fakeSource,
  nothing,
  pricesOf,
  reportedDay,
} from '../../src/domain/market/prices/test-prices.ts';
export {
  open as productionOf,
  type ScriptedSource,
  scriptedSource,
} from '../../src/domain/market/production/test-production.ts';
