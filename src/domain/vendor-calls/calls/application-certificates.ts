import type { ApplicationCertificate } from '../../../adapter/reach.ts';
import { BoundedMap } from '../../../core/bounded-map.ts';
import type { Clock } from '../../../core/clock.ts';
import { type Random, randomId } from '../../../core/ids.ts';
import { type ApplicationCertificateStore, bindingOf } from './store-vault.ts';
import { undecipherable, type Vault } from './vault.ts';

interface ApplicationCertificatesOptions {
  readonly store: ApplicationCertificateStore;
  readonly make: (applicationUri: string) => Promise<ApplicationCertificate>;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly random: Random;
}

const MOST_KEPT = 1_000;

/**
 * What an account proves itself with to OPC UA servers: made when it is first needed, and the same ever after, since a server is told once, by a
 * person, to trust it. The function throws `vault.mismatch` where it cannot be decrypted.
 */
export function createApplicationCertificates(options: ApplicationCertificatesOptions) {
  const { store, make, vault, clock, random } = options;
  const kept = new BoundedMap<number, Promise<ApplicationCertificate>>(MOST_KEPT);

  async function find(account: number): Promise<ApplicationCertificate | undefined> {
    const sealed = await store.find(account);
    if (sealed === undefined) return undefined;
    try {
      return JSON.parse(vault.open(sealed, bindingOf(account))) as ApplicationCertificate;
    } catch (cause) {
      throw undecipherable(cause);
    }
  }

  async function findOrMake(account: number): Promise<ApplicationCertificate> {
    const known = await find(account);
    if (known !== undefined) return known;
    const made = await make(`urn:elnav:${randomId(random)}`);
    const sealed = vault.seal(JSON.stringify(made), bindingOf(account));
    await store.add(account, { sealed, at: clock.now() });
    // Another process may have been faster.
    return (await find(account)) ?? made;
  }

  return (account: number): Promise<ApplicationCertificate> => {
    const known = kept.get(account);
    if (known !== undefined) return known;
    const found = findOrMake(account);
    kept.set(account, found);
    found.catch(() => kept.delete(account));
    return found;
  };
}
