import type { ExchangeRateSource, PriceSource, ProductionSource } from './contract/market.ts';
import { ecb } from './ecb/index.ts';
import { elprisetjustnu } from './elprisetjustnu/index.ts';
import { energidataservice } from './energidataservice/index.ts';
import { entsoe } from './entsoe/index.ts';
import { esett } from './esett/index.ts';
import { nordpool } from './nordpool/index.ts';

/** Sources of day-ahead prices; a setting chooses and orders them. */
export const priceSources: readonly PriceSource[] = [elprisetjustnu, entsoe, energidataservice, nordpool];

/** Source of the exchange rate for prices in euros only. */
export const exchangeRateSource: ExchangeRateSource = ecb;

/** Settled production by area and kind. */
export const productionSource: ProductionSource = esett;
