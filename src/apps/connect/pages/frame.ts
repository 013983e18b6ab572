import type { Assets } from '../../../pages/assets.ts';
import { navigationTo, type Place } from '../../../pages/navigation.ts';
import { type Page, renderPage } from '../../../pages/page.ts';

interface ConnectPage extends Omit<Page, 'navigation' | 'brand'> {
  readonly here: Place;
  /** Address of Grid, where it is known. */
  readonly gridUrl: string | undefined;
}

/** A page of Connect for who develops with it; pages for end users are branded and have their own head. */
export function connectPage(assets: Assets, { here, gridUrl, ...page }: ConnectPage): string {
  const navigation = navigationTo({ language: page.language, here, grid: gridUrl, connect: '' });
  const status = gridUrl === undefined ? {} : { statusUrl: `${gridUrl}/status` };
  return renderPage(assets, { ...page, navigation, ...status });
}
