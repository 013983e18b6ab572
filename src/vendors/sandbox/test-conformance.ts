import { simulatorForTest } from './test-world.ts';

/** The variants for `test/vendors.test.ts`. */
export const VARIANTS_TO_CONFORM = [
  { name: 'sandbox', open: async () => ({ simulator: simulatorForTest(), close: async () => {} }) },
];
