import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isForEndUsers } from '../../src/adapter/credential-fields.ts';
import { choicesFor } from '../../src/apps/connect/linking/choices.ts';
import { vendors } from '../../src/vendors/index.ts';

const all = [...vendors].filter(isForEndUsers);
const found = (query: string): string[] =>
  choicesFor(all, query).map(({ vendor, way }) =>
    way === null ? vendor.slug : `${way.brand} by ${vendor.slug}`,
  );

describe('what users of the link page look for', () => {
  it('what users of the link page look for finds brands that are vendors, and brands that another vendor connects', () => {
    assert.deepEqual(found('garo'), ['Garo by ocpp']);
    assert.deepEqual(found('powerwall'), ['Powerwall by tesla']);
    assert.deepEqual(found('zaptec').toSorted(), ['Zaptec by ocpp', 'zaptec']);
    assert.ok(found('wallbox').includes('Wallbox by ocpp') && found('wallbox').includes('ocpp'));
  });

  it('what users of the link page look for finds devices by everyday words of the Nordic languages and English, also mistyped', () => {
    for (const [slug, words] of [
      ['tesla', 'elbil ellbil elbiler sähköauto car'],
      ['easee', 'laddbox ladbox laddstolpe laddare elbillader ladestander latausasema latauslaite charger'],
      ['sensibo', 'luftvärmepump värmepmup varmepumpe ilmalämpöpumppu luftkonditionering aircondition'],
      ['solaredge', 'solceller solceler solcelleanlæg aurinkopaneeli växelriktare'],
      ['sonnen', 'hembatteri hjemmebatteri kotiakku batteri'],
      ['hue', 'lampa lampe lamppu belysning light'],
      ['homeconnect', 'diskmaskin oppvaskmaskin opvaskemaskine astianpesukone dishwasher'],
      ['kone', 'hiss heis hissi lift'],
    ] as const)
      for (const word of words.split(' '))
        assert.ok(found(word).includes(slug), `${word} finds ${slug}: ${found(word)}`);
  });
});
