import type { components } from '@weft/client';

export type Play = components['schemas']['Play'];
export type PlayPage = components['schemas']['PlayPage'];
