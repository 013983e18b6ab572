import type { FastifyInstance } from 'fastify';
import { faultInBrand } from '../../../domain/accounts/index.ts';
import { type AccountDependencies, type AccountResponses, actorOf, addForm } from '../account/route.ts';
import { sentFields } from '../input/fields.ts';
import { personOf } from '../sign-in/person.ts';

/** Setting and removing the brand of one's own link pages. */
export function addBrandRoute(
  scope: FastifyInstance,
  { accounts, assets }: AccountDependencies,
  responses: AccountResponses,
): void {
  addForm(scope, { path: '/account/brand', at: 'brand', assets }, async (request, reply) => {
    const { account } = personOf(request);
    const form = sentFields(request.body);
    if (form.has('remove')) {
      await accounts.brands.set(account, null, actorOf(request));
      return responses.done(request, reply, { done: 'brand-removed', at: 'brand', answer: { brand: null } });
    }
    const isPlain = form.has('plain') || form.text('color') === '';
    const wanted = {
      name: form.text('name'),
      color: isPlain ? null : form.text('color'),
      privacy_url: form.text('privacy_url'),
      terms_url: form.text('terms_url'),
    };
    const fault = faultInBrand(wanted);
    if (fault !== null)
      return responses.refuse(request, reply, {
        form: 'brand',
        field: fault.field,
        text: (words) => words.brandFaults[fault.field],
        sentence: `${fault.field === 'color' ? 'the colour' : fault.field === 'name' ? 'the name' : fault.field} ${fault.sentence}`,
        written: { brand: wanted },
      });
    const brand = await accounts.brands.set(account, wanted, actorOf(request));
    return responses.done(request, reply, { done: 'brand-saved', at: 'brand', answer: { brand } });
  });
}
