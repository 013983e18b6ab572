import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { conformsAsRateSource } from '../../../test/kit/price-sources.ts';
import { HttpFailure } from '../../adapter/http.ts';
import { turnedClock } from '../../core/clock.ts';
import { ecb, translate } from './index.ts';
import { simulateEcb } from './simulator.ts';

conformsAsRateSource(ecb, (market) => simulateEcb(market, turnedClock()));

const envelope = (days: string) => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"><Cube>${days}</Cube></gesmes:Envelope>`;

describe("files of the European Central Bank's rates", () => {
  it("files of the European Central Bank's rates are read as they were served on 4 October 2019", () => {
    const text = readFileSync(`${import.meta.dirname}/recorded.xml`, 'utf8');
    assert.deepEqual(translate(text), { day: '2019-10-04', sekPerEur: '10.8105' });
  });

  it("files of the European Central Bank's rates with several days give the latest, in any order", () => {
    const days = [
      "<Cube time='2026-11-19'><Cube currency='SEK' rate='11.1'/></Cube>",
      "<Cube time='2026-11-20'><Cube currency='SEK' rate='11.2'/></Cube>",
    ];
    assert.deepEqual(translate(envelope(days.join(''))), { day: '2026-11-20', sekPerEur: '11.2' });
    assert.deepEqual(translate(envelope(days.toReversed().join(''))), {
      day: '2026-11-20',
      sekPerEur: '11.2',
    });
  });

  it("files of the European Central Bank's rates are refused without a day or a krona rate", () => {
    const wrong = [
      envelope(''),
      envelope("<Cube currency='SEK' rate='11.1'/>"),
      envelope("<Cube time='2026-11-20'><Cube currency='USD' rate='1.1'/></Cube>"),
      envelope("<Cube time='2026-11-20'><Cube currency='SEK' rate='11,1'/></Cube>"),
      envelope("<Cube time='2026-11-20'><Cube currency='SEK' rate='0'/></Cube>"),
      envelope("<Cube time='20 Nov'><Cube currency='SEK' rate='11.1'/></Cube>"),
      envelope("<Cube time='2026-11-20'><Cube currency='SEK' rate='11.1'/></Cube>").slice(0, -20),
      '<a/>',
      'text',
    ];
    for (const text of wrong)
      assert.throws(
        () => translate(text),
        (error) => error instanceof HttpFailure && error.kind === 'answer_invalid',
        text,
      );
  });
});
