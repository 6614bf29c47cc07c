export const FLOW_TABS = ['layers', 'versions', 'test-cases', 'schedules', 'access', 'settings'] as const;

export type FlowTab = (typeof FLOW_TABS)[number];

export interface FlowSearch {
  /** The first one without it. */
  readonly tab?: FlowTab;
}

export function readFlowSearch(search: Record<string, unknown>): FlowSearch {
  const tab = FLOW_TABS.find((each) => each === search.tab);
  return tab === undefined ? {} : { tab };
}
