/** Why a play does not go on, as far as its record says: pure. What only the stores know is a turn (`Turn`), which the service looks up. */
import { isFinal } from '@weft/contracts';
import { awaitsTurns, holdingQueue, isTimed, queuesOf, type LayerWait, type Play } from '@weft/engine';
import type { WaitingView } from './waiting.view.js';

/** What decides it. */
export type WaitingPlay = Pick<
  Play,
  | '_id'
  | 'flowId'
  | 'triggeredBy'
  | 'state'
  | 'held'
  | 'heldAt'
  | 'owner'
  | 'dueAt'
  | 'createdAt'
  | 'priority'
  | 'waits'
  | 'tries'
  | 'inbox'
  | 'ready'
  | 'lane'
  | 'limitKey'
  | 'queues'
  | 'turns'
  | 'log'
  | 'version'
>;

/** It could go on: its turn has not come. `queue`: for turns · `window`: it is NEW, and its window has no room · `handOut`: it is rung for, and no worker has it. */
export type Turn = { readonly queue: string } | 'due' | 'window' | 'handOut';

export type Finding = { readonly view: WaitingView } | { readonly turn: Turn; readonly since: Date };

const NOTHING = {
  ...{ reason: null, ref: null, since: null, until: null, attempt: null, attempts: null },
  ...{ position: null, ahead: null, limit: null },
  ...{ chain: [], circle: false },
} as const;

/** @param now MongoDB's clock */
export function whyWaiting(play: WaitingPlay, now: Date): Finding {
  const { state } = play;
  if (isFinal(state)) return answer(play, { message: `The play has ended as ${state}.` });
  if (state === 'ON_HOLD') {
    const message = 'The play is on hold. It goes on when somebody releases it.';
    return answer(play, { reason: 'hold', since: play.heldAt?.toISOString() ?? null, message });
  }
  if (state === 'NEW' || state === 'RUN') {
    if (play.owner !== undefined) return answer(play, { message: 'A worker executes the play.' });
    return { turn: play.ready ? 'window' : 'handOut', since: lastMove(play) };
  }
  const turn = turnOf(play, now);
  if (turn) return { turn, since: play.dueAt ?? lastMove(play) };
  const wait = waitOf(play);
  if (wait) return answer(play, waitFields(play, wait));
  const message = 'The play starts later, at the time that was asked for.';
  const until = play.dueAt?.toISOString() ?? null;
  return answer(play, { reason: 'due', since: play.createdAt.toISOString(), until, message });
}

/** Of a parked play. A delayed one joins its queue when it is due; any other one goes on when its company's window has room. */
export function turnOf(
  play: Pick<WaitingPlay, 'flowId' | 'waits' | 'ready' | 'dueAt' | 'lane' | 'limitKey' | 'queues' | 'turns'>,
  now: Date,
): Exclude<Turn, 'handOut' | 'window'> | null {
  const queue = holdingQueue(play);
  if (queue !== undefined) return { queue };
  const isDue = play.ready === true || (play.dueAt !== undefined && play.dueAt <= now);
  if (!isDue) return null;
  const [first] = queuesOf(play);
  return play.waits || first === undefined || !awaitsTurns(play) ? 'due' : { queue: first };
}

export function answer(play: Pick<Play, 'state'>, fields: Partial<WaitingView> & Pick<WaitingView, 'message'>) {
  return { view: { state: play.state, ...NOTHING, ...fields } };
}

function lastMove({ log, createdAt }: WaitingPlay): Date {
  return log.findLast(({ type }) => type === 'state')?.at ?? createdAt;
}

/** Of several layers of a stage, the one that waits for somebody; else the one whose time comes first. */
export function waitOf({ waits = {}, inbox = {} }: Pick<WaitingPlay, 'waits' | 'inbox'>): LayerWait | undefined {
  const open = Object.values(waits).filter(({ position }) => !Object.hasOwn(inbox, String(position)));
  const untilOf = ({ until }: LayerWait) => until?.getTime() ?? Infinity;
  return open.toSorted((a, b) => Number(isTimed(a.kind)) - Number(isTimed(b.kind)) || untilOf(a) - untilOf(b))[0];
}

type WaitFields = Partial<WaitingView> & Pick<WaitingView, 'message'>;

function waitFields(play: WaitingPlay, wait: LayerWait): WaitFields {
  const { ref, kind } = wait;
  const common = { ref, since: wait.since.toISOString(), until: wait.until?.toISOString() ?? null };
  const layer = `The layer "${ref}"`;
  const orTime = wait.until ? ', at the latest until its time is over' : '';
  switch (kind) {
    case 'delay':
      return { ...common, reason: 'delay', message: `${layer} pauses the play until its time has come.` };
    case 'repeat':
      return { ...common, reason: 'delay', message: `${layer} pauses before its next round.` };
    case 'retry': {
      const failed = play.tries?.[wait.position] ?? 0;
      const message = `${layer} failed and is called again when its pause is over.`;
      return { ...common, reason: 'retry', attempt: failed + 1, message };
    }
    case 'rate_limit': {
      const message = `${layer} waits for its turn: the calls of ${wait.destination ?? 'its destination'} are limited.`;
      return { ...common, reason: 'rate_limit', message };
    }
    case 'destination_down': {
      const message = `${layer} waits until ${wait.destination ?? 'its destination'} can be reached and takes calls again.`;
      return { ...common, reason: 'destination_down', message };
    }
    case 'event': {
      const key = wait.event?.key == null ? '' : ` with the key "${wait.event.key}"`;
      const message = `${layer} waits for the event "${wait.event?.name ?? ''}"${key}${orTime}.`;
      return { ...common, reason: 'event', message };
    }
    case 'approval': {
      const message = `${layer} waits for a decision: ${wait.approval?.message ?? ''}`.trimEnd();
      return { ...common, reason: 'approval', message };
    }
    case 'children': {
      const { open = 0, wakeAfter = 0, playId } = wait.children ?? {};
      const what =
        playId === undefined
          ? `for plays that its items have started: ${open} were open, and it goes on when ${wakeAfter} of them have ended`
          : `for the end of the play ${playId}, which it has started`;
      return { ...common, reason: 'child', message: `${layer} waits ${what}.` };
    }
  }
}
