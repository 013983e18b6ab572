import type { SimulatedAnswer, SimulatedRequest } from '../../adapter/simulator.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { isObject } from './faults.ts';

/** A call of a signed-in user to a simulated vendor. */
export interface SimulatedCall<Home> {
  readonly home: Home;
  /** The user's name. */
  readonly user: string;
  readonly scopes: readonly string[];
  /** What the `:names` of the route stood for, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The body: JSON or a form; empty without one. */
  readonly body: JsonObject;
  readonly request: SimulatedRequest;
}

/** Answers a call; undefined is "not found" in the vendor's words. */
export type Answer<Home> = (call: SimulatedCall<Home>) => SimulatedAnswer | undefined;

export type Routes<Home> = Readonly<Record<string, Answer<Home>>>;

interface Route<Home> {
  readonly method: string;
  readonly pattern: RegExp;
  readonly answer: Answer<Home>;
}

/** `GET /homes/:home/rooms` and the like; the first route that fits answers. */
export function compileRoutes<Home>(routes: Routes<Home>) {
  const all = Object.entries(routes).map(([route, answer]): Route<Home> => {
    const [method = '', path = ''] = route.split(' ');
    const parts = path
      .split('/')
      .map((part) => (part.startsWith(':') ? `(?<${part.slice(1)}>[^/]+)` : RegExp.escape(part)));
    return { method, pattern: new RegExp(`^${parts.join('/')}$`), answer };
  });
  return {
    find(
      request: SimulatedRequest,
    ): { readonly answer: Answer<Home>; readonly params: Record<string, string> } | undefined {
      for (const { method, pattern, answer } of all) {
        const groups = method === request.method ? pattern.exec(request.path) : null;
        if (groups === null) continue;
        const params = Object.entries(groups.groups ?? {}).map(([name, value]) => [
          name,
          decodeURIComponent(value),
        ]);
        return { answer, params: Object.fromEntries(params) };
      }
      return undefined;
    },
  };
}

/** RFC 6839: `application/vnd.vendor.v1+json` is JSON too. */
const IS_JSON = /^application\/(?:[\w.-]{1,100}\+)?json(?:;|$)/;

/** The body as an object: JSON where the request says so, else a form. Anything else is empty. */
export function bodyOf({ headers, body }: SimulatedRequest): JsonObject {
  const text = Buffer.from(body).toString();
  if (text === '') return {};
  if (!IS_JSON.test(headers['content-type'] ?? '')) return Object.fromEntries(new URLSearchParams(text));
  try {
    const json = JSON.parse(text) as Json;
    return isObject(json) ? json : {};
  } catch {
    return {};
  }
}
