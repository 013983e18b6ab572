import type { ComponentChildren } from 'preact';
import { percent } from '../format.ts';
import { words } from '../words/index.ts';
import type { Verdict } from './verdict.ts';

const texts = words.planner;

interface VerdictProps {
  readonly verdict: Verdict;
  readonly target: number;
  readonly pricesUntil: string;
  readonly moment: (at: number) => string;
}

/** What keeps a plan from what was wanted, and what would be right. */
export function VerdictNotice({ verdict, target, pricesUntil, moment }: VerdictProps) {
  const wanted = percent(target);
  switch (verdict.is) {
    case 'reached':
      return null;
    case 'charged already':
      return <Notice title={texts.charged}>{texts.chargedText(wanted)}</Notice>;
    case 'too soon':
      return (
        <Notice title={texts.tooSoon}>
          {texts.tooSoonText(percent(verdict.soc), wanted, moment(verdict.earliest))}
        </Notice>
      );
    case 'too few prices':
      return (
        <Notice title={texts.tooFew}>
          {texts.tooFewText(pricesUntil, percent(verdict.soc), wanted)} {texts.published}
        </Notice>
      );
    case 'too little to charge':
      return <Notice title={texts.tooLittle}>{texts.tooLittleText(percent(verdict.soc), wanted)}</Notice>;
  }
}

interface NoticeProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export const Notice = ({ title, children }: NoticeProps) => (
  <div class="notice notice-note" role="status">
    <strong>{title}</strong>
    <p>{children}</p>
  </div>
);
