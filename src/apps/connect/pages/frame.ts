import type { Assets } from '../../../pages/assets.ts';
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
    navigation: [
      ...(gridUrl === undefined ? [] : [{ href: `${gridUrl}/`, text: 'Prices' }]),
      { href: '/docs', text: 'API', isHere: true },
      ...(gridUrl === undefined ? [] : [{ href: `${gridUrl}/account`, text: 'Account' }]),
    ],
  });
}
