import type { Adapter } from '../adapter/adapter.ts';
import { OperatorError } from '../core/errors.ts';
import { readSettings } from '../core/settings/index.ts';
import { vendors } from '../vendors/index.ts';
import { exitWith } from './run.ts';
import { needsOf } from './vendor-needs.ts';
import { asPartner } from './vendor-session.ts';

try {
  const [slug, region] = process.argv.slice(2);
  console.log(await register(slug, region));
} catch (error) {
  exitWith(error);
}

/** Makes this service known to a vendor that wants to know it. */
async function register(slug: string | undefined, region: string | undefined): Promise<string> {
  const adapter = vendorNamed(slug);
  const { registration } = adapter;
  const chosen = registration.regions.find((one) => one === (region ?? registration.regions[0]));
  if (chosen === undefined)
    throw new OperatorError(
      `${adapter.name} has no region "${region}"; it has ${registration.regions.join(', ')}.`,
    );
  const settings = readSettings(process.env, needsOf(vendors));
  if (settings.connectUrl === undefined)
    throw new OperatorError('ELNAV_CONNECT_URL must be set: its host is what is registered.');
  const domain = new URL(settings.connectUrl).hostname;
  await asPartner(settings, adapter, (session) => registration.register(session, { domain, region: chosen }));
  return `${domain} is registered with ${adapter.name} in the region ${chosen}.`;
}

function vendorNamed(
  slug: string | undefined,
): Adapter & { registration: NonNullable<Adapter['registration']> } {
  const all: readonly Adapter[] = vendors;
  const known = all.filter((adapter) => adapter.registration !== undefined).map((adapter) => adapter.slug);
  const adapter = all.find((one) => one.slug === slug);
  const { registration } = adapter ?? {};
  if (adapter === undefined || registration === undefined)
    throw new OperatorError(
      `Usage: npm run vendor:register -- <vendor> [region]. Vendors that take a registration: ${known.join(', ')}.`,
    );
  return { ...adapter, registration };
}
