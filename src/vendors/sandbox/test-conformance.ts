import { simulatorForTest } from './test-world.ts';

/** As `test/vendors.test.ts` tries it. */
export const VARIANTS_TO_CONFORM = [
  { name: 'sandbox', open: async () => ({ simulator: simulatorForTest(), close: async () => {} }) },
];
