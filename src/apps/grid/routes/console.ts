import type { FastifyInstance } from 'fastify';
import { ownPath } from '../../../http/own-path.ts';
import { sessionIn } from '../sign-in/cookies.ts';
import type { SignInDependencies } from '../sign-in/dependencies.ts';
import { TO_CONSOLE } from '../sign-in/form-pages.ts';

const SHA256 = /^[0-9a-f]{64}$/;

interface ConsoleRoute {
  readonly people: Pick<SignInDependencies['people'], 'find' | 'handOver'>;
  /** The address of Connect; undefined where it is not known. */
  readonly connectUrl: () => string | undefined;
}

/** `GET /auth/console`: hands a browser that is signed in over to the console of Connect, and has others sign in first. */
export function addConsoleRoute(app: FastifyInstance, { people, connectUrl }: ConsoleRoute): void {
  app.get(
    TO_CONSOLE,
    // Whoever only looks must not get a code.
    { config: { access: 'public' }, schema: { hide: true }, exposeHeadRoute: false },
    async (request, reply) => {
      const { browser, to } = request.query as Readonly<Record<string, unknown>>;
      const base = connectUrl();
      reply.header('cache-control', 'no-store');
      if (base === undefined) return reply.redirect('/account', 303);
      // Connect marks the browser, and asks again.
      if (typeof browser !== 'string' || !SHA256.test(browser)) return reply.redirect(`${base}/console`, 303);
      const session = await people.find(sessionIn(request));
      if (session === undefined) {
        const next = ownPath(request.url) ?? TO_CONSOLE;
        return reply.redirect(`/auth/login?${new URLSearchParams({ next })}`, 303);
      }
      const code = await people.handOver(session.session, browser);
      const query = new URLSearchParams({ code, ...(typeof to === 'string' ? { to } : {}) });
      return reply.redirect(`${base}/console/enter?${query}`, 303);
    },
  );
}
