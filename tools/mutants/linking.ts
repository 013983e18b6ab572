import type { Mutant } from './mutant.ts';

/** Controls of link sessions, sign-ins at vendors and the link page. */
export const mutants: readonly Mutant[] = [
  {
    control: 'a link session is told to the account that began it alone',
    file: 'src/domain/links/link-sessions.ts',
    from: 'if (row === undefined || row.account !== account)',
    to: 'if (row === undefined)',
    tests: ['test/journeys/link-sessions.test.ts'],
  },
  {
    control: 'a wrong key is not let in where a key is optional',
    file: 'src/http/gate.ts',
    from: 'wantsPage(request) || keyOf(request) === undefined',
    to: 'wantsPage(request) || keyOf(request) !== undefined',
    tests: ['src/http/gate.test.ts'],
  },
  {
    control: 'what has been linked does not fail afterwards',
    file: 'src/domain/links/store-sign-ins.ts',
    from: ".where('linked_link', 'is', null)",
    to: '',
    tests: ['src/domain/links/link-sessions.test.ts'],
  },
  {
    control: 'a link of somebody else opens no vendor: the page that says who asks comes first',
    file: 'src/domain/links/vendor-oauth.ts',
    from: 'if (row !== undefined && !hasAgreed) return undefined;',
    to: '',
    tests: ['test/journeys/oauth.test.ts'],
  },
  {
    control: 'who agrees does so in their own browser alone',
    file: 'src/domain/links/vendor-oauth.ts',
    from: 'agreed?.vendor === vendor && agreed.browserSha256 === sha256Of(browser)',
    to: 'agreed?.vendor === vendor',
    tests: ['test/journeys/oauth.test.ts'],
  },
  {
    control: 'a sign-in that ends with a page ends in the browser that began it',
    file: 'src/domain/links/vendor-oauth.ts',
    from: '(row.sessionSha256 !== null || isPage)',
    to: '(row.sessionSha256 !== null)',
    tests: ['src/domain/links/vendor-oauth.test.ts', 'test/journeys/oauth.test.ts'],
  },
];
