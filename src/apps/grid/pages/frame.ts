import type { Assets } from '../../../pages/assets.ts';
import { navigationTo, type Place } from '../../../pages/navigation.ts';
import { type Page, renderPage } from '../../../pages/page.ts';

interface GridPage extends Omit<Page, 'navigation' | 'brand'> {
  /** Which link of the head is this page, or leads to what it belongs to. */
  readonly here?: Place;
}

/** A page of Grid: the same head for all. */
export function gridPage(assets: Assets, { here, ...page }: GridPage): string {
  const navigation = navigationTo({ language: page.language, here, grid: '', connect: undefined });
  return renderPage(assets, { ...page, navigation, statusUrl: '/status' });
}
