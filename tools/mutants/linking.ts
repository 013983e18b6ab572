import type { Mutant } from './mutant.ts';

/** Controls of link sessions, sign-ins at vendors and the link page. */
export const mutants: readonly Mutant[] = [
  {
    control: 'a link session is returned only to the account that started it',
    file: 'src/domain/links/link-sessions.ts',
    from: 'if (row === undefined || row.account !== account)',
    to: 'if (row === undefined)',
    tests: ['test/journeys/link-sessions.test.ts'],
  },
  {
    control: 'a wrong key is refused even where a key is optional',
    file: 'src/http/gate.ts',
    from: 'wantsPage(request) || keyOf(request) === undefined',
    to: 'wantsPage(request) || keyOf(request) !== undefined',
    tests: ['src/http/gate.test.ts'],
  },
  {
    control: 'a stored link does not fail afterwards',
    file: 'src/domain/links/store-sign-ins.ts',
    from: ".set({ reason, failed_at: at })\n          .where('session_sha256', '=', row.sha256)\n          .where('linked_link', 'is', null)",
    to: ".set({ reason, failed_at: at })\n          .where('session_sha256', '=', row.sha256)",
    tests: ['src/domain/links/link-sessions.test.ts'],
  },
  {
    control: 'a link from another person opens no vendor before the consent page',
    file: 'src/domain/links/vendor-oauth.ts',
    from: 'if (row !== undefined && !hasAgreed) return undefined;',
    to: '',
    tests: ['test/journeys/oauth.test.ts'],
  },
  {
    control: 'consent counts only in the browser that gave it',
    file: 'src/domain/links/vendor-oauth.ts',
    from: 'agreed?.vendor === vendor && agreed.browserSha256 === sha256Of(browser)',
    to: 'agreed?.vendor === vendor',
    tests: ['test/journeys/oauth.test.ts'],
  },
  {
    control: 'a sign-in that ends with a page ends in the browser that started it',
    file: 'src/domain/links/vendor-oauth.ts',
    from: '(row.sessionSha256 !== null || isPage)',
    to: '(row.sessionSha256 !== null)',
    tests: ['src/domain/links/vendor-oauth.test.ts', 'test/journeys/oauth.test.ts'],
  },
];
