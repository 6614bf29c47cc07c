export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A stretch in which nothing ran, drawn narrow. */
export interface Fold extends Span {
  /** Percent of the whole width. */
  readonly at: number;
  readonly width: number;
}

export interface TimeScale {
  readonly folds: readonly Fold[];
  /** Percent of the whole width. */
  readonly place: (ms: number) => number;
}

const FOLD_PERCENT = 5;
/** An idle stretch is folded when it is longer than this share of the time in which something ran … */
const FOLD_SHARE = 0.5;
/** … and longer than this. */
const FOLD_MIN_MS = 1_000;

/**
 * Places times on the timeline. A play that ran for a second and waited for a day would otherwise show its second as nothing.
 *
 * @param whole from the first to the last moment
 * @param active when something ran
 */
export function timeScale(whole: Span, active: readonly Span[]): TimeScale {
  const length = Math.max(1, whole.toMs - whole.fromMs);
  const gaps = gapsIn(whole, active);
  const activeMs = length - gaps.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
  const folded = gaps.filter(({ fromMs, toMs }) => toMs - fromMs > Math.max(FOLD_MIN_MS, activeMs * FOLD_SHARE));
  const openMs = length - folded.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
  // nothing ran for even a millisecond: the folds have all of the width
  const perFold = openMs > 0 ? Math.min(FOLD_PERCENT, 50 / Math.max(1, folded.length)) : 100 / folded.length;
  const perMs = openMs > 0 ? (100 - perFold * folded.length) / openMs : 0;
  const place = (ms: number): number => {
    const at = Math.min(Math.max(ms, whole.fromMs), whole.toMs);
    let percent = (at - whole.fromMs) * perMs;
    for (const { fromMs, toMs } of folded) {
      if (at <= fromMs) break;
      const inside = Math.min(at, toMs) - fromMs;
      percent += (inside / (toMs - fromMs)) * perFold - inside * perMs;
    }
    return Math.min(100, percent);
  };
  const folds = folded.map((gap) => ({ ...gap, at: place(gap.fromMs), width: perFold }));
  return { folds, place };
}

function gapsIn(whole: Span, active: readonly Span[]): Span[] {
  const gaps: Span[] = [];
  let reached = whole.fromMs;
  for (const { fromMs, toMs } of [...active].sort((a, b) => a.fromMs - b.fromMs)) {
    if (fromMs > reached) gaps.push({ fromMs: reached, toMs: fromMs });
    reached = Math.max(reached, toMs);
  }
  if (whole.toMs > reached) gaps.push({ fromMs: reached, toMs: whole.toMs });
  return gaps;
}
