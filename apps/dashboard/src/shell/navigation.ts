import { SIGNED_IN, type RouteRight } from '@weft/access';
import type { LinkProps } from '@tanstack/react-router';
import type { IconName } from '../ui/icon';

export interface NavigationItem {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
  readonly icon: IconName;
  /** Shown to those who have one of these; the server decides again. */
  readonly rights: readonly RouteRight[];
}

export const NAVIGATION: readonly NavigationItem[] = [
  { to: '/plays', label: 'Plays', icon: 'plays', rights: [SIGNED_IN] },
];
