/** What the list of flows shows, as its address has it. */
export interface FlowsSearch {
  /** Part of the name. */
  readonly q?: string;
  readonly show?: FlowsShown;
  readonly category?: string;
  /** A flow is being made, from this. */
  readonly new?: NewFrom;
  /** The recipe that it begins with. */
  readonly recipe?: string;
}

/** What a new flow can be made from. */
export const NEW_FROM = ['nothing', 'recipe', 'curl', 'blueprint', 'document'] as const;
export type NewFrom = (typeof NEW_FROM)[number];

export const SHOWN = ['flows', 'paused', 'blueprints', 'deleted'] as const;
export type FlowsShown = (typeof SHOWN)[number];

export function readFlowsSearch(search: Record<string, unknown>): FlowsSearch {
  const text = (name: string): string | undefined => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [q, category] = [text('q'), text('category')];
  const show = SHOWN.find((each) => each === search.show);
  const from = NEW_FROM.find((each) => each === search.new);
  const recipe = from === 'recipe' ? text('recipe') : undefined;
  return {
    ...(q !== undefined && { q }),
    ...(category !== undefined && { category }),
    ...(show !== undefined && show !== 'flows' && { show }),
    ...(from !== undefined && { new: from }),
    ...(recipe !== undefined && { recipe }),
  };
}

/** The filter as `GET /flows` takes it. */
export function listQuery({ q, show, category }: FlowsSearch) {
  return {
    ...(q !== undefined && { q }),
    ...(category !== undefined && { category }),
    ...(show === 'deleted' ? { filtered: true } : { isBlueprint: show === 'blueprints' }),
    ...(show === 'paused' && { enabled: false }),
  };
}
