/** What a picture says of each layer. Pure. */
import type { LayerFigures } from '../flow/figures/queries';
import type { PlayLayer } from '../play/queries';
import { durationText } from '../ui/duration';
import type { Note } from './picture';

/** `3 % failed · 120 ms · 2.0 s`, of the last day: what is cut off last is first. */
export function figureNotes(layers: readonly LayerFigures[]): ReadonlyMap<string, Note> {
  return new Map(layers.map((layer) => [layer.ref, figureNote(layer)]));
}

function figureNote({ done, failed, skipped, p50_ms, p95_ms }: LayerFigures): Note {
  const ran = done + failed;
  const times = ran.toLocaleString();
  if (ran === 0) return { text: 'not run', says: `in the last day not run, skipped ${skipped.toLocaleString()} times` };
  const took = p50_ms === null || p95_ms === null ? '' : `${durationText(p50_ms)} · ${durationText(p95_ms)}`;
  return {
    text: [...(failed > 0 ? [`${shareText(failed / ran)} failed`] : []), took].filter(Boolean).join(' · '),
    says: `in the last day run ${times} times, ${failed.toLocaleString()} failed; half took at most ${durationText(p50_ms ?? 0)}, 95 % at most ${durationText(p95_ms ?? 0)}`,
    isBad: failed > 0,
  };
}

/** Some is never nothing, and not all is never all. */
export function shareText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 1) return '< 1 %';
  return `${percent > 99 && percent < 100 ? 99 : Math.round(percent)} %`;
}

export function stateNotes(layers: readonly PlayLayer[]): ReadonlyMap<string, Note> {
  return new Map(
    layers.map(({ ref, state, startedAt, completedAt, attempts, error }) => {
      const tookMs = startedAt && completedAt ? Date.parse(completedAt) - Date.parse(startedAt) : null;
      const parts = [
        ...(tookMs === null ? [] : [durationText(tookMs)]),
        ...(attempts > 1 ? [`${attempts} attempts`] : []),
        ...(error === null ? [] : [error.code]),
      ];
      return [ref, { state, text: parts.join(' · '), isBad: error !== null }];
    }),
  );
}
