import assert from 'node:assert/strict';
import type { TSchema } from 'typebox';
import { dereferenced } from '../../src/pages/reference/document.ts';
import { ask } from '../kit/ask.ts';

export type ServiceName = 'connect' | 'grid';

/** A parameter as documented. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: { readonly type?: string };
}

interface Operation {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: TSchema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: TSchema }>> }>
  >;
}

/** A route as the service's own document describes it. */
export interface Route {
  readonly service: ServiceName;
  readonly base: string;
  /** `POST /devices/{id}/command`; the key of its sample. */
  readonly name: string;
  readonly method: string;
  readonly template: string;
  readonly access: 'public' | 'anonymous' | 'key' | 'console' | 'admin' | 'session' | 'operator';
  readonly scope: string | undefined;
  readonly parameters: readonly Parameter[];
  /** Schema of the JSON body; undefined when there is none. */
  readonly body: TSchema | undefined;
  readonly statuses: readonly number[];
  /** Schema of the JSON responses, by status. */
  readonly answers: ReadonlyMap<number, TSchema>;
}

/** Every route of a running service, from its `/openapi.json`. */
export async function routesOf(service: ServiceName, base: string): Promise<Route[]> {
  const answer = await ask(base, { method: 'GET', path: '/openapi.json' });
  assert.equal(answer.status, 200);
  // The tests of bodies go through the choices of a union, whichever keyword it has.
  const { paths } = dereferenced(
    JSON.parse(answer.text.replaceAll('"oneOf":', '"anyOf":')) as {
      paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    },
  );
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => {
      const answers = Object.entries(operation.responses).flatMap(([status, { content }]) => {
        const schema = content?.['application/json']?.schema;
        return schema === undefined ? [] : [[Number(status), schema] as const];
      });
      return {
        service,
        base,
        name: `${method.toUpperCase()} ${template}`,
        method: method.toUpperCase(),
        template,
        access: accessOf(operation, service),
        scope: operation.security.flatMap((choice) => Object.values(choice).flat())[0],
        parameters: operation.parameters ?? [],
        body: operation.requestBody?.content['application/json']?.schema,
        statuses: Object.keys(operation.responses).map(Number),
        answers: new Map(answers),
      };
    }),
  );
}

function accessOf({ security }: Operation, service: ServiceName): Route['access'] {
  const names = security.map((choice) => Object.keys(choice).join('+'));
  if (names.length === 0) return 'public';
  if (names.includes('adminToken')) return names.includes('') ? 'operator' : 'admin';
  if (names.includes('session')) return service === 'connect' ? 'console' : 'session';
  return names.includes('') ? 'anonymous' : 'key';
}
