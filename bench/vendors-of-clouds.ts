import { vendors as all } from '../src/vendors/index.ts';

/** The vendors of the mixed fleet: devices in users' own networks have benches of their own. */
export const vendors = all.filter(({ isLocal }: { readonly isLocal?: true }) => isLocal === undefined);
