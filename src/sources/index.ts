import type { ExchangeRateSource, PriceSource, ProductionSource } from './contract/market.ts';
import { ecb } from './ecb/index.ts';
import { elprisetjustnu } from './elprisetjustnu/index.ts';
import { energidataservice } from './energidataservice/index.ts';
import { entsoe } from './entsoe/index.ts';
import { esett } from './esett/index.ts';
import { nordpool } from './nordpool/index.ts';

/** Sources of day-ahead prices; which of them are asked, and in what order, is a setting. */
export const priceSources: readonly PriceSource[] = [elprisetjustnu, entsoe, energidataservice, nordpool];

/** Where the rate comes from for prices that are in euros alone. */
export const exchangeRateSource: ExchangeRateSource = ecb;

/** Settled production by area and kind. */
export const productionSource: ProductionSource = esett;
