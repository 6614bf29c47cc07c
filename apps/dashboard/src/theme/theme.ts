import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

/** Type, spacing and colour of the dashboard, chosen once. Components name these and no others. */

/** The accent: links, focus, what is selected. Never a state. */
const iris: MantineColorsTuple = [
  '#f2f1fd',
  '#e3e0fa',
  '#c5c0f2',
  '#a59eea',
  '#8a80e3',
  '#786cdf',
  '#6254d3',
  '#5446b8',
  '#463a9c',
  '#393080',
];

const gray: MantineColorsTuple = [
  '#f6f7f9',
  '#eef0f3',
  '#e2e5ea',
  '#d2d7dd',
  '#bcc3cc',
  '#75808c',
  '#59626e',
  '#454c56',
  '#2c323a',
  '#1b2027',
];

const dark: MantineColorsTuple = [
  '#e3e6ea',
  '#c2c8d0',
  '#9fa8b3',
  '#6f7884',
  '#363b44',
  '#2a2f37',
  '#20242b',
  '#191c22',
  '#121419',
  '#0d0f13',
];

export const theme = createTheme({
  primaryColor: 'iris',
  primaryShade: 6,
  colors: { iris, gray, dark },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  spacing: { xs: '0.375rem', sm: '0.625rem', md: '1rem', lg: '1.5rem', xl: '2.25rem' },
  defaultRadius: 'sm',
  radius: { xs: '3px', sm: '5px', md: '8px', lg: '12px', xl: '20px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'xs' } },
    PasswordInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs', allowDeselect: false } },
    NativeSelect: { defaultProps: { size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs' } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 28 } },
    Modal: {
      defaultProps: {
        centered: true,
        lockScroll: false,
        radius: 'md',
        transitionProps: { duration: 120 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
    Drawer: { defaultProps: { lockScroll: false, closeButtonProps: { 'aria-label': 'Close' } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // the first item has the keyboard at once: a menu has no other children that can have it
    Menu: { defaultProps: { shadow: 'md', transitionProps: { duration: 80 }, withInitialFocusPlaceholder: false } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Anchor: { defaultProps: { underline: 'hover' } },
  },
});

/** One colour per state, readable as text on the panel. What a state fills is the same colour, thinned (`global.css`). */
const LIGHT = {
  '--page': '#f6f7f9',
  '--panel': '#ffffff',
  '--line': '#e2e5ea',
  '--hover': '#eef0f3',
  '--ink-soft': '#59626e',
  '--accent-ink': '#5446b8',
  '--state-new': '#59626e',
  '--state-run': '#1a67c4',
  '--state-done': '#17784a',
  '--state-fail': '#c02a26',
  '--state-wait': '#8a5700',
  '--state-deferred': '#7a4bb0',
  '--state-on_hold': '#a2420c',
  '--state-skip': '#59626e',
  '--state-filtered': '#59626e',
};

const DARK: typeof LIGHT = {
  '--page': '#121419',
  '--panel': '#191c22',
  '--line': '#2a2f37',
  '--hover': '#20242b',
  '--ink-soft': '#9fa8b3',
  '--accent-ink': '#b3acf2',
  '--state-new': '#9fa8b3',
  '--state-run': '#72b0fb',
  '--state-done': '#5cc48d',
  '--state-fail': '#ff8b82',
  '--state-wait': '#e2b155',
  '--state-deferred': '#c9a4f0',
  '--state-on_hold': '#f39d68',
  '--state-skip': '#9fa8b3',
  '--state-filtered': '#9fa8b3',
};

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...LIGHT,
    '--mantine-color-text': gray[9],
    '--mantine-color-placeholder': '#6a7480',
    // borders of fields and checkboxes: 3 : 1 against the panel
    '--mantine-color-gray-4': '#858e99',
    '--mantine-color-anchor': LIGHT['--accent-ink'],
    '--mantine-color-error': LIGHT['--state-fail'],
  },
  dark: {
    ...DARK,
    '--mantine-color-placeholder': '#8b95a1',
    '--mantine-color-dark-4': '#68717d',
    '--mantine-color-anchor': DARK['--accent-ink'],
    '--mantine-color-error': DARK['--state-fail'],
  },
});
