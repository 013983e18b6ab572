import { conforms } from '../src/proof/conformance/index.ts';
import { vendors } from '../src/vendors/index.ts';
import { variantsOf } from '../test/kit/vendor-variants.ts';

/*
 * `npm run conform -- <slug>` runs a vendor's adapter against its simulator, and prints each failed check: what to write
 * or fix next.
 */

const slug = process.argv[2];
const adapter = vendors.find((one) => one.slug === slug);
if (adapter === undefined) {
  console.error(
    `conform: name one of ${vendors.map((one) => one.slug).join(', ')}, as in npm run conform -- netatmo`,
  );
  process.exit(1);
}

let checks = 0;
let faults = 0;
for (const { name, open } of await variantsOf(adapter)) {
  const { simulator, close } = await open();
  const findings = await conforms(adapter, simulator).finally(close);
  checks += findings.length;
  for (const { check, fault } of findings) {
    if (fault === null) continue;
    faults += 1;
    console.log(`✖ ${check}\n    ${fault} (${name})`);
  }
}
console.log(`${adapter.name}: ${checks} checks, ${faults === 0 ? 'no fault' : `${faults} with a fault`}`);
// Simulators of stations leave sockets open for a moment.
process.exit(faults === 0 ? 0 : 1);
