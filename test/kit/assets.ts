import { BUILT, STYLES } from '../../src/bin/console.ts';
import { loadAssets } from '../../src/pages/assets.ts';

/** The style sheets of the pages, and their scripts if they are built. */
export const assets = await loadAssets(
  { styles: STYLES, built: BUILT },
  { contact: undefined, privacyUrl: undefined, termsUrl: undefined, sourceUrl: undefined },
);
