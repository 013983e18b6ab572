import { createConfig, formatProblems, lint } from '@redocly/openapi-core';

/*
 * Lints the published documents by the recommended rules of Redocly: `npm run lint:openapi`. Any problem, a warning too,
 * ends the process with code 1.
 */

const DOCUMENTS = ['docs/openapi/connect.json', 'docs/openapi/grid.json'];

/** Where a rule does not hold, with the reason. */
const EXEMPT = [
  {
    ruleId: 'operation-2xx-response',
    pointer: '#/paths/~1oauth~1{vendor}~1authorize/get/responses',
    reason: 'its good response is a redirect to the vendor',
  },
];

const config = await createConfig({ extends: ['recommended'] });
const found = (await Promise.all(DOCUMENTS.map((ref) => lint({ ref, config })))).flat();
const isExempt = ({ ruleId, location }: (typeof found)[number]) =>
  EXEMPT.some((one) => one.ruleId === ruleId && location.some(({ pointer }) => pointer === one.pointer));
const problems = found.filter((problem) => !isExempt(problem));
if (found.length - problems.length !== EXEMPT.length) {
  console.error('an exemption is not needed any more; remove it from tools/lint-openapi.ts');
  process.exitCode = 1;
}
if (problems.length > 0) {
  formatProblems(problems, {
    format: 'stylish',
    totals: { errors: 0, warnings: 0, ignored: 0 },
    version: '',
  });
  process.exitCode = 1;
}
console.log(`${DOCUMENTS.join(', ')}: ${problems.length} problems`);
