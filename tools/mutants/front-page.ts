import type { Mutant } from './mutant.ts';

const ROUTE_TESTS = ['src/apps/grid/routes/front-area.test.ts'];

export const mutants: readonly Mutant[] = [
  {
    control: 'VAT is on the energy tax too',
    file: 'src/domain/tax/index.ts',
    from: 'return (hasVat ? taxed.times(WITH_VAT) : taxed).toFixed();',
    to: 'return (hasVat ? taxed.plus(new Big(spot).times(WITH_VAT).minus(spot)) : taxed).toFixed();',
    tests: ['src/domain/tax/tax.test.ts'],
  },
  {
    control: 'each day has the energy tax of its own date',
    file: 'src/apps/grid/front/shown-prices.ts',
    from: '(taxOn(day)?.tax.rate_ore_per_kwh ?? null)',
    to: '(taxOn([...days.keys()][0] ?? day)?.tax.rate_ore_per_kwh ?? null)',
    tests: ROUTE_TESTS,
  },
  {
    control: 'a municipality of another area has no say in the energy tax',
    file: 'src/apps/grid/front/choice.ts',
    from: "if (region?.kind !== 'municipality' || !region.elomraden.includes(area)) return null;",
    to: "if (region?.kind !== 'municipality') return null;",
    tests: ROUTE_TESTS,
  },
  {
    control: 'the cookie of the area holds only what was understood',
    file: 'src/apps/grid/front/choice.ts',
    from: String.raw`/^(SE[1-4])(?:\?([\w=&]{0,60}))?$/`,
    to: String.raw`/^(SE[1-4])(?:\?(.*))?/s`,
    tests: ROUTE_TESTS,
  },
  {
    control: 'an address that was shared is not remembered',
    file: 'src/apps/grid/routes/front.ts',
    from: 'if (area !== request.params.area) return reply.redirect(`/${textOfChoice(choice)}`, 301);',
    to: 'if (area !== request.params.area) return reply.redirect(`/${textOfChoice(choice)}`, 301);\n      setCookie(reply, { name: COOKIE, value: textOfChoice(choice), maxAge: YEAR_SECONDS, secure: true });',
    tests: ROUTE_TESTS,
  },
  {
    control: 'a price at a limit has the colour of the next step',
    file: 'src/apps/grid/front/price-steps.ts',
    from: 'price.gte(limit)',
    to: 'price.gt(limit)',
    tests: ROUTE_TESTS,
  },
  {
    control: 'only so many pages are kept',
    file: 'src/http/pages.ts',
    from: 'if (pages.size > most && oldest !== undefined) pages.delete(oldest);',
    to: 'if (pages.size > most && oldest === undefined) pages.clear();',
    tests: ['src/http/pages.test.ts'],
  },
];
