import type { Mutant } from './mutant.ts';

/** The account of the caller: its keys, usage, brand, and their pages in the console. */
export const mutants: readonly Mutant[] = [
  {
    control: 'no key manages keys, whatever its scopes',
    file: 'src/http/gate.ts',
    from: "    if (access === 'console') {\n      throw",
    to: '    if (access === undefined) {\n      throw',
    tests: ['src/apps/connect/routes/account.test.ts', 'test/routes/keys.test.ts'],
  },
  {
    control: 'nobody manages keys without a session',
    file: 'src/http/gate.ts',
    from: "      if (access === 'console') throw new AppError('signin.required', NOT_IN_CONSOLE);\n",
    to: '',
    tests: ['src/apps/connect/routes/account.test.ts', 'test/routes/keys.test.ts'],
  },
  {
    control: 'a key sees its own usage, not that of other keys',
    file: 'src/apps/connect/routes/account.ts',
    from: 'keyId: isPerson ? undefined : keyId',
    to: 'keyId: isPerson ? keyId : undefined',
    tests: ['src/apps/connect/routes/account.test.ts'],
  },
  {
    control: "an account sees its own usage, not another account's",
    file: 'src/domain/accounts/store-usage.ts',
    from: "    .where('account_id', '=', account)\n    .where('day', '>=', from)",
    to: "    .where('day', '>=', from)",
    tests: ['src/apps/connect/routes/account.test.ts'],
  },
  {
    control: 'the brand of link pages is set with link:write',
    file: 'src/apps/connect/routes/account.ts',
    from: "  app.put(\n    '/account/brand',\n    {\n      config: { access: 'link:write' },",
    to: "  app.put(\n    '/account/brand',\n    {\n      config: { access: 'key' },",
    tests: ['src/apps/connect/routes/account.test.ts'],
  },
  {
    control: 'a form that is sent again creates no second key',
    file: 'src/apps/connect/routes/account-keys.ts',
    from: '{ label, scopes, ...(wish === undefined ? {} : { wish }) }',
    to: '{ label, scopes }',
    tests: ['src/apps/connect/routes/account.test.ts'],
  },
  {
    control: 'a response with a new key is stored by no cache',
    file: 'src/apps/connect/routes/account-keys.ts',
    from: ".code(201).header('cache-control', 'no-store')",
    to: '.code(201)',
    tests: ['src/apps/connect/routes/account.test.ts'],
  },
  {
    control: 'reading what is left of the limits uses none of them',
    file: 'src/http/rate-limit.ts',
    from: 'await countAccount(principal, 0)',
    to: 'await countAccount(principal, 1)',
    tests: ['src/apps/connect/routes/account.test.ts'],
  },
  {
    control: 'the console sends a form again under the same Idempotency-Key',
    file: 'console/app/keys/form.tsx',
    from: 'idempotencyKey: wish',
    to: 'idempotencyKey: newIdempotencyKey()',
    tests: ['test/journeys/console-account.test.ts'],
  },
  {
    control: 'a key is revoked in the console when that is confirmed',
    file: 'console/app/keys/item.tsx',
    from: 'onClick={() => setRevoking(!isRevoking)}',
    to: 'onClick={() => void revoke()}',
    tests: ['test/journeys/console-account.test.ts'],
  },
];
