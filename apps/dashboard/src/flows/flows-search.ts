/** What the list of flows shows, as its address has it. */
export interface FlowsSearch {
  /** Part of the name. */
  readonly q?: string;
  readonly show?: FlowsShown;
  readonly category?: string;
}

export const SHOWN = ['flows', 'paused', 'blueprints', 'deleted'] as const;
export type FlowsShown = (typeof SHOWN)[number];

export function readFlowsSearch(search: Record<string, unknown>): FlowsSearch {
  const text = (name: string): string | undefined => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [q, category] = [text('q'), text('category')];
  const show = SHOWN.find((each) => each === search.show);
  return {
    ...(q !== undefined && { q }),
    ...(category !== undefined && { category }),
    ...(show !== undefined && show !== 'flows' && { show }),
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
