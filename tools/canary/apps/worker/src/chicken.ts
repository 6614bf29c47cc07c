import { egg } from './egg.js';
export const chicken = () => egg;
