import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ERRORS, type ErrorCodeName } from '../../../core/errors.ts';
import { failureInWords } from './failure-words.ts';

const CODES = Object.keys(ERRORS) as ErrorCodeName[];
/** What linking can meet; everything else is told as one. */
const MET = CODES.filter((code) =>
  /^(?:vendor\.(?!without)|link\.(?:cred|not_conf)|oauth\.|session\.inv|link\.too|limit\.)/.test(code),
);

const told = (code: ErrorCodeName, language: 'en' | 'sv', isByForm = true) =>
  failureInWords(
    { code, retryAfterSeconds: 100 },
    { language, vendor: 'Easee', makers: 'Solkraft', isByForm },
  );

describe('failures in words', () => {
  it('failures in words say for every code, in both languages, what it was and what to do next', () => {
    assert.ok(MET.length > 10);
    for (const code of CODES)
      for (const isByForm of [true, false]) {
        const [en, sv] = [told(code, 'en', isByForm), told(code, 'sv', isByForm)];
        for (const text of [en.what, en.next, sv.what, sv.next]) {
          assert.match(text, /^[A-ZÅÄÖ].+\.$/, code);
          assert.doesNotMatch(text, /undefined|null|\d{3}|[a-z]+\.[a-z]+_/, code);
        }
        assert.notEqual(en.what, sv.what);
      }
  });

  it('failures in words tell what linking can meet apart from what nobody can explain', () => {
    for (const language of ['en', 'sv'] as const) {
      const other = told('server.internal', language).what;
      for (const code of MET) assert.notEqual(told(code, language).what, other, code);
    }
  });

  it('failures in words say how long to wait', () => {
    const about = { language: 'sv', vendor: undefined, makers: 'x', isByForm: true } as const;
    const wait = (retryAfterSeconds: number | undefined) =>
      failureInWords({ code: 'limit.exceeded', retryAfterSeconds }, about).next;
    assert.match(wait(30), /vänta en minut/);
    assert.match(wait(61), /vänta 2 minuter/);
    assert.match(wait(undefined), /vänta några minuter/);
  });
});
