import type { Language } from '../../../core/language.ts';
import type { Brand, DayOfUsage, Scope, User } from '../../../domain/accounts/index.ts';
import type { Done } from './words.ts';

/** Forms of the account page that can be sent back with a fault. */
export type FormName = 'key' | 'brand' | 'password';

/** What was wrong with a form, beside which of its fields. */
export interface FormFault {
  readonly form: FormName;
  /** Name of the field; '' for the form itself. */
  readonly field: string;
  readonly text: string;
}

/** What somebody had written into the form that is sent back; never a password. */
export interface Written {
  readonly key?: { readonly label: string; readonly scopes: readonly Scope[] };
  readonly brand?: Brand;
}

/** Everything that the account page shows. */
export interface AccountView {
  readonly language: Language;
  readonly user: User;
  readonly brand: Brand | null;
  readonly usage: readonly DayOfUsage[];
  readonly hasPassword: boolean;
  readonly needsCurrentPassword: boolean;
  /** Public addresses; undefined where the service is not known here. */
  readonly connectUrl: string | undefined;
  readonly gridUrl: string | undefined;
  /** Lets the form of a new key be sent once. */
  readonly formToken: string;
  readonly done?: Done | undefined;
  readonly fault?: FormFault | undefined;
  readonly written?: Written;
}
