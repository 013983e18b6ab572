import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assets } from '../../../../test/kit/assets.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { type Adapter, kind } from '../../../adapter/adapter.ts';
import { consentPage } from './consent-page.ts';
import type { OtherWay } from './other-ways.ts';
import { NOBODY, type WhoAsks } from './who-asks.ts';

const vendor = { ...testVendor().adapter, name: 'Acme' };
const charger = { ...vendor, kinds: { charger: vendor.kinds.charger } } as Adapter;
const readOnly = {
  ...vendor,
  kinds: {
    thermostat: kind<null>({
      read: async () => null,
      status: () => ({ online: true }),
      reads: { read_temperature: () => 20_000 },
      controls: {},
    }),
  },
} satisfies Adapter;

const page = (
  adapter: Adapter,
  language: 'en' | 'sv' = 'en',
  who: WhoAsks = NOBODY,
  way: OtherWay | null = null,
) =>
  consentPage(
    { assets, language, path: undefined, ...who },
    {
      adapter,
      way,
      isSimulated: () => false,
      steps: ['sign_in', 'done'],
      hasFailed: false,
      href: '/agree',
      chooseHref: null,
      cancelHref: null,
    },
  );

describe('the page before a vendor', () => {
  it('the page before a vendor leads to the privacy policy and the terms of the brand that has them', () => {
    const address = 'https://volta.example/privacy?a=1&b="';
    const brand = { name: 'Volta <b>', color: null, privacy_url: address, terms_url: null };
    const markup = page(charger, 'sv', { brand, domain: null });
    assert.match(
      markup,
      /<a href="https:\/\/volta\.example\/privacy\?a=1&amp;b=&quot;" target="_blank" rel="noopener">Så hanterar Volta &lt;b&gt; dina uppgifter</,
    );
    assert.doesNotMatch(markup, /Villkor för/);
    const terms = page(charger, 'en', { brand: { ...brand, terms_url: address }, domain: null });
    assert.match(terms, />How Volta &lt;b&gt; handles your data<.*>Terms of Volta &lt;b&gt;</s);
    assert.doesNotMatch(page(charger), /handles your data|Terms of/);
  });

  it('the page before a vendor names who asks: the brand with the domain behind it, else the domain, else that there is no name', () => {
    const brand = { name: 'Volta <b>', color: null, privacy_url: null, terms_url: null };
    const branded = page(charger, 'en', { brand, domain: 'volta.example' });
    assert.match(branded, /Volta &lt;b&gt; wants to read and control the devices in your Acme account\./);
    assert.match(branded, /The account behind the name Volta &lt;b&gt; belongs to volta\.example\./);
    assert.doesNotMatch(page(charger, 'en', { brand, domain: null }), /behind the name/);
    assert.match(
      page(charger, 'en', { brand: null, domain: 'volta.example' }),
      /An app from volta\.example wants/,
    );
    assert.match(page(charger), /An app without a name wants/);
    assert.match(
      page(charger, 'sv'),
      /En app utan namn vill läsa av och styra enheterna i ditt Acme-konto\./,
    );
  });

  it('the page before a vendor names the brand that was chosen, whose account it takes, and through whom it is connected', () => {
    const own = page(charger, 'en', NOBODY, { brand: 'Škoda', vendor: 'acme', account: 'brand' });
    assert.match(own, /<h1>Connect Škoda<\/h1>/);
    assert.match(own, /control the devices in your Škoda account\./);
    assert.match(
      own,
      /Škoda is connected through Acme, where you sign in with the account of your Škoda app\./,
    );
    assert.match(own, /You sign in at Acme\..* You can end the access at any time in your Škoda account\./);
    const other = page(charger, 'sv', NOBODY, { brand: 'NIBE', vendor: 'acme' });
    assert.match(other, /styra enheterna i ditt Acme-konto\./);
    assert.match(other, /NIBE ansluts med Acme: logga in med kontot i Acme-appen\./);
  });

  it('the page before a vendor says what is read and what can be done, by the type of the device', () => {
    assert.match(
      page(charger),
      /<li><strong>Car chargers<\/strong><span>Reads its status and power<\/span><span>Can start and stop charging, set the charging current or limit its power<\/span><\/li>/,
    );
    assert.match(
      page(charger, 'sv'),
      /<strong>Laddboxar<\/strong><span>Läser av status och effekt<\/span><span>Kan starta och stoppa laddning, ändra laddströmmen eller begränsa effekten<\/span>/,
    );
    const many = page(vendor);
    assert.equal(many.match(/<li><strong>/g)?.length, 1, 'of many types together');
    assert.match(many, /Every kind of device.*dim it and change its colour.*delay its start/);
    const reads = page(readOnly);
    assert.match(reads, /An app without a name wants to read the devices/);
    assert.doesNotMatch(reads, /<span>Can /);
  });

  it('the page before a vendor goes on by a form of ours alone', () => {
    assert.match(
      page(charger),
      /<form method="post" action="\/agree"><button[^>]*>Continue to Acme<\/button><\/form>/,
    );
  });
});
