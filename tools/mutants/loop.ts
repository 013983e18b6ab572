import type { Mutant } from './mutant.ts';

const JUDGING = ['src/http/validate.test.ts'];
const PARTNERS = ['src/apps/connect/routes/partners.test.ts'];

/** No request may hold the event loop, memory or queues. */
export const mutants: readonly Mutant[] = [
  {
    control: 'a schema without an end is not made into a check',
    file: 'src/http/validate.ts',
    from: 'if (fault !== undefined) throw new TypeError',
    to: 'if (fault === null) throw new TypeError',
    tests: JUDGING,
  },
  {
    control: 'no item of a list that is too long is looked at',
    file: 'src/http/faults.ts',
    from: "tell('maxItems', { limit: maxItems });\n    return;",
    to: "tell('maxItems', { limit: maxItems });",
    tests: JUDGING,
  },
  {
    control: 'of a list that is all wrong only the first faults are looked for',
    file: 'src/http/faults.ts',
    from: '    if (faults.length >= MOST_FAULTS) return;\n',
    to: '',
    tests: JUDGING,
  },
  {
    control: 'keywords whose cost nobody has looked at are refused, as uniqueItems is',
    file: 'src/core/bounded-schema.ts',
    from: '!Object.hasOwn(JUDGING, keyword) && !DESCRIBING.includes(keyword)',
    to: 'DESCRIBING.length === 0 && !Object.hasOwn(JUDGING, keyword)',
    tests: JUDGING,
  },
  {
    control: 'an application that cannot be taken is counted too, before it is read',
    file: 'src/apps/connect/routes/partners.ts',
    from: 'await tries.take(request.ip, reply);',
    to: '',
    tests: PARTNERS,
  },
  {
    control: 'five applications a day from one address',
    file: 'src/apps/connect/routes/partners.ts',
    from: 'await applications.take(request.ip, reply);',
    to: '',
    tests: PARTNERS,
  },
  {
    control: 'a body has at most 16 KiB where its route does not say otherwise',
    file: 'src/http/server.ts',
    from: 'const BODY_LIMIT = 16 * 1024;',
    to: 'const BODY_LIMIT = 256 * 1024;',
    tests: ['test/routes/bodies.test.ts'],
  },
  {
    control: 'who takes nothing of an answer of rows for half a minute is hung up on',
    file: 'src/http/rows.ts',
    from: '() => raw.destroy()',
    to: '() => {}',
    tests: ['src/http/rows.test.ts', 'src/apps/grid/routes/history.test.ts'],
  },
  {
    control: 'ten answers of history are open at a time for one address or account',
    file: 'src/apps/grid/send-history.ts',
    from: '  limit.enter(request, reply);\n',
    to: '',
    tests: ['src/apps/grid/routes/history.test.ts'],
  },
  {
    control: 'answers that stay open are counted in all',
    file: 'src/http/open-answers.ts',
    from: ' || inAll >= mostInAll',
    to: '',
    tests: ['src/http/open-answers.test.ts'],
  },
  {
    control: 'a page of prices has some two hundred slots',
    file: 'src/domain/prices/store.ts',
    from: 'return tooFar < 0 ? days : days.slice(0, Math.max(1, tooFar));',
    to: 'return tooFar < 0 ? days : days.slice(0);',
    tests: ['src/domain/prices/store.test.ts'],
  },
  {
    control: 'others are answered between two pages of history',
    file: 'src/domain/prices/history.ts',
    from: '    await setImmediate();\n',
    to: '',
    tests: ['src/domain/prices/store.test.ts'],
  },
  {
    control: 'a request with two Host headers is refused',
    file: 'src/http/server.ts',
    from: 'if (hosts > 1) throw',
    to: 'if (hosts > 99) throw',
    tests: ['test/routes/raw-sockets.test.ts'],
  },
  {
    control: 'browsers are told to use https alone where that is the public address',
    file: 'src/http/server.ts',
    from: "if (isSecure) reply.header('strict-transport-security', HSTS);",
    to: "if (isSecure) reply.header('x-transport-security', HSTS);",
    tests: ['src/http/server.test.ts'],
  },
  {
    control: 'a silent probe of readyz is given up after two seconds',
    file: 'src/http/health.ts',
    from: 'await Promise.race([check(), silent.promise])',
    to: 'await Promise.race([check(), new Promise<never>(() => {})])',
    tests: ['src/http/server.test.ts'],
  },
  {
    control: 'what readyz answers is kept for a second',
    file: 'src/http/health.ts',
    from: '() => keep(KEPT_MS)',
    to: '() => keep(0)',
    tests: ['src/http/server.test.ts'],
  },
];
