import { isWeftError, type PlayFrame } from '@weft/client';
import { clean, toJson } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import type { Session } from '../session/cli.js';
import { LiveLines } from './live-lines.js';
import { PlayTree } from './play-tree.js';

export interface WatchLimits {
  /** Then it exits with 11, and the play goes on. */
  readonly timeoutMs?: number;
}

/** Shows a play until it has ended, waits for a person, or the time is over. Its end decides the exit code. */
export async function watchToTheEnd(session: Session, playId: string, { timeoutMs }: WatchLimits = {}): Promise<void> {
  const { weft, terminal, signal } = session;
  const play = await weft.plays.get(playId);
  const [flow, layers] = await Promise.all([weft.flows.get(play.flowId).catch(() => null), weft.plays.layers(playId)]);
  const tree = new PlayTree(playId, flow?.name ?? play.flowId, layers);
  const screen = new LiveLines(terminal);
  const show = () => {
    if (!terminal.isJson) screen.draw(tree.lines((colour, text) => terminal.tint(colour, text)));
  };
  const over = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const onCut = (why: string) => terminal.say(`${why}; trying again …`);
  show();
  try {
    for await (const frame of weft.plays.watch(playId, {
      signal: over ? AbortSignal.any([signal, over]) : signal,
      onCut,
    })) {
      tree.take(frame);
      if (terminal.isJson) terminal.line(toJson(frame));
      show();
      if (mayWaitForPerson(frame)) await leaveIfItWaits(session, playId);
    }
  } catch (error) {
    if (signal.aborted) throw new Exit(EXIT.interrupted, `The play goes on: ${playId}`, `weft plays watch ${playId}`);
    if (over?.aborted)
      throw new Exit(EXIT.goesOn, `The time is over, and the play goes on: ${playId}`, `weft plays watch ${playId}`);
    throw error;
  }
  await end(session, playId);
}

function mayWaitForPerson(frame: PlayFrame): boolean {
  return frame.type === 'play_state_change' && frame.data.new_status === 'WAIT';
}

async function leaveIfItWaits({ weft, terminal }: Session, playId: string): Promise<void> {
  const waiting = await weft.plays.waiting(playId).catch((error: unknown) => {
    if (isWeftError(error) && error.isRetryable) return null;
    throw error;
  });
  if (waiting?.reason !== 'approval') return;
  if (waiting.message !== null) terminal.say(clean(waiting.message));
  throw new Exit(
    EXIT.waitsForPerson,
    `The play waits for a person at ${clean(waiting.ref ?? '')}: ${playId}`,
    `weft approvals decide ${playId} ${clean(waiting.ref ?? '')} --approve`,
  );
}

async function end({ weft, terminal }: Session, playId: string): Promise<void> {
  const { state, out, error } = await weft.plays.wait(playId);
  if (!terminal.isJson) terminal.json(out);
  if (state !== 'FAIL') return;
  const place = error?.ref ? ` at ${clean(error.ref)}` : '';
  throw new Exit(
    EXIT.playFailed,
    `The play has failed${place}: ${clean(error?.message ?? '')} (${clean(error?.code ?? '')})`,
    `weft plays why ${playId}`,
  );
}
