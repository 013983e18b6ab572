import type { FastifyInstance } from 'fastify';
import { refuseForeign } from '../../../http/caller.ts';
import { acceptForms } from '../../../http/forms.ts';

/** A scope whose routes take forms, and refuse what a page of another site sends before its body is read. */
export async function addFormScope(
  app: FastifyInstance,
  configuredUrl: string | undefined,
  addRoutes: (scope: FastifyInstance) => void,
): Promise<void> {
  await app.register((scope, _options, registered) => {
    acceptForms(scope);
    scope.addHook('onRequest', (request, _reply, done) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') refuseForeign(request, configuredUrl);
      done();
    });
    addRoutes(scope);
    registered();
  });
}
