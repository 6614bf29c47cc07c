import type { Play } from '../plays/play';
import { durationText } from '../ui/duration';
import type { PlayLayer } from './queries';

const TRIGGERS: Readonly<Record<Play['trigger'], string>> = {
  api: 'the API',
  schedule: 'a schedule',
  retry: 'a retry',
  rerun: 'a rerun',
  flow: 'another flow',
  hook: 'a hook',
  mcp: 'an agent',
};

export const triggerText = (trigger: Play['trigger']): string => TRIGGERS[trigger];

/** One sentence: what happens with the play now, or how it ended. */
export function nowText(play: Play, layers: readonly PlayLayer[]): string {
  const done = layers.filter(({ state }) => state === 'DONE' || state === 'SKIP' || state === 'FILTERED').length;
  const of = `${done} of ${layers.length === 1 ? '1 layer is' : `${layers.length} layers are`} through`;
  const working = layers.filter(({ state }) => state === 'RUN').map(({ name }) => `“${name}”`);
  const waiting = layers.filter(({ state }) => state === 'WAIT' || state === 'DEFERRED').map(({ name }) => `“${name}”`);
  switch (play.state) {
    case 'NEW':
      return 'It is accepted and stored; no worker has started it yet.';
    case 'RUN':
      return working.length > 0
        ? `${list(working)} ${working.length === 1 ? 'is' : 'are'} running; ${of}.`
        : `It is running; ${of}.`;
    case 'WAIT':
      return waiting.length > 0
        ? `${list(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} for an answer.`
        : 'It waits for an answer.';
    case 'DEFERRED':
      return play.dueAt ? `It goes on at ${new Date(play.dueAt).toLocaleString()}.` : 'It waits for its turn.';
    case 'ON_HOLD':
      return 'Somebody holds it. Nothing happens until it is released.';
    case 'FAIL':
      return failText(play, layers);
    case 'SKIP':
      return 'It did not run: the condition of the flow, or of its schedule, said no.';
    case 'FILTERED':
      return 'Nothing was left to do: all its layers were filtered out.';
    case 'DONE':
      return `${throughText(layers.length)}${play.duration === null ? '' : `, in ${durationText(play.duration)}`}.`;
  }
}

function throughText(layers: number): string {
  if (layers === 0) return 'It has no layers, and is through';
  return layers === 1 ? 'Its layer is through' : `All ${layers} layers are through`;
}

function failText({ error }: Play, layers: readonly PlayLayer[]): string {
  if (error === null) return 'It failed.';
  const layer = layers.find(({ ref }) => ref === error.ref);
  if (!layer) return error.message;
  const tries = layer.attempts > 1 ? `, after ${layer.attempts} attempts` : '';
  return `It failed at “${layer.name}”${tries}.`;
}

function list(words: readonly string[]): string {
  if (words.length <= 3) return words.join(', ');
  return `${words.slice(0, 3).join(', ')} and ${words.length - 3} more`;
}
