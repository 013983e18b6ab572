import type { Assets } from '../../../pages/assets.ts';
import { navigationTo } from '../../../pages/navigation.ts';
import { type Page, renderPage } from '../../../pages/page.ts';

/** The documents of Connect with their head; pages for end users are branded and have their own. */
export function documentPage(
  assets: Assets,
  page: Omit<Page, 'navigation' | 'brand' | 'footer'>,
  gridUrl: string | undefined,
): string {
  return renderPage(assets, {
    ...page,
    brand: { name: 'elnav', href: gridUrl === undefined ? '/' : `${gridUrl}/` },
    navigation: navigationTo({ language: page.language, here: 'docs', grid: gridUrl }),
  });
}
