import type { Health } from '../health/look.ts';
import { healthBody } from '../operator/health-page.ts';
import { HEALTH_WORDS } from '../operator/health-words.ts';
import type { OperatorScope } from '../operator/scope.ts';
import { sectionPath } from '../operator/sections.ts';

interface HealthPages {
  readonly lookAtHealth: () => Promise<Health>;
  /** Where the source code is, with its guides; undefined where the operator has not said. */
  readonly sourceUrl: string | undefined;
}

/** The page of health: what is wrong, and how everything is. */
export function addOperatorHealth(pages: OperatorScope, { lookAtHealth, sourceUrl }: HealthPages): void {
  pages.addPage({
    path: sectionPath('health'),
    section: 'health',
    async show({ language }) {
      return {
        title: HEALTH_WORDS[language].title,
        body: healthBody(await lookAtHealth(), language, sourceUrl),
        styles: ['health'],
        scripts: ['operator-live'],
      };
    },
  });
}
