import { AppError } from '../../core/errors.ts';
import { fold, lower } from './fold.ts';
import type { Coded } from './places.ts';
import type { MunicipalityRow } from './tables.ts';

export interface Municipalities {
  /** By four digits or by name, with or without "kommun"; throws `place.not_found`. */
  byText(text: string): Coded;
}

const SUFFIX = /\s+(?:kommun|stad)$/;

export function indexMunicipalities(rows: readonly MunicipalityRow[]): Municipalities {
  const coded = rows.map(({ code, name }): Coded => ({ code, name }));
  const byCode = new Map(coded.map((one) => [one.code, one]));
  const byLower = new Map(coded.map((one) => [lower(one.name), one]));
  const byFolded = Map.groupBy(coded, ({ name }) => fold(name));
  return {
    byText(text) {
      const written = lower(text);
      // "Stockholms kommun" is in the genitive.
      const tries = [written, written.replace(SUFFIX, ''), written.replace(SUFFIX, '').replace(/s$/, '')];
      const exact =
        byCode.get(written) ?? tries.map((name) => byLower.get(name)).find((one) => one !== undefined);
      if (exact !== undefined) return exact;
      // Without their accents, Håbo and Habo are one name: the error lists both.
      const found = tries.map((name) => byFolded.get(fold(name))).find((one) => one !== undefined) ?? [];
      const [only, other] = found;
      if (only !== undefined && other === undefined) return only;
      const shown = text.trim().slice(0, 60);
      throw new AppError(
        'place.not_found',
        other === undefined
          ? `there is no municipality "${shown}"; kommun must be a code of four digits (0180) or a name (Stockholm)`
          : `"${shown}" may be ${found.map(({ code, name }) => `${name} (${code})`).join(' or ')}; send the code`,
      );
    },
  };
}
