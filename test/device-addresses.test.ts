import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { vendors } from '../src/vendors/index.ts';

/** The field of credentials that says where a device is, by the vendors that have one. */
const hosts = vendors.flatMap(({ slug, credentials }) => {
  const { properties = {} } = credentials as { readonly properties?: Readonly<Record<string, TSchema>> };
  return properties.host === undefined ? [] : [[slug, Compile(properties.host)] as const];
});

it('the address of a device is a name or an IP address for every vendor, and holds no password or second line', () => {
  assert.ok(hosts.length >= 8, `only ${hosts.length} vendors ask for an address`);
  for (const [slug, host] of hosts) {
    for (const right of ['192.168.1.20', 'device.local'])
      assert.ok(host.Check(right), `${slug} takes ${right}`);
    for (const wrong of ['', 'user:canary@192.168.1.20', '192.168.1.20\nx', '192.168.1.20/path?token=canary'])
      assert.ok(!host.Check(wrong), `${slug} refuses ${JSON.stringify(wrong)}`);
  }
});
