import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onEachEngine } from '../kit/databases.ts';
import { faultsOfAbsent, faultsOfError } from './judge.ts';
import type { Route } from './route-table.ts';
import { makeRouteWorld, type RouteWorld, type Sample } from './samples.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

/** Percent-encoded values that no database text and no Unicode string can hold. */
const UNSTORABLE = ['%00', 'a%00b', '%00%00'];
/** Not percent-encoded UTF-8: the last two are a surrogate and an overlong slash. */
const UNDECODABLE = ['%', '%zz', '%f', '%ff', '%c3', '%ed%a0%80', '%c0%af'];
const ODD_BUT_DECODABLE = ['%2e%2e', '%F0%9F%98%80', '__proto__', 'constructor', "'--", '%25', 'a%2Fb', '~'];

onEachEngine('every path', (engine) => {
  let here: RouteWorld;
  before(async () => {
    here = await makeRouteWorld(engine);
  });
  after(() => here.close());

  /** The route with `value` in place of its last parameter. */
  const pathWith = (route: Route & { sample: Sample }, value: string): string => {
    const last = route.template.lastIndexOf('{');
    const before = route.template.slice(0, last).replaceAll(/\{\w+\}/g, 'x');
    return `${before}${value}${route.template.slice(route.template.indexOf('}', last) + 1)}`;
  };

  /** The sample's query, so that only the id is wrong. */
  const queryOf = async (route: Route & { sample: Sample }): Promise<string> => {
    const path = await route.sample.path(here.things);
    return path.includes('?') ? path.slice(path.indexOf('?')) : '';
  };

  it('every path refuses other methods with 405 and Allow', async () => {
    const faults: string[] = [];
    const methodsByTemplate = Map.groupBy(here.routes, ({ service, template }) => `${service} ${template}`);
    for (const [template, routes] of methodsByTemplate) {
      const [route] = routes;
      assert.ok(route !== undefined);
      const allowed = routes.flatMap(({ method, sample }) =>
        method === 'GET' && sample.hasHead !== false ? ['GET', 'HEAD'] : [method],
      );
      for (const method of METHODS.filter((one) => !allowed.includes(one))) {
        const path = route.template.replaceAll(/\{\w+\}/g, 'x');
        const reply = await here.good(route, { method, path });
        const found = faultsOfError(route.service, reply, { status: 405, code: 'route.method_not_allowed' });
        if (String(reply.headers.allow) !== allowed.toSorted().join(', '))
          found.push(`Allow: ${reply.headers.allow}, not ${allowed}`);
        faults.push(...found.map((fault) => `${method} ${template}: ${fault}`));
      }
    }
    assert.deepEqual(faults, []);
    assert.ok(methodsByTemplate.size > 20);
  });

  it('every path is documented; other paths do not exist', async () => {
    const faults: string[] = [];
    for (const route of here.routes) {
      for (const path of [
        `${route.template}/`,
        `/${route.template}`,
        `${route.template}/more/still`,
        '/%20',
      ]) {
        const reply = await here.good(route, { path: path.replaceAll(/\{\w+\}/g, 'x') });
        const found = faultsOfError(route.service, reply, { status: 404 });
        faults.push(...found.map((fault) => `${route.method} ${path}: ${fault}`));
      }
    }
    assert.deepEqual(faults, []);
  });

  it('every path treats an id that cannot be stored as one that does not exist', async () => {
    const faults: string[] = [];
    const withId = here.routes.filter(({ template }) => template.includes('{'));
    for (const route of withId) {
      const query = await queryOf(route);
      const [parameter] = route.parameters.filter((one) => one.in === 'path').slice(-1);
      const absent = route.sample.unknown ?? 404;
      const judged = route.service === 'grid' ? 422 : absent;
      for (const value of UNSTORABLE) {
        const reply = await here.good(route, { path: `${pathWith(route, value)}${query}` });
        const found = faultsOfAbsent(route.service, reply, judged);
        faults.push(...found.map((fault) => `${route.name} ${value}: ${fault}`));
      }
      for (const value of ODD_BUT_DECODABLE) {
        const reply = await here.good(route, { path: `${pathWith(route, value)}${query}` });
        const status = parameter?.schema.type === 'integer' ? 422 : absent;
        const found = faultsOfAbsent(route.service, reply, status);
        faults.push(...found.map((fault) => `${route.name} ${value}: ${fault}`));
      }
    }
    assert.deepEqual(faults, []);
    assert.ok(withId.length >= 9, `only ${withId.length} routes`);
  });

  it('every path reports that an id is too long', async () => {
    const faults: string[] = [];
    for (const route of here.routes.filter(({ template }) => template.includes('{'))) {
      const reply = await here.good(route, { path: pathWith(route, '9'.repeat(600)) });
      const found = faultsOfError(route.service, reply, { status: 404 });
      faults.push(...found.map((fault) => `${route.name}: ${fault}`));
    }
    assert.deepEqual(faults, []);
  });

  it('every path refuses a path that cannot be decoded', async () => {
    const faults: string[] = [];
    for (const route of here.routes.filter(({ template }) => template.includes('{'))) {
      for (const value of UNDECODABLE) {
        const reply = await here.good(route, { path: pathWith(route, value) });
        const found = faultsOfError(route.service, reply, { status: 400, code: 'request.malformed' });
        faults.push(...found.map((fault) => `${route.name} ${value}: ${fault}`));
      }
    }
    assert.deepEqual(faults, []);
  });

  it('every path accepts or refuses every query, without a server error', async () => {
    const faults: string[] = [];
    let asked = 0;
    for (const route of here.routes) {
      const path = (await route.sample.path(here.things)).split('?', 1)[0] ?? '';
      const named = route.parameters.filter((one) => one.in === 'query').map(({ name }) => name);
      const names = [...named, 'no_such_parameter', '__proto__', 'constructor[prototype]'];
      const values = [
        '%00',
        '%zz',
        '%ff',
        '%ed%a0%80',
        'x',
        '-1',
        '1.5',
        '1e400',
        '9'.repeat(400),
        '9007199254740993',
        '',
        '%F0%9F%98%80',
      ];
      const queries = names.flatMap((name) => [
        ...values.map((value) => `${name}=${value}`),
        `${name}=1&${name}=2`,
        name,
        `${name}[]=1`,
      ]);
      for (const query of queries) {
        const reply = await here.good(route, { path: `${path}?${query}` });
        asked += 1;
        // A deleted item is gone for the next query; a created one may already exist.
        const taken = [route.sample.good, 404, 409].includes(reply.status);
        if (taken) continue;
        const status = route.service === 'grid' ? 422 : 400;
        const found = faultsOfError(route.service, reply, { status });
        faults.push(...found.map((fault) => `${route.name}?${query.slice(0, 40)}: ${fault}`));
      }
    }
    assert.deepEqual(faults, []);
    assert.ok(asked > 500, `only ${asked} queries`);
  });
});
