/** Icons as strokes in a box of 24; each name once. */
const PATHS = {
  plays: 'M6 5l13 7-13 7z',
  flows: 'M5 4h6v5H5zM13 15h6v5h-6zM8 9v4a2 2 0 0 0 2 2h3',
  approvals: 'M9 12l2 2 4-4M12 3l7 3v5c0 4.5-3 8-7 10-4-2-7-5.5-7-10V6z',
  overview: 'M4 20V10M10 20V4M16 20v-8M22 20H2',
  admin: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 4.5v5M8 14.5v5',
  schedule: 'M12 7v5l3 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21c0-4 3.5-6 8-6s8 2 8 6',
  key: 'M14 10a4 4 0 1 0-3.5 4L13 16.5h2.5V19H18v2.500h3V18l-6.600-6.600',
  docs: 'M12 6c-2-1.500-5-2-8-2v14c3 0 6 .500 8 2 2-1.500 5-2 8-2V4c-3 0-6 .500-8 2zM12 6v14',
  menu: 'M4 6h16M4 12h16M4 18h16',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  cross: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  plus: 'M12 5v14M5 12h14',
  undo: 'M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  redo: 'M15 14l5-5-5-5M20 9H10a6 6 0 0 0 0 12h3',
  chevron: 'M9 6l6 6-6 6',
  down: 'M6 9l6 6 6-6',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l4.500 4.500',
  retry: 'M20 12a8 8 0 1 1-2.500-5.800M20 3v4.500h-4.500',
  pause: 'M8 5v14M16 5v14',
  stop: 'M6 6h12v12H6z',
  skip: 'M5 5l9 7-9 7zM18 5v14',
  filter: 'M3 5h18l-7 8v6l-4 1.500V13z',
  hourglass: 'M6 3h12M6 21h12M7 3c0 5 4 6 5 9-1 3-5 4-5 9M17 3c0 5-4 6-5 9 1 3 5 4 5 9',
  dot: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8',
  out: 'M9 4H4v16h5M14 8l4 4-4 4M18 12H8',
  apis: 'M8 4c-3 0-3 2-3 4s0 4-2 4c2 0 2 2 2 4s0 4 3 4M16 4c3 0 3 2 3 4s0 4 2 4c-2 0-2 2-2 4s0 4-3 4',
  bell: 'M6 10a6 6 0 0 1 12 0c0 6 2 7 2 7H4s2-1 2-7M10 20h4',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4.200 4.200 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4.200 4.200 0 0 0 6 6l1-1',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500L19 19M5 19l1.500-1.500M17.500 6.500L19 5',
  compare: 'M9 4H4v16h5M15 4h5v16h-5M12 2v20',
  refresh: 'M4 12a8 8 0 0 1 14-5.300L20 9M20 4v5h-5M20 12a8 8 0 0 1-14 5.300L4 15M4 20v-5h5',
} as const;

export type IconName = keyof typeof PATHS;

interface IconProps {
  readonly name: IconName;
  readonly size?: number;
}

/** Says nothing to screen readers: a text stands next to it, or names the button. */
export function Icon({ name, size = 16 }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
