/**
 * What follows a failed play whose flow has `settings.onFailure`: docs/protocol.md §6 "Failures". Decides whether a play is
 * started, and with which args; the scheduler starts it.
 */
import type { PlayError, PlayTrigger } from '@weft/contracts';
import { startedAtOf } from './journal.js';
import { toLabels } from './labels.js';
import type { LayerResult, Play } from './play.js';

/** What the started play knows of the failed one: its args. */
export type FailedPlay = Pick<
  Play,
  | ('_id' | 'flowId' | 'version' | 'state' | 'args' | 'argsRef' | 'labels')
  | ('trigger' | 'completedAt' | 'createdAt' | 'log' | 'error')
> & { readonly layers: readonly Pick<LayerResult, 'ref' | 'state' | 'attempts' | 'error'>[] };

/** The args of the play that a failure starts. */
export type FailureArgs = {
  readonly play: {
    readonly id: string;
    readonly flowId: string;
    readonly flowName: string;
    readonly version: number;
    /** Null when they are in the payload store, because they are large: the play itself shows them. */
    readonly args: Play['args'] | null;
    readonly labels: Readonly<Record<string, string>>;
    readonly trigger: PlayTrigger;
    readonly createdAt: string;
    readonly startedAt: string | null;
    readonly completedAt: string | null;
    readonly url: string;
  };
  /** As `$errors` has it; what is unknown is null, e.g. all but code and message after a time limit. */
  readonly error: PlayError & {
    readonly attempts: number | null;
    readonly statusCode: number | null;
    readonly item: number | null;
  };
};

/** A user who cancels a play knows of its end: that starts nothing. All other failures do, whatever wrote them. */
export function startsHandler({ state, error }: Pick<Play, 'state' | 'error'>): boolean {
  return state === 'FAIL' && !(error?.code === 'cancelled' && error.ref === null);
}

/** @param of the name of its flow, and where the play is read */
export function failureArgs(play: FailedPlay, of: { readonly flowName: string; readonly url: string }): FailureArgs {
  const error = play.error ?? { code: 'failed', message: 'The play failed.', ref: null };
  const layer = play.layers.find(({ ref, state }) => ref === error.ref && state === 'FAIL');
  return {
    play: {
      id: play._id,
      flowId: play.flowId,
      flowName: of.flowName,
      version: play.version,
      args: play.argsRef ? null : play.args,
      labels: toLabels(play.labels),
      trigger: play.trigger,
      createdAt: play.createdAt.toISOString(),
      startedAt: startedAtOf(play)?.toISOString() ?? null,
      completedAt: play.completedAt?.toISOString() ?? null,
      url: of.url,
    },
    error: {
      code: error.code,
      message: error.message,
      ref: error.ref,
      attempts: layer?.attempts ?? null,
      statusCode: layer?.error?.statusCode ?? null,
      item: layer?.error?.item ?? null,
    },
  };
}
