import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Type from 'typebox';
import type { Adapter } from '../src/adapter/adapter.ts';
import { DEVICE_TYPES, type DeviceType } from '../src/adapter/device.ts';
import { brandsOf, choicesFor, waysOfBrand } from '../src/apps/connect/linking/choices.ts';
import { otherWays } from '../src/apps/connect/linking/other-ways.ts';
import { vendors } from '../src/vendors/index.ts';

const [sandbox, ...others] = vendors.filter(({ conditions }) => conditions !== undefined);

/** A vendor of each type, which has nothing else and no name that says so. */
const makers: readonly Adapter[] = DEVICE_TYPES.map((type, index) => ({
  slug: `maker_${index}`,
  name: `Maker ${index}`,
  credentials: Type.Object({}),
  pushes: false,
  pollSeconds: 0,
  kinds: { [type]: sandbox?.kinds[type] },
  link: () => assert.fail(),
}));

/** What is found, as `slug`, or `Brand by slug`. */
const found = (query: string, among = vendors): string[] =>
  choicesFor(among, query).map(({ vendor, way }) =>
    way === null ? vendor.slug : `${way.brand} by ${vendor.slug}`,
  );

/** The words of a home, in Swedish and English, by what they mean. */
const HOUSEHOLD: Readonly<Record<DeviceType, string>> = {
  vehicle: 'elbil elbilar bil laddhybrid vehicle electric-car cars',
  charger:
    'laddbox laddboxar laddstolpe laddare laddstation elbilsladdare billaddare car-charger charging-station EV-charger',
  heat_pump:
    'värmepump värme-pump luftvärmepump bergvärme bergvärmepump varmvattenberedare heat-pump water-heater air-conditioner luftkonditionering',
  thermostat: 'termostat element elementtermostat golvvärme radiator thermostat underfloor-heating',
  solar_inverter: 'solceller solpaneler växelriktare solel solar-panels inverter PV',
  battery: 'hembatteri hemmabatteri husbatteri batteri batterilager home-battery battery energilager',
  smart_home_appliance:
    'diskmaskin tvättmaskin torktumlare ugn kylskåp frys kaffemaskin vitvaror hushållsapparat dishwasher washing-machine dryer oven fridge freezer coffee-maker white-goods smart-plug eluttag elmätare relä',
  light: 'lampa lampor belysning ljus glödlampa lamp light lighting bulb',
  elevator: 'hiss hissar lift elevator',
  industrial: 'maskin industri fabrik industrial factory',
};

