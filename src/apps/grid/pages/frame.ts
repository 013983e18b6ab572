import type { FastifyRequest } from 'fastify';
import type { Assets } from '../../../pages/assets.ts';
import { type Language, languageOf } from '../../../pages/language.ts';
import { navigationTo, type Place } from '../../../pages/navigation.ts';
import { type Page, renderPage } from '../../../pages/page.ts';

interface GridPage extends Omit<Page, 'navigation' | 'brand'> {
  /** Which link of the head is this page. */
  readonly here?: Place;
}

/** A page of Grid: the same head for all. */
export function gridPage(assets: Assets, { here, ...page }: GridPage): string {
  return renderPage(assets, {
    ...page,
    navigation: navigationTo({ language: page.language, here, grid: '' }),
  });
}

export function pageLanguage(request: FastifyRequest): Language {
  return languageOf(request.headers['accept-language']);
}
