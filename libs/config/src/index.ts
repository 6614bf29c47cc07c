export type { EgressRule, Settings } from './settings.js';