describe('the choices of the link page', () => {
  for (const [type, words] of Object.entries(HOUSEHOLD))
    it(`the search finds the vendors of ${type}, and those alone, by ${words}`, () => {
      const having = makers.filter(({ kinds }) => kinds[type as DeviceType] !== undefined);
      assert.equal(having.length, 1);
      for (const word of words.split(' '))
        assert.deepEqual(
          found(word.replaceAll('-', ' '), makers).toSorted(),
          having.map(({ slug }) => slug).toSorted(),
          word,
        );
    });

  it('the choices of the link page finds cars and their chargers by words for both', () => {
    assert.deepEqual(found('ev', makers), ['maker_0', 'maker_1']);
  });

  it('the choices of the link page finds every brand by its name, alone and with the name of a product', () => {
    const ways = otherWays(vendors);
    assert.ok(ways.length >= 20);
    for (const { brand, also = [], vendor } of ways)
      for (const name of [brand, ...also])
        for (const query of [name, name.toUpperCase(), `${name} x1000`])
          assert.ok(found(query).includes(`${brand} by ${vendor}`), query);
  });

  it('the choices of the link page finds brands that come by another vendor', () => {
    assert.deepEqual(found('goe'), ['goe', 'go-e by ocpp'], 'directly first');
    assert.deepEqual(found('garo'), ['Garo by ocpp']);
    assert.deepEqual(found('garo laddbox'), ['Garo by ocpp']);
    assert.deepEqual(found('ctc'), ['CTC by myuplink']);
    assert.deepEqual(found('hoiax'), ['Høiax by myuplink']);
    assert.deepEqual(found('nibe s1255'), ['NIBE by myuplink']);
    assert.deepEqual(found('bosch diskmaskin'), ['Bosch by homeconnect']);
    assert.deepEqual(found('powerwall'), ['Powerwall by tesla']);
    assert.deepEqual(found('power wall 3'), ['Powerwall by tesla']);
    assert.deepEqual(found('philips'), ['hue', 'hue_bridge']);
    assert.deepEqual(found('skoda enyaq'), ['Škoda by smartcar']);
    assert.deepEqual(found('vw'), ['Volkswagen by smartcar']);
    assert.deepEqual(found('mercedes benz eqa'), ['Mercedes-Benz by smartcar']);
    assert.deepEqual(found('MERCEDES'), ['Mercedes-Benz by smartcar']);
    assert.deepEqual(found('mg 4'), ['MG by smartcar']);
    for (const brand of ['Audi', 'BMW', 'Kia', 'Hyundai', 'Polestar', 'Škoda', 'Volkswagen'])
      assert.deepEqual(found(`${brand} elbil`), [`${brand} by smartcar`]);
  });

  it('the choices of the link page finds each way of a brand that has several, its own first', () => {
    assert.deepEqual(found('zaptec'), ['zaptec', 'Zaptec by ocpp']);
    assert.deepEqual(found('zapteck go'), ['zaptec', 'Zaptec by ocpp']);
    assert.deepEqual(found('volvo ex30'), ['volvo', 'Volvo by smartcar']);
    assert.deepEqual(found('tesla model y'), ['tesla', 'Tesla by smartcar']);
    assert.deepEqual(found('charge amps'), ['chargeamps', 'Charge Amps by ocpp']);
    assert.deepEqual(found('easee laddbox'), ['easee', 'Easee by ocpp']);
    for (const query of ['zaptec', 'charge amps', 'easee', 'volvo', 'tesla']) {
      const all = choicesFor(vendors, query);
      for (const choice of all) assert.deepEqual(waysOfBrand(choice, all), all, query);
    }
    const [garo] = choicesFor(vendors, 'garo');
    assert.ok(garo !== undefined);
    assert.deepEqual(waysOfBrand(garo, [garo]), [garo]);
  });

  it('the choices of the link page finds a brand by another vendor alone where its own is not set up', () => {
    const others = vendors.filter(({ slug }) => slug !== 'zaptec');
    assert.deepEqual(found('zaptec', others), ['Zaptec by ocpp']);
  });

  it('the choices of the link page forgives a letter in the name of a brand', () => {
    assert.deepEqual(found('volksvagen'), ['Volkswagen by smartcar']);
    assert.deepEqual(found('hyundia kona'), ['Hyundai by smartcar']);
    assert.deepEqual(found('walbox'), ['Wallbox by ocpp']);
    assert.deepEqual(found('simens'), ['Siemens by homeconnect']);
    assert.deepEqual(found('gaggenua'), ['Gaggenau by homeconnect']);
    assert.deepEqual(found('senisbo'), ['sensibo']);
    assert.deepEqual(found('Solaredg'), ['solaredge']);
  });

  it('the choices of the link page names the brands of a vendor that are no vendors themselves', () => {
    const of = (wanted: string) =>
      vendors.filter(({ slug }) => slug === wanted).map((one) => brandsOf(one, vendors));
    assert.deepEqual(of('homeconnect'), [['Bosch', 'Siemens', 'Neff', 'Gaggenau']]);
    assert.deepEqual(of('smartcar')[0]?.slice(0, 3), ['Volkswagen', 'Audi', 'Škoda']);
    assert.deepEqual(of('sensibo'), [[]]);
    const [ofStations = []] = of('ocpp');
    assert.ok(ofStations.includes('Garo'));
    assert.ok(!ofStations.includes('Zaptec'));
  });

  it('the choices of the link page shows made-up devices without a query, and to whom they are wanted by', () => {
    assert.deepEqual([sandbox?.slug, others], ['sandbox', []]);
    assert.ok(found('').includes('sandbox'));
    for (const query of ['sandbox', 'Sandlåda', 'test', 'demo', 'simulated'])
      assert.deepEqual(found(query), ['sandbox'], query);
    for (const query of Object.values(HOUSEHOLD).flatMap((words) => words.split(' ')))
      assert.ok(!found(query).includes('sandbox'), query);
  });
});
