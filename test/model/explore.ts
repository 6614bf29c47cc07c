/** Visits every state that a model can reach, in order of distance, and says whether what must hold does. */

export interface Step<State> {
  readonly name: string;
  /** Changes a copy of the state. Returns what it breaks, if anything. */
  readonly take: (state: State) => string | void;
}

export interface Model<State> {
  readonly start: State;
  steps(state: State): readonly Step<State>[];
  /** The end that can be reached from every state. */
  isEnd(state: State): boolean;
  /** What must hold in every state; null when it does. */
  violation(state: State): string | null;
  /** Makes states alike that differ only in what nothing depends on. */
  normalize(state: State): void;
  /** Shares nothing that a step changes. */
  copy(state: State): State;
  /** The same for the same states, another for any other. */
  keyOf(state: State): string;
}

export type Finding =
  | { readonly kind: 'holds'; readonly states: number }
  /** There are more states than were asked for; those that were visited are in order. */
  | { readonly kind: 'cut'; readonly states: number }
  | { readonly kind: 'violated'; readonly rule: string; readonly trace: readonly string[] }
  /** From this state the end cannot be reached. */
  | { readonly kind: 'stuck'; readonly trace: readonly string[] };

/** @param maxStates bounds the time: some ten thousand states a second */
export function explore<State>(model: Model<State>, maxStates: number): Finding {
  const numbers = new Map<string, number>();
  const visited: { readonly state: State; readonly from: number; readonly step: string; readonly before: number[] }[] =
    [];
  const visit = (state: State, from: number, step: string): number => {
    model.normalize(state);
    const key = model.keyOf(state);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, visited.length);
    return visited.push({ state, from, step, before: [] }) - 1;
  };
  const traceTo = (number: number): string[] => {
    const names: string[] = [];
    for (let at = visited[number]; at && at.from >= 0; at = visited[at.from]) names.unshift(at.step);
    return names;
  };

  visit(model.copy(model.start), -1, '');
  const ends: number[] = [];
  for (let number = 0; number < visited.length; number += 1) {
    if (number >= maxStates) return { kind: 'cut', states: number };
    const { state } = visited[number] as (typeof visited)[number];
    if (model.isEnd(state)) ends.push(number);
    for (const { name, take } of model.steps(state)) {
      const next = model.copy(state);
      const rule = take(next) ?? model.violation(next);
      if (rule) return { kind: 'violated', rule, trace: [...traceTo(number), name] };
      visited[visit(next, number, name)]?.before.push(number);
    }
  }

  const reachesEnd = new Uint8Array(visited.length);
  for (const end of ends) reachesEnd[end] = 1;
  while (ends.length > 0) {
    for (const before of visited[ends.pop() as number]?.before ?? []) {
      if (reachesEnd[before]) continue;
      reachesEnd[before] = 1;
      ends.push(before);
    }
  }
  const stuck = reachesEnd.indexOf(0);
  return stuck < 0 ? { kind: 'holds', states: visited.length } : { kind: 'stuck', trace: traceTo(stuck) };
}
