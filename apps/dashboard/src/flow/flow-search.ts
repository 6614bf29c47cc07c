import { readOverviewSearch, type OverviewWindow } from '../overview/overview-search';

export const FLOW_TABS = [
  'layers',
  'figures',
  'versions',
  'test-cases',
  'schedules',
  'triggers',
  'access',
  'settings',
] as const;

export type FlowTab = (typeof FLOW_TABS)[number];

export interface FlowSearch {
  /** The first one without it. */
  readonly tab?: FlowTab;
  /** Of the figures. */
  readonly window?: OverviewWindow;
  /** Versions that are compared. */
  readonly from?: number;
  readonly to?: number;
  /** A play from which a test case is made. */
  readonly play?: string;
}

export function readFlowSearch(search: Record<string, unknown>): FlowSearch {
  const tab = FLOW_TABS.find((each) => each === search.tab);
  const [from, to] = [versionOf(search.from), versionOf(search.to)];
  return {
    ...(tab !== undefined && { tab }),
    ...readOverviewSearch(search),
    ...(from !== null && { from }),
    ...(to !== null && { to }),
    ...(typeof search.play === 'string' && search.play !== '' && { play: search.play }),
  };
}

/** Whatever somebody typed into the address. */
function versionOf(value: unknown): number | null {
  const version = Number(value);
  return Number.isSafeInteger(version) && version > 0 ? version : null;
}
